/** Where a new line of a Halo text begins, and what folds: the formatter's layout, while it is being typed. */
import { foldInside, foldNodeProp, indentNodeProp, type TreeIndentContext } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

const HEAD = /^\s*(?:import|policy|tool|store|schema|agent|pipeline|test)\b/
const STAGE = /^\s*(?:\|[>*?!<]|~>)/
const CLOSER = /^\s*[)\]}]/

/** In brackets: one step in from the line they open on; what closes them stands under that line. */
function bracketed(context: TreeIndentContext): number | null {
  const node = context.node
  const open = node.firstChild && openerOf(node)
  if (!open) return null
  const base = context.lineIndent(open.from)
  return CLOSER.test(context.textAfter) ? base : base + context.unit
}
function openerOf(node: SyntaxNode): SyntaxNode | null {
  return node.getChild('(') ?? node.getChild('[') ?? node.getChild('{')
}

/** The parts of a declaration stand one step in, the stages of a pipeline below its source two. */
function inDeclaration(context: TreeIndentContext): number | null {
  return declarationIndent(context, context.node, context.pos)
}
function declarationIndent(context: TreeIndentContext, node: SyntaxNode, pos: number): number {
  const base = context.lineIndent(node.from)
  if (HEAD.test(context.textAfter)) return base
  if (node.name !== 'PipelineDeclaration') return base + context.unit
  const colon = node.getChild(':')
  const source = node.getChild('Source')
  if (!colon || colon.to > pos) return base + context.unit
  const isBelowSource = source !== null && source.from < pos
  return isBelowSource ? base + 2 * context.unit : base + context.unit
}

/** Below the last line of a declaration it goes on; an empty line ends it. */
function inFile(context: TreeIndentContext): number | null {
  if (HEAD.test(context.textAfter)) return 0
  const before = context.node.childBefore(context.pos)
  if (!before || before.name.endsWith('Comment')) return before ? context.lineIndent(before.from) : 0
  const { doc } = context.state
  const lines = doc.lineAt(context.pos).number - doc.lineAt(before.to).number
  if (lines > 1 && !STAGE.test(context.textAfter)) return 0
  if (['ImportDeclaration', 'ToolDeclaration', 'StoreDeclaration', 'SchemaDeclaration'].includes(before.name))
    return 0
  if (before.name === 'PolicyDeclaration') return /^\s*&/.test(context.textAfter) ? context.unit : 0
  return declarationIndent(context, before, context.pos)
}

export const haloIndentation = indentNodeProp.add({
  'ArgList ParamList List Object ObjectType Brackets Block ParallelStage BranchStage Index Paren': bracketed,
  'PolicyDeclaration ToolDeclaration StoreDeclaration SchemaDeclaration AgentDeclaration PipelineDeclaration TestDeclaration':
    inDeclaration,
  String: () => null,
  File: inFile,
})

/** All of a declaration but its first line. */
function belowHead(node: SyntaxNode, state: EditorState): { from: number; to: number } | null {
  const line = state.doc.lineAt(node.from)
  return node.to > line.to ? { from: line.to, to: node.to } : null
}
/** Between the braces of a stage. */
function betweenBraces(node: SyntaxNode): { from: number; to: number } | null {
  const [open, close] = [node.getChild('{'), node.getChild('}')]
  return open && close ? { from: open.to, to: close.from } : null
}

export const haloFolding = foldNodeProp.add({
  'PolicyDeclaration AgentDeclaration PipelineDeclaration TestDeclaration ToolDeclaration StoreDeclaration':
    belowHead,
  'ArgList ParamList List Object ObjectType Block': foldInside,
  'ParallelStage BranchStage': betweenBraces,
  BlockComment: (node) => ({ from: node.from + 2, to: node.to - 2 }),
})
