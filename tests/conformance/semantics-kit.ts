/** What the tests of the language's semantics share: a tool with every kind of method, and a model that says what it is told to. */
import { HaloRuntime, parse, registerToolProvider } from 'halo'
import type { HaloEvent, JournalEntry, JournalRecord, JournalStore, MethodInfo, ModelChunk, ModelRequest, RuntimeConfig, StreamingAdapter, ToolContext } from 'halo'
import { memoryJournal } from 'halo'

type Method = (args: Record<string, unknown>, context: ToolContext) => unknown

/** A JSON Schema of an object, as providers give one. */
export function shape(properties: Record<string, unknown>, required: string[] = []): MethodInfo['parameters'] {
  return { type: 'object', properties, required, additionalProperties: false } as unknown as MethodInfo['parameters']
}

export interface Called {
  method: string
  args: Record<string, unknown>
}

/** A provider whose calls are noted. `effects` of methods that aren't named are `read`. */
export function provider(name: string, methods: Record<string, Method>, about: Record<string, Partial<MethodInfo>> = {}) {
  const calls: Called[] = []
  const noted = Object.fromEntries(
    Object.entries(methods).map(([method, run]) => [
      method,
      (args: Record<string, unknown>, context: ToolContext) => {
        calls.push({ method, args: structuredClone(args) })
        return run(args, context)
      },
    ]),
  )
  const info = Object.fromEntries(
    Object.keys(methods).map((method): [string, MethodInfo] => [method, { description: `${method}.`, parameters: { type: 'object' } as unknown as MethodInfo['parameters'], effect: 'read', ...about[method] }]),
  )
  const undo = registerToolProvider(name, () => noted, info)
  return { calls, undo }
}

/** A runtime that notes its events and entries, with mocks. */
export function runtimeOf(source: string, mocks: Record<string, unknown> = {}, config: RuntimeConfig = {}) {
  const events: HaloEvent[] = []
  const store = config.journal === undefined ? memoryJournal() : undefined
  const runtime = new HaloRuntime({ ...(store === undefined ? {} : { journal: store }), onEvent: (event) => events.push(event), ...config }).load(parse(source)).mockAll(mocks)
  const entries = (runId: string): JournalEntry[] => store?.records.get(runId)?.entries ?? []
  return { runtime, events, entries, store }
}

export async function run(source: string, args: object = {}, mocks: Record<string, unknown> = {}, config: RuntimeConfig = {}) {
  const made = runtimeOf(source, mocks, config)
  const result = await made.runtime.run('Main', args)
  return { ...made, result, journal: made.entries(result.runId) }
}

export type Turn = string | ModelChunk[] | ((request: ModelRequest, signal: AbortSignal) => ModelChunk[] | Promise<ModelChunk[]>)

/** A model that answers in turn, and notes what it is sent. The last turn is given again and again. */
export function model(turns: Turn[], options: Pick<StreamingAdapter, 'supportsTools' | 'supportsSchema'> = {}) {
  const requests: (Omit<ModelRequest, 'messages'> & { messages: ModelRequest['messages'] })[] = []
  const adapter: StreamingAdapter = {
    ...options,
    async *stream(request, signal) {
      requests.push({ ...request, messages: structuredClone([...request.messages]) })
      const turn = turns[Math.min(requests.length, turns.length) - 1] ?? ''
      if (typeof turn === 'string') yield { type: 'text', text: turn }
      else yield* Array.isArray(turn) ? turn : await turn(request, signal)
    },
  }
  return { adapter, requests }
}

export function toolCall(name: string, args: Record<string, unknown> = {}, id = 'c1'): ModelChunk {
  return { type: 'tool_call', call: { id, name, args } }
}

/** A store that takes its time with everything, and whose lists are its own. */
export function slowJournal(ms = 2): JournalStore & { records: Map<string, JournalRecord> } {
  const inner = memoryJournal()
  const later = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await new Promise((done) => setTimeout(done, ms))
    return work()
  }
  return {
    records: inner.records,
    create: (start) => later(() => inner.create(structuredClone(start))),
    append: (runId, entry) => later(() => inner.append(runId, structuredClone(entry))),
    end: (runId, end) => later(() => inner.end(runId, structuredClone(end))),
    load: (runId) => later(() => structuredClone(inner.records.get(runId))),
    remove: (runId) => later(() => inner.remove(runId)),
    list: () => later(() => inner.list()),
  }
}

/** What the model was told by its tools, up to the last request. */
export function toldBy(requests: readonly { messages: readonly { role: string; content: unknown }[] }[]): unknown[] {
  return (requests.at(-1)?.messages ?? []).filter((message) => message.role === 'tool').map((message) => message.content)
}

export function ofType<T extends HaloEvent['type']>(events: readonly HaloEvent[], type: T) {
  return events.filter((event): event is Extract<HaloEvent, { type: T }> => event.type === type)
}

/** Everything anyone could see of a run, as one text. */
export function everything(...seen: unknown[]): string {
  return JSON.stringify(seen, (_, value: unknown) => (value instanceof Error ? { ...value, message: value.message, cause: String(value.cause) } : value))
}
