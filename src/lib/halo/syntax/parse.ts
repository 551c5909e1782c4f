/** From text to AST. */
import type { Tree } from '@lezer/common'
import { HaloError, type Diagnostic } from '../errors.ts'
import type { Declaration, Expression, HaloFile } from './ast.ts'
import { syntaxFault, type Build, type Place } from './context.ts'
import { cstOf, hasFault, MAX_NESTING, tooDeepAt, topNodes, type Cst } from './cst.ts'
import { declarationOf } from './declarations.ts'
import { expressionIn } from './expressions.ts'
import { treeFaults } from './faults.ts'
import { withoutOpenStrings } from './open-strings.ts'
import { strayFaults } from './strays.ts'
import { conditionParser, haloParser } from './parser.ts'

export interface ParseOptions {
  /** What the file is called in spans and diagnostics. */
  path?: string
}
export interface ParseResult {
  /** All declarations that could be made out; those with a fault in them are marked `faulty`. */
  file: HaloFile
  /** Every syntax fault, in the order of the text. */
  diagnostics: Diagnostic[]
}

/** Parses a file; never throws. */
export function parseSource(source: string, options: ParseOptions = {}): ParseResult {
  const { text, faults } = withoutOpenStrings(source, options.path)
  const { file, diagnostics } = fileOf(text, haloParser.parse(text), options)
  if (faults.length === 0) return { file, diagnostics }
  return { file: { ...file, source }, diagnostics: [...faults, ...diagnostics].sort(byPlace) }
}

/**
 * Parses a file.
 * @throws HaloError PARSE_ERROR with every syntax fault in `diagnostics`
 */
export function parse(source: string, options: ParseOptions = {}): HaloFile {
  const { file, diagnostics } = parseSource(source, options)
  const [first] = diagnostics
  if (!first) return file
  const line = source.slice(0, first.from).split('\n').length
  const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : ''
  throw new HaloError('PARSE_ERROR', `Line ${line}: ${first.message}${more}`, {
    span: { from: first.from, to: first.to, ...(options.path !== undefined && { file: options.path }) },
    diagnostics,
  })
}

/** The AST of a tree that was parsed already, as an editor has it. */
export function fileOf(source: string, tree: Tree, options: ParseOptions = {}): ParseResult {
  const build: Build = {
    source,
    offset: 0,
    faults: [],
    broken: false,
    stops: [],
    ...(options.path !== undefined && { path: options.path }),
  }
  const file = emptyFile(source, options.path)
  const strays: Place[] = []
  let afterDeep = false
  for (const cursor of topNodes(tree)) {
    if (cursor.name.endsWith('Comment')) continue
    const deep = tooDeepAt(cursor.node)
    if (deep >= 0) {
      build.faults.push(nestingFault(deep, options.path))
      afterDeep = true
      continue
    }
    const node = cstOf(cursor)
    if (!startsWithKeyword(node)) {
      // What the parser makes of the rest of something too deep says nothing.
      if (!afterDeep) strays.push(node)
      continue
    }
    afterDeep = false
    build.stops = []
    build.broken = false
    if (hasFault(node)) treeFaults(build, node, cursor.node.nextSibling?.from ?? source.length)
    const declaration = declarationOf(build, node)
    if (declaration) add(file, declaration)
  }
  strayFaults(build, strays)
  return { file, diagnostics: build.faults.sort(byPlace) }
}

/** Parses the text of a condition; `offset` is where it stands in its file. Never throws. */
export function parseCondition(
  text: string,
  offset = 0,
): { expression?: Expression; diagnostics: Diagnostic[] } {
  if (text.trim() === '')
    return {
      diagnostics: [syntaxFault({ from: offset, to: offset + text.length }, 'Expected an expression')],
    }
  const build: Build = { source: text, offset, faults: [], broken: false, stops: [] }
  const tree = conditionParser.parse(text)
  const deep = tooDeepAt(tree.topNode)
  if (deep >= 0) return { diagnostics: [nestingFault(deep + offset)] }
  const node: Cst = cstOf(tree.cursor(), offset)
  if (hasFault(node)) treeFaults(build, node, text.length + offset, true)
  const expression = expressionIn(build, node)
  return { ...(expression && { expression }), diagnostics: build.faults }
}

/** The parser may take for a declaration what has no keyword before it. */
function startsWithKeyword(node: Cst): boolean {
  const first = node.children.find((c) => !c.name.endsWith('Comment'))
  return (
    !node.error && first !== undefined && !first.error && first.from < first.to && /^[a-z]/.test(first.name)
  )
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  return a.from - b.from || a.to - b.to
}

function nestingFault(at: number, path?: string): Diagnostic {
  return syntaxFault({ from: at, to: at + 1 }, `This is nested more than ${MAX_NESTING} levels deep`, path)
}

function emptyFile(source: string, path?: string): HaloFile {
  return {
    kind: 'File',
    from: 0,
    to: source.length,
    ...(path !== undefined && { path }),
    source,
    declarations: [],
    imports: [],
    policies: [],
    tools: [],
    stores: [],
    schemas: [],
    agents: [],
    pipelines: [],
    tests: [],
  }
}

function add(file: HaloFile, declaration: Declaration): void {
  file.declarations.push(declaration)
  switch (declaration.kind) {
    case 'Import':
      return void file.imports.push(declaration)
    case 'Policy':
      return void file.policies.push(declaration)
    case 'Tool':
      return void file.tools.push(declaration)
    case 'Store':
      return void file.stores.push(declaration)
    case 'Schema':
      return void file.schemas.push(declaration)
    case 'Agent':
      return void file.agents.push(declaration)
    case 'Pipeline':
      return void file.pipelines.push(declaration)
    case 'Test':
      return void file.tests.push(declaration)
  }
}
