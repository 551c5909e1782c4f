import { toPlain } from '../run/plain.ts'
import type { JournalEnd, JournalEntry, JournalStart, JournalStore, RecordedCall } from '../run/types.ts'
import { VERSION } from '../version.ts'

/** How a run ended, as `Recorder.finish` takes it: a RunResult will do. */
export type Ending = Pick<JournalEnd, 'status' | 'output'> & { error?: JournalEnd['error'] }

/**
 * Keeps what a run got from outside, for a replay: `new HaloRuntime({ recorder: recorder.record })`. `start` comes before the
 * run, `finish` after it. What is kept is not redacted.
 *
 * Over a store that answers at once, so do `start` and `finish`; over another they give promises.
 */
export class Recorder {
  readonly runId: string
  readonly #store: JournalStore
  #seq = 0
  #under: Promise<void> | undefined
  #fault: { thrown: unknown } | undefined

  constructor(store: JournalStore, runId: string) {
    this.#store = store
    this.runId = runId
  }

  /** @param about the program's text, where the recording is to be replayed against another one */
  start(pipeline: string, args: object = {}, about: Partial<Pick<JournalStart, 'main' | 'sources' | 'timeoutMs' | 'priceDate'>> = {}): void | Promise<void> {
    const { main = '', sources = {}, ...rest } = about
    const start: JournalStart = { runId: this.runId, pipeline, args: toPlain(args) as Record<string, unknown>, main, sources, at: Date.now(), version: VERSION, ...rest }
    return this.#then(() => this.#store.create(start))
  }

  /** A `RuntimeConfig.recorder`; may be handed on by itself. */
  readonly record = (call: RecordedCall): void => {
    const { ref: _, ...answer } = call.entry
    const entry: JournalEntry = { ...answer, seq: this.#seq++, ...(call.request === undefined ? {} : { request: call.request }) }
    try {
      void this.#then(() => this.#store.append(this.runId, entry))?.catch(() => undefined)
    } catch {
      // `finish` tells of it: a recorder never changes how a run goes.
    }
  }

  /** @throws what kept the recording from being written, if something did */
  finish({ status, output, error }: Ending): void | Promise<void> {
    const end: JournalEnd = { status, output: toPlain(output), at: Date.now(), ...(error === undefined ? {} : { error: endError(error) }) }
    const done = this.#then(() => this.#store.end(this.runId, end))
    const check = (): void => {
      if (this.#fault !== undefined) throw this.#fault.thrown
    }
    return done === undefined ? check() : done.then(check)
  }

  /** One after the other, and at once where the store is. */
  #then(write: () => void | Promise<void>): Promise<void> | undefined {
    const failed = (thrown: unknown): never => {
      this.#fault ??= { thrown }
      throw thrown
    }
    if (this.#under === undefined) {
      try {
        const written = write()
        if (written instanceof Promise) this.#under = written.catch(failed)
      } catch (thrown) {
        failed(thrown)
      }
    } else this.#under = this.#under.catch(() => undefined).then(write).catch(failed)
    return this.#under
  }
}

function endError({ code, message, path, span }: NonNullable<JournalEnd['error']>): JournalEnd['error'] {
  return { code, message, ...(path === undefined ? {} : { path }), ...(span === undefined ? {} : { span }) }
}
