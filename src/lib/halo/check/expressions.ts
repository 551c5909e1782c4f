/** Checks an expression: names, fields of known shapes, functions and how many arguments they take. Gives its shape. */
import { BARE_WORDS, type Access, type AccessStep, type Argument, type Expression, type FunctionCall, type Node, type Operation, type Variable } from '../syntax/ast.ts'
import { fault, refer, replacement, unknown, warn, type Context } from './context.ts'
import { FUNCTIONS } from '../run/functions.ts'
import { nearest } from './nearest.ts'
import { checkRegex } from './regexes.ts'
import { META, allBindings, bindingOf, type Scope } from './scope.ts'
import { ANY, BOOLEAN, NUMBER, STRING, describe, objectShape, shapeOfLiteral, unionOf, type Shape } from './shapes.ts'

/** Where an expression stands. */
export interface Place {
  scope: Scope
  /** The argument of a tool or store declaration: `Env.NAME` may be used. */
  env?: boolean
  /** What is used instead stands beside it: `Env.NAME ?? "…"`. */
  spare?: boolean
  /** Functions that this place alone has: `called` in an `expect`, `call` in a mock. */
  functions?: ReadonlyMap<string, { least: number; most: number; check?(call: FunctionCall): void }>
  /** Takes over for names that aren't in scope; true when it has dealt with it. */
  missing?(node: Variable, name: string): boolean
}

export function checkExpression(context: Context, expression: Expression, place: Place): Shape {
  switch (expression.kind) {
    case 'String':
    case 'Boolean':
    case 'Number':
      return shapeOfLiteral(expression.value)
    case 'Null':
      return shapeOfLiteral(null)
    case 'Template':
      for (const part of expression.parts) if (typeof part !== 'string') checkExpression(context, part, place)
      return STRING
    case 'Variable':
      return checkVariable(context, expression, place)
    case 'Access':
      return checkAccess(context, expression, place)
    case 'FunctionCall':
      return checkCall(context, expression, place)
    case 'List': {
      const items = expression.items.map((item) => checkExpression(context, item, place))
      return { kind: 'list', item: items.length && items.length <= 20 ? unionOf(items) : ANY }
    }
    case 'Object': {
      const seen = new Set<string>()
      const fields = expression.entries.map((entry): [string, Shape] => {
        if (seen.has(entry.key)) fault(context, entry, 'duplicate-key', `The key "${entry.key}" stands twice in this object.`)
        seen.add(entry.key)
        return [entry.key, checkExpression(context, entry.value, place)]
      })
      return objectShape(fields, true)
    }
    case 'Unary': {
      checkExpression(context, expression.operand, place)
      if (expression.operator === '!') return BOOLEAN
      const { operand } = expression
      return operand.kind === 'Number' ? { kind: 'number', value: -operand.value } : NUMBER
    }
    case 'Operation':
      return checkOperation(context, expression, place)
    case 'Conditional':
      checkExpression(context, expression.test, place)
      return unionOf([checkExpression(context, expression.then, place), checkExpression(context, expression.else, place)])
  }
}

function checkOperation(context: Context, { operands, operators }: Operation, place: Place): Shape {
  const spare = operators[0] === '??' ? { ...place, spare: true } : place
  const shapes = operands.map((operand, i) => checkExpression(context, operand, i < operands.length - 1 ? spare : place))
  switch (operators[0]) {
    case '==': case '!=': case '<': case '<=': case '>': case '>=':
      return BOOLEAN
    case '-': case '*': case '/': case '%':
      return NUMBER
    case '+':
      return operators.every((o) => o === '+') && shapes.every((s) => s.kind === 'number') ? NUMBER : shapes.some((s) => s.kind === 'string') ? STRING : ANY
    default:
      return ANY
  }
}

function checkVariable(context: Context, node: Variable, place: Place): Shape {
  const { name } = node
  if (name === 'Env') {
    if (!place.env) envFault(context, node)
    else fault(context, node, 'env-name', 'Env needs the name of a variable: Env.API_KEY.')
    return STRING
  }
  if (name === 'input' && place.scope.input) return place.scope.input
  const binding = bindingOf(place.scope, name)
  if (binding) {
    if (binding.node && binding.file) refer(context, node, binding.node, binding.file)
    return binding.shape
  }
  if (name === 'context') return contextShape(place.scope)
  if (BARE_WORDS.has(name) && name !== 'input') return { kind: 'string', value: name }
  if (place.missing?.(node, name)) return ANY
  reportUnknownVariable(context, node, name, place)
  return ANY
}

