/** Expressions, arguments and names: Lezer nodes to AST. */
import type {
  Access,
  AccessStep,
  Argument,
  Expression,
  ModelRef,
  Name,
  ObjectExpression,
  Operator,
} from './ast.ts'
import { fault, placeOf, present, textOf, type Build } from './context.ts'
import { child, childrenOf, type Cst } from './cst.ts'
import { isString, numberOf, plainString, stringOf } from './literals.ts'

/** The functions that expressions may call. */
export const BUILT_IN_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'len lower upper trim split join replace contains starts_with ends_with matches slice first last sort unique pluck keys ' +
    'values merge number string bool json parse_json round min max sum abs now uuid'
  ).split(' '),
)

const OPERATIONS = new Set([
  'NullishExpression',
  'OrExpression',
  'AndExpression',
  'EqualityExpression',
  'CompareExpression',
  'SumExpression',
  'ProductExpression',
])
const EXPRESSIONS = new Set([
  ...OPERATIONS,
  'ConditionalExpression',
  'UnaryExpression',
  'AccessExpression',
  'Variable',
  'Number',
  'Quantity',
  'String',
  'RawString',
  'ForeignString',
  'Boolean',
  'Null',
  'List',
  'Object',
  'Paren',
])

export function isExpression(node: Cst): boolean {
  return EXPRESSIONS.has(node.name)
}
export function expressionIn(build: Build, node: Cst | undefined): Expression | undefined {
  const found = node?.children.find(isExpression)
  return found && expressionOf(build, found)
}

export function nameOf(build: Build, node: Cst): Name {
  const name = textOf(build, node)
  if (/[^\x00-\x7f]/.test(name) && /^[\p{L}\p{N}_]+$/u.test(name))
    fault(build, node, `Names are made of the letters A to Z, digits and _: ${name} has others`)
  return { name, ...placeOf(node) }
}

export function expressionOf(build: Build, node: Cst): Expression {
  const place = placeOf(node)
  if (OPERATIONS.has(node.name)) return operation(build, node)
  switch (node.name) {
    case 'String':
    case 'RawString':
    case 'ForeignString':
      return stringOf(build, node, (inner) => expressionOf(build, inner))
    case 'Number':
    case 'Quantity':
      return numberOf(build, node)
    case 'Boolean':
      return { kind: 'Boolean', value: textOf(build, node) === 'true', ...place }
    case 'Variable':
      return { kind: 'Variable', ...nameOf(build, node) }
    case 'Paren':
      return expressionIn(build, node) ?? { kind: 'Null', ...place }
    case 'List':
      return {
        kind: 'List',
        items: node.children.filter(isExpression).map((item) => expressionOf(build, item)),
        ...place,
      }
    case 'Object':
      return {
        kind: 'Object',
        entries: present(childrenOf(node, 'Entry').map((entry) => entryOf(build, entry))),
        ...place,
      }
    case 'UnaryExpression': {
      const operand = expressionIn(build, node) ?? { kind: 'Null', from: node.to, to: node.to }
      return { kind: 'Unary', operator: child(node, 'Not') ? '!' : '-', operand, ...place }
    }
    case 'ConditionalExpression':
      return conditional(build, node)
    case 'AccessExpression':
      return access(build, node, false)
    default:
      return { kind: 'Null', ...place }
  }
}

function operation(build: Build, node: Cst): Expression {
  const operands: Expression[] = []
  const operators: Operator[] = []
  for (const c of node.children) {
    if (c.name.endsWith('Op')) operators.push(textOf(build, c) as Operator)
    else if (isExpression(c)) operands.push(expressionOf(build, c))
  }
  while (operators.length >= operands.length) operands.push({ kind: 'Null', from: node.to, to: node.to })
  return { kind: 'Operation', operands, operators, ...placeOf(node) }
}

/** `a ? b : c ? d : e`: flat in the tree, nested from the right here. */
function conditional(build: Build, node: Cst): Expression {
  const parts = node.children.filter(isExpression)
  const at = (i: number): Expression => {
    const part = parts[i]
    return part ? expressionOf(build, part) : { kind: 'Null', from: node.to, to: node.to }
  }
  const choices = Math.max(1, childrenOf(node, '?').length)
  let result = at(2 * choices)
  for (let i = choices - 1; i >= 0; i--) {
    const test = at(2 * i)
    result = { kind: 'Conditional', test, then: at(2 * i + 1), else: result, from: test.from, to: node.to }
  }
  return result
}

