/** Chains and stages: a stage a line in a pipeline, as many as fit in the bodies of branches and arms. */
import { child, type Cst } from '../cst.ts'
import { isExpression } from '../expressions.ts'
import { concat, concatAll, group, hardline, indent, line, nothing, space, type Doc } from './doc.ts'
import { argList, bracketed, expression, leaf, meaningful, tokenIn } from './expressions.ts'
import { firstToken, leadingLines, token, type Tokens } from './tokens.ts'

const SUFFIXES = new Set(['As', 'Decorator'])
export function isStage(node: Cst): boolean {
  return node.name.endsWith('Stage')
}

/** `source |> stage |> stage`; `breaks` puts each stage on its own line, below the source. */
export function chain(tokens: Tokens, parts: Cst[], breaks: boolean): Doc {
  const end = parts.findIndex(isStage)
  const head = end < 0 ? parts : parts.slice(0, end)
  const stages = end < 0 ? [] : parts.slice(end)
  const docs = stages.map((part) => concat(leadingLines(tokens, firstToken(part)), stage(tokens, part)))
  const separator = breaks ? hardline : line
  const tail = docs.flatMap((doc, i) => (i > 0 || head.length > 0 ? [separator, doc] : [doc]))
  if (head.length === 0) return group(concatAll(tail))
  return group(concat(headOf(tokens, head), indent(concatAll(tail))))
}

function headOf(tokens: Tokens, head: Cst[]): Doc {
  const [first, ...suffixes] = head
  if (!first) return nothing
  if (first.name === 'Source') return concat(leadingLines(tokens, firstToken(first)), source(tokens, first))
  return concat(
    first.name === 'Block' ? block(tokens, first) : call(tokens, first),
    suffixed(tokens, suffixes),
  )
}
function source(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const value = parts.find(isExpression)
  return concat(
    value ? expression(tokens, value) : nothing,
    suffixed(
      tokens,
      parts.filter((part) => SUFFIXES.has(part.name)),
    ),
  )
}

function block(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const [open, close] = [parts[0], parts[parts.length - 1]]
  if (!open || !close) return nothing
  const opening = token(tokens, open)
  const inner = chain(tokens, parts.slice(1, -1), false)
  const closing = leadingLines(tokens, close.from)
  return group(
    concat(
      opening,
      indent(concat(line, inner, closing === nothing ? nothing : concat(line, closing))),
      line,
      token(tokens, close),
    ),
  )
}

export function call(tokens: Tokens, node: Cst): Doc {
  return concat(
    ...meaningful(node).map((part) => (part.name === 'ArgList' ? argList(tokens, part) : leaf(tokens, part))),
  )
}

function suffixed(tokens: Tokens, suffixes: Cst[]): Doc {
  return suffixes.length === 0
    ? nothing
    : group(indent(concatAll(suffixes.flatMap((part) => [line, suffix(tokens, part)]))))
}
export function suffix(tokens: Tokens, node: Cst): Doc {
  if (node.name === 'As')
    return concat(tokenIn(tokens, node, 'as', nothing, space), tokenIn(tokens, node, 'Definition'))
  return concat(
    ...meaningful(node).map((part) => (part.name === 'ArgList' ? argList(tokens, part) : leaf(tokens, part))),
  )
}

export function stage(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const suffixes = suffixed(
    tokens,
    parts.filter((part) => SUFFIXES.has(part.name)),
  )
  const body = parts.filter((part) => !SUFFIXES.has(part.name))
  const [operator, ...rest] = body
  const start = operator ? concat(token(tokens, operator), space) : nothing
  switch (node.name) {
    case 'ParallelStage':
      return concat(start, bracketed(tokens, rest, branch, { padded: true }), suffixes)
    case 'BranchStage':
      return concat(
        start,
        bracketed(tokens, rest, arm, {
          padded: true,
          breaks: rest.filter((part) => part.name.endsWith('Arm')).length > 1,
        }),
        suffixes,
      )
    case 'EachStage':
      return concat(start, ...rest.map((part) => eachPart(tokens, part)), suffixes)
    default:
      return concat(start, ...rest.map((part) => stagePart(tokens, part)), suffixes)
  }
}
function eachPart(tokens: Tokens, part: Cst): Doc {
  if (part.name === 'ArgList') return argList(tokens, part)
  if (part.name === 'Block') return concat(space, block(tokens, part))
  return part.name === 'Call' ? concat(space, call(tokens, part)) : token(tokens, part)
}
function stagePart(tokens: Tokens, part: Cst): Doc {
  if (part.name === 'Call') return call(tokens, part)
  return part.name === 'ArgList' ? argList(tokens, part) : leaf(tokens, part)
}

function branch(tokens: Tokens, node: Cst): Doc {
  return chain(tokens, meaningful(node), false)
}
function arm(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const arrow = parts.findIndex((part) => part.name === '=>')
  const condition = parts[0]
  const arrowNode = child(node, '=>')
  return concat(
    condition ? (isExpression(condition) ? expression(tokens, condition) : leaf(tokens, condition)) : nothing,
    arrowNode ? concat(space, token(tokens, arrowNode), space) : nothing,
    chain(tokens, parts.slice(arrow + 1), false),
  )
}
