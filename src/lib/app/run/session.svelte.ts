import type { HaloEvent, InterruptRequest, Question, RunResult, RunStatus } from '../../halo/run/types.ts'
import type { Claim } from '../../storage/index.ts'
import { messageOf } from '../../halo/errors.ts'
import { Gate } from '../cards/gate.svelte.ts'
import { Transcript } from './transcript.svelte.ts'
import type { Teller } from './across-tabs.ts'
import type { Ending } from './items.ts'
import { runWords as words } from './words.ts'

/** What plays a run: the runtime with a scenario, mock or live models behind it, or a fixture in a test. */
export interface Driver {
  start(hooks: Hooks): Promise<RunResult>
  /** Takes up a run from its journal. What it asks again is answered through `onInterrupt`. */
  goOn(hooks: Hooks): Promise<RunResult>
}
export interface Hooks {
  signal: AbortSignal
  onEvent(event: HaloEvent): void
  onInterrupt(request: InterruptRequest): Promise<unknown>
}

export interface SessionInfo {
  runId: string
  projectId: string
  pipeline: string
  mode: string
  /** Shown in the summary beside the cost, in US dollars. */
  limit?: number
  /** So many files of the scenario were written into the workspace before it began. */
  seeded?: number
  /** The workspace it works on, where that isn't its project's own. */
  workspace?: string
  /** Name of the folder of the disk that it works on. */
  folder?: string
  /** false: nothing of it is kept once it has ended. */
  recorded?: boolean
}

/** How long Stop waits for tools to end before it leaves them behind, in ms. */
const PATIENCE = 700

/** One run on screen, from its start or from what the journal kept of it. */
export class Session {
  readonly info: SessionInfo
  readonly transcript = new Transcript()
  readonly gate = new Gate()
  readonly #driver: Driver
  readonly #keep: (event: HaloEvent) => void
  #abort = new AbortController()
  #claim: Claim | undefined
  #active = $state(false)
  #elsewhere = $state(false)
  #generation = 0
  #began = 0
  #deltas: HaloEvent[] = []
  #frame: number | undefined
  #teller: Teller | undefined
  /** Asks the tab that works on the run to stop it. */
  askStop: (() => void) | undefined
  /** Called when the run has ended or waits. */
  onSettled: (() => void) | undefined

  constructor(info: SessionInfo, driver: Driver, keep: (event: HaloEvent) => void = () => undefined) {
    this.info = info
    this.#driver = driver
    this.#keep = keep
    this.gate.onRestoredAnswer = () => void this.goOn()
  }

