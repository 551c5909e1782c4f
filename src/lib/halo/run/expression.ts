/** Expressions: pure, deterministic, bounded. What they need from the world they ask for by number. */
import { HaloError, type Span } from '../errors.ts'
import { BARE_WORDS, type Access, type Expression, type FunctionCall, type Node, type Operation, type Operator } from '../syntax/ast.ts'
import { grow, newBudget, spend, type Budget } from './budget.ts'
import { FUNCTIONS, type WorldRequest } from './functions.ts'
import { equal, fieldOf, kindOf, order, setField, textIn, truthy, type PlainObject } from './values.ts'

export { truthy } from './values.ts'
export type { WorldRequest } from './functions.ts'

/** What an absent field is: null, or (in a condition and a template) an error with its path. */
export type Mode = 'value' | 'condition' | 'template'

export interface Scope {
  mode: Mode
  has(name: string): boolean
  lookup(name: string): unknown
  /** Functions beside the built-in ones, such as `called` in a test's `expect`. */
  functions?: Readonly<Record<string, (...args: unknown[]) => unknown>>
  /** The file the expression stands in, for the spans of errors. */
  file?: string
}

/**
 * What an expression can't know by itself. `need` is asked the first time each need arises, numbered from 0 in the order of
 * evaluation; the same expression in the same scope asks the same questions, so answers can be kept by number.
 */
export interface World {
  need(index: number, request: WorldRequest): unknown
}

/** More questions than this in one expression are EXPRESSION_LIMIT: each answer evaluates it once more. */
const NEED_LIMIT = 100

/**
 * The value of an expression: plain data, never undefined. A promise only when the world answered with one. Throws (or
 * rejects with) HaloError EXPRESSION_ERROR, EXPRESSION_LIMIT, or what the world threw.
 *
 * - `==` compares without coercion, lists and objects by what they hold. `< <= > >=` take two numbers or two texts.
 * - `+` adds numbers; with a text on either side it joins, the other side as in a template. All results are finite.
 * - `&&` and `||` give one of their operands; `false`, `null`, `0` and `""` count as false, all else as true.
 * - The left of `??` may be absent in every mode; so may what follows a `?.`.
 */
export function evaluate(expression: Expression, scope: Scope, world?: World): unknown {
  return attempt(expression, scope, world, [])
}

/** Evaluates again with one answer more each time: expressions are pure, so that is safe. */
function attempt(expression: Expression, scope: Scope, world: World | undefined, answers: unknown[]): unknown {
  for (;;) {
    const run: Run = { scope, answers, asked: 0, budget: newBudget() }
    try {
      return valueOf(expression, run, scope.mode) ?? null
    } catch (thrown) {
      if (!(thrown instanceof Need)) throw thrown
      const answer = askWorld(world, answers.length, thrown, run)
      if (isPromise(answer)) {
        return Promise.resolve(answer).then((value) => attempt(expression, scope, world, [...answers, value]))
      }
      answers = [...answers, answer]
    }
  }
}

interface Run {
  scope: Scope
  answers: readonly unknown[]
  asked: number
  budget: Budget
}

/** Thrown to leave an evaluation at a question that has no answer yet. */
class Need {
  readonly request: WorldRequest
  readonly node: Node
  constructor(request: WorldRequest, node: Node) {
    this.request = request
    this.node = node
  }
}

