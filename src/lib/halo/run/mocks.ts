import type { JsonSchema } from '../models/types.ts'
import type { Effect } from '../tools/types.ts'
import type { InterruptRequest, Mock, MockDefaults, MockRequest } from './types.ts'

/** A call that a mocked agent asks for. Made by `useTool`. */
export interface ToolUse {
  readonly kind: 'halo.tool_use'
  target: string
  args: Record<string, unknown>
}

/** For mocks of agents: ask for this call. A list of them is one turn. */
export function useTool(target: string, args: Record<string, unknown> = {}): ToolUse {
  return { kind: 'halo.tool_use', target, args }
}

export function isToolUse(value: unknown): value is ToolUse {
  return typeof value === 'object' && value !== null && (value as ToolUse).kind === 'halo.tool_use'
}

/** The calls a mock's answer asks for; undefined when it is an answer in itself. */
export function toolUsesOf(answer: unknown): ToolUse[] | undefined {
  if (isToolUse(answer)) return [answer]
  return Array.isArray(answer) && answer.length > 0 && answer.every(isToolUse) ? answer : undefined
}

/** What is said of calls that a mock asks for where no tool can be called: its answer is the empty text then. */
export function uncalledWords({ agent, task }: { agent: string; task: string }, uses: readonly ToolUse[], stepsUsed: boolean): string {
  const targets = [...new Set(uses.map(({ target }) => target))]
  const tools = [...new Set(targets.map((target) => target.replace(/\..*/, '')))]
  const why = stepsUsed ? `${agent} has used all its steps, so this request has tools off` : `this call offers ${agent} no tools`
  const cure = stepsUsed ? 'Let the mock answer with text here, or raise max_steps.' : `Offer them, ${agent}.${task}(tools: [${tools.join(', ')}]), or let the mock answer with text.`
  return `The mock of ${agent}.${task} asks for ${targets.join(', ')}, but ${why}: nothing is called. ${cure}`
}

/** The mock of every agent that has none of its own. */
export const EVERY_AGENT = 'agents:*'

const substitutes = new WeakSet<object>()

/** A mock that stands for the provider's methods alone: a pipeline that is called as a tool still runs. */
export function insteadOfProvider(mock: (args: Record<string, unknown>, target: string) => unknown): Mock {
  substitutes.add(mock)
  return mock
}

interface Present {
  value: unknown
}

/** Answers in place of the world. A mock that is present answers, even with null, false or "". */
export class Mocks {
  readonly #mocks: Record<string, Mock>
  readonly #defaults: MockDefaults

  constructor(mocks: Record<string, Mock>, defaults: MockDefaults = {}) {
    this.#mocks = mocks
    this.#defaults = defaults
  }

  /** The mock of an agent's task: called for each model request. `schema`: what the answer has to fit, if anything. */
  agent(agent: string, task: string): ((request: MockRequest, schema?: JsonSchema) => unknown) | undefined {
    const mock = this.#find(`${agent}.${task}`, agent, EVERY_AGENT)
    if (mock !== undefined) return (request) => call(mock.value, request)
    return this.#defaults.agent
  }

  /** The mock of a tool's method; undefined when the tool runs for real. */
  tool(target: string, tool: string): ((args: Record<string, unknown>, about: { effect?: Effect; resultSchema?: JsonSchema }) => Present | undefined) | undefined {
    const mock = this.#find(target, tool)
    if (mock !== undefined) return (args) => ({ value: call(mock.value, args, target) })
    const fallback = this.#defaults.tool
    if (fallback === undefined) return undefined
    return (args, about) => {
      const value = fallback({ target, args, ...about })
      return value === undefined ? undefined : { value }
    }
  }

  /** Has this very tool or method a mock of its own? Then its provider isn't needed. */
  hasTool(target: string, tool: string): boolean {
    return this.#find(target, tool) !== undefined
  }

  /** Is the pipeline behind this tool mocked? Then it doesn't run. */
  hasPipeline(target: string, tool: string): boolean {
    const mock = this.#find(target, tool)
    return mock !== undefined && !(typeof mock.value === 'function' && substitutes.has(mock.value))
  }

  interrupt(about: { kind: string; target: string }, request: InterruptRequest): Present | undefined {
    const keys = about.kind === 'approval' ? [`${about.target}?`, 'approval'] : about.kind === 'listen' ? [about.target, 'listen'] : [about.kind]
    const mock = this.#find(...keys)
    if (mock !== undefined) return { value: call(mock.value, request) }
    const fallback = this.#defaults.interrupt
    if (fallback === undefined) return undefined
    const value = fallback(request)
    return value === undefined ? undefined : { value }
  }

  #find(...keys: string[]): Present | undefined {
    for (const key of keys) if (Object.hasOwn(this.#mocks, key)) return { value: this.#mocks[key] }
    return undefined
  }
}

function call(mock: unknown, ...args: unknown[]): unknown {
  return typeof mock === 'function' ? (mock as (...args: unknown[]) => unknown)(...args) : mock
}
