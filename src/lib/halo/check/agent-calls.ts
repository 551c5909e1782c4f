/** Checks an agent's call: what it is offered, the call made first, and the options and parts of its prompt. */
import type { AgentDeclaration, Argument, CallStage, Expression, Node, PipelineDeclaration } from '../syntax/ast.ts'
import { checkSchemaName, checkValue } from './arguments.ts'
import { checkToolCall, noteCall } from './calls.ts'
import { fault, fileOf, oneOf, reachOf, referTo, replacement, unknown, warn, type Context, type Extra } from './context.ts'
import { checkExpression } from './expressions.ts'
import { modelTakesTools } from './models.ts'
import { nearest } from './nearest.ts'
import type { Scope } from './scope.ts'
import { STRING, ANY, shapeOfSchema, shapeOfType, type Shape } from './shapes.ts'
import { AGENT_CALL } from './signatures.ts'
import { toolFacts } from './tool-facts.ts'

const OPTIONS = new Map(AGENT_CALL.named.map((parameter) => [parameter.name, parameter]))

export function checkAgentCall(context: Context, stage: CallStage, agent: AgentDeclaration, scope: Scope, pipeline: PipelineDeclaration): Shape {
  const { callee, member } = stage
  if (!member) fault(context, callee, 'missing-task', `${agent.name} is an agent; name what it does: ${agent.name}.task(…).`)
  else {
    const tasks = context.tasks.get(agent.name)
    if (tasks) tasks.add(member.name)
    else context.tasks.set(agent.name, new Set([member.name]))
  }
  const args = stage.args ?? []
  const seen = new Map<string, Argument>()
  for (const argument of args) {
    const { name, value } = argument
    if (name !== undefined) {
      if (seen.has(name)) fault(context, argument.nameSpan ?? argument, 'duplicate-argument', `"${name}" stands twice.`)
      seen.set(name, argument)
    }
    const parameter = name === undefined ? undefined : OPTIONS.get(name)
    if (!parameter) {
      checkExpression(context, value, { scope })
      if (name !== undefined) warnOfLikeness(context, argument, name)
    } else if (name === 'tool') checkFirstCall(context, value, agent, scope, pipeline)
    else if (name === 'schema') checkSchemaName(context, value, 'schema')
    else if (name !== 'tools') checkValue(context, value, parameter, `${callee.name}.${member?.name ?? 'task'}`, { scope })
  }
  checkSystemPrompt(context, agent, scope, pipeline)
  offer(context, agent, seen.get('tools')?.value, member ?? callee, pipeline)
  for (const { name } of agent.equips) if (context.program.stores.has(name)) reachOf(context, pipeline.name).tools.add(name)
  return answerShape(context, agent, seen.get('schema')?.value)
}

const prompts = new WeakMap<Context, Map<string, Set<string>>>()

/** `{{ }}` in a system prompt is filled in where the agent is called; each name is reported once. */
function checkSystemPrompt(context: Context, agent: AgentDeclaration, scope: Scope, pipeline: PipelineDeclaration): void {
  const { system } = agent
  if (system?.kind !== 'Template') return
  let reported = prompts.get(context)
  if (!reported) prompts.set(context, (reported = new Map()))
  const names = reported.get(agent.name) ?? new Set<string>()
  const first = !reported.has(agent.name)
  reported.set(agent.name, names)
  const { length } = context.found
  const references = context.references.length
  const { file } = context
  context.file = fileOf(context, agent)
  const missing: { name: string; from: number; to: number }[] = []
  checkExpression(context, system, {
    scope,
    missing: ({ from, to }, name) => {
      missing.push({ name, from, to })
      return true
    },
  })
  if (!first) {
    context.found.length = length
    context.references.length = references
  }
  for (const { name, ...at } of missing) {
    if (names.has(name) || context.doubtful.has(name)) continue
    names.add(name)
    fault(context, at, 'unknown-name', `${agent.name}'s system prompt uses "${name}", which ${pipeline.name} doesn't have where it calls ${agent.name}.`)
  }
  context.file = file
}

