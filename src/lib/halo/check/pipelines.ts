/** Checks a pipeline: its head, then its stages in order, with the names and the flowing value each of them sees. */
import { BARE_WORDS, type Argument, type BranchStage, type CallStage, type Chain, type EachStage, type LoopStage, type Name, type ParallelStage, type PipelineDeclaration, type Stage } from '../syntax/ast.ts'
import { checkArguments, bindArguments } from './arguments.ts'
import { checkCallStage } from './calls.ts'
import { checkCondition } from './conditions.ts'
import { fault, oneOf, referTo, replacement, unknown, warn, type Context } from './context.ts'
import { checkDecorators } from './decorators.ts'
import { checkExpression } from './expressions.ts'
import { FUNCTIONS } from '../run/functions.ts'
import { nearest } from './nearest.ts'
import { bindingOf, mergeInto, newScope, type Scope } from './scope.ts'
import { ANY, NULL, NUMBER, certainty, describe, mayFit, misfit, objectShape, shapeOfType, unionOf, type Shape } from './shapes.ts'
import { EACH, LISTEN, LOOP, RESERVED_WORDS, SCOPE_NAMES, YIELD } from './signatures.ts'
import { checkType } from './types.ts'

export function checkPipeline(context: Context, pipeline: PipelineDeclaration): void {
  if (FUNCTIONS.has(pipeline.name)) {
    fault(context, pipeline.nameSpan, 'reserved-name', `${pipeline.name} is a built-in function; a pipeline can't have its name.`)
  }
  const scope = newScope()
  for (const param of pipeline.params) {
    if (SCOPE_NAMES.has(param.name)) fault(context, param.nameSpan, 'reserved-name', `"${param.name}" means something else in a pipeline already; a parameter can't be named so.`)
    else if (BARE_WORDS.has(param.name) && param.name !== 'output') warn(context, param.nameSpan, 'word-name', `"${param.name}" is a word of the language and is never looked up as a name. Use context.args.${param.name}, or another name.`)
    if (scope.names.has(param.name)) fault(context, param.nameSpan, 'duplicate-name', `There are two parameters "${param.name}".`)
    checkType(context, param.type)
    const declared = shapeOfType(param.type, context.program)
    if (param.default) {
      const shape = checkExpression(context, param.default, { scope: newScope() })
      if (!mayFit(shape, declared) && !(param.optional && shape.kind === 'null')) {
        fault(context, param.default, 'default-type', `The default of "${param.name}" has to be ${describe(declared)}, not ${misfit(shape, declared)}.`)
      }
    }
    const shape = param.optional && !param.default ? unionOf([declared, NULL]) : declared
    scope.names.set(param.name, { kind: 'parameter', shape, node: param.nameSpan, file: context.file })
  }
  checkType(context, pipeline.returns)
  checkPolicies(context, pipeline.requires)
  const first = pipeline.params[0]
  const { output } = walkChain(context, pipeline.body, newScope(scope, first ? shapeOfType(first.type, context.program) : NULL), pipeline)
  const returns = shapeOfType(pipeline.returns, context.program)
  // A text answer is parsed as JSON for the declared type, so only other values are compared.
  if (pipeline.returns && !pipeline.faulty && output.kind !== 'string' && !(output.kind === 'union' && output.members.some((m) => m.kind === 'string')) && !mayFit(output, returns)) {
    const last = pipeline.body.stages.at(-1) ?? pipeline.body.source ?? pipeline
    fault(context, last, 'return-type', `${pipeline.name} says that it gives ${describe(returns)}, but gives ${misfit(output, returns)}.`, certainty(output))
  }
}

/** The names after `requires`. */
export function checkPolicies(context: Context, names: readonly Name[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    const policy = context.program.policies.get(name.name)
    if (policy) referTo(context, name, policy)
    else unknown(context, name, 'policy', name.name, context.program.policies.keys())
    if (seen.has(name.name)) warn(context, name, 'duplicate-reference', `"${name.name}" is required twice.`)
    seen.add(name.name)
  }
}

/** What a chain gives, and the key it has as a branch of a parallel stage. */
interface Walked {
  output: Shape
  key?: { name: string; node: { from: number; to: number } }
}

