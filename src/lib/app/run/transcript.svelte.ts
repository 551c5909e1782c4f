/* eslint-disable svelte/prefer-svelte-reactivity -- the maps here find rows; what is shown are the rows themselves */
import type { HaloEvent } from '../../halo/run/types.ts'
import type { Card } from '../cards/gate.svelte.ts'
import { numberOf, type CallRow, type Ending, type ModelRow, type NoteRow, type RawExchange, type Row, type SayRow, type StageView, type TimedCall } from './items.ts'
import { runWords as words } from './words.ts'

/** So many requests' wire texts are held; they are in no recording, and go with the tab. */
const RAW_KEPT = 200

/**
 * A run as a person reads it, made from its events alone. Every row has the place of its event as its key, so that events
 * told again after a run was taken up change the row that is there instead of adding one.
 */
export class Transcript {
  #stages = $state<StageView[]>([])
  #byPath = new Map<string, StageView>()
  #rows = new Map<string, Row>()
  #ending = $state<Ending>()
  #startedAt = $state<number>()
  #ms = $state<number>()
  #modelCalls = $state(0)
  #toolCalls = $state(0)
  #cost = $state(0)
  #tokens = $state.raw({ input: 0, output: 0, cacheRead: 0 })
  #raw = new Map<string, RawExchange[]>()
  #timed = new Map<string, TimedCall>()
  /** Rises with each change of what `calls` gives: the calls themselves are too many to be state. */
  #timedChanges = $state(0)
  #counted = new Set<string>()
  /** Rows of calls that a model asked for and nothing was told of yet, by place. */
  #open = new Map<string, string>()
  #cards = new Set<Card>()
  /** Span of the stage that runs now, for the editor. */
  #current = $state<StageView>()
  #args = $state.raw<Record<string, unknown>>({})

  get stages(): readonly StageView[] {
    return this.#stages
  }
  /** The run's own arguments. */
  get args(): Record<string, unknown> {
    return this.#args
  }
  get ending(): Ending | undefined {
    return this.#ending
  }
  get startedAt(): number | undefined {
    return this.#startedAt
  }
  get ms(): number | undefined {
    return this.#ms
  }
  get modelCalls(): number {
    return this.#modelCalls
  }
  get toolCalls(): number {
    return this.#toolCalls
  }
  get cost(): number {
    return this.#cost
  }
  /** Of all requests so far, as the providers counted. */
  get tokens(): { input: number; output: number; cacheRead: number } {
    return this.#tokens
  }
  /** What went over the wire for the request at a place, oldest try first; empty once it is no longer held. */
  rawOf(path: string): readonly RawExchange[] {
    return this.#raw.get(path) ?? []
  }
  /** Model and tool calls in the order in which they were first heard of. */
  get calls(): readonly TimedCall[] {
    return this.#timedChanges < 0 ? [] : [...this.#timed.values()]
  }
  get current(): StageView | undefined {
    return this.#current
  }