/** A named part of the prompt that looks like a mistyped option: `max_step`. */
function warnOfLikeness(context: Context, argument: Argument, name: string): void {
  if (name.length < 5) return
  const near = nearest(name, OPTIONS.keys())
  if (!near || Math.abs(near.length - name.length) > 1 || near.slice(0, 3) !== name.slice(0, 3)) return
  const at = argument.nameSpan ?? argument
  warn(context, at, 'option-like-name', `"${name}" is a named part of the prompt here. Did you mean the option "${near}"?`, { fix: replacement(at, near) })
}

function answerShape(context: Context, agent: AgentDeclaration, schema: Expression | undefined): Shape {
  if (schema?.kind === 'Variable') return shapeOfSchema(schema.name, context.program) ?? ANY
  // What a faulty declaration returns may be what could not be read.
  if (schema || agent.faulty) return ANY
  return agent.returns ? shapeOfType(agent.returns, context.program) : STRING
}

/** `tool: T.method(…)` or `tool: T`. It need not be equipped: the pipeline chooses it. */
function checkFirstCall(context: Context, value: Expression, agent: AgentDeclaration, scope: Scope, pipeline: PipelineDeclaration): void {
  const parts = firstCallParts(value)
  if (!parts) {
    fault(context, value, 'argument-type', 'tool takes a call to make first: tool: Web.fetch(url: link).')
    return
  }
  const { tool, method, args } = parts
  const declaration = context.program.tools.get(tool.name) ?? context.program.stores.get(tool.name)
  if (!declaration) {
    unknown(context, tool, 'tool', tool.name, context.program.tools.keys(), 'tool-config', { prefix: 'TOOL_CONFIG: ' })
    for (const argument of args) checkExpression(context, argument.value, { scope })
    return
  }
  referTo(context, tool, declaration)
  reachOf(context, pipeline.name).tools.add(tool.name)
  const facts = toolFacts(context, tool.name)
  if (facts?.pipeline !== undefined) noteCall(context, pipeline, facts.pipeline, tool)
  if (method) {
    checkToolCall(context, facts, tool, method, args, scope)
    return
  }
  const methods = facts?.methods && [...facts.methods.keys()]
  if (methods && methods.length !== 1) {
    fault(context, tool, 'tool-config', `TOOL_CONFIG: ${tool.name} has ${methods.length ? `several methods: ${oneOf(methods)}` : 'no method'}. Say which: tool: ${tool.name}.${methods[0] ?? 'method'}(…), or offer all with tools: [${tool.name}].`)
  }
}

function firstCallParts(value: Expression): { tool: Node & { name: string }; method?: Node & { name: string }; args: Argument[] } | undefined {
  if (value.kind === 'Variable') return { tool: value, args: [] }
  if (value.kind === 'Access' && value.base.kind === 'Variable' && value.steps.length === 1) {
    const [step] = value.steps
    if (step?.kind !== 'Member') return undefined
    return { tool: value.base, method: { name: step.name, from: step.to - step.name.length, to: step.to }, args: [] }
  }
  if (value.kind !== 'FunctionCall') return undefined
  const [tool = '', method] = value.name.split('.')
  const { from, to } = value.nameSpan
  return {
    tool: { name: tool, from, to: from + tool.length },
    ...(method === undefined ? {} : { method: { name: method, from: to - method.length, to } }),
    args: value.args,
  }
}

/** What the agent may call: `tools:` of the call, else of its brackets. Each fault is one that a run would end with as TOOL_CONFIG. */
function offer(context: Context, agent: AgentDeclaration, written: Expression | undefined, at: Node, pipeline: PipelineDeclaration): void {
  const own = agent.options.find((option) => option.name === 'tools')?.value
  const value = written ?? own
  if (!value) return
  const names = written ? checkToolList(context, agent, written) : toolNames(value, agent, context)
  if (!names.length) return
  if (written && !modelTakesTools(context, agent.model.provider)) {
    fault(context, written, 'tool-config', `TOOL_CONFIG: ${agent.name} is offered tools, but ${agent.model.provider} models can't call any.`)
  }
  for (const { name } of names) {
    reachOf(context, pipeline.name).tools.add(name)
    const facts = toolFacts(context, name)
    if (facts?.pipeline !== undefined) noteCall(context, pipeline, facts.pipeline, at)
  }
}