/** The message differs by what the name is elsewhere: a declaration, a function, a name of `context`. */
export function reportUnknownVariable(context: Context, node: Node, name: string, { scope }: Place): void {
  if (context.faulty || context.doubtful.has(name)) return
  const { program } = context
  const kind = program.agents.has(name) ? 'an agent' : program.pipelines.has(name) ? 'a pipeline' : program.tools.has(name) ? 'a tool'
    : program.stores.has(name) ? 'a store' : program.schemas.has(name) ? 'a schema' : program.policies.has(name) ? 'a policy' : undefined
  if (kind) return fault(context, node, 'not-a-value', `${name} is ${kind}; it has no value of its own here.`)
  if (FUNCTIONS.has(name)) return fault(context, node, 'not-a-value', `${name} is a function. Call it: ${FUNCTIONS.get(name)?.usage ?? name}.`)
  if (name === 'System') return fault(context, node, 'not-a-value', 'System has no value of its own; it is called: |> System.Value(…).')
  if (name === 'item' || name === 'index') return fault(context, node, 'unknown-name', `"${name}" is known inside |* each only.`)
  const names = [...allBindings(scope).keys(), 'context', ...(scope.input ? ['input'] : [])]
  const known = [...allBindings(scope).keys()].filter(Boolean).slice(0, 8)
  unknown(context, node, 'value named', name, names, 'unknown-name', { hint: known.length ? `Known here: ${known.join(', ')}.` : '' })
}

function envFault(context: Context, node: Node): void {
  fault(context, node, 'env-outside-declaration', 'Env can be used in the arguments of a tool or store declaration only.')
}

/** Warns of an `Env.NAME` that is not set, where it is known what is. */
function checkSet(context: Context, base: Node, step: AccessStep | undefined, { spare }: Place): void {
  const { env } = context.options
  if (env === undefined || step === undefined || spare) return
  const name = keyOf(step)
  if (name === undefined || Object.hasOwn(env, name)) return
  warn(context, { from: base.from, to: step.to }, 'env-missing', `Env.${name} is not set. A run needs it.`)
}

function contextShape(scope: Scope): Shape {
  const bindings = [...allBindings(scope)]
  const of = (kind: string) => bindings.filter(([, b]) => b.kind === kind).map(([name, b]): [string, Shape] => [name, b.shape])
  return objectShape([['data', objectShape(of('result'), false)], ['args', objectShape(of('parameter'), true)], ['meta', META]], true, 'context')
}

function checkAccess(context: Context, { base, steps }: Access, place: Place): Shape {
  for (const step of steps) if (step.kind === 'Index') checkExpression(context, step.index, place)
  if (base.kind === 'Variable' && base.name === 'Env' && !bindingOf(place.scope, 'Env')) {
    if (!place.env) envFault(context, base)
    else checkSet(context, base, steps[0], place)
    return STRING
  }
  if (base.kind === 'Variable' && base.name === 'context' && !bindingOf(place.scope, 'context')) return checkContextAccess(context, base, steps, place)
  return follow(context, checkExpression(context, base, place), steps, textOf(base))
}

/** `context.data.x` without listing everything that is in scope. */
function checkContextAccess(context: Context, base: Variable, steps: readonly AccessStep[], place: Place): Shape {
  const [area, member, ...rest] = steps
  const areaName = area && keyOf(area)
  if (!area || areaName === undefined) return ANY
  if (areaName === 'meta') return follow(context, META, steps.slice(1), 'context.meta')
  if (areaName !== 'data' && areaName !== 'args') {
    missingField(context, area, areaName, 'context', ['data', 'args', 'meta'])
    return ANY
  }
  const name = member && keyOf(member)
  if (!member || name === undefined) return ANY
  const binding = bindingOf(place.scope, name)
  const wanted = areaName === 'data' ? 'result' : 'parameter'
  if (binding?.kind === wanted) {
    if (binding.node && binding.file) refer(context, nameSpanOf(member, name), binding.node, binding.file)
    return follow(context, binding.shape, rest, `context.${areaName}.${name}`)
  }
  if (place.missing?.({ kind: 'Variable', name, ...spanOnly(nameSpanOf(member, name)) }, name)) return ANY
  if (context.faulty || context.doubtful.has(name)) return ANY
  const names = [...allBindings(place.scope)].filter(([, b]) => b.kind === wanted).map(([n]) => n)
  if (binding) {
    const other = binding.kind === 'parameter' ? 'a parameter' : 'a result'
    const span = nameSpanOf(area, areaName)
    fault(context, nameSpanOf(member, name), 'unknown-name', `${name} is ${other}: write context.${areaName === 'data' ? 'args' : 'data'}.${name}.`, {
      ...(span === area ? {} : { fix: replacement(span, areaName === 'data' ? 'args' : 'data') }),
    })
    return ANY
  }
  unknown(context, nameSpanOf(member, name), areaName === 'data' ? 'result' : 'parameter', name, names, 'unknown-name', {
    hint: areaName === 'data' ? 'Nothing before this is bound to it with "as".' : '',
  })
  return ANY
}

