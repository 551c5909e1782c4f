/** Fits written arguments to a signature of signatures.ts: position, names, number, kinds and ranges of values. */
import type { Argument, Expression } from '../syntax/ast.ts'
import { checkCondition } from './conditions.ts'
import { counted, fault, oneOf, referTo, replacement, unknown, type Context } from './context.ts'
import { checkExpression, type Place } from './expressions.ts'
import { nearest } from './nearest.ts'
import { checkRegex } from './regexes.ts'
import { certainty, describe, mayFit, type Shape } from './shapes.ts'
import { BUILT_IN_TYPES, type Parameter, type Signature } from './signatures.ts'

/** The arguments by parameter; `rest` holds further positional ones, `open` named ones that no parameter has. */
export interface Bound {
  byName: Map<string, Argument>
  rest: Argument[]
  open: Argument[]
}

/** Fits arguments to parameters and reports what doesn't fit; the values are not looked at yet. */
export function bindArguments(context: Context, args: readonly Argument[], signature: Signature, title = signature.name): Bound {
  const bound: Bound = { byName: new Map(), rest: [], open: [] }
  const { positional, named } = signature
  const unnamed = args.filter((a) => a.name === undefined)
  // An optional parameter before the last one is the one left out: DenyArgs(glob, regex).
  const needed = positional.filter((p) => !p.optional).length
  const places = unnamed.length > needed ? positional : positional.filter((p) => !p.optional || positional.indexOf(p) >= unnamed.length)
  let position = 0
  for (const argument of args) {
    if (argument.name === undefined) {
      const parameter = places[position++]
      if (parameter) bound.byName.set(parameter.name, argument)
      else if (signature.rest) bound.rest.push(argument)
      else fault(context, argument, 'argument-count', tooMany(signature, title, unnamed.length))
      continue
    }
    const known = named.find((p) => p.name === argument.name) ?? (signature.byName ? positional.find((p) => p.name === argument.name) : undefined)
    const at = argument.nameSpan ?? argument
    if (known && bound.byName.has(known.name)) fault(context, at, 'duplicate-argument', `${title} has "${argument.name}" twice.`)
    else if (known) bound.byName.set(known.name, argument)
    else if (signature.open) {
      if (bound.open.some((a) => a.name === argument.name)) fault(context, at, 'duplicate-argument', `${title} has "${argument.name}" twice.`)
      bound.open.push(argument)
    } else {
      const names = [...named, ...(signature.byName ? positional : [])].map((p) => p.name)
      const near = nearest(argument.name, names)
      const byPosition = positional.some((p) => p.name === argument.name)
      const tail = near ? ` Did you mean "${near}"?` : byPosition ? ' Leave the name out.' : names.length ? ` It has ${names.join(', ')}.` : ''
      fault(context, at, 'unknown-argument', `${title} has no argument "${argument.name}".${tail}`, near ? { fix: replacement(at, near) } : {})
    }
  }
  return bound
}

function tooMany({ positional, example }: Signature, title: string, given: number): string {
  if (!positional.length) return `${title} takes no arguments without a name. For example: ${example}`
  return `${title} takes ${counted(positional.length, 'argument')}, not ${given}. For example: ${example}`
}

/** Reports required parameters that got nothing, at `node`. */
export function requireArguments(context: Context, node: { from: number; to: number }, bound: Bound, signature: Signature, title = signature.name): void {
  // A named argument of the user's own stands for the positional ones it replaces: DenyArgs(glob, path: regex).
  const positional = bound.open.length && signature.open ? signature.positional.slice(0, 1) : signature.positional
  const missing = [...positional, ...signature.named].filter((p) => !p.optional && !bound.byName.has(p.name))
  const names = [...new Set(missing.map((p) => p.name))]
  if (names.length) fault(context, node, 'missing-argument', `${title} needs ${oneOf(names).replace(' or ', ' and ')}. For example: ${signature.example}`)
  if (signature.rest && !signature.rest.optional && !signature.positional.length && !bound.rest.length) {
    fault(context, node, 'missing-argument', `${title} needs at least one ${signature.rest.name}. For example: ${signature.example}`)
  }
}

/** Binds, requires, and checks each value by its parameter's kind. `literal`: values have to be written out, as in rules. */
export function checkArguments(
  context: Context,
  node: { from: number; to: number },
  args: readonly Argument[],
  signature: Signature,
  place: Place,
  options: { title?: string; literal?: boolean } = {},
): Bound {
  const bound = bindArguments(context, args, signature, options.title)
  requireArguments(context, node, bound, signature, options.title)
  const title = options.title ?? signature.name
  const parameters = new Map([...signature.positional, ...signature.named].map((p) => [p.name, p]))
  for (const [name, argument] of bound.byName) {
    const parameter = parameters.get(name)
    if (parameter) checkValue(context, argument.value, parameter, title, place, options.literal)
  }
  for (const argument of bound.rest) if (signature.rest) checkValue(context, argument.value, signature.rest, title, place, options.literal)
  for (const argument of bound.open) if (signature.open) checkValue(context, argument.value, signature.open, title, place, options.literal)
  return bound
}

const WANTED: Partial<Record<Parameter['kind'], string>> = {
  text: 'a text', number: 'a number', integer: 'a whole number', duration: 'a duration such as 30s', boolean: 'true or false',
  glob: 'a glob in quotes', regex: 'a regular expression in quotes', list: 'a list', url: 'a URL in quotes',
}

