/** The Lezer tree as plain nodes: what the AST builder, the fault finder and the formatter walk. */
import type { SyntaxNode, Tree, TreeCursor } from '@lezer/common'

export interface Cst {
  name: string
  from: number
  to: number
  /** An error node: skipped tokens, or (empty) a place where something is missing. */
  error: boolean
  children: Cst[]
}

/** More levels of nesting than this are refused, so that whatever walks the AST may recurse. */
export const MAX_NESTING = 100

const NESTING = new Set([
  'List',
  'Object',
  'Paren',
  'Index',
  'Interpolation',
  'OpenInterpolation',
  'UnaryExpression',
  'ConditionalExpression',
  'ObjectType',
  'ListType',
  'Block',
  'Branch',
  'Arm',
  'ElseArm',
])

/** Where nesting goes too deep inside a node, or -1. Does not recurse. */
export function tooDeepAt(node: SyntaxNode): number {
  const cursor = node.cursor()
  const names: string[] = []
  const levels: number[] = []
  let depth = 0
  for (;;) {
    const added = levelsOf(cursor, names[names.length - 1])
    depth += added
    if (depth > MAX_NESTING) return cursor.from
    names.push(cursor.name)
    levels.push(added)
    if (cursor.firstChild()) continue
    for (;;) {
      names.pop()
      depth -= levels.pop() ?? 0
      if (names.length === 0) return -1
      if (cursor.nextSibling()) break
      cursor.parent()
    }
  }
}

function levelsOf(cursor: TreeCursor, parent: string | undefined): number {
  if (cursor.name === 'ArgList') return parent === 'AccessExpression' ? 1 : 0
  if (cursor.name === 'ConditionalExpression') return elses(cursor.node)
  return NESTING.has(cursor.name) ? 1 : 0
}

/** `a ? b : c ? d : e` is one flat node, but nests in the AST. */
function elses(node: SyntaxNode): number {
  let count = 0
  for (let child = node.firstChild; child && count <= MAX_NESTING; child = child.nextSibling)
    if (child.name === '?') count++
  return Math.max(1, count)
}

/** The node under the cursor with all below it, its positions moved by `offset`. Call it where `tooDeepAt` found nothing. */
export function cstOf(cursor: TreeCursor, offset = 0): Cst {
  const node: Cst = {
    name: cursor.name,
    from: cursor.from + offset,
    to: cursor.to + offset,
    error: cursor.type.isError,
    children: NO_CHILDREN,
  }
  if (cursor.firstChild()) {
    const children: Cst[] = []
    do children.push(cstOf(cursor, offset))
    while (cursor.nextSibling())
    cursor.parent()
    node.children = children
  }
  return node
}
/** Most nodes are leaves. */
const NO_CHILDREN: Cst[] = []

/** The declarations, comments and error nodes of a file, one at a time, so that the whole is never held twice. */
export function* topNodes(tree: Tree): Generator<TreeCursor> {
  const cursor = tree.cursor()
  if (!cursor.firstChild()) return
  do yield cursor
  while (cursor.nextSibling())
}

export function child(node: Cst, name: string): Cst | undefined {
  return node.children.find((c) => c.name === name)
}
export function childrenOf(node: Cst, name: string): Cst[] {
  return node.children.filter((c) => c.name === name)
}

/** Whether an error, or a node that stands for one, is in it. */
export function hasFault(node: Cst): boolean {
  return node.error || RECOVERY.has(node.name) || node.children.some(hasFault)
}
/** Nodes that the grammar uses to go on after a mistake: they are faults, though not error nodes. */
export const RECOVERY: ReadonlySet<string> = new Set([
  'MissingEnd',
  'MissingComma',
  'UnterminatedEnd',
  'OpenInterpolation',
  'BadEscape',
  'ForeignString',
  'StrayValue',
])
