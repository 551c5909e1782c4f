import { link, type Program } from '../check/program.ts'
import { loadImports } from '../check/imports.ts'
import { HaloError, messageOf } from '../errors.ts'
import { parse } from '../syntax/index.ts'
import type { HaloFile } from '../syntax/ast.ts'
import type { Sandbox } from '../sandbox/types.ts'
import { sandboxOf } from './box.ts'
import { systemClock } from './clock.ts'
import { Execution } from './execution.ts'
import { memoryJournal } from './journal.ts'
import { mayListenFor } from './listening.ts'
import { Mocks } from './mocks.ts'
import { toPlain } from './plain.ts'
import { EventStream, type HaloStream } from './stream.ts'
import type { HaloEvent, JournalRecord, JournalStart, JournalStore, Mock, RunOptions, RunResult, RuntimeConfig } from './types.ts'
import { VERSION } from '../version.ts'

/**
 * Runs the pipelines of a file. One runtime can have many runs, at once and one after the other; each is known by its id for
 * as long as its journal is kept.
 */
export class HaloRuntime {
  readonly #config: RuntimeConfig
  readonly #journal: JournalStore
  readonly #open = new Map<string, Execution>()
  readonly #claimed = new Set<string>()
  readonly #reopening = new Map<string, Promise<RunResult>>()
  #file?: HaloFile
  #mocks: Record<string, Mock> = {}
  readonly #sandbox: () => Promise<Sandbox>

  constructor(config: RuntimeConfig = {}) {
    this.#config = config
    this.#journal = config.journal ?? memoryJournal()
    this.#sandbox = sandboxOf(config)
  }

  /** The file whose pipelines `run` and `stream` know. Its imports have to be loaded. */
  load(file: HaloFile): this {
    this.#file = file
    return this
  }

  /** Answers in place of models, tools and people; what isn't mocked runs for real. Later ones come on top of earlier ones. */
  mockAll(mocks: Record<string, Mock>): this {
    this.#mocks = { ...this.#mocks, ...mocks }
    return this
  }

  /**
   * Runs a pipeline until it ends or waits for a person. Never rejects for what happens in the run: that is in the result.
   * Faults of the arguments are one VALIDATION, before anything has happened.
   */
  async run(pipeline: string, args: object = {}, options: RunOptions = {}): Promise<RunResult> {
    return this.#start(pipeline, args, options)
  }

  /** The same, with its events as they happen. Ends when the run ends or pauses; `result` is what `run` gives. */
  stream(pipeline: string, args: object = {}, options: RunOptions = {}): HaloStream {
    const events = new EventStream()
    const result = this.#start(pipeline, args, options, (event) => events.push(event))
    return events.until(result)
  }

