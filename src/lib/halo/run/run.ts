import type { Program } from '../check/program.ts'
import { HaloError, messageOf, type Span } from '../errors.ts'
import type { Sandbox } from '../sandbox/types.ts'
import type { MethodInfo } from '../tools/types.ts'
import { CancelScope, Cancelled, cancelledError } from './cancel.ts'
import type { BoundTool } from './binding.ts'
import { EARLY, JournalIndex, type Recorded } from './journal.ts'
import type { Mocks } from './mocks.ts'
import { samePlain } from './plain.ts'
import { Questions } from './questions.ts'
import type { AnswerSource } from './replay-source.ts'
import { Spend } from './spend.ts'
import { Strands } from './strands.ts'
import type {
  Clock,
  EntryKind,
  HaloEvent,
  JournalEnd,
  JournalEntry,
  JournalRecord,
  JournalStart,
  JournalStore,
  RunMeta,
  RunResult,
  RuntimeConfig,
} from './types.ts'

/** What every step of a run can reach: the program it runs and what the runtime was given. */
export interface RunWorld {
  program: Program
  config: RuntimeConfig
  mocks: Mocks
  journal: JournalStore
  clock: Clock
  /** The sandbox of the runtime, made on first use. */
  sandbox(): Promise<Sandbox>
  /** Set where the run is a chat. */
  chat?: ChatWorld
}

/** What a chat has that a pipeline's run has not. */
export interface ChatWorld {
  sessionId: string
  /** A tool that no declaration stands for: the host's own, or the page's. As it is now. */
  tool(name: string): BoundTool | undefined
  /** Does the chat's gate have a person asked about such a call of a model, beside what policies say? */
  asks(call: { target: string; tool: string; method: string; info?: MethodInfo }): boolean
}

/** What an outside answer comes to; these fields go into its journal entry. */
export type Outcome = Pick<
  JournalEntry,
  'value' | 'error' | 'toolCalls' | 'usage' | 'stop' | 'maxTokens' | 'price' | 'cost' | 'opaque' | 'reasoning' | 'attempts' | 'cached' | 'files'
>

export interface Ask {
  scope: CancelScope
  path: string
  kind: EntryKind
  target: string
  request?: unknown
  /** Write that it is about to happen before it does: model requests, and calls that change the world. */
  begun?: boolean
  span?: Span
  /** Calls the world. What it throws is a fault of the run, not an outcome. */
  perform(): Outcome | Promise<Outcome>
  /** A call was begun, and nobody knows how it ended. Gives the outcome, or undefined to call again. */
  recover?(begun: JournalEntry): Promise<Outcome | undefined>
}

type Unplaced = HaloEvent extends infer E ? (E extends HaloEvent ? Omit<E, 'runId' | 'time'> & { time?: number } : never) : never

/** One run: its journal, what it has spent, its open questions, and the one way to the world (`ask`). */
export class Run {
  readonly id: string
  readonly world: RunWorld
  readonly start: JournalStart
  readonly meta: RunMeta
  readonly scope = new CancelScope()
  readonly strands: Strands
  readonly questions: Questions
  readonly spend: Spend
  /** Calls that ran or are about to, by target; for MaxCalls. */
  readonly calls = new Map<string, number>()
  /** The sandbox, once something has used it. */
  box?: Sandbox
  /** Bound tool instances by name and configuration. */
  readonly instances = new Map<string, unknown>()
  /** Events that came before anyone listened. */
  readonly early: Map<string, JournalEntry[]>
  readonly index?: JournalIndex
  /** The recording that answers in place of the world, when this run replays one. */
  readonly replay?: AnswerSource
  /** Are entries of an earlier part of the run still being used? */
  replaying: boolean
  /** Is anyone told of events? Where not, they aren't built. */
  readonly listening: boolean
  #seq: number
  #lastAt: number
  #ended = false
  #kept: boolean
  #unwritten: HaloError | undefined
  #settled = deferred<RunResult>()
  readonly #listeners = new Set<(event: HaloEvent) => void>()

  constructor(world: RunWorld, start: JournalStart, record?: JournalRecord, listener?: (event: HaloEvent) => void, replay?: AnswerSource) {
    this.replay = replay
    this.world = world
    this.start = start
    this.id = start.runId
    this.meta = { runId: start.runId, cost: 0, tokens: { input: 0, output: 0 }, calls: [], violations: [], steps: 0 }
    this.strands = new Strands(
      () => this.questions.settle(),
      () => (this.replaying = false),
    )
    this.questions = new Questions(this)
    this.spend = new Spend([...world.program.policies.values()].some((policy) => policy.rules.some((rule) => rule.name === 'MaxSpend')))
    const entries = record?.entries ?? []
    this.#kept = record !== undefined
    this.replaying = entries.length > 0
    this.index = entries.length > 0 ? new JournalIndex(entries) : undefined
    this.early = this.index?.early ?? new Map()
    this.#seq = entries.reduce((next, entry) => Math.max(next, entry.seq + 1), 0)
    this.#lastAt = entries.at(-1)?.at ?? start.at
    if (world.config.onEvent !== undefined) this.#listeners.add(world.config.onEvent)
    if (listener !== undefined) this.#listeners.add(listener)
    this.listening = this.#listeners.size > 0
  }

