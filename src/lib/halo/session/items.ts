/** The items of a conversation: built from the events of its run, so that what is shown is what events may show. */
import type { HaloError } from '../errors.ts'
import type { Usage } from '../models/types.ts'
import type { HaloEvent } from '../run/types.ts'
import type { AssistantItem, CallItem, SessionItem } from './types.ts'

/** What of a command's output is kept, in characters from its end. */
const OUTPUT_KEPT = 20_000

/** Requests and calls of the conversation itself; deeper paths belong to pipelines that were called as tools. */
const STEP = /^turn:\d+\/step:\d+$/
const CALL = /^(turn:\d+(?:\/step:\d+)?\/call:)(\d+)$/

type OfType<T extends SessionItem['type']> = Extract<SessionItem, { type: T }>

export class Items {
  readonly #items: Map<string, SessionItem>
  readonly #untrusted: (name: string) => boolean
  readonly #onChange: () => void
  #list?: readonly SessionItem[]
  usage: Usage
  context?: number
  cost: number

  constructor(from: { items: readonly SessionItem[]; usage: Usage; context?: number; cost: number }, untrusted: (name: string) => boolean, onChange: () => void) {
    this.#items = new Map(from.items.map((item) => [item.id, item]))
    this.usage = from.usage
    this.context = from.context
    this.cost = from.cost
    this.#untrusted = untrusted
    this.#onChange = onChange
  }

