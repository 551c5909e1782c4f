/** One agent call: what it may call, how many requests it can make, what they can cost. */
import { messageOf } from '../errors.ts'
import { priceOf } from '../models/prices.ts'
import type { Price } from '../models/types.ts'
import { literalConfig } from '../check/tool-facts.ts'
import { typeToSchema } from '../run/schema.ts'
import type { AgentDeclaration, Argument, CallStage, Decorator, ModelRef, TypeNode } from '../syntax/ast.ts'
import { offeredCalls, ownCall, writtenCall } from './calls.ts'
import { notKnown, policiesOf, sourceAt, spanAt, type Here, type Planning } from './context.ts'
import { boundCost, cachedCost, formulaCost, requestsOf, MAX_STEPS, MAX_TOKENS, TOOL_RESULT_CHARS, type AgentCallSize } from './cost.ts'
import { offeredTools, plannedTool, type PlannedTool } from './tools.ts'
import type { PlannedAgent, PlannedCall } from './types.ts'
import { argumentNamed, utf8Length, writtenNumber, writtenText } from './written.ts'

export interface AgentPlan {
  agent: PlannedAgent
  calls: PlannedCall[]
  /** `Pipeline(Name)` tools it may call, with the call that stands for each. */
  pipelines: { tool: PlannedTool; call: PlannedCall; max?: number; assumed: number }[]
  /** The pipeline of `tool:`, called once before the agent is asked. */
  first?: PlannedTool
}

/** Named arguments that are settings; all others are parts of the prompt. */
const SETTINGS: ReadonlySet<string> = new Set(['tools', 'tool', 'schema', 'max_steps', 'tool_result_chars', 'temp', 'max_tokens', 'images'])
/** Text around a named part, a store's matches or a loop's words. */
const FRAME_CHARS = 200

export function planAgent(planning: Planning, here: Here, stage: CallStage, agent: AgentDeclaration, feedback: string | undefined): AgentPlan {
  const { program } = planning
  const policies = policiesOf(planning, [...here.requires, ...agent.requires])
  const calls: PlannedCall[] = []
  const first = firstCall(planning, here, stage, policies, calls)

  const offered = offeredTools(program, agent, argumentNamed(stage.args, 'tools'))
  const pipelines: AgentPlan['pipelines'] = []
  const maxSteps = setting(planning, here, stage, agent, 'max_steps', MAX_STEPS)
  const corrections = decorated(planning, here, stage, 'correct', 1)
  for (const name of offered) {
    const { calls: some, tool } = offeredCalls(planning, here, name, argumentNamed(stage.args, 'tools') ?? stage, policies)
    calls.push(...some)
    const call = some[0]
    if (tool?.pipeline === undefined || call === undefined) continue
    const limits = (policies?.maxCalls ?? []).filter(({ matches }) => matches(call.target)).map(({ limit }) => limit)
    const max = limits.length === 0 ? undefined : Math.min(...limits)
    pipelines.push({ tool, call, ...(max === undefined ? {} : { max }), assumed: max ?? 8 * maxSteps * (corrections + 1) })
  }
  const choosesCalls = calls.some(({ how }) => how === 'may call')

  const size: AgentCallSize = {
    ...writtenSize(planning, here, stage, agent, calls),
    added: addedTokens(planning, here, stage, agent, feedback),
    tools: choosesCalls,
    maxSteps,
    maxTokens: setting(planning, here, stage, agent, 'max_tokens', MAX_TOKENS),
    toolResultChars: setting(planning, here, stage, agent, 'tool_result_chars', TOOL_RESULT_CHARS),
    corrections,
    retries: decorated(planning, here, stage, 'retry', 0),
  }
  const shadows = stage.decorators.flatMap(({ name, model }) => (name === 'shadow' && model !== undefined ? [model] : []))
  const own = priceIn(planning, agent.model)
  const priced = [own, ...shadows.map((model) => priceIn(planning, model))].filter((price) => price !== undefined)
  const total = (cost: (size: AgentCallSize, price: Price) => number): number => priced.reduce((sum, price) => sum + cost(size, price), 0)
  const maxSpend = policies?.maxSpend
  return {
    calls,
    pipelines,
    ...(first === undefined ? {} : { first }),
    agent: {
      name: agent.name,
      model: modelText(agent.model),
      shadows: shadows.map(modelText),
      choosesCalls,
      maxSteps: size.maxSteps,
      maxTokens: size.maxTokens,
      requests: requestsOf(size) * (size.retries + 1),
      stores: agent.equips.map(({ name }) => name).filter((name) => program.stores.has(name)),
      ...(maxSpend === undefined ? {} : { maxSpend: { dollars: maxSpend.dollars, policy: maxSpend.policy } }),
      ...(priced.length === 0 ? {} : { costOnce: total(formulaCost), boundOnce: total(boundCost), cachedOnce: total(cachedCost) }),
    },
  }
}

/** Models of a stage that have no known price. */
export function unpricedModels(planning: Planning, { model, shadows }: PlannedAgent): string[] {
  return [model, ...shadows].filter((text) => {
    const slash = text.indexOf('/')
    return priceOf(text.slice(0, slash), text.slice(slash + 1), planning.prices) === undefined
  })
}

