/** Checks the calls of a pipeline: of agents, tools, stores, other pipelines and System. */
import type { Argument, CallStage, Name, PipelineDeclaration } from '../syntax/ast.ts'
import { checkAgentCall } from './agent-calls.ts'
import { checkArguments } from './arguments.ts'
import { counted, fault, oneOf, reachOf, referTo, replacement, unknown, warn, type Context } from './context.ts'
import { checkDecorators } from './decorators.ts'
import { checkExpression } from './expressions.ts'
import { FUNCTIONS } from '../run/functions.ts'
import { nearest } from './nearest.ts'
import type { Scope } from './scope.ts'
import { ANY, certainty, describe, mayFit, misfit, shapeOfType, type Shape } from './shapes.ts'
import { SYSTEM_CALLS } from './signatures.ts'
import { toolFacts, type ToolFacts } from './tool-facts.ts'

export function checkCallStage(context: Context, stage: CallStage, scope: Scope, pipeline: PipelineDeclaration): Shape {
  const { program } = context
  const { name } = stage.callee
  const args = stage.args ?? []
  if (name === 'System') return checkSystem(context, stage, scope)
  const agent = program.agents.get(name)
  if (agent) {
    referTo(context, stage.callee, agent)
    checkDecorators(context, stage.decorators, 'agent', { scope })
    return checkAgentCall(context, stage, agent, scope, pipeline)
  }
  const tool = program.tools.get(name) ?? program.stores.get(name)
  if (tool) {
    referTo(context, stage.callee, tool)
    reachOf(context, pipeline.name).tools.add(name)
    checkDecorators(context, stage.decorators, 'tool', { scope })
    const facts = toolFacts(context, name)
    if (facts?.pipeline !== undefined) noteCall(context, pipeline, facts.pipeline, stage.callee)
    const member = stage.member ?? onlyMethod(context, facts, stage.callee)
    return checkToolCall(context, facts, stage.callee, member, args, scope)
  }
  const called = program.pipelines.get(name)
  if (called) {
    referTo(context, stage.callee, called)
    noteCall(context, pipeline, name, stage.callee)
    checkDecorators(context, stage.decorators, 'call', { scope })
    if (stage.member) fault(context, stage.member, 'unknown-method', `${name} is a pipeline; it is called as ${name}(…).`)
    checkPipelineArguments(context, stage.callee, called, args, scope, scope.input ?? ANY)
    return called.faulty ? ANY : shapeOfType(called.returns, program)
  }
  reportUnknownCallee(context, stage)
  checkDecorators(context, stage.decorators, stage.member ? 'agent' : 'call', { scope })
  for (const argument of args) if (!isToolArgument(argument)) checkExpression(context, argument.value, { scope })
  return ANY
}

/** Arguments that take names, not values; of a callee that isn't known they say nothing. */
function isToolArgument({ name }: Argument): boolean {
  return name === 'tools' || name === 'tool' || name === 'schema'
}

export function noteCall(context: Context, pipeline: PipelineDeclaration, called: string, at: { from: number; to: number }): void {
  const { pipelines } = reachOf(context, pipeline.name)
  if (!pipelines.has(called)) pipelines.set(called, { from: at.from, to: at.to })
}

function reportUnknownCallee(context: Context, { callee, member }: CallStage): void {
  const { program } = context
  const { name } = callee
  if (context.doubtful.has(name)) return
  if (program.schemas.has(name) || program.policies.has(name)) {
    fault(context, callee, 'not-callable', `${name} is a ${program.schemas.has(name) ? 'schema' : 'policy'}; it can't be called.`)
    return
  }
  if (FUNCTIONS.has(name) && !member) {
    fault(context, callee, 'not-callable', `${name} is a function of expressions. Write |> System.Value(${name}(input)).`)
    return
  }
  const candidates = member
    ? [...program.agents.keys(), ...program.tools.keys(), ...program.stores.keys(), 'System']
    : [...program.pipelines.keys(), ...program.agents.keys()]
  unknown(context, callee, member ? 'agent or tool' : 'pipeline', name, candidates)
}