  list(): readonly SessionItem[] {
    return (this.#list ??= Object.freeze([...this.#items.values()]))
  }

  add(item: SessionItem): void {
    this.#items.set(item.id, item)
    this.#changed()
  }

  fail(path: string, error: HaloError, at: number): void {
    this.add({ type: 'error', id: `${path}/error`, at, code: error.code, message: error.message })
  }

  statusOf(id: string): CallItem['status'] | undefined {
    const item = this.#items.get(id)
    return item?.type === 'call' ? item.status : undefined
  }

  /** The text of the last request, as far as it came, if it was cut off. */
  cutOff(): AssistantItem | undefined {
    const last = [...this.#items.values()].at(-1)
    return last?.type === 'assistant' && last.status === 'streaming' ? last : undefined
  }

  /** Nothing goes on any more: what was under way says so. `reason` is why what waited was denied. */
  halt(reason: string): void {
    for (const item of this.#items.values()) {
      if (item.type === 'assistant' && item.status === 'streaming') this.#set({ ...item, status: 'stopped' })
      else if (item.type === 'call' && item.status === 'waiting') this.#set({ ...item, status: 'declined', reason })
      else if (item.type === 'call' && (item.status === 'running' || item.status === 'queued')) this.#set({ ...item, status: 'stopped' })
    }
    this.#changed()
  }

  /** Takes out what came after the last call or message: errors, and the answer that another one is asked for in place of. */
  trim(): void {
    for (const { id, type } of [...this.#items.values()].reverse()) {
      if (type !== 'error' && type !== 'assistant') break
      this.#items.delete(id)
    }
    this.#changed()
  }

  dismiss(): void {
    const last = [...this.#items.values()].at(-1)
    if (last?.type !== 'error') return
    this.#items.delete(last.id)
    this.#changed()
  }

  follow(event: HaloEvent): void {
    const { path } = event
    switch (event.type) {
      case 'llm_start':
        if (STEP.test(path)) this.add({ type: 'assistant', id: path, at: event.time, text: '', status: 'streaming', model: event.model })
        return
      case 'llm_delta': {
        const { text, reasoning } = event
        if (text === undefined && reasoning === undefined) return
        this.#patch('assistant', path, (item) =>
          item.status !== 'streaming' ? {} : { ...(text === undefined ? {} : { text: item.text + text }), ...(reasoning === undefined ? {} : { reasoning: (item.reasoning ?? '') + reasoning }) },
        )
        return
      }
      case 'llm':
        this.#answered(event)
        return
      case 'approval': {
        const call = path.replace(/\/approval:\d+$/, '')
        this.#patch('call', call, () => (event.state === 'asked' ? { status: 'waiting' } : { status: 'running', ...(event.approved === true ? { approved: true } : {}) }))
        return
      }
      case 'tool_progress': {
        const { done, total, note, output, partial } = event
        this.#patch('call', path, (item) => {
          if (item.status !== 'running') return {}
          return {
            ...(done === undefined ? {} : { progress: { done, ...(total === undefined ? {} : { total }), ...(note === undefined ? {} : { note }) } }),
            ...(output === undefined ? {} : { output: `${item.output ?? ''}${output}`.slice(-OUTPUT_KEPT) }),
            ...(partial === undefined ? {} : { partial }),
          }
        })
        return
      }
      case 'tool':
        this.#patch('call', path, () => ({
          target: event.target, args: event.args, ms: event.ms,
          ...(event.effect === undefined ? {} : { effect: event.effect }),
          ...(event.error === undefined ? { result: event.result } : {}),
          ...(event.files === undefined ? {} : { files: event.files }),
        }))
        return
      case 'agent_tool':
        this.#ended(event)
        return
      // What these tell is for whoever listens to events; the conversation has it in other words, or not at all.
      case 'run_start': case 'run_end': case 'stage_start': case 'stage_end': case 'llm_raw': case 'violation': case 'yield': case 'listen':
      case 'human_input': case 'shadow': case 'context': case 'log':
        return
      default:
        event satisfies never
    }
  }

  #answered(event: Extract<HaloEvent, { type: 'llm' }>): void {
    const { path, usage } = event
    this.cost += event.cost
    if (usage !== undefined) this.usage = sumOf(this.usage, usage)
    if (STEP.test(path)) {
      if (usage !== undefined) this.context = usage.input + usage.output
      const { text, reasoning, error } = event
      this.#patch('assistant', path, (item) => ({
        text: error === undefined ? text : item.text,
        ...(reasoning === undefined ? {} : { reasoning }),
        status: error === undefined ? 'done' : 'failed',
        cost: event.cost,
        ...(usage === undefined ? {} : { usage }),
      }))
      for (const [i, { name, args }] of event.toolCalls.entries()) {
        this.#items.set(`${path}/call:${i}`, this.#call(`${path}/call:${i}`, event.time, { name, args, by: 'model', status: i === 0 ? 'running' : 'queued' }))
      }
    }
    this.#changed()
  }

  /** A call that a person chose. */
  chosen(id: string, at: number, call: Pick<CallItem, 'name' | 'args'>): void {
    this.add(this.#call(id, at, { ...call, by: 'person', status: 'running' }))
  }

  #call(id: string, at: number, call: Pick<CallItem, 'name' | 'args' | 'by' | 'status'>): CallItem {
    return { type: 'call', id, at, ...call, ...(this.#untrusted(call.name) ? { untrusted: true } : {}) }
  }

  #ended(event: Extract<HaloEvent, { type: 'agent_tool' }>): void {
    const { path, target, args, decision, detail } = event
    this.#patch('call', path, () => {
      const common = { target, args }
      switch (decision) {
        case 'allowed': return { ...common, status: 'done' }
        case 'approved': return { ...common, status: 'done', approved: true }
        case 'error': return { ...common, status: 'error', ...(detail === undefined ? {} : { error: detail }) }
        case 'declined':
        case 'refused': return { ...common, status: decision, ...(detail === undefined ? {} : { reason: detail }) }
      }
    })
    const place = CALL.exec(path)
    if (place !== null) this.#patch('call', `${place[1]}${Number(place[2]) + 1}`, (next) => (next.status === 'queued' ? { status: 'running' } : {}))
  }

  #patch<T extends 'assistant' | 'call'>(type: T, id: string, change: (item: OfType<T>) => Partial<OfType<T>>): void {
    const item = this.#items.get(id)
    if (item?.type !== type) return
    const fields = change(item as OfType<T>)
    if (Object.keys(fields).length === 0) return
    this.#set({ ...item, ...fields } as SessionItem)
    this.#changed()
  }

  #set(item: SessionItem): void {
    this.#items.set(item.id, item)
  }

  #changed(): void {
    this.#list = undefined
    this.#onChange()
  }
}

function sumOf(a: Usage, b: Usage): Usage {
  const sum: Usage = { input: a.input + b.input, output: a.output + b.output }
  for (const key of ['cacheRead', 'cacheWrite', 'reasoning'] as const) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  }
  return sum
}
