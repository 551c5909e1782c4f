import { HaloError, messageOf, spanWithin } from '../errors.ts'
import { argumentsError, checkArguments } from './arguments.ts'
import { Cancelled, cancelledError } from './cancel.ts'
import { metaOf } from './frame.ts'
import { runPipeline } from './interpreter.ts'
import type { AnswerSource } from './replay-source.ts'
import { Run, type RunWorld } from './run.ts'
import { State } from './state.ts'
import type { HaloEvent, JournalRecord, JournalStart, Paused, RunOptions, RunResult } from './types.ts'
import { isObject, kindOf } from './values.ts'

interface ExecutionOptions {
  record?: JournalRecord
  listener?: (event: HaloEvent) => void
  /** The recording that answers in place of the world. */
  replay?: AnswerSource
  onOver(): void
}

/** A run while it is under way here: begun or taken up, paused and gone on with, and ended. */
export class Execution {
  readonly run: Run
  readonly #options: ExecutionOptions
  readonly #state = new State()
  #args: Record<string, unknown>
  #paused?: RunResult
  #started = 0
  #timer?: AbortController
  #left?: number

  constructor(world: RunWorld, start: JournalStart, options: ExecutionOptions) {
    this.run = new Run(world, start, options.record, options.listener, options.replay)
    this.#options = options
    this.#args = start.args
    this.#left = start.timeoutMs
    this.run.questions.onPaused = (paused) => this.#pause(paused)
    this.run.questions.onContinue = () => this.#goOn()
  }

  /** Until it first pauses or ends. */
  begin(options: Pick<RunOptions, 'signal'>): Promise<RunResult> {
    const { run } = this
    const result = run.next()
    const { signal } = options
    const stop = () => run.scope.abort(new HaloError('CANCELLED', 'The run was stopped.'))
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    void this.#whole().finally(() => signal?.removeEventListener('abort', stop))
    return result
  }

  /** The result as it stands: at once when the run waits, else when it next pauses or ends. */
  current(): Promise<RunResult> {
    return this.#paused === undefined ? this.run.next() : Promise.resolve(this.#paused)
  }

  async answer(waitingFor: string, payload: unknown): Promise<void> {
    await this.run.questions.answer(waitingFor, payload)
  }

  async #whole(): Promise<void> {
    const { run } = this
    const { record } = this.#options
    this.#started = run.world.clock.now()
    run.strands.start()
    let result: RunResult
    try {
      const { pipeline, args } = record === undefined ? this.#checked() : this.#recorded()
      if (record === undefined) await run.create(args)
      run.emit({ type: 'run_start', path: '', pipeline: pipeline.name, args, resumed: record !== undefined, span: { from: pipeline.from, to: pipeline.to, file: pipeline.file } })
      this.#runTimer()
      const output = await runPipeline({ run, scope: run.scope, callers: [] }, { pipeline, args, base: '', requires: [] }, this.#state)
      result = this.#result({ status: 'completed', output })
    } catch (thrown) {
      result = this.#result(this.#ended(thrown))
    }
    this.#timer?.abort()
    const { status, output, error } = result
    const about = error === undefined ? undefined : { code: error.code, message: error.message, path: error.path, span: error.span }
    try {
      await run.end({ status, output, at: run.world.clock.now(), ...(about === undefined ? {} : { error: about }) })
    } catch (stored) {
      // The run itself is done; that its end can't be written down is told, not made its outcome.
      run.emit({ type: 'log', level: 'warning', path: '', message: messageOf(stored) })
    }
    this.#paused = undefined
    this.#options.onOver()
    run.emit({ type: 'run_end', path: '', status, output, ms: run.world.clock.now() - this.#started, cost: run.meta.cost, error: about })
    run.settle(result)
  }

  #checked() {
    const { run } = this
    const { program } = run.world
    const { start } = run
    const pipeline = program.pipelines.get(start.pipeline)
    if (pipeline === undefined) {
      const names = [...program.pipelines.keys()]
      throw new HaloError('VALIDATION', `There is no pipeline ${start.pipeline}. ${names.length === 0 ? 'The file has none.' : `There is ${names.join(', ')}.`}`)
    }
    if (!isObject(start.args)) throw new HaloError('VALIDATION', `The arguments of ${pipeline.name} are an object by name, not ${kindOf(start.args)}.`)
    const { clock } = run.world
    const { args, faults } = checkArguments(pipeline, start.args, program, { need: (_, what) => (what.fn === 'uuid' ? clock.uuid() : new Date(clock.now()).toISOString()) })
    if (faults.length > 0) throw argumentsError(pipeline.name, faults).with({ span: spanWithin(pipeline.nameSpan, pipeline.file) })
    this.#args = args
    return { pipeline, args }
  }

  /** The journal's arguments were checked when the run began, defaults filled in. */
  #recorded() {
    const { start, world } = this.run
    const pipeline = world.program.pipelines.get(start.pipeline)
    if (pipeline === undefined) throw new HaloError('VALIDATION', `The journal's program has no pipeline ${start.pipeline}.`)
    return { pipeline, args: start.args }
  }

  #ended(thrown: unknown): Pick<RunResult, 'status' | 'output' | 'error'> {
    const error = thrown instanceof Cancelled ? cancelledError(thrown.reason) : thrown instanceof HaloError ? thrown : new HaloError('TOOL_ERROR', messageOf(thrown), { cause: thrown })
    const status = error.code === 'DECLINED' ? 'declined' : error.code === 'CANCELLED' ? 'cancelled' : 'failed'
    return { status, output: null, error }
  }

  #result(outcome: Pick<RunResult, 'status' | 'output' | 'error'>): RunResult {
    const { run } = this
    const meta = metaOf(run)
    const { calls, violations, tokens } = meta
    return { ...outcome, runId: run.id, context: { data: this.#state.all(), args: this.#args, meta: { ...meta, calls: calls.slice(), violations: violations.slice(), tokens: { ...tokens } } } }
  }

  #pause(paused: Paused): void {
    const { run } = this
    this.#stopTimer()
    const result = this.#result({ status: 'paused', output: null })
    result.context.meta.paused = paused
    this.#paused = result
    run.emit({ type: 'run_end', path: '', status: 'paused', output: null, ms: run.world.clock.now() - this.#started, cost: run.meta.cost })
    run.settle(result)
  }

  #goOn(): void {
    if (this.#paused === undefined) return
    this.#paused = undefined
    this.#runTimer()
  }

  /** The run's own time stands still while it is paused. */
  #runTimer(): void {
    if (this.#left === undefined) return
    const { run } = this
    const { clock } = run.world
    const limit = run.start.timeoutMs ?? 0
    const timer = (this.#timer = new AbortController())
    const began = clock.now()
    timer.signal.addEventListener('abort', () => (this.#left = Math.max(0, (this.#left ?? 0) - (clock.now() - began))), { once: true })
    clock.sleep(this.#left, timer.signal).then(
      () => run.scope.abort(new HaloError('TIMEOUT', `The run took longer than its limit of ${limit} ms.`)),
      () => undefined,
    )
  }

  #stopTimer(): void {
    this.#timer?.abort()
    this.#timer = undefined
  }
}
