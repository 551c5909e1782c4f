/** Expressions, types, argument lists: how they are laid out. */
import { child, type Cst } from '../cst.ts'
import { isExpression } from '../expressions.ts'
import { isString } from '../literals.ts'
import { concat, concatAll, group, indent, line, nothing, softline, space, type Doc } from './doc.ts'
import { firstToken, leadingLines, token, type Tokens } from './tokens.ts'

export function tokenIn(
  tokens: Tokens,
  node: Cst,
  name: string,
  before: Doc = nothing,
  after: Doc = nothing,
): Doc {
  const found = child(node, name)
  return found ? concat(before, token(tokens, found), after) : nothing
}
export function meaningful(node: Cst): Cst[] {
  return node.children.filter((c) => !c.name.endsWith('Comment') && c.from < c.to)
}

/** `( a, b )` on one line, or an item a line. Commas are added where they were left out; one at the end goes. */
export function bracketed(
  tokens: Tokens,
  items: Cst[],
  print: (tokens: Tokens, node: Cst) => Doc,
  options: { padded?: boolean; breaks?: boolean } = {},
): Doc {
  const [open, close] = [items[0], items[items.length - 1]]
  if (!open || !close) return nothing
  const inner = items.slice(1, -1)
  const opening = token(tokens, open)
  const docs: Doc[] = []
  const count = inner.filter((item) => item.name !== ',').length
  let printed = 0
  for (let i = 0; i < inner.length; i++) {
    const item = inner[i]
    if (!item || item.name === ',') continue
    const before = leadingLines(tokens, firstToken(item))
    const doc = print(tokens, item)
    const comma = inner[i + 1]?.name === ',' ? inner[i + 1] : undefined
    const isLast = ++printed === count
    const separator = comma ? token(tokens, comma, isLast ? '' : ',') : isLast ? nothing : concat(',')
    docs.push(docs.length > 0 ? line : nothing, before, doc, separator)
  }
  const closing = leadingLines(tokens, close.from)
  const edge = options.padded ? line : softline
  if (docs.length === 0 && closing === nothing) return concat(opening, token(tokens, close))
  // Comments before the closing bracket belong inside.
  const inside =
    closing === nothing
      ? concatAll(docs)
      : concatAll([...docs, docs.length > 0 ? line : nothing, withoutLastLine(closing)])
  return concat(
    group(concat(opening, indent(concat(edge, inside)), edge), options.breaks || closing !== nothing),
    token(tokens, close),
  )
}
function withoutLastLine(doc: Doc): Doc {
  if (doc.kind !== 'concat') return doc
  const parts = [...doc.parts]
  while (parts.length > 0) {
    const last = parts[parts.length - 1]
    if (last?.kind === 'line' || (last?.kind === 'text' && last.text === '')) parts.pop()
    else break
  }
  return concatAll(parts)
}

export function argList(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  return isHugging(tokens, node, parts) ? hugged(tokens, parts) : bracketed(tokens, parts, argument)
}

const LONGEST_BEFORE = 60
/** `f("a", { … })`: an object or a list that comes last opens on the line of the call, where what is before it is short. */
function isHugging(tokens: Tokens, node: Cst, parts: Cst[]): boolean {
  const items = parts.slice(1, -1).filter((part) => part.name !== ',')
  const last = items[items.length - 1]
  const value = last?.name === 'NamedArg' ? last.children.find(isExpression) : last
  if (!last || !value || (value.name !== 'Object' && value.name !== 'List') || meaningful(value).length < 3)
    return false
  const before = tokens.source.slice(node.from, value.from)
  const between = tokens.source.slice(value.to, node.to)
  return (
    before.trim().length <= LONGEST_BEFORE &&
    !/[\n]|\/\*|\/\/|#/.test(before.trim()) &&
    /^[\s,]*\)$/.test(between) &&
    !hasComments(tokens, parts)
  )
}
function hasComments(tokens: Tokens, parts: Cst[]): boolean {
  return parts.some(
    (part) =>
      tokens.leading.has(firstToken(part)) ||
      ((part.name === ',' || part.name === '(') && tokens.trailing.has(part.from)),
  )
}
function hugged(tokens: Tokens, parts: Cst[]): Doc {
  const [open, close] = [parts[0], parts[parts.length - 1]]
  const items = parts.slice(1, -1).filter((part) => part.name !== ',')
  return concat(
    open ? token(tokens, open) : nothing,
    ...items.flatMap((item, i) => [i > 0 ? ', ' : nothing, argument(tokens, item)]),
    close ? token(tokens, close) : nothing,
  )
}
function argument(tokens: Tokens, node: Cst): Doc {
  return node.name === 'NamedArg' ? pair(tokens, node) : expression(tokens, node)
}
/** `name: value` */
export function pair(tokens: Tokens, node: Cst): Doc {
  const value = node.children.find(isExpression)
  const key = child(node, 'ArgName') ?? child(node, 'OptionName') ?? child(node, 'Key')
  return concat(
    key ? leaf(tokens, key) : nothing,
    tokenIn(tokens, node, ':', nothing, space),
    value && value !== key ? expression(tokens, value) : nothing,
  )
}
/** A name, a string: all its tokens one after the other. */
export function leaf(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  if (parts.length === 0 || isString(node) || node.name === 'Model') return token(tokens, node)
  return concatAll(parts.map((part) => leaf(tokens, part)))
}