  get ended(): boolean {
    return this.#ended
  }

  /** The next time the run pauses or ends. */
  next(): Promise<RunResult> {
    return this.#settled.promise
  }

  settle(result: RunResult): void {
    const { resolve } = this.#settled
    this.#settled = deferred<RunResult>()
    resolve(result)
  }

  /** Begins the journal: with the arguments as they were checked. */
  async create(args: Record<string, unknown>): Promise<void> {
    await this.#stored(() => this.world.journal.create({ ...this.start, args }))
    this.#kept = true
  }

  async end(end: JournalEnd): Promise<void> {
    this.#ended = true
    // What never began has no journal that could end; what could not be written down goes on from where it can.
    if (!this.#kept || this.#unwritten !== undefined) return
    await this.#stored(() => this.world.journal.end(this.id, end))
  }

  // ------------------------------------------------------------------- events

  emit(event: Unplaced): void {
    if (!this.listening) return
    const replayed = this.replaying
    const whole = { ...event, runId: this.id, time: event.time ?? (replayed ? this.#lastAt : this.world.clock.now()), ...(replayed ? { replayed } : {}) } as HaloEvent
    for (const listener of this.#listeners) {
      try {
        untroubled(listener(whole))
      } catch {
        // A listener's fault is its own: it must never change how a run goes.
      }
    }
  }

  // ------------------------------------------------------------------ journal

  /** What an earlier part of the run recorded at this place. Waits, while it is replayed, for the rest of it to be used up. */
  async recorded(ask: { scope: CancelScope; kind: EntryKind; path: string; target: string; request?: unknown; span?: Span }): Promise<Recorded | undefined> {
    // Siblings take what is theirs by place first.
    if (this.replay !== undefined) return this.replay.take(ask, () => this.#parked(ask.scope, ask.path))
    if (this.index === undefined) return undefined
    const found = this.index.find(ask.kind, ask.path)
    const entry = found.answer ?? found.begun ?? found.asked
    if (entry !== undefined) {
      const request = found.answer?.request ?? found.begun?.request ?? found.asked?.request
      if (entry.target !== ask.target || (request !== undefined && ask.request !== undefined && !samePlain(request, ask.request))) {
        throw new HaloError('REPLAY_MISMATCH', `The journal of run ${this.id} has another ${ask.kind} at ${ask.path}: ${entry.target}, not ${ask.target}.`, {
          path: ask.path,
          data: { recorded: { target: entry.target, request }, actual: { target: ask.target, request: ask.request } },
        })
      }
      if (found.answer !== undefined) {
        this.#lastAt = found.answer.at
        return found
      }
    }
    if (this.replaying) await this.#parked(ask.scope, ask.path)
    return found
  }

  /** Waits, while an earlier part of the run or a recording is replayed, until all strands have used up what is known of them. */
  async caughtUp(scope: CancelScope): Promise<void> {
    if (this.replay !== undefined) await this.#parked(scope, '', true)
    else if (this.replaying) await this.#parked(scope, '')
  }

  async #parked(scope: CancelScope, path: string, failing = false): Promise<void> {
    scope.throwIfAborted()
    const { released, leave } = this.strands.park(path, failing)
    // At once: whoever stopped this one must not find it still waiting, and the run with nothing left to do.
    scope.signal.addEventListener('abort', leave, { once: true })
    try {
      await scope.wait(released)
    } finally {
      scope.signal.removeEventListener('abort', leave)
    }
  }

  /** The text of one of the program's files, for what is quoted from it. */
  sourceOf(file: string | undefined): string {
    const { files, file: main } = this.world.program
    return (files.find((each) => each.path === file) ?? main).source
  }

  /**
   * The one way to the world: the journal's answer for this place if it has one, else the world's, written down before it is
   * used. Gives the entry; an outcome that is an error is the caller's to throw.
   */
  async ask(ask: Ask): Promise<JournalEntry> {
    ask.scope.throwIfAborted()
    let ref: number | undefined
    if (this.index !== undefined || this.replay !== undefined) {
      const found = await this.recorded(ask)
      if (found?.answer !== undefined) {
        this.spend.add(found.answer.cost ?? 0)
        return found.answer
      }
      if (found?.begun !== undefined) {
        ref = found.begun.seq
        const outcome = await ask.recover?.(found.begun)
        if (outcome !== undefined) return this.#answer(ask, ref, outcome, 0)
      }
    }
    if (ask.begun === true) {
      const entry = this.#entry(ask, ask.request)
      entry.state = 'begun'
      const stored = this.#append(entry)
      if (stored !== undefined) await stored
      ref = entry.seq
      ask.scope.throwIfAborted()
    }
    const started = this.world.clock.now()
    const performed = ask.perform()
    const outcome =
      performed instanceof Promise
        ? await ask.scope.wait(performed, (late) => this.#late(ask, ref, late))
        : performed
    return this.#answer(ask, ref, outcome, this.world.clock.now() - started)
  }

  /** Appends an answer that did not come through `ask`: to a question, or an event that came early. */
  async answer(ask: Pick<Ask, 'kind' | 'path' | 'target' | 'request'>, ref: number | undefined, outcome: Outcome, ms: number): Promise<JournalEntry> {
    return this.#answer(ask, ref, outcome, ms)
  }

  async asked(ask: Pick<Ask, 'kind' | 'path' | 'target' | 'request'> & { value?: unknown }): Promise<number> {
    const entry = this.#entry(ask, ask.request)
    entry.state = 'asked'
    if (ask.value !== undefined) entry.value = ask.value
    const stored = this.#append(entry)
    if (stored !== undefined) await stored
    return entry.seq
  }

  async receiveEarly(event: string, payload: unknown): Promise<void> {
    const entry = await this.#answer({ kind: 'listen', path: EARLY, target: event }, undefined, { value: payload }, 0)
    const waiting = this.early.get(event)
    if (waiting === undefined) this.early.set(event, [entry])
    else waiting.push(entry)
  }

  #entry(ask: Pick<Ask, 'kind' | 'path' | 'target'>, request: unknown): JournalEntry {
    return { seq: this.#seq++, at: this.world.clock.now(), path: ask.path, kind: ask.kind, target: ask.target, request }
  }

  async #answer(ask: Pick<Ask, 'kind' | 'path' | 'target' | 'request'>, ref: number | undefined, outcome: Outcome, ms: number): Promise<JournalEntry> {
    const entry = this.#entry(ask, ref === undefined ? ask.request : undefined)
    entry.ms = ms
    if (ref !== undefined) entry.ref = ref
    Object.assign(entry, outcome)
    const stored = this.#append(entry)
    if (stored !== undefined) await stored
    this.#record(entry, ask.request)
    return entry
  }

  /** When an entry can't be written the run stops as a whole: nothing may be done with an answer that is kept nowhere. */
  #append(entry: JournalEntry): Promise<void> | undefined {
    const failed = (error: unknown): never => {
      this.#unwritten ??= error as HaloError
      this.scope.abort(this.#unwritten)
      throw this.#unwritten
    }
    try {
      if (this.#unwritten !== undefined) throw this.#unwritten
      return this.#stored(() => this.world.journal.append(this.id, entry))?.catch(failed)
    } catch (error) {
      return failed(error)
    }
  }

  #stored(write: () => void | Promise<void>): Promise<void> | undefined {
    try {
      const stored = write()
      return stored instanceof Promise ? stored.catch((error: unknown) => Promise.reject(storageError(error))) : undefined
    } catch (error) {
      throw storageError(error)
    }
  }

  #late(ask: Ask, ref: number | undefined, outcome: Outcome): void {
    const entry = this.#entry(ask, ref === undefined ? ask.request : undefined)
    entry.state = 'late'
    if (ref !== undefined) entry.ref = ref
    Object.assign(entry, outcome)
    // The run is over: that its late result can't be kept changes nothing any more.
    if (this.#unwritten === undefined) this.#append(entry)?.catch(() => undefined)
  }

  #record(entry: JournalEntry, request: unknown): void {
    const { recorder } = this.world.config
    if (recorder === undefined) return
    const { kind, target, path, toolCalls } = entry
    const value = entry.error === undefined ? entry.value : entry.error
    try {
      untroubled(recorder({ kind, target, value, path, request, entry, ...(toolCalls === undefined ? {} : { toolCalls }) }))
    } catch {
      // As with listeners: a recorder's fault is its own.
    }
  }
}

/** A listener may be an async function: what it rejects with is its own as well. */
function untroubled(given: unknown): void {
  if (given instanceof Promise) given.catch(() => undefined)
}

/** Whatever the reason: a run ends with it, and no agent is told of it as of a tool that failed. */
function storageError(error: unknown): HaloError {
  return error instanceof HaloError && error.code === 'STORAGE_FULL'
    ? error
    : new HaloError('STORAGE_FULL', `The run's journal could not be written: ${messageOf(error)} Free some space or export and delete old recordings, then resume.`, { cause: error })
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

export { Cancelled, cancelledError }
