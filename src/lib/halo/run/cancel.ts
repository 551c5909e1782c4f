import { HaloError } from '../errors.ts'

/** Thrown through a run that was stopped, or whose siblings failed. Never seen by anyone: the run ends with its reason. */
export class Cancelled extends Error {
  constructor(readonly reason: unknown) {
    super('cancelled')
    this.name = 'Cancelled'
  }
}

/**
 * A part of a run that can be stopped as a whole: the run, or one parallel stage. Whatever waits inside of it is let go at
 * once, whether or not the work it waits for listens to the signal; that is how Stop ends a run whose tool ignores it.
 */
export class CancelScope {
  readonly #controller = new AbortController()
  readonly #waiting = new Set<(reason: unknown) => void>()
  readonly #children = new Set<CancelScope>()
  readonly #parent?: CancelScope
  #reason: unknown

  constructor(parent?: CancelScope) {
    this.#parent = parent
    if (parent === undefined) return
    if (parent.aborted) this.abort(parent.#reason)
    else parent.#children.add(this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }
  get aborted(): boolean {
    return this.#controller.signal.aborted
  }

  abort(reason: unknown): void {
    if (this.aborted) return
    this.#reason = reason
    this.#controller.abort(reason)
    for (const child of this.#children) child.abort(reason)
    const stopped = new Cancelled(reason)
    for (const reject of this.#waiting) reject(stopped)
    this.#waiting.clear()
    this.close()
  }

  /** No longer part of its parent: the stage is over. */
  close(): void {
    const parent = this.#parent
    if (parent !== undefined) parent.#children.delete(this)
  }

  throwIfAborted(): void {
    if (this.aborted) throw new Cancelled(this.#reason)
  }

  /** The outcome of `work`, or `Cancelled` as soon as the scope is aborted. `onLate` gets what came after that. */
  wait<T>(work: PromiseLike<T>, onLate?: (value: T) => void): Promise<T> {
    if (this.aborted) {
      work.then(onLate, () => undefined)
      return Promise.reject(new Cancelled(this.#reason))
    }
    return new Promise<T>((resolve, reject) => {
      const waiting = this.#waiting
      waiting.add(reject)
      work.then(
        (value) => {
          if (waiting.delete(reject)) resolve(value)
          else onLate?.(value)
        },
        (error: unknown) => {
          if (waiting.delete(reject)) reject(error)
        },
      )
    })
  }
}

/** Why a scope was aborted, as the error a run ends with. */
export function cancelledError(reason: unknown): HaloError {
  return reason instanceof HaloError ? reason : new HaloError('CANCELLED', 'The run was stopped.')
}