function entryOf(build: Build, node: Cst): ObjectExpression['entries'][number] | undefined {
  const keyNode = child(node, 'Key')
  if (!keyNode) return undefined
  const string = keyNode.children.find(isString)
  const key = string ? plainString(build, string, 'A key') : textOf(build, keyNode)
  const value = expressionIn(build, node)
  if (value) return { key, value, ...placeOf(node) }
  if (child(node, ':') || keyNode.children.some((c) => c.error)) return undefined
  if (string || RESERVED.has(key)) {
    fault(build, keyNode, `Expected : and a value after the key ${textOf(build, keyNode)}`)
    return undefined
  }
  return { key, value: { kind: 'Variable', ...nameOf(build, keyNode) }, ...placeOf(node) }
}
export const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'else', 'as'])

/** `a.b["c"]`, a function's call, or (only where `calls` is set) `Tool.method(…)`. */
function access(build: Build, node: Cst, calls: boolean): Expression {
  const [head, ...accessors] = node.children.filter((c) => !c.error && !c.name.endsWith('Comment'))
  if (!head) return { kind: 'Null', ...placeOf(node) }
  const { base, rest } = callOf(build, head, accessors, calls) ?? {
    base: expressionOf(build, head),
    rest: accessors,
  }
  const steps: AccessStep[] = []
  for (const step of rest) {
    const place = placeOf(step)
    const property = child(step, 'Property')
    if (step.name === 'Member' && property) {
      steps.push({
        kind: 'Member',
        name: textOf(build, property),
        optional: child(step, '?.') !== undefined,
        ...place,
      })
    } else if (step.name === 'Index') {
      const index = expressionIn(build, step)
      if (index) steps.push({ kind: 'Index', index, ...place })
    } else if (step.name === 'ArgList' && !build.broken) {
      fault(
        build,
        place,
        `Values have no methods: only the built-in functions can be called here, like len(x)`,
      )
    }
  }
  if (steps.length === 0) return base
  const result: Access = { kind: 'Access', base, steps, ...placeOf(node) }
  return result
}

function callOf(
  build: Build,
  head: Cst,
  accessors: Cst[],
  calls: boolean,
): { base: Expression; rest: Cst[] } | undefined {
  if (head.name !== 'Variable') return undefined
  const [first, second] = accessors
  if (first?.name === 'ArgList') {
    const name = nameOf(build, head)
    const args = argumentsOf(build, first)
    return {
      base: {
        kind: 'FunctionCall',
        name: name.name,
        nameSpan: placeOf(head),
        args,
        from: head.from,
        to: first.to,
      },
      rest: accessors.slice(1),
    }
  }
  if (calls && first?.name === 'Member' && second?.name === 'ArgList' && accessors.length === 2) {
    const nameSpan = { from: head.from, to: first.to }
    const property = child(first, 'Property')
    const name = `${textOf(build, head)}.${property ? textOf(build, property) : ''}`
    const args = argumentsOf(build, second)
    return { base: { kind: 'FunctionCall', name, nameSpan, args, from: head.from, to: second.to }, rest: [] }
  }
  return undefined
}

export function argumentsOf(build: Build, node: Cst): Argument[] {
  return present(node.children.map((c) => argumentOf(build, c)))
}
function argumentOf(build: Build, node: Cst): Argument | undefined {
  if (isExpression(node)) return { value: expressionOf(build, node), ...placeOf(node) }
  const nameNode = node.name === 'NamedArg' ? child(node, 'ArgName') : undefined
  const valueNode = node.children.find(isExpression)
  if (!nameNode || !valueNode) return undefined
  const { name, ...nameSpan } = nameOf(build, nameNode)
  const value =
    name === 'tool' && valueNode.name === 'AccessExpression'
      ? access(build, valueNode, true)
      : expressionOf(build, valueNode)
  return { name, nameSpan, value, ...placeOf(node) }
}

export function modelOf(build: Build, node: Cst): ModelRef {
  const string = node.children.find(isString)
  const text = string ? plainString(build, string, 'A model') : textOf(build, node)
  const slash = text.indexOf('/')
  return {
    provider: slash < 0 ? text : text.slice(0, slash),
    id: slash < 0 ? '' : text.slice(slash + 1),
    ...placeOf(node),
  }
}