function firstCall(planning: Planning, here: Here, stage: CallStage, policies: ReturnType<typeof policiesOf>, calls: PlannedCall[]): PlannedTool | undefined {
  const value = argumentNamed(stage.args, 'tool')
  const written = value === undefined ? undefined : writtenCall(value)
  if (written === undefined) return undefined
  const { call, tool } = ownCall(planning, here, written, policies)
  calls.push(call)
  return call.pipeline === undefined ? undefined : tool
}

/** Characters and bytes that go into each request as written: prompt, system prompt; in bytes also the schemas of tools and answer. */
function writtenSize(planning: Planning, here: Here, stage: CallStage, agent: AgentDeclaration, calls: readonly PlannedCall[]): { chars: number; bytes: number } {
  const parts = (stage.args ?? []).filter(isPart)
  const texts = parts.map(({ value }) => writtenText(value, sourceAt(planning, here)))
  const system = agent.system === undefined ? '' : writtenText(agent.system, sourceOf(planning, agent.file))
  const written = [...texts, system].join('')
  const names = parts.map(({ name = '' }) => `${name}: \n\n`).join('')
  return { chars: written.length, bytes: utf8Length(written) + utf8Length(names) + schemaBytes(planning, here, stage, agent, calls) }
}

function isPart({ name }: Argument): boolean {
  return name === undefined || !SETTINGS.has(name)
}

function schemaBytes(planning: Planning, here: Here, stage: CallStage, agent: AgentDeclaration, calls: readonly PlannedCall[]): number {
  const { program } = planning
  const functions = calls
    .filter(({ how }) => how === 'may call')
    .map(({ target }) => {
      const [name = '', method = ''] = target.split('.')
      return [target, plannedTool(program, name)?.methods?.get(method) ?? {}]
    })
  const named = argumentNamed(stage.args, 'schema')
  const answer: TypeNode | undefined = named?.kind === 'Variable' ? { kind: 'NamedType', name: named.name, from: named.from, to: named.to } : agent.returns
  const isOfText = answer === undefined || (answer.kind === 'NamedType' && !program.schemas.has(answer.name))
  const schema = isOfText ? undefined : asFarAsKnown(planning, here, stage, () => JSON.stringify(typeToSchema(answer, program)))
  // Sent as a schema or written into the prompt; twice covers what is said around it.
  return utf8Length(JSON.stringify(functions)) + 2 * utf8Length(schema ?? '')
}

/** Tokens of what a run adds to the prompt: matches of stores, the result of `tool:`, a loop's words and the answer before. */
function addedTokens(planning: Planning, here: Here, stage: CallStage, agent: AgentDeclaration, feedback: string | undefined): number {
  let tokens = 0
  for (const { name } of agent.equips) {
    const store = planning.program.stores.get(name)
    const tool = store === undefined ? undefined : plannedTool(planning.program, name)
    if (store === undefined || tool?.definition === undefined) continue
    const { definition } = tool
    const chars = asFarAsKnown(planning, here, stage, () => definition.contextChars?.(literalConfig(definition, store.provider.args)))
    if (chars === undefined) notKnown(planning, `How much ${name} adds to the prompt of ${agent.name} isn't known.`, spanAt(here, stage))
    tokens += (chars ?? 0) + FRAME_CHARS
  }
  if (argumentNamed(stage.args, 'tool') !== undefined) tokens += setting(planning, here, stage, agent, 'tool_result_chars', TOOL_RESULT_CHARS) + FRAME_CHARS
  if (feedback !== undefined) tokens += utf8Length(feedback) + setting(planning, here, stage, agent, 'max_tokens', MAX_TOKENS) + FRAME_CHARS
  return tokens
}

/** undefined where the program has a fault there, which is said. */
function asFarAsKnown<T>(planning: Planning, here: Here, stage: CallStage, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    notKnown(planning, messageOf(error), spanAt(here, stage))
    return undefined
  }
}

/** A number of the call, else of the agent's brackets, else the default; said where it is only known in a run. */
function setting(planning: Planning, here: Here, stage: CallStage, agent: AgentDeclaration, name: string, otherwise: number): number {
  const written = argumentNamed(stage.args, name) ?? agent.options.find((option) => option.name === name)?.value
  if (written === undefined) return otherwise
  const value = writtenNumber(written)
  if (value === undefined) notKnown(planning, `${name} of ${agent.name} is only known in a run; counted as ${otherwise}.`, spanAt(here, stage))
  return value ?? otherwise
}

/** The number of `@retry(n)` or `@correct(n)`; 0 without the decorator. */
function decorated(planning: Planning, here: Here, stage: CallStage, name: string, bare: number): number {
  const found: Decorator | undefined = stage.decorators.findLast((decorator) => decorator.name === name)
  if (found === undefined) return 0
  const [first] = found.args.filter((arg) => arg.name === undefined)
  if (first === undefined) return bare
  const value = writtenNumber(first.value)
  if (value === undefined) notKnown(planning, `The number of @${name} is only known in a run; counted as 1.`, spanAt(here, found))
  return value ?? 1
}

function sourceOf({ program }: Planning, file: string | undefined): string {
  return (program.files.find(({ path }) => path === file) ?? program.file).source
}

function priceIn({ prices }: Planning, { provider, id }: ModelRef): Price | undefined {
  return priceOf(provider, id, prices)
}

function modelText({ provider, id }: ModelRef): string {
  return id === '' ? provider : `${provider}/${id}`
}