  /**
   * Answers the first open question of that kind in path order, or the one that the payload names by `id`. Events may come
   * before anyone listens for them. Gives the result when the run next pauses or ends.
   * @throws HaloError VALIDATION when the run is unknown or has ended, or waits for no such thing.
   */
  async signal(runId: string, waitingFor: string, payload?: unknown): Promise<RunResult> {
    if (!this.#open.has(runId)) await this.resume(runId)
    const execution = this.#open.get(runId)
    if (execution === undefined) throw new HaloError('VALIDATION', `Run ${runId} has ended: nothing waits for ${waitingFor} any more.`)
    const { run } = execution
    if (!run.questions.has(waitingFor) && mayListenFor(run.world.program, waitingFor)) {
      await run.receiveEarly(waitingFor, payload === undefined ? null : payload)
      return execution.current()
    }
    const next = run.next()
    await execution.answer(waitingFor, payload)
    return next
  }

  /**
   * Takes up a run that is kept: after a pause, a closed tab, a crash. It goes on from its journal, with the text it began
   * with; what the journal has an answer for doesn't happen again. A run that waits gives its paused result.
   * @throws HaloError VALIDATION when there is no such run, or it has ended.
   */
  async resume(runId: string, options: Pick<RunOptions, 'signal'> = {}): Promise<RunResult> {
    const open = this.#open.get(runId)
    if (open !== undefined) return open.current()
    const under = this.#reopening.get(runId)
    if (under !== undefined) return under
    const reopened = this.#reopen(runId, options).finally(() => this.#reopening.delete(runId))
    this.#reopening.set(runId, reopened)
    return reopened
  }

  async #reopen(runId: string, options: Pick<RunOptions, 'signal'>): Promise<RunResult> {
    const record = await this.#journal.load(runId)
    if (record === undefined) throw new HaloError('VALIDATION', `There is no run ${runId}.`)
    if (record.end !== undefined && record.end.status !== 'paused') throw new HaloError('VALIDATION', `Run ${runId} has ended (${record.end.status}): nothing waits in it any more.`)
    const program = programOf(record.start)
    const changed = this.#file !== undefined && this.#file.source !== program.file.source
    // The store may hand out its own list, which grows as the run goes on.
    const kept: JournalRecord = { ...record, entries: [...record.entries] }
    const execution = new Execution(this.#world(program), record.start, { record: kept, onOver: () => this.#open.delete(runId) })
    this.#open.set(runId, execution)
    if (changed) execution.run.emit({ type: 'log', level: 'warning', path: '', message: 'The file has changed since this run began; the run goes on with the text it began with.' })
    return execution.begin(options)
  }

  async #start(pipeline: string, given: object, options: RunOptions, listener?: (event: HaloEvent) => void): Promise<RunResult> {
    const file = this.#file
    if (file === undefined) throw new HaloError('VALIDATION', 'No file is loaded: call load(parse(source)) first.')
    const clock = this.#config.clock ?? systemClock
    const runId = options.runId ?? clock.uuid()
    const program = link(file)
    const args = plainArguments(given)
    if (options.runId !== undefined) await this.#claim(runId)
    const start: JournalStart = {
      runId,
      pipeline,
      args,
      main: file.path ?? '',
      sources: Object.fromEntries(program.files.map((each) => [each.path ?? '', each.source])),
      at: clock.now(),
      version: VERSION,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      ...options.about,
    }
    const execution = new Execution(this.#world(program), start, { listener, onOver: () => this.#open.delete(runId) })
    this.#open.set(runId, execution)
    this.#claimed.delete(runId)
    return execution.begin(options)
  }

  /** An id names one run, also while the store is still being asked whether it knows it. */
  async #claim(runId: string): Promise<void> {
    const taken = () => new HaloError('VALIDATION', `There is a run ${runId} already. Give another runId, or take it up with resume.`)
    if (this.#open.has(runId) || this.#claimed.has(runId)) throw taken()
    this.#claimed.add(runId)
    try {
      if ((await this.#journal.load(runId)) !== undefined) throw taken()
    } catch (error) {
      this.#claimed.delete(runId)
      throw error
    }
  }

  #world(program: Program) {
    const config = this.#config
    return {
      program,
      config,
      mocks: new Mocks(this.#mocks, config.mockDefaults),
      journal: this.#journal,
      clock: config.clock ?? systemClock,
      sandbox: this.#sandbox,
    }
  }
}

/** A copy that nobody changes under the run. @throws HaloError VALIDATION for what has no JSON. */
function plainArguments(given: object): Record<string, unknown> {
  try {
    return toPlain(given) as Record<string, unknown>
  } catch (error) {
    throw new HaloError('VALIDATION', `The arguments can't be kept: ${messageOf(error)}`, { cause: error })
  }
}

const programs = new Map<string, Program>()
/** Programs that are remembered, and the most that their texts may come to in characters. */
const REMEMBERED = 32
const REMEMBERED_LENGTH = 200_000

/** The program a journal was begun with. Many runs of one program, taken up one after the other, share it. */
export function programOf(start: JournalStart): Program {
  const source = start.sources[start.main]
  if (source === undefined) throw new HaloError('VALIDATION', `The journal of run ${start.runId} has no program in it: it can be replayed, not resumed.`)
  const key = JSON.stringify([start.main, start.sources])
  const known = programs.get(key)
  if (known !== undefined) return known
  const program = readProgram(start, source)
  if (key.length > REMEMBERED_LENGTH) return program
  for (const oldest of programs.keys()) {
    if (programs.size < REMEMBERED) break
    programs.delete(oldest)
  }
  programs.set(key, program)
  return program
}

function readProgram(start: JournalStart, source: string): Program {
  try {
    const file = parse(source, start.main === '' ? {} : { path: start.main })
    loadImports(file, (path) => (Object.hasOwn(start.sources, path) ? start.sources[path] : undefined))
    return link(file)
  } catch (error) {
    if (!(error instanceof HaloError)) throw error
    throw new HaloError(error.code, `Run ${start.runId} can't go on: the program it began with is not one that this version reads. ${error.message}`, error)
  }
}