function follow(context: Context, start: Shape, steps: readonly AccessStep[], text: string): Shape {
  let shape = start
  let path = text
  for (const step of steps) {
    const key = keyOf(step)
    if (key === undefined) {
      shape = shape.kind === 'list' ? shape.item : ANY
      path += '[…]'
      continue
    }
    const next = fieldOf(shape, key)
    if (next === undefined) {
      reportField(context, step, key, shape, path)
      return ANY
    }
    shape = next
    path += `.${key}`
  }
  return shape
}

/** The shape of a field; undefined where there surely is none. */
function fieldOf(shape: Shape, key: string): Shape | undefined {
  if (shape.kind === 'any') return ANY
  if (shape.kind === 'object') return shape.fields.get(key) ?? (shape.closed ? undefined : shape.fields.size ? undefined : ANY)
  if (shape.kind === 'union') {
    const found = shape.members.map((m) => fieldOf(m, key)).filter((s) => s !== undefined)
    return found.length ? unionOf(found) : undefined
  }
  return undefined
}

function reportField(context: Context, step: AccessStep, key: string, shape: Shape, path: string): void {
  const members = shape.kind === 'union' ? shape.members : [shape]
  const objects = members.filter((m) => m.kind === 'object')
  if (!objects.length) {
    const hint = shape.kind === 'list' ? ` Take an item first: ${path}[0].${key}, or pluck(${path}, "${key}").` : shape.kind === 'string' ? ` Use len(${path}) for its length; parse_json(${path}) reads JSON.` : ''
    // What a model or a tool really gives may differ from what is known here; null.x and "text".x are null, not wrong.
    fault(context, nameSpanOf(step, key), 'unknown-field', `${path} is ${describe(shape)}, which has no field "${key}".${hint}`, { severity: 'warning' })
    return
  }
  missingField(context, step, key, path, objects.flatMap((o) => [...o.fields.keys()]), objects.every((o) => o.closed) ? 'error' : 'warning')
}

function missingField(context: Context, step: AccessStep, key: string, path: string, known: string[], severity: 'error' | 'warning' = 'error'): void {
  const near = nearest(key, known)
  const span = nameSpanOf(step, key)
  const list = known.slice(0, 10).join(', ')
  fault(context, span, 'unknown-field', `${path} has no field "${key}".${near ? ` Did you mean "${near}"?` : list ? ` It has ${list}.` : ''}`, {
    severity,
    ...(near && step.kind === 'Member' ? { fix: replacement(span, near) } : {}),
  })
}

function keyOf(step: AccessStep): string | undefined {
  if (step.kind === 'Member') return step.name
  return step.index.kind === 'String' ? step.index.value : undefined
}

/** The name alone: a step's own span may begin at its dot. */
function nameSpanOf(step: AccessStep, name: string): Node {
  return step.kind === 'Member' ? { from: step.to - name.length, to: step.to } : step
}

function spanOnly({ from, to }: Node): Node {
  return { from, to }
}

function textOf(expression: Expression): string {
  if (expression.kind === 'Variable') return expression.name
  return expression.kind === 'FunctionCall' ? `${expression.name}(…)` : 'this value'
}

function checkCall(context: Context, call: FunctionCall, place: Place): Shape {
  const shapes = call.args.map((argument) => checkExpression(context, argument.value, place))
  const own = place.functions?.get(call.name)
  const signature = own ?? FUNCTIONS.get(call.name)
  if (!signature) {
    const names = [...(place.functions?.keys() ?? []), ...FUNCTIONS.keys()]
    unknown(context, call.nameSpan, 'function', call.name, names, 'unknown-function')
    return ANY
  }
  for (const argument of call.args) {
    if (argument.name !== undefined) fault(context, argument.nameSpan ?? argument, 'argument-name', `${call.name} takes its arguments by position, without names.`)
  }
  const { least, most } = signature
  if (call.args.length < least || call.args.length > most) {
    const wanted = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`
    const usage = 'usage' in signature && typeof signature.usage === 'string' ? `: ${signature.usage}` : ''
    fault(context, call.nameSpan, 'argument-count', `${call.name} takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${call.args.length}${usage}.`)
  }
  if (own?.check) own.check(call)
  if (call.name === 'matches' && !own) checkPattern(context, call.args[1])
  if ('gives' in signature) {
    if (call.name === 'first' || call.name === 'last') return shapes[0]?.kind === 'list' ? unionOf([shapes[0].item, { kind: 'null' }]) : ANY
    if (signature.gives === 'list') return call.name === 'unique' && shapes[0]?.kind === 'list' ? shapes[0] : { kind: 'list', item: ANY }
    if (signature.gives !== 'any') return { kind: signature.gives }
  }
  return ANY
}

function checkPattern(context: Context, argument: Argument | undefined): void {
  if (argument?.value.kind === 'String') checkRegex(context, argument.value, argument.value.value)
}
