/** The tokens of a file with the comments that belong to each: nothing but these and the layout is ever printed. */
import type { Cst } from '../cst.ts'
import { isString } from '../literals.ts'
import { concat, hardline, nothing, suffix, text, type Doc } from './doc.ts'

interface Comment {
  text: string
  isBlock: boolean
  /** An empty line stood before it. */
  spaced: boolean
}

export interface Tokens {
  source: string
  /** Comments before a token, on lines of their own or right before it. By the token's start. */
  leading: Map<number, Comment[]>
  /** Comments after a token on its line. By the token's start. */
  trailing: Map<number, Comment[]>
  /** Tokens that an empty line stood before, not counting comments. */
  spaced: Set<number>
}

export function tokensOf(source: string, root: Cst): Tokens {
  const tokens: Tokens = { source, leading: new Map(), trailing: new Map(), spaced: new Set() }
  let previous = -1
  let lastEnd = 0
  let pending: Comment[] = []
  const visit = (node: Cst): void => {
    if (node.children.length > 0 && !isString(node) && node.name !== 'Model')
      return node.children.forEach(visit)
    const gap = source.slice(lastEnd, node.from)
    lastEnd = node.to
    const spaced = /\n[^\n]*\n/.test(gap)
    if (node.name.endsWith('Comment')) {
      const comment = {
        text: source.slice(node.from, node.to).trimEnd(),
        isBlock: node.name === 'BlockComment',
        spaced,
      }
      const sameLine = previous >= 0 && pending.length === 0 && !gap.includes('\n')
      if (sameLine) tokens.trailing.set(previous, [...(tokens.trailing.get(previous) ?? []), comment])
      else pending.push(comment)
      return
    }
    if (node.from === node.to && node !== root) return
    if (spaced) tokens.spaced.add(node.from)
    if (pending.length > 0) tokens.leading.set(node.from, pending)
    pending = []
    previous = node.from
  }
  root.children.forEach(visit)
  if (pending.length > 0) tokens.leading.set(source.length, pending)
  return tokens
}

/** A token's comments and its text (or what is printed in its place). */
export function token(tokens: Tokens, node: Cst, printed?: string): Doc {
  const value = printed ?? tokens.source.slice(node.from, node.to)
  const before = tokens.leading.get(node.from)
  const after = tokens.trailing.get(node.from)
  if (!before && !after) return text(value)
  return concat(...(before ?? []).map(inline), value, ...(after ?? []).map(trailing))
}

/** The comments before a node that begins a line, on lines of their own. To be asked for before the node is printed. */
export function leadingLines(tokens: Tokens, from: number, keepBlank = false): Doc {
  const comments = tokens.leading.get(from)
  if (!comments) return nothing
  tokens.leading.delete(from)
  return concat(
    ...comments.flatMap((comment, i) => [
      comment.spaced && keepBlank && i > 0 ? hardline : nothing,
      text(comment.text),
      hardline,
    ]),
    keepBlank && tokens.spaced.has(from) ? hardline : nothing,
  )
}

function inline(comment: Comment): Doc {
  return comment.isBlock ? text(`${comment.text} `) : suffix(` ${comment.text}`)
}
function trailing(comment: Comment): Doc {
  return comment.isBlock ? text(` ${comment.text}`) : suffix(` ${comment.text}`)
}

/** Where the first token of a node starts: a comment may come before it inside the node. */
export function firstToken(node: Cst): number {
  if (node.children.length === 0 || isString(node) || node.name === 'Model') return node.from
  const first = node.children.find((c) => !c.name.endsWith('Comment') && c.from < c.to)
  return first ? firstToken(first) : node.from
}