  apply(event: HaloEvent): void {
    switch (event.type) {
      case 'run_start':
        this.#startedAt ??= event.time
        this.#args = event.args
        this.#ending = undefined
        return
      case 'stage_start': {
        const stage = this.#stage(event.path, event.stage, event.target)
        stage.span = event.span
        stage.done = false
        this.#current = stage
        return
      }
      case 'stage_end': {
        const stage = this.#stage(event.path, event.stage, event.target)
        stage.ms = event.ms
        stage.error = event.error
        stage.skipped = event.skipped
        stage.done = true
        if (this.#current === stage) this.#current = undefined
        return
      }
      case 'llm_start': {
        const stage = this.#stage(this.#place(event.path))
        stage.model = event.model
        this.#time({ key: `llm ${event.path}`, path: event.path, kind: 'model', target: `${event.agent}.${event.task}`, at: event.time, cost: 0, failed: false })
        return
      }
      case 'llm_delta': {
        const say = this.#say(event.path, event.agent)
        if (event.text) say.text += event.text
        if (event.reasoning) say.reasoning = (say.reasoning ?? '') + event.reasoning
        say.streaming = true
        return
      }
      case 'llm': {
        const stage = this.#stage(this.#place(event.path))
        stage.model = event.model
        if (event.text || event.reasoning || this.#rows.has(`say ${event.path}`)) {
          const say = this.#say(event.path, event.agent)
          say.text = event.text
          say.reasoning = event.reasoning
          say.streaming = false
        }
        this.#time({ key: `llm ${event.path}`, path: event.path, kind: 'model', target: `${event.agent}.${event.task}`, at: event.time - event.ms, ms: event.ms, cost: event.cost, failed: event.error !== undefined })
        if (this.#once(`llm ${event.path}`)) {
          stage.requests++
          stage.cost += event.cost
          this.#modelCalls++
          this.#cost += event.cost
          const { input = 0, output = 0, cacheRead = 0 } = event.usage ?? {}
          this.#tokens = { input: this.#tokens.input + input, output: this.#tokens.output + output, cacheRead: this.#tokens.cacheRead + cacheRead }
        }
        if (event.usage || this.#raw.has(event.path) || event.stop === 'max_tokens' || event.stop === 'content_filter') this.#model(event)
        event.toolCalls.forEach(({ name, args }, at) => this.#wanted(`${event.path}/call:${at}`, name, args, event.agent))
        if (event.error) this.#note(event.path, 'error', `${event.error.code}: ${event.error.message}`)
        return
      }
      case 'tool_progress': {
        const row = this.#call(event.path, event.target)
        if (event.output) row.live = ((row.live ?? '') + event.output).slice(-20_000)
        if (event.done !== undefined || event.note) row.progress = { done: event.done, total: event.total, note: event.note }
        return
      }
      case 'tool': {
        const row = this.#call(event.path, event.target, event.args)
        Object.assign(row, { args: event.args, result: event.result, ms: event.ms, files: event.files, cached: event.cached })
        row.effect = event.effect ?? row.effect
        row.agent = event.agent ?? row.agent
        row.state = event.error === undefined ? 'ok' : 'error'
        row.detail = event.error
        row.live = undefined
        this.#time({ key: `tool ${event.path} ${event.target}`, path: event.path, kind: 'tool', target: event.target, at: event.time - event.ms, ms: event.ms, cost: 0, failed: event.error !== undefined })
        if (this.#once(`tool ${event.path}`)) this.#toolCalls++
        return
      }
      case 'agent_tool': {
        const row = this.#call(event.path, event.target, event.args)
        row.agent = event.agent
        row.args = event.args
        if (event.decision === 'approved') row.approved = true
        if (event.decision === 'allowed' || event.decision === 'approved') {
          if (row.state === 'running') row.state = 'ok'
        } else {
          row.state = event.decision
          row.detail = event.detail ?? row.detail
        }
        return
      }
      case 'llm_raw': {
        // A request is told of as it leaves, and again with its answer.
        const kept = (this.#raw.get(event.path) ?? []).filter(({ response }) => response !== undefined)
        this.#raw.set(event.path, [...kept, { request: event.request, response: event.response }])
        const [oldest] = this.#raw.keys()
        if (oldest !== undefined && this.#raw.size > RAW_KEPT) this.#raw.delete(oldest)
        return
      }
      case 'approval': {
        const { path, request } = event.question
        const row = this.#rows.get(`call ${path} ${request.named.target ?? ''}`)
        if (row?.kind === 'call') row.progress = event.state === 'asked' ? { note: words.waits } : undefined
        return
      }
      case 'yield':
      case 'listen':
      case 'human_input':
        // Cards come through the gate, which holds their answers too.
        return
      case 'violation':
        if (event.violation.phase === 'tool' && event.violation.target) {
          this.#call(event.path, event.violation.target).policy = event.violation.policy
        } else this.#note(event.path, 'warning', `${event.violation.policy}: ${event.violation.message}`)
        return
      case 'shadow': {
        const verdict = event.error ?? (event.same ? words.same : words.differs)
        this.#note(event.path, event.error ? 'warning' : 'info', `${words.shadow(event.model)}: ${verdict}`, event.text)
        return
      }
      case 'context': {
        const row = this.#note(event.path, 'info', words.context(event.store, event.matches.length))
        row.parts = event.matches
        return
      }
      case 'log':
        this.#note(event.path, event.level, event.message, event.value)
        return
      case 'run_end':
        this.#ending = { status: event.status, output: event.output, error: event.error }
        this.#ms = event.ms
        this.#cost = Math.max(this.#cost, event.cost)
        this.#current = undefined
        this.#settle()
        return
      default:
        event satisfies never
    }
  }

  /** A question's card, at the place in the transcript where it is asked. */
  addCard(card: Card): void {
    if (this.#cards.has(card)) return
    this.#cards.add(card)
    const { path } = card.request
    this.#add(this.#place(path), { kind: 'card', key: `card ${this.#cards.size} ${path}`, card })
  }

  /** Answers that are still coming, as events that bring them so far. */
  streaming(): HaloEvent[] {
    return [...this.#rows.values()].flatMap((row): HaloEvent[] => {
      if (row.kind !== 'say' || !row.streaming) return []
      return [{ type: 'llm_delta', runId: '', path: row.key.slice('say '.length), time: Date.now(), agent: row.agent, text: row.text, ...(row.reasoning === undefined ? {} : { reasoning: row.reasoning }) }]
    })
  }

  /** A sentence of the app itself. */
  say(text: string, level: NoteRow['level'] = 'info'): void {
    const stage = this.#stages.at(-1)?.path ?? ''
    this.#note(stage, level, text)
  }

  /** An end that the runtime did not tell itself: it failed outside a run, or was left behind by Stop. */
  endAs(ending: Ending, ms: number): void {
    this.#ending = ending
    this.#ms ??= ms
    this.#current = undefined
    this.#settle()
  }

  #settle(): void {
    for (const row of this.#rows.values()) {
      if (row.kind === 'say') row.streaming = false
      else if (row.kind === 'call' && row.state === 'running' && this.#ending?.status !== 'paused') {
        row.state = 'error'
        row.detail ??= words.unfinished
      }
    }
  }

  /** A call that is told again keeps the time at which it was first told. */
  #time(call: TimedCall): void {
    if (this.#timed.get(call.key)?.ms !== undefined) return
    this.#timed.set(call.key, call)
    this.#timedChanges++
  }

  #once(key: string): boolean {
    if (this.#counted.has(key)) return false
    this.#counted.add(key)
    return true
  }

  /** The stage that a place belongs to: the nearest one around it that began. */
  #place(path: string): string {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const stage = path.slice(0, end)
      if (this.#byPath.has(stage)) return stage
    }
    return path.split('/')[0] ?? path
  }

  #stage(path: string, form = '', target?: string): StageView {
    let stage = this.#byPath.get(path)
    if (!stage) {
      this.#stages.push({ path, number: numberOf(path), form, target, requests: 0, cost: 0, done: false, rows: [] })
      stage = this.#stages[this.#stages.length - 1] as StageView
      this.#byPath.set(path, stage)
    }
    if (form) stage.form = form
    stage.target = target ?? stage.target
    return stage
  }

  #add(path: string, row: Row): Row {
    const stage = this.#stage(path)
    stage.rows.push(row)
    const reactive = stage.rows[stage.rows.length - 1] ?? row
    this.#rows.set(row.key, reactive)
    return reactive
  }

  #say(path: string, agent: string): SayRow {
    const key = `say ${path}`
    const known = this.#rows.get(key)
    if (known?.kind === 'say') return known
    return this.#add(this.#place(path), { kind: 'say', key, agent, text: '', streaming: true }) as SayRow
  }

  #model({ path, model, usage, cost, ms, stop, attempts }: Extract<HaloEvent, { type: 'llm' }>): void {
    const key = `model ${path}`
    const facts = { model, usage, cost, ms, stop, attempts }
    const known = this.#rows.get(key)
    if (known?.kind === 'model') Object.assign(known, facts)
    else this.#add(this.#place(path), { kind: 'model', key, path, ...facts } satisfies ModelRow)
  }