/** The tools that a `tools:` value names; `auto` is all that are equipped, stores aside. */
export function toolNames(value: Expression, agent: AgentDeclaration, { program }: Context): (Node & { name: string })[] {
  if (value.kind === 'Variable' && value.name === 'auto') return agent.equips.filter(({ name }) => program.tools.has(name))
  if (value.kind !== 'List') return []
  return value.items.flatMap((item) => (item.kind === 'Variable' && program.tools.has(item.name) ? [item] : []))
}

/** Checks a `tools:` value, of a call or of an agent's brackets, and gives the tools it offers. */
export function checkToolList(context: Context, agent: AgentDeclaration, value: Expression): (Node & { name: string })[] {
  if (value.kind === 'Variable') {
    if (value.name !== 'auto' && value.name !== 'none') {
      const isTool = context.program.tools.has(value.name)
      fault(context, value, 'argument-type', `tools takes a list, auto or none${isTool ? `: [${value.name}]` : ''}.`, isTool ? { fix: { title: 'Make it a list', from: value.from, to: value.to, insert: `[${value.name}]` } } : {})
    } else if (value.name === 'auto') {
      for (const { name } of toolNames(value, agent, context)) requireInfo(context, value, name, agent)
    }
    return toolNames(value, agent, context)
  }
  if (value.kind !== 'List') {
    fault(context, value, 'argument-type', 'tools takes a list such as [Files], auto or none.')
    return []
  }
  const equipped = new Set(agent.equips.map((e) => e.name))
  const seen = new Set<string>()
  for (const item of value.items) {
    if (item.kind !== 'Variable') {
      fault(context, item, 'argument-type', 'A tool is offered by its name: tools: [Files].')
      continue
    }
    const { name } = item
    if (seen.has(name)) warn(context, item, 'duplicate-reference', `${name} is offered twice.`)
    seen.add(name)
    const tool = context.program.tools.get(name)
    const store = context.program.stores.get(name)
    if (store) {
      referTo(context, item, store)
      fault(context, item, 'tool-config', `TOOL_CONFIG: ${name} is a store; stores give an agent context and are never offered as tools.`)
    } else if (!tool) {
      unknown(context, item, 'tool', name, context.program.tools.keys(), 'tool-config', { prefix: 'TOOL_CONFIG: ' })
    } else {
      referTo(context, item, tool)
      if (!equipped.has(name) && !agent.faulty) {
        fault(context, item, 'tool-config', `TOOL_CONFIG: ${agent.name} is offered ${name}, but doesn't equip it. Add ${name} to its equips.`, equipping(context, agent, name))
      }
      requireInfo(context, item, name, agent)
    }
  }
  return toolNames(value, agent, context)
}

/** The change that equips a tool, where the agent stands in this file. */
function equipping(context: Context, agent: AgentDeclaration, name: string): Extra {
  if (fileOf(context, agent) !== context.file) return {}
  const last = agent.equips.at(-1)
  const at = last?.to ?? agent.to
  return { fix: { title: `Equip ${name}`, from: at, to: at, insert: last ? `, ${name}` : `\n  equips ${name}` } }
}

function requireInfo(context: Context, at: Node, name: string, agent: AgentDeclaration): void {
  const facts = toolFacts(context, name)
  if (!facts || facts.described) return
  fault(context, at, 'tool-config', `TOOL_CONFIG: ${agent.name} can't be offered ${name}: its provider ${facts.declaration.provider.name} is registered without info, so its methods aren't described.`)
}
