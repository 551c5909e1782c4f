import { comparePaths } from './journal.ts'

/**
 * Counts the strands of a run (its main line, parallel branches, items) that can go on by themselves. When none can, the run
 * is either waiting for a person, or, while a journal is being replayed, has used up what the journal says about each strand.
 */
export class Strands {
  #active = 0
  readonly #parked = new Map<() => void, { path: string; failing: boolean }>()
  readonly #onIdle: () => void
  readonly #onRelease: () => void

  /** `onIdle`: no strand is active and none is parked. `onRelease`: the parked ones go on. */
  constructor(onIdle: () => void, onRelease: () => void) {
    this.#onIdle = onIdle
    this.#onRelease = onRelease
  }

  start(count = 1): void {
    this.#active += count
  }

  /** A strand has ended, or waits for something only a person or other strands can give. */
  stop(): void {
    this.#active--
    if (this.#active > 0) return
    if (this.#parked.size === 0) {
      this.#onIdle()
      return
    }
    // One that failed goes first, since it may stop others. Then in the order of the program: what they take next must not
    // depend on who came first.
    const all = [...this.#parked].sort(([, a], [, b]) => comparePaths(a.path, b.path))
    const failing = all.filter(([, { failing }]) => failing)
    const parked = (failing.length > 0 ? failing : all).map(([release]) => release)
    for (const release of parked) this.#parked.delete(release)
    this.#active += parked.length
    this.#onRelease()
    for (const release of parked) release()
  }

  /** Waits at `path` until every other strand has come to a halt: what the journal recorded about them is then used up. */
  park(path: string, failing = false): { released: Promise<void>; leave: () => void } {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    this.#parked.set(release, { path, failing })
    this.stop()
    return {
      released,
      leave: () => {
        if (this.#parked.delete(release)) this.#active++
      },
    }
  }
}