/** Walks the stages in order; `scope` gains the names they bind. */
export function walkChain(context: Context, chain: Chain, scope: Scope, pipeline: PipelineDeclaration): Walked {
  /** Agents with a stage in this list so far: where a loop can go back to. */
  const agents = new Map<string, CallStage>()
  let lastName: Name | undefined
  let lastCall: CallStage | undefined
  const { source, stages } = chain
  context.probe?.({ from: chain.from, to: chain.from }, scope)
  const step = (stage: Stage | NonNullable<Chain['source']>) => {
    context.probe?.({ from: stage.from, to: stage.from }, scope)
    const output =
      stage.kind === 'Expression' ? checkExpression(context, stage.value, { scope }) : checkStage(context, stage, scope, agents, pipeline)
    if (stage.kind !== 'Call') checkDecorators(context, stage.decorators, undefined, { scope })
    if (stage.kind === 'Call') {
      lastCall = stage
      if (context.program.agents.has(stage.callee.name)) agents.set(stage.callee.name, stage)
    }
    scope.input = output.kind === 'null' && stage.kind !== 'Expression' ? ANY : output
    if (stage.as) {
      lastName = stage.as
      bind(context, stage.as, stage.kind === 'Yield' ? ANY : output, scope)
    }
    context.probe?.({ from: stage.to, to: stage.to }, scope)
  }
  if (source) step(source)
  for (const stage of stages) step(stage)
  const key = keyOf(lastName, lastCall)
  return { output: scope.input ?? ANY, ...(key ? { key } : {}) }
}

function keyOf(name: Name | undefined, call: CallStage | undefined): Walked['key'] {
  if (name) return { name: name.name, node: name }
  if (!call) return undefined
  const { callee, member } = call
  return { name: member ? `${callee.name}.${member.name}` : callee.name, node: { from: callee.from, to: (member ?? callee).to } }
}

function bind(context: Context, name: Name, shape: Shape, scope: Scope): void {
  if (SCOPE_NAMES.has(name.name) || RESERVED_WORDS.has(name.name)) {
    fault(context, name, 'reserved-name', `"${name.name}" means something else in a pipeline already; nothing can be bound to it.`)
    return
  }
  if (BARE_WORDS.has(name.name) && name.name !== 'output') warn(context, name, 'word-name', `"${name.name}" is a word of the language and is never looked up as a name. Use context.data.${name.name}, or another name.`)
  const before = bindingOf(scope, name.name)
  if (before) warn(context, name, 'shadowed-name', `"${name.name}" is ${before.kind === 'parameter' ? 'a parameter' : 'bound'} already; from here on it means this.`)
  scope.names.set(name.name, { kind: 'result', shape, node: name, file: context.file })
}

function checkStage(context: Context, stage: Stage, scope: Scope, agents: ReadonlyMap<string, CallStage>, pipeline: PipelineDeclaration): Shape {
  const input = scope.input ?? ANY
  switch (stage.kind) {
    case 'Call':
      return checkCallStage(context, stage, scope, pipeline)
    case 'Parallel':
      return checkParallel(context, stage, scope, pipeline)
    case 'Each':
      return checkEach(context, stage, scope, pipeline)
    case 'Branch':
      return checkBranch(context, stage, scope, pipeline)
    case 'Loop':
      checkLoop(context, stage, scope, agents)
      return input
    case 'Yield':
      checkArguments(context, headOf(context, stage), stage.args, YIELD, { scope })
      return ANY
    case 'Listen':
      noteEvent(context, checkArguments(context, headOf(context, stage), stage.args, LISTEN, { scope }).byName.get('event'))
      return ANY
    case 'Block': {
      const inner = newScope(scope)
      const { output } = walkChain(context, stage.body, inner, pipeline)
      mergeInto(scope, inner)
      return output
    }
  }
}

/** `*`: an event whose name is known in a run only. */
function noteEvent(context: Context, event: Argument | undefined): void {
  if (event) context.events.add(event.value.kind === 'String' ? event.value.value : '*')
}

/** Where to say that something is missing: the sign and the word, not the whole stage. */
function headOf(context: Context, stage: { from: number; to: number }): { from: number; to: number } {
  const head = /^[|~!*<>]+\s*[a-z]+/.exec(context.file.source.slice(stage.from, Math.min(stage.to, stage.from + 40)))
  return { from: stage.from, to: head ? stage.from + head[0].length : stage.to }
}