function checkSystem(context: Context, stage: CallStage, scope: Scope): Shape {
  const { callee, member } = stage
  checkDecorators(context, stage.decorators, undefined, { scope })
  const args = stage.args ?? []
  const signature = member && SYSTEM_CALLS.get(member.name)
  if (!signature) {
    for (const argument of args) checkExpression(context, argument.value, { scope })
    const names = [...SYSTEM_CALLS.keys()]
    if (member) unknown(context, member, 'step', member.name, names, 'unknown-method', { owner: 'System', hint: `There are System.${names.join(', System.')}.` })
    else fault(context, callee, 'missing-method', `System has ${oneOf(names)}: write System.Value(…).`)
    return ANY
  }
  checkArguments(context, { from: callee.from, to: (member ?? callee).to }, args, signature, { scope }, { title: `System.${signature.name}` })
  if (signature.name !== 'Value') return scope.input ?? ANY
  const [value] = args
  // Looked at a second time for its shape alone: nothing is reported twice.
  return value ? shapeOnly(context, value, scope) : ANY
}

function shapeOnly(context: Context, argument: Argument, scope: Scope): Shape {
  const { length } = context.found
  const references = context.references.length
  const shape = checkExpression(context, argument.value, { scope })
  context.found.length = length
  context.references.length = references
  return shape
}

/** A call that names no method means the only one. */
function onlyMethod(context: Context, facts: ToolFacts | undefined, callee: Name): Name | undefined {
  const methods = facts?.methods && [...facts.methods.keys()]
  const [only] = methods ?? []
  if (methods?.length === 1 && only !== undefined) return { name: only, from: callee.from, to: callee.to }
  fault(context, callee, 'missing-method', `${callee.name} is a tool; name its method${methods?.length ? `: ${oneOf(methods)}` : ': ' + callee.name + '.method(…)'}.`)
  return undefined
}

/** The method and arguments of a tool's or store's call. The flowing value fills `input` where the method has that. */
export function checkToolCall(
  context: Context,
  facts: ToolFacts | undefined,
  callee: { name: string; from: number; to: number },
  member: Name | undefined,
  args: readonly Argument[],
  scope: Scope,
): Shape {
  const shapes = new Map<Argument, Shape>()
  for (const argument of args) shapes.set(argument, checkExpression(context, argument.value, { scope }))
  const seen = new Set<string>()
  // By position they take the names of the method's parameters in order, where those are known.
  const order = member ? [...(facts?.methods?.get(member.name)?.parameters?.keys() ?? [])] : []
  const names = new Map<Argument, string>()
  args.forEach((argument, i) => {
    const name = argument.name ?? order[i]
    if (name === undefined) {
      const hint = order.length && member ? `${callee.name}.${member.name} has ${order.join(', ')}.` : 'Give it as name: value.'
      fault(context, argument, 'argument-position', `There is no parameter for this argument. ${hint}`)
      return
    }
    names.set(argument, name)
    if (seen.has(name)) fault(context, argument.nameSpan ?? argument, 'duplicate-argument', `"${name}" stands twice.`)
    seen.add(name)
  })
  if (!member || !facts?.methods) return ANY
  const method = facts.methods.get(member.name)
  if (!method) {
    reportMethod(context, facts, callee, member)
    return ANY
  }
  const { parameters, open } = method
  if (!parameters) return method.result
  for (const argument of args) {
    const name = names.get(argument)
    if (name === undefined) continue
    const parameter = parameters.get(name)
    const at = argument.nameSpan ?? argument
    if (!parameter) {
      if (open) continue
      const near = nearest(name, parameters.keys())
      const has = parameters.size ? ` It has ${[...parameters.keys()].join(', ')}.` : ' It takes none.'
      fault(context, at, 'unknown-argument', `${callee.name}.${member.name} has no argument "${name}".${near ? ` Did you mean "${near}"?` : has}`, near ? { fix: replacement(at, near) } : {})
      continue
    }
    const shape = shapes.get(argument) ?? ANY
    if (!mayFit(shape, parameter.shape)) {
      fault(context, argument.value, 'argument-type', `${callee.name}.${member.name} needs ${describe(parameter.shape)} as ${name}, not ${misfit(shape, parameter.shape)}.`, certainty(shape))
    }
  }
  const missing = [...parameters].filter(([name, p]) => !p.optional && !seen.has(name) && name !== 'input').map(([name]) => name)
  if (missing.length) {
    fault(context, { from: callee.from, to: Math.max(callee.to, member.to) }, 'missing-argument', `${callee.name}.${member.name} needs ${oneOf(missing).replace(' or ', ' and ')}.`)
  }
  return method.result
}