/** Checks one value by what its parameter takes. Kinds that need more than the value (tools, tool, schema) are their form's business. */
export function checkValue(context: Context, value: Expression, parameter: Parameter, title: string, place: Place, literal = false): void {
  const { kind, name, words } = parameter
  if (kind === 'tools' || kind === 'tool' || kind === 'model' || kind === 'agent') return
  if (kind === 'schema') return checkSchemaName(context, value, `${title}'s ${name}`)
  if (kind === 'condition') return checkCondition(context, value, place)
  if (kind === 'word') return checkWord(context, value, parameter, title, place)
  if (literal && !isLiteral(value)) {
    const reason = value.kind === 'Variable' ? ` "${value.name}" is not looked up here.` : ''
    fault(context, value, 'not-literal', `${title}'s ${name} has to be ${WANTED[kind] ?? 'a plain value'}, written out.${reason}`, {
      ...(value.kind === 'Variable' && ['text', 'glob', 'regex'].includes(kind)
        ? { fix: { title: 'Put it in quotes', from: value.from, to: value.to, insert: JSON.stringify(value.name) } }
        : {}),
    })
    return
  }
  const shape = checkExpression(context, value, place)
  if (kind === 'expression') return
  checkKind(context, value, shape, parameter, title)
  if (kind === 'regex' && value.kind === 'String' && !words?.includes(value.value)) checkRegex(context, value, value.value, parameter.use, parameter.always)
}

function checkKind(context: Context, value: Expression, shape: Shape, parameter: Parameter, title: string): void {
  const { kind, name, min, max } = parameter
  const wanted: Shape =
    kind === 'number' || kind === 'integer' || kind === 'duration' ? { kind: 'number' }
    : kind === 'boolean' ? { kind: 'boolean' }
    : kind === 'list' ? { kind: 'list', item: { kind: 'any' } }
    : { kind: 'string' }
  if (!mayFit(shape, wanted)) {
    fault(context, value, 'argument-type', `${title}'s ${name} has to be ${WANTED[kind] ?? 'another kind of value'}, not ${describe(shape)}.`, certainty(shape))
    return
  }
  if (shape.kind === 'number' && shape.value !== undefined) {
    const n = shape.value
    if (kind === 'integer' && !Number.isInteger(n)) fault(context, value, 'argument-range', `${title}'s ${name} has to be a whole number, not ${n}.`)
    else if (kind === 'duration' && n <= 0) fault(context, value, 'argument-range', `${title}'s ${name} has to be longer than nothing.`)
    else if (min !== undefined && n < min) fault(context, value, 'argument-range', `${title}'s ${name} has to be ${min} or more, not ${n}.`)
    else if (max !== undefined && n > max) fault(context, value, 'argument-range', `${title}'s ${name} has to be ${max} or less, not ${n}.`)
    else if (value.kind === 'Number' && value.duration && (kind === 'integer' || kind === 'number')) {
      fault(context, value, 'argument-type', `${title}'s ${name} is a plain number; this is a duration of ${n} milliseconds.`)
    }
  }
  if (kind === 'url' && shape.kind === 'string' && shape.value !== undefined && value.kind === 'String' && !/^https?:\/\/[^\s/]/.test(shape.value)) {
    fault(context, value, 'argument-type', `${title}'s ${name} has to be a URL that begins with http:// or https://.`)
  }
}

function checkWord(context: Context, value: Expression, { name, words = [] }: Parameter, title: string, place: Place): void {
  const word = value.kind === 'Variable' ? value.name : value.kind === 'String' ? value.value : undefined
  if (word !== undefined && words.includes(word)) return
  const near = word === undefined ? undefined : nearest(word, words)
  fault(context, value, 'unknown-word', `${title}'s ${name} is ${oneOf(words)}${word === undefined ? '' : `, not "${word}"`}.`, near ? { fix: replacement(value, near) } : {})
  if (word === undefined) checkExpression(context, value, place)
}

/** A bare schema name, `schema: Invoice`, or a list of one, `[Invoice]`. */
export function checkSchemaName(context: Context, value: Expression, what: string): void {
  if (value.kind === 'List' && value.items.length === 1 && value.items[0]) return checkSchemaName(context, value.items[0], what)
  const name = value.kind === 'Variable' ? value.name : value.kind === 'String' ? value.value : undefined
  if (name === undefined) return fault(context, value, 'argument-type', `${what} has to be the name of a schema.`)
  const schema = context.program.schemas.get(name)
  if (schema) return referTo(context, value, schema)
  if ((BUILT_IN_TYPES as readonly string[]).includes(name)) return
  unknown(context, value, 'schema', name, context.program.schemas.keys())
}

export function isLiteral(value: Expression): boolean {
  if (value.kind === 'List') return value.items.every(isLiteral)
  if (value.kind === 'Object') return value.entries.every((e) => isLiteral(e.value))
  if (value.kind === 'Unary') return value.operator === '-' && value.operand.kind === 'Number'
  return value.kind === 'String' || value.kind === 'Number' || value.kind === 'Boolean' || value.kind === 'Null'
}

/** The value of a literal; undefined for anything else. */
export function literalValue(value: Expression): unknown {
  switch (value.kind) {
    case 'String':
    case 'Number':
    case 'Boolean':
      return value.value
    case 'Null':
      return null
    case 'List':
      return isLiteral(value) ? value.items.map(literalValue) : undefined
    case 'Object':
      return isLiteral(value) ? Object.fromEntries(value.entries.map((e) => [e.key, literalValue(e.value)])) : undefined
    case 'Unary':
      return isLiteral(value) && value.operand.kind === 'Number' ? -value.operand.value : undefined
    default:
      return undefined
  }
}