/** Whether the writer put the first item on a line of its own: then it stays so. */
export function isExpanded(tokens: Tokens, node: Cst): boolean {
  const [open, first] = meaningful(node)
  return (
    open !== undefined &&
    first !== undefined &&
    tokens.source.slice(open.to, firstToken(first)).includes('\n')
  )
}

export function expression(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  switch (node.name) {
    case 'List':
      return bracketed(tokens, parts, expression)
    case 'Object':
      return bracketed(tokens, parts, pair, {
        padded: true,
        breaks: isExpanded(tokens, node) && parts.length > 2,
      })
    case 'Paren':
      return concat(
        ...parts.map((part) => (isExpression(part) ? expression(tokens, part) : token(tokens, part))),
      )
    case 'UnaryExpression':
      return concat(
        ...parts.map((part) => (isExpression(part) ? expression(tokens, part) : leaf(tokens, part))),
      )
    case 'AccessExpression':
      return concatAll(parts.map((part) => accessor(tokens, part)))
    case 'ConditionalExpression': {
      const rest = parts
        .slice(1)
        .map((part) =>
          isExpression(part) ? expression(tokens, part) : concat(line, token(tokens, part), space),
        )
      const [first] = parts
      return group(concat(first ? expression(tokens, first) : nothing, indent(concatAll(rest))))
    }
    default:
      return node.name.endsWith('Expression') ? operation(tokens, parts) : leaf(tokens, node)
  }
}

function accessor(tokens: Tokens, node: Cst): Doc {
  if (node.name === 'ArgList') return argList(tokens, node)
  if (node.name !== 'Index') return isExpression(node) ? expression(tokens, node) : leaf(tokens, node)
  return concat(
    ...meaningful(node).map((part) => (isExpression(part) ? expression(tokens, part) : token(tokens, part))),
  )
}

function operation(tokens: Tokens, parts: Cst[]): Doc {
  const [first, ...rest] = parts
  const tail = rest.map((part) =>
    isExpression(part) ? expression(tokens, part) : concat(line, leaf(tokens, part), space),
  )
  return group(concat(first ? expression(tokens, first) : nothing, indent(concatAll(tail))))
}

export function type(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  switch (node.name) {
    case 'ListType':
      return concat(
        ...parts.map((part) =>
          part.name === '[' || part.name === ']' ? token(tokens, part) : type(tokens, part),
        ),
      )
    case 'ObjectType':
      return bracketed(tokens, parts, field, {
        padded: true,
        breaks: isExpanded(tokens, node) && parts.length > 2,
      })
    case 'OptionalType':
      return concatAll(parts.map((part) => (part.name === '?' ? token(tokens, part) : type(tokens, part))))
    case 'UnionType': {
      const [first, ...rest] = parts
      const tail = rest.map((part) =>
        part.name === '|' ? concat(line, token(tokens, part), space) : type(tokens, part),
      )
      return group(concat(first ? type(tokens, first) : nothing, indent(concatAll(tail))))
    }
    default:
      return leaf(tokens, node)
  }
}
export function isType(node: Cst): boolean {
  return node.name.endsWith('Type') || node.name === 'TypeName'
}
function field(tokens: Tokens, node: Cst): Doc {
  return concat(
    ...meaningful(node).map((part) =>
      part.name === ':'
        ? concat(token(tokens, part), ' ')
        : isType(part)
          ? type(tokens, part)
          : leaf(tokens, part),
    ),
  )
}