  /** What a model asked for is seen at once; what becomes of it comes with its own events. */
  #wanted(path: string, name: string, args: Record<string, unknown>, agent: string): void {
    const target = name.replace('__', '.')
    if (this.#rows.has(`call ${path} ${target}`)) return
    this.#call(path, target, args).agent = agent
    this.#open.set(path, `call ${path} ${target}`)
  }

  #call(path: string, target: string, args: Record<string, unknown> = {}): CallRow {
    const key = `call ${path} ${target}`
    const asked = this.#open.get(path)
    const wanted = asked === undefined || asked === key ? undefined : this.#rows.get(asked)
    this.#open.delete(path)
    if (asked !== undefined && wanted?.kind === 'call') {
      // Known under another name than the one it was asked for by.
      wanted.target = target
      this.#rows.delete(asked)
      this.#rows.set(key, wanted)
    }
    const known = this.#rows.get(key)
    if (known?.kind === 'call') return known
    return this.#add(this.#place(path), { kind: 'call', key, target, args, state: 'running' }) as CallRow
  }

  #note(path: string, level: NoteRow['level'], text: string, value?: unknown): NoteRow {
    const key = `note ${path} ${text}`
    const known = this.#rows.get(key)
    if (known?.kind === 'note') return known
    return this.#add(this.#place(path), { kind: 'note', key, level, text, value }) as NoteRow
  }
}
