/**
 * Names bound by `as`, in layers: a parallel branch sees the state at the fork and its own names; at the join its names go
 * into the state it came from.
 */
export class State {
  readonly #parent?: State
  readonly #own = new Map<string, unknown>()

  constructor(parent?: State) {
    this.#parent = parent
  }

  set(name: string, value: unknown): void {
    this.#own.set(name, value)
  }

  has(name: string): boolean {
    return this.#own.has(name) || (this.#parent?.has(name) ?? false)
  }

  get(name: string): unknown {
    return this.#own.has(name) ? this.#own.get(name) : this.#parent?.get(name)
  }

  fork(): State {
    return new State(this)
  }

  /** Takes over what a branch bound. */
  join(branch: State): void {
    for (const [name, value] of branch.#own) this.#own.set(name, value)
  }

  /** Everything that is visible here, as a plain object. */
  all(): Record<string, unknown> {
    const all = this.#parent?.all() ?? {}
    for (const [name, value] of this.#own) {
      Object.defineProperty(all, name, { value, enumerable: true, writable: true, configurable: true })
    }
    return all
  }
}
