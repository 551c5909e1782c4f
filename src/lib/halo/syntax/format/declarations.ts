/** Declarations: how each kind is laid out. */
import { child, type Cst } from '../cst.ts'
import { isExpression } from '../expressions.ts'
import { isString } from '../literals.ts'
import { concat, concatAll, group, hardline, indent, line, nothing, space, text, type Doc } from './doc.ts'
import { argList, bracketed, expression, isType, leaf, meaningful, pair, type } from './expressions.ts'
import { call, chain, isStage, suffix } from './stages.ts'
import { firstToken, leadingLines, token, type Tokens } from './tokens.ts'

/** A declaration; `pad` blanks stand after its name, so that neighbours' colons line up. */
export function declaration(tokens: Tokens, node: Cst, pad: number): Doc {
  const parts = meaningful(node)
  switch (node.name) {
    case 'PolicyDeclaration':
      return policy(tokens, node, pad)
    case 'ToolDeclaration':
    case 'StoreDeclaration':
      return provided(tokens, parts, pad)
    case 'SchemaDeclaration':
      return words(tokens, parts)
    case 'AgentDeclaration':
      return agent(tokens, parts)
    case 'PipelineDeclaration':
      return pipeline(tokens, node)
    case 'TestDeclaration':
      return test(tokens, node)
    default:
      return words(tokens, parts)
  }
}

function words(tokens: Tokens, parts: Cst[]): Doc {
  return concat(
    ...parts.flatMap((part, i) => [
      i > 0 ? space : nothing,
      part.name === 'ObjectType' ? type(tokens, part) : leaf(tokens, part),
    ]),
  )
}

function head(tokens: Tokens, parts: Cst[], pad: number): Doc {
  const [keyword, name, colon] = parts
  if (!keyword || !name || !colon) return nothing
  return concat(
    token(tokens, keyword),
    space,
    leaf(tokens, name),
    text(' '.repeat(pad + 1)),
    token(tokens, colon),
  )
}

function policy(tokens: Tokens, node: Cst, pad: number): Doc {
  const parts = meaningful(node)
  const first = parts.findIndex((part) => part.name === 'Rule')
  const rest = parts.slice(first + 1)
  const extra = parts.slice(3, first).map((part) => token(tokens, part, ''))
  const [firstRule, firstAnd] = [parts[first], rest[0]]
  const breaks =
    firstRule && firstAnd ? tokens.source.slice(firstRule.to, firstAnd.from).includes('\n') : false
  const tail = rest.map((part) =>
    part.name === 'Rule'
      ? call(tokens, part)
      : concat(line, leadingLines(tokens, part.from), token(tokens, part), space),
  )
  return group(
    concat(
      head(tokens, parts, pad),
      ...extra,
      space,
      firstRule ? call(tokens, firstRule) : nothing,
      indent(concatAll(tail)),
    ),
    breaks,
  )
}

function provided(tokens: Tokens, parts: Cst[], pad: number): Doc {
  const tail = parts
    .slice(3)
    .map((part) =>
      part.name === 'Provider'
        ? concat(space, call(tokens, part))
        : indent(concat(line, suffix(tokens, part))),
    )
  return group(concat(head(tokens, parts, pad), ...tail))
}

function agent(tokens: Tokens, parts: Cst[]): Doc {
  const docs = parts.map((part, i) => {
    if (part.name === 'Brackets') return concat(space, bracketed(tokens, meaningful(part), option))
    if (part.name.endsWith('Clause'))
      return indent(concat(hardline, leadingLines(tokens, firstToken(part)), clause(tokens, part)))
    return concat(i > 0 ? space : nothing, leaf(tokens, part))
  })
  return concatAll(docs)
}
function option(tokens: Tokens, node: Cst): Doc {
  return node.name === 'Option' ? pair(tokens, node) : leaf(tokens, node)
}
/** `equips A, B`, `system "…"`, `returns T` */
function clause(tokens: Tokens, node: Cst): Doc {
  return group(
    concat(
      ...meaningful(node).map((part, i) => {
        if (part.name === ',') return concat(token(tokens, part), indent(line))
        return concat(i === 1 ? space : nothing, isType(part) ? type(tokens, part) : leaf(tokens, part))
      }),
    ),
  )
}

function pipeline(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const colon = parts.findIndex((part) => part.name === ':')
  const docs = parts.slice(0, colon + 1).map((part, i) => {
    switch (part.name) {
      case 'ParamList':
        return bracketed(tokens, meaningful(part), param)
      case 'ReturnType':
        return concat(
          space,
          ...meaningful(part).map((p) => (isType(p) ? type(tokens, p) : concat(token(tokens, p), space))),
        )
      case 'RequiresClause':
        return concat(space, clause(tokens, part))
      default:
        return concat(i === 1 ? space : nothing, leaf(tokens, part))
    }
  })
  const body = parts.slice(colon + 1)
  const [first, last] = [body[0], body[body.length - 1]]
  // One that was written on one line stays there if it fits; else each stage has a line of its own.
  const long =
    first && last && body.some(isStage)
      ? tokens.source.slice(firstToken(first), last.from).includes('\n')
      : false
  return concat(
    ...docs,
    indent(
      concat(
        hardline,
        body[0] ? leadingLines(tokens, firstToken(body[0])) : nothing,
        chain(tokens, body, long),
      ),
    ),
  )
}
function param(tokens: Tokens, node: Cst): Doc {
  return concat(
    ...meaningful(node).map((part) => {
      if (part.name === ':') return concat(token(tokens, part), space)
      if (part.name === '=') return concat(space, token(tokens, part), space)
      if (isType(part)) return type(tokens, part)
      return isExpression(part) ? expression(tokens, part) : leaf(tokens, part)
    }),
  )
}

function test(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const docs = parts.map((part, i) => {
    if (part.name.endsWith('Line'))
      return indent(concat(hardline, leadingLines(tokens, firstToken(part)), testLine(tokens, part)))
    if (part.name === 'ArgList') return argList(tokens, part)
    return concat(i > 0 ? space : nothing, leaf(tokens, part))
  })
  return concatAll(docs)
}
function testLine(tokens: Tokens, node: Cst): Doc {
  const parts = meaningful(node)
  const end = parts.findIndex((part) => part.name === 'then')
  const head = end < 0 ? parts : parts.slice(0, end)
  const turns = end < 0 ? [] : parts.slice(end)
  const docs = head.map((part, i) => {
    if (i === 0 || part.name === ',') return token(tokens, part)
    // A first answer of several lines stands below, level with those that come after it.
    if (turns.length > 0 && i === head.length - 1 && !isString(part)) return indent(group(concat(line, value(tokens, part))))
    return concat(space, value(tokens, part))
  })
  const tail = turns.map((part) =>
    part.name === 'then'
      ? concat(line, leadingLines(tokens, part.from), token(tokens, part), space)
      : value(tokens, part),
  )
  return group(concatAll([...docs, indent(concatAll(tail))]))
}
function value(tokens: Tokens, node: Cst): Doc {
  return isExpression(node) && !isString(node) ? expression(tokens, node) : leaf(tokens, node)
}

export function nameWidth(node: Cst): number {
  const name = child(node, 'Definition')
  return name ? name.to - name.from : 0
}