function checkParallel(context: Context, stage: ParallelStage, scope: Scope, pipeline: PipelineDeclaration): Shape {
  if (!stage.branches.length) warn(context, stage, 'empty-stage', 'There is nothing in this stage.')
  const fields = new Map<string, Shape>()
  const inner: Scope[] = []
  for (const branch of stage.branches) {
    const own = newScope(scope)
    const { output, key } = walkChain(context, branch, own, pipeline)
    inner.push(own)
    if (!key) continue
    if (fields.has(key.name)) {
      fault(context, key.node, 'duplicate-key', `Two branches give their result as "${key.name}". Name one of them with "as".`)
    }
    fields.set(key.name, output)
  }
  for (const own of inner) mergeInto(scope, own)
  return objectShape(fields, true, 'the result of the parallel stage')
}

function checkEach(context: Context, stage: EachStage, scope: Scope, pipeline: PipelineDeclaration): Shape {
  checkArguments(context, headOf(context, stage), stage.args, EACH, { scope })
  const input = scope.input ?? ANY
  if (!mayFit(input, { kind: 'list', item: ANY })) {
    fault(context, headOf(context, stage), 'not-a-list', `|* each takes a list; what flows in here is ${describe(input)}.`, certainty(input))
  }
  const item = input.kind === 'list' ? input.item : ANY
  const own = newScope(scope, item)
  own.names.set('item', { kind: 'built-in', shape: item })
  own.names.set('index', { kind: 'built-in', shape: NUMBER })
  const { output } = walkChain(context, stage.body, own, pipeline)
  return { kind: 'list', item: output }
}

function checkBranch(context: Context, stage: BranchStage, scope: Scope, pipeline: PipelineDeclaration): Shape {
  if (!stage.arms.length) warn(context, stage, 'empty-stage', 'There is nothing in this stage.')
  const input = scope.input ?? ANY
  const outputs: Shape[] = []
  const inner: Scope[] = []
  let closed = false
  for (const arm of stage.arms) {
    if (closed) warn(context, { from: arm.from, to: Math.min(arm.to, arm.from + 40) }, 'unreachable-arm', 'No value gets here: the else arm before it takes all.')
    if (arm.condition) checkCondition(context, arm.condition, { scope })
    else closed = true
    const own = newScope(scope, input)
    outputs.push(walkChain(context, arm.body, own, pipeline).output)
    inner.push(own)
  }
  for (const own of inner) mergeInto(scope, own)
  return closed ? unionOf(outputs) : unionOf([...outputs, input])
}

function checkLoop(context: Context, stage: LoopStage, scope: Scope, agents: ReadonlyMap<string, CallStage>): void {
  const bound = bindArguments(context, stage.args, LOOP)
  const target = bound.byName.get('agent')
  const condition = bound.byName.get('while')
  const max = bound.byName.get('max')
  if (!target || !condition) {
    const missing = oneOf([...(target ? [] : ['the agent to go back to']), ...(condition ? [] : ['a condition'])]).replace(' or ', ' and ')
    fault(context, headOf(context, stage), 'missing-argument', `loop needs ${missing}. For example: ${LOOP.example}`)
  }
  if (condition) checkCondition(context, condition.value, { scope })
  if (max) checkArguments(context, max, [max], { ...LOOP, positional: [] , named: LOOP.named.filter((p) => p.name === 'max') }, { scope })
  if (!target) return
  const { value } = target
  if (value.kind !== 'Variable') {
    fault(context, value, 'loop-target', 'loop takes the name of an agent first.')
    return
  }
  const agent = context.program.agents.get(value.name)
  if (agent) referTo(context, value, agent)
  if (agents.has(value.name) || context.doubtful.has(value.name)) return
  if (!agent) {
    unknown(context, value, 'agent', value.name, context.program.agents.keys())
    return
  }
  const near = agents.size === 1 ? [...agents.keys()][0] : nearest(value.name, agents.keys())
  const earlier = agents.size ? `Before it in the same list: ${[...agents.keys()].join(', ')}.` : 'No agent stands before it in the same list of stages.'
  fault(context, value, 'loop-target', `${value.name} has no stage to go back to. ${earlier}`, near ? { fix: replacement(value, near) } : {})
}
