/**
 * What a file with syntax faults leaves in doubt: names that a part which could not be read may declare, and findings that
 * would only follow from such a part. One mistake is to give one diagnostic.
 */
import type { Diagnostic } from '../errors.ts'
import type { Declaration, HaloFile } from '../syntax/ast.ts'
import type { Code } from './codes.ts'

/**
 * Names that something which could not be read may declare: whatever stands outside of declarations or beside a fault, and in
 * a faulty declaration what looks like a declared name. `nameless`: the kinds of declarations whose head has lost its name.
 */
export function doubtfulNames(files: readonly HaloFile[], faults: ReadonlyMap<HaloFile, readonly Diagnostic[]>): { names: Set<string>; nameless: Set<string> } {
  const names = new Set<string>()
  const nameless = new Set<string>()
  const collect = (text: string, pattern: RegExp) => {
    const code = text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|#[^\n]*/g, ' ')
    for (const [whole, name] of code.matchAll(pattern)) names.add(name ?? whole)
    for (const [, kind] of code.matchAll(HEAD_WITHOUT_NAME)) if (kind) nameless.add(kind)
  }
  for (const file of files) {
    let at = 0
    for (const declaration of [...file.declarations].sort((a, b) => a.from - b.from)) {
      if (declaration.from > at) collect(file.source.slice(at, declaration.from), NAME)
      if (declaration.faulty) collect(file.source.slice(declaration.from, declaration.to), DECLARED)
      at = Math.max(at, declaration.to)
    }
    if (at < file.source.length) collect(file.source.slice(at), NAME)
    for (const { from } of faults.get(file) ?? []) collect(lineAt(file.source, from), NAME)
  }
  return { names, nameless }
}

const NAME = /\b([A-Za-z_]\w*)/g
/** After a keyword or `as`, or before a colon. */
const DECLARED = /\b(?:(?:policy|tool|store|schema|agent|pipeline|as)\s+([A-Za-z_]\w*)|[A-Za-z_]\w*(?=\s*\??:))/g
const HEAD_WITHOUT_NAME = /(?:^|\n)[ \t]*(policy|tool|store|schema|agent|pipeline)\s*[:[({]/g

function lineAt(source: string, offset: number): string {
  const start = source.lastIndexOf('\n', offset - 1) + 1
  const end = source.indexOf('\n', offset)
  // A line of a generated file can be the whole file.
  return source.slice(Math.max(start, offset - 500), Math.min(end < 0 ? source.length : end, offset + 500))
}

/** Codes that say that something is missing or doesn't fit: in a part with a fault, it may be what could not be read. */
const FOLLOW_UPS: ReadonlySet<string> = new Set<Code>([
  'missing-argument', 'missing-task', 'missing-method', 'argument-count', 'argument-type', 'argument-position', 'loop-target', 'empty-stage',
  'return-type', 'default-type', 'not-callable', 'model-without-provider', 'duplicate-key', 'not-a-value', 'not-literal', 'test-without-expect', 'unknown-option',
  'endless-schema', 'not-a-list', 'unreachable-arm', 'unknown-name', 'unknown-function', 'unknown-field', 'argument-name', 'unknown-argument', 'unknown-word',
  'bad-glob', 'bad-regex', 'duplicate-clause', 'test-files', 'unknown-type', 'unknown-status', 'pipeline-cycle', 'duplicate-argument', 'unknown-rule', 'decorator-place',
  'import-path',
])

/** Whether a finding may only follow from a syntax fault in the same declaration, on the same line or the next. */
export function mayFollow(file: HaloFile, found: Diagnostic, faults: readonly Diagnostic[] | undefined, faulty: readonly Declaration[]): boolean {
  const inside = faulty.find((d) => d.from <= found.from && found.to <= d.to)
  if (!inside) return false
  if (!faults) return FOLLOW_UPS.has(found.code)
  for (const fault of faults) {
    if (fault.to < inside.from || fault.from > inside.to) continue
    if (found.from <= fault.to && found.to >= fault.from) return true
    if (FOLLOW_UPS.has(found.code) && linesBetween(file.source, fault, found) <= 1) return true
  }
  return false
}

function linesBetween(source: string, a: { from: number; to: number }, b: { from: number; to: number }): number {
  const [from, to] = a.from < b.from ? [a.to, b.from] : [b.to, a.from]
  return to <= from ? 0 : source.slice(from, to).split('\n').length - 1
}