  /** Is code of this page working on the run? */
  get active(): boolean {
    return this.#active
  }
  get elsewhere(): boolean {
    return this.#elsewhere
  }
  get status(): RunStatus | 'running' {
    const { ending } = this.transcript
    if (ending && ending.status !== 'paused') return ending.status
    return this.gate.open.length > 0 || !(this.#active || this.#elsewhere) ? 'paused' : 'running'
  }
  /** Can Stop do something? */
  get stoppable(): boolean {
    return this.status === 'running' || this.status === 'paused'
  }

  own(claim: Claim, teller?: Teller): void {
    this.#claim = claim
    this.#teller = teller
    this.#elsewhere = false
    this.gate.remote = undefined
    this.gate.onChange = () => teller?.cards()
  }
  /** Is it open, with nothing here that works on it and nothing that is asked? */
  get cutOff(): boolean {
    return this.status === 'paused' && !this.#active && !this.#elsewhere && this.gate.open.length === 0
  }
  /** Cards that came from another tab get their places in the transcript. */
  showCards(): void {
    for (const card of this.gate.cards) this.transcript.addCard(card)
  }
  /** The tab that worked on the run has ended it. */
  endedElsewhere(ending: Ending, ms: number): void {
    this.#elsewhere = false
    this.gate.remote = undefined
    this.transcript.endAs(ending, ms)
    this.onSettled?.()
  }

  start(): Promise<void> {
    return this.#play((hooks) => this.#driver.start(hooks))
  }

  /** Shows what was kept: its events, then its open questions as cards. `elsewhere`: another tab works on it. */
  restore(events: HaloEvent[], questions: Question[], elsewhere: boolean): void {
    for (const event of events) this.transcript.apply(event)
    for (const question of questions) this.transcript.addCard(this.gate.restore(question))
    this.#elsewhere = elsewhere
  }

  /** Ends the run within a second, whatever a tool does; all open cards are answered with it. */
  stop(): void {
    if (!this.stoppable) return
    if (this.#elsewhere) return this.askStop?.()
    this.gate.stop()
    this.#flush()
    this.#abort.abort(new DOMException(words.stopped, 'AbortError'))
    if (!this.#active) {
      this.#finish({ status: 'cancelled', output: null })
      return
    }
    const generation = this.#generation
    setTimeout(() => {
      if (generation !== this.#generation || !this.#active) return
      this.transcript.say(words.abandoned, 'warning')
      this.#generation++
      this.#finish({ status: 'cancelled', output: null })
    }, PATIENCE)
  }

  /** Lets go of the run's lock; what waits stays in storage. */
  leave(): void {
    this.#claim?.release()
    this.#claim = undefined
    this.#teller?.close()
    this.#teller = undefined
    this.gate.onChange = undefined
  }

  /** Goes on with a run that was cut off or waits. */
  goOn(): Promise<void> {
    if (this.#active || this.#elsewhere) return Promise.resolve()
    this.transcript.say(words.resumed)
    return this.#play((hooks) => this.#driver.goOn(hooks))
  }

  async #play(run: (hooks: Hooks) => Promise<RunResult>): Promise<void> {
    const generation = ++this.#generation
    const mine = () => generation === this.#generation
    this.#active = true
    this.#began ||= Date.now()
    try {
      const result = await run({
        signal: this.#abort.signal,
        onEvent: (event) => {
          if (mine()) this.#receive(event)
        },
        onInterrupt: (request) => {
          if (!mine() || this.#abort.signal.aborted) return new Promise(() => undefined)
          this.#flush()
          const answer = this.gate.ask(request)
          for (const card of this.gate.cards) this.transcript.addCard(card)
          return answer
        },
      })
      if (!mine()) return
      this.#flush()
      const { status, output, error } = result
      this.#finish({ status, output, error: error && { ...error.toJSON() } })
    } catch (thrown) {
      if (!mine()) return
      this.#flush()
      if (this.#abort.signal.aborted) this.#finish({ status: 'cancelled', output: null })
      else this.#finish({ status: 'failed', output: null, error: { code: 'TOOL_ERROR', ...codeOf(thrown), message: messageOf(thrown) } })
    }
  }

  /** Deltas of a stream are applied once a frame: a fast model must not cost a layout for each word. */
  #receive(event: HaloEvent): void {
    if (event.type === 'llm_delta' || event.type === 'tool_progress') {
      this.#deltas.push(event)
      this.#teller?.event(event)
      this.#frame ??= requestAnimationFrame(() => this.#flush())
      return
    }
    this.#flush()
    this.transcript.apply(event)
    this.#teller?.event(event)
    this.#keep(event)
  }

  #flush(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    const deltas = this.#deltas
    this.#deltas = []
    for (const event of deltas) this.transcript.apply(event)
  }

  #finish(ending: Parameters<Transcript['endAs']>[0]): void {
    this.#active = false
    this.transcript.endAs(ending, Date.now() - (this.transcript.startedAt ?? this.#began))
    if (ending.status !== 'paused') this.#teller?.ended(ending, this.transcript.ms ?? 0)
    if (ending.status !== 'paused') this.leave()
    this.onSettled?.()
  }
}

function codeOf(thrown: unknown): { code?: 'TOOL_ERROR' } {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
    ? { code: thrown.code as 'TOOL_ERROR' }
    : {}
}
