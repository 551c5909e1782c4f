/** The one way to lay out a Halo file. */
import { cstOf, hasFault, tooDeepAt, type Cst } from '../cst.ts'
import { parseSource } from '../parse.ts'
import { haloParser } from '../parser.ts'
import { declaration, nameWidth } from './declarations.ts'
import { concat, concatAll, hardline, nothing, render, type Doc } from './doc.ts'
import { firstToken, leadingLines, tokensOf, type Tokens } from './tokens.ts'

const WIDTH = 110
/** A comment that moved past a bracket may fit elsewhere the next time; it comes to rest soon. */
const MAX_ROUNDS = 8

/**
 * Lays a file out anew: `format(format(s))` is `format(s)`, comments stay, and what it means is the same. A file with a
 * syntax fault comes back as it is: what was meant isn't known.
 */
export function format(source: string): string {
  if (parseSource(source).diagnostics.length > 0) return source
  let current = source
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = layout(current)
    if (next === current) break
    current = next
  }
  return current
}

function layout(original: string): string {
  const source = original.replace(/^\ufeff/, '').replace(/\r\n/g, '\n')
  const tree = haloParser.parse(source)
  if (tooDeepAt(tree.topNode) >= 0) return original
  const root = cstOf(tree.cursor())
  if (hasFault(root)) return original
  const tokens = tokensOf(source, root)
  const declarations = root.children.filter((node) => !node.name.endsWith('Comment'))
  const widths = alignment(tokens, declarations)
  const docs: Doc[] = []
  declarations.forEach((node, i) => {
    const before = declarations[i - 1]
    if (before) docs.push(hardline, isApart(tokens, before, node) ? hardline : nothing)
    docs.push(
      leadingLines(tokens, firstToken(node), true),
      declaration(tokens, node, (widths.get(node) ?? 0) - nameWidth(node)),
    )
  })
  const rest = tokens.leading.get(source.length)
  if (rest)
    docs.push(
      docs.length > 0 ? concat(hardline, rest[0]?.spaced === false ? nothing : hardline) : nothing,
      leadingLines(tokens, source.length, true),
    )
  const text = render(concatAll(docs), WIDTH)
    .trimEnd()
    .replace(/^\n+/, '')
  return text === '' ? '' : `${text}\n`
}

const ONE_LINERS = new Set(['ImportDeclaration', 'PolicyDeclaration', 'ToolDeclaration', 'StoreDeclaration'])

/** An empty line stands between declarations, but short ones of a kind may stand together. */
function isApart(tokens: Tokens, before: Cst, node: Cst): boolean {
  if (before.name !== node.name || !ONE_LINERS.has(node.name)) return true
  const comments = tokens.leading.get(firstToken(node))
  return comments?.[0] ? comments[0].spaced : tokens.spaced.has(firstToken(node))
}

/** How wide the longest name is of each run of tools or stores that stand together. */
function alignment(tokens: Tokens, declarations: Cst[]): Map<Cst, number> {
  const widths = new Map<Cst, number>()
  let run: Cst[] = []
  const close = (): void => {
    const width = Math.max(0, ...run.map(nameWidth))
    for (const node of run) widths.set(node, width)
    run = []
  }
  declarations.forEach((node, i) => {
    const before = declarations[i - 1]
    if (before && isApart(tokens, before, node)) close()
    if (node.name === 'ToolDeclaration' || node.name === 'StoreDeclaration') run.push(node)
    else widths.set(node, nameWidth(node))
  })
  close()
  return widths
}
