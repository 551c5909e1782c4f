/**
 * What a file with syntax faults leaves in doubt: names that a part which could not be read may declare, and findings that
 * would only follow from such a part. One mistake is to give one diagnostic.
 */
import type { Diagnostic } from '../errors.ts'
import type { Declaration, HaloFile } from '../syntax/ast.ts'
import type { Code } from './codes.ts'

/** Names that stand where something may be declared, in text that belongs to no declaration or to a faulty one. */
export function doubtfulNames(files: readonly HaloFile[]): Set<string> {
  const names = new Set<string>()
  for (const file of files) {
    let at = 0
    for (const declaration of [...file.declarations].sort((a, b) => a.from - b.from)) {
      if (declaration.from > at) collect(file.source.slice(at, declaration.from), names)
      if (declaration.faulty) collect(file.source.slice(declaration.from, declaration.to), names)
      at = Math.max(at, declaration.to)
    }
    if (at < file.source.length) collect(file.source.slice(at), names)
  }
  return names
}

function collect(text: string, names: Set<string>): void {
  if (!text.trim()) return
  const code = text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|#[^\n]*/g, ' ')
  for (const [, name] of code.matchAll(/\b(?:policy|tool|store|schema|agent|pipeline|as)\s+([A-Za-z_]\w*)/g)) if (name) names.add(name)
  // Parameters, options and fields: `name: Type`.
  for (const [, name] of code.matchAll(/\b([A-Za-z_]\w*)\s*\??:/g)) if (name) names.add(name)
}

/** Codes that say that something is missing or doesn't fit: in a part with a fault, it may be what could not be read. */
const FOLLOW_UPS: ReadonlySet<string> = new Set<Code>([
  'missing-argument', 'missing-task', 'missing-method', 'argument-count', 'argument-type', 'argument-position', 'loop-target', 'empty-stage',
  'return-type', 'default-type', 'not-callable', 'model-without-provider', 'duplicate-key', 'not-a-value', 'not-literal', 'test-without-expect', 'unknown-option',
  'endless-schema', 'not-a-list', 'unreachable-arm',
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