function reportMethod(context: Context, facts: ToolFacts, callee: { name: string }, member: Name): void {
  const names = [...(facts.methods?.keys() ?? [])]
  if (facts.absent.has(member.name)) {
    const hint = facts.declaration.provider.name === 'Workspace' ? ' It needs write: true in its declaration.' : ' Its declaration leaves that out.'
    fault(context, member, 'unknown-method', `${callee.name} has no method "${member.name}" as it is declared.${hint}`)
    return
  }
  unknown(context, member, 'method', member.name, names, 'unknown-method', { owner: callee.name, hint: names.length ? `It has ${names.join(', ')}.` : '' })
}

/** Arguments of a pipeline by position or name. `flowing` fills the first parameter; undefined where nothing flows (a test). */
export function checkPipelineArguments(
  context: Context,
  at: { from: number; to: number },
  called: PipelineDeclaration,
  args: readonly Argument[],
  scope: Scope,
  flowing: Shape | undefined,
): void {
  const given = new Map<string, Argument>()
  for (const [i, argument] of args.entries()) {
    const shape = checkExpression(context, argument.value, { scope })
    const param = argument.name === undefined ? called.params[i] : called.params.find((p) => p.name === argument.name)
    const node = argument.nameSpan ?? argument
    if (!param && called.faulty) continue
    if (!param) {
      if (argument.name === undefined) {
        fault(context, argument, 'argument-count', `${called.name} takes ${counted(called.params.length, 'argument')}.`)
        continue
      }
      const names = called.params.map((p) => p.name)
      const near = nearest(argument.name, names)
      const has = names.length ? ` It has ${names.join(', ')}.` : ' It takes none.'
      fault(context, node, 'unknown-argument', `${called.name} has no parameter "${argument.name}".${near ? ` Did you mean "${near}"?` : has}`, near ? { fix: replacement(node, near) } : {})
      continue
    }
    if (given.has(param.name)) fault(context, node, 'duplicate-argument', `${called.name} gets "${param.name}" twice.`)
    given.set(param.name, argument)
    const wanted = shapeOfType(param.type, context.program)
    if (!mayFit(shape, wanted) && !(shape.kind === 'null' && (param.optional || param.default))) {
      fault(context, argument.value, 'argument-type', `${called.name} needs ${describe(wanted)} as ${param.name}, not ${misfit(shape, wanted)}.`, certainty(shape))
    }
  }
  const [first] = called.params
  if (flowing && first && !given.has(first.name)) {
    const wanted = shapeOfType(first.type, context.program)
    const declaredOptional = first.optional || first.default !== undefined
    if (!mayFit(flowing, wanted) && !(flowing.kind === 'null' && declaredOptional)) {
      warn(context, at, 'argument-type', `What flows in is ${misfit(flowing, wanted)}; ${called.name} needs ${describe(wanted)} as ${first.name}.`)
    }
  }
  const missing = called.params
    .filter((p, i) => !given.has(p.name) && !p.optional && p.default === undefined && p.type.kind !== 'OptionalType' && !(flowing && i === 0))
    .map((p) => p.name)
  if (missing.length && !called.faulty) fault(context, at, 'missing-argument', `${called.name} needs ${oneOf(missing).replace(/ or (?=[^ ]*$)/, ' and ')}.`)
}