function askWorld(world: World | undefined, index: number, need: Need, run: Run): unknown {
  const { request, node } = need
  if (index >= NEED_LIMIT) {
    throw new HaloError('EXPRESSION_LIMIT', `The expression asks for the time, an id or a slow match more than ${NEED_LIMIT} times.`, { span: span(node, run) })
  }
  if (world) return world.need(index, request)
  throw request.fn === 'matches'
    ? new HaloError('VALIDATION', `The regular expression ${JSON.stringify(request.pattern)} can take very long on some texts, so it needs a regexRunner with a time limit. Write it without repeats inside repeats, or configure one.`, { span: span(node, run) })
    : new HaloError('EXPRESSION_ERROR', `${request.fn}() can't be used here.`, { span: span(node, run) })
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

function span(node: Node, run: Run): Span {
  return run.scope.file === undefined ? { from: node.from, to: node.to } : { from: node.from, to: node.to, file: run.scope.file }
}

function fault(message: string, node: Node, run: Run, data?: unknown): HaloError {
  return new HaloError('EXPRESSION_ERROR', message, { span: span(node, run), data })
}

// ---------------------------------------------------------------------- nodes

function valueOf(node: Expression, run: Run, mode: Mode): unknown {
  spend(run.budget)
  switch (node.kind) {
    case 'String':
    case 'Number':
    case 'Boolean':
      return node.value
    case 'Null':
      return null
    case 'Template': {
      let text = ''
      for (const part of node.parts) text += typeof part === 'string' ? part : textIn(valueOf(part, run, 'template'), run.budget)
      grow(run.budget, text.length)
      return text
    }
    case 'Variable':
      return variable(node, run)
    case 'Access':
      return access(node, run, mode)
    case 'FunctionCall':
      return call(node, run, mode)
    case 'List':
      grow(run.budget, node.items.length * 8)
      return node.items.map((item) => valueOf(item, run, mode) ?? null)
    case 'Object': {
      const object: PlainObject = {}
      for (const entry of node.entries) {
        grow(run.budget, entry.key.length + 8)
        setField(object, entry.key, valueOf(entry.value, run, mode) ?? null)
      }
      return object
    }
    case 'Unary': {
      const value = valueOf(node.operand, run, mode)
      if (node.operator === '!') return !truthy(value)
      if (typeof value !== 'number') throw fault(`- takes a number, not ${kindOf(value)}.`, node, run)
      return value === 0 ? 0 : -value
    }
    case 'Operation':
      return operation(node, run, mode)
    case 'Conditional':
      return valueOf(truthy(valueOf(node.test, run, mode)) ? node.then : node.else, run, mode)
  }
}

function variable(node: { name: string } & Node, run: Run): unknown {
  const { scope } = run
  // `input` and `output` are words only where nothing of that name is in scope; the other bare words always are.
  const word = BARE_WORDS.has(node.name)
  if (word && node.name !== 'input' && node.name !== 'output') return node.name
  if (scope.has(node.name)) return scope.lookup(node.name) ?? null
  if (word) return node.name
  throw fault(`There is no ${node.name} in scope here.`, node, run, { path: node.name })
}

function access(node: Access, run: Run, mode: Mode): unknown {
  let value = valueOf(node.base, run, mode)
  let path = node.base.kind === 'Variable' ? node.base.name : '(…)'
  for (const step of node.steps) {
    spend(run.budget)
    const key = step.kind === 'Member' ? step.name : valueOf(step.index, run, mode)
    const here = `${path}${step.kind === 'Member' ? `.${step.name}` : `[${JSON.stringify(key)}]`}`
    const found = fieldOf(value, key)
    if (found === undefined) {
      // What is absent after `?.` is null, and so is all that follows.
      if (step.kind === 'Member' && step.optional) return null
      if (mode !== 'value') throw fault(`${here} is absent: ${path} ${why(value, key)}. Use ?. or ?? if that may be.`, step, run, { path: here })
    }
    value = found ?? null
    path = here
  }
  return value
}

function why(value: unknown, key: unknown): string {
  if (value === null || value === undefined) return 'is null'
  if (Array.isArray(value)) return `is a list of ${value.length}`
  if (typeof value !== 'object') return `is ${kindOf(value)}`
  const names = Object.keys(value)
  if (names.length === 0) return 'is an empty object'
  const shown = names.slice(0, 8).map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name))
  return `has no ${JSON.stringify(key)}, only ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
}

function call(node: FunctionCall, run: Run, mode: Mode): unknown {
  const own = run.scope.functions
  const extra = own && Object.hasOwn(own, node.name) ? own[node.name] : undefined
  const spec = FUNCTIONS.get(node.name)
  if (!extra && !spec) throw fault(`There is no function ${node.name}().`, node.nameSpan, run)
  const named = node.args.find((arg) => arg.name !== undefined)
  if (named) throw fault(`${node.name}() takes its arguments by position, without names.`, named, run)
  const args = node.args.map((arg) => valueOf(arg.value, run, mode) ?? null)
  if (extra) return extra(...args) ?? null
  if (!spec) return null
  if (args.length < spec.least || args.length > spec.most) throw fault(`It is ${spec.usage}, here with ${args.length} argument${args.length === 1 ? '' : 's'}.`, node, run)
  try {
    return spec.run(args, { budget: run.budget, need: (request) => need(request, node, run) })
  } catch (thrown) {
    // The functions know what is wrong, this place knows where.
    if (thrown instanceof HaloError && thrown.span === undefined) throw new HaloError(thrown.code, thrown.message, { span: span(node, run), cause: thrown.cause, data: thrown.data })
    throw thrown
  }
}

function need(request: WorldRequest, node: Node, run: Run): unknown {
  if (run.asked < run.answers.length) return run.answers[run.asked++]
  throw new Need(request, node)
}

// ------------------------------------------------------------------ operators

function operation(node: Operation, run: Run, mode: Mode): unknown {
  const [head, ...rest] = node.operands
  if (head === undefined) return null
  let left = valueOf(head, run, node.operators[0] === '??' ? 'value' : mode)
  for (const [i, operand] of rest.entries()) {
    const operator = node.operators[i]
    if (operator === undefined) return left
    if (operator === '&&' || operator === '||' || operator === '??') {
      const done = operator === '??' ? left !== null && left !== undefined : operator === '||' ? truthy(left) : !truthy(left)
      if (!done) left = valueOf(operand, run, operator === '??' && node.operators[i + 1] === '??' ? 'value' : mode)
      continue
    }
    left = binary(operator, left, valueOf(operand, run, mode), i > 0, operand, run)
  }
  return left
}

function binary(operator: Exclude<Operator, '&&' | '||' | '??'>, left: unknown, right: unknown, chained: boolean, node: Node, run: Run): unknown {
  switch (operator) {
    case '==': return equal(left, right, run.budget)
    case '!=': return !equal(left, right, run.budget)
    case '+':
      if (typeof left === 'string' || typeof right === 'string') {
        // In a chain the left side was counted when it was built; counting it again would make a long chain quadratic.
        const before = typeof left === 'string' && chained ? left : textIn(left, run.budget)
        return before + textIn(right, run.budget)
      }
      break
    case '<': case '<=': case '>': case '>=': {
      const sign = order(left, right)
      if (sign === undefined) throw fault(`${operator} compares two numbers or two texts, not ${kindOf(left)} and ${kindOf(right)}.`, node, run)
      return operator === '<' ? sign < 0 : operator === '<=' ? sign <= 0 : operator === '>' ? sign > 0 : sign >= 0
    }
  }
  if (typeof left !== 'number' || typeof right !== 'number') {
    const hint = operator === '+' && Array.isArray(left) && Array.isArray(right) ? ' Lists are joined by merge(a, b).' : ''
    throw fault(`${operator} takes numbers${operator === '+' ? ' or a text' : ''}, not ${kindOf(left)} and ${kindOf(right)}.${hint}`, node, run)
  }
  const result = arithmetic(operator, left, right)
  if (!Number.isFinite(result)) throw fault(`${left} ${operator} ${right} is no finite number.`, node, run)
  return result === 0 ? 0 : result
}

function arithmetic(operator: '+' | '-' | '*' | '/' | '%', left: number, right: number): number {
  switch (operator) {
    case '+': return left + right
    case '-': return left - right
    case '*': return left * right
    case '/': return left / right
    case '%': return left % right
  }
}
