/** Gives storage back what no recording, workspace or fork refers to any more, when the page has nothing better to do. */
import type { Database } from '../../storage/database.ts'
import { whenIdle } from '../shell/idle.ts'

export class Collecting {
  readonly #db: Database
  #under = false
  #again = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** Something may be referred to no more. */
  soon(): void {
    clearTimeout(this.#timer)
    if (this.#under) this.#again = true
    else void this.#collect()
  }

  async #collect(): Promise<void> {
    this.#under = true
    let later: number | undefined
    try {
      await whenIdle()
      const { collectContents } = await import('../../storage/collect.ts')
      later = (await collectContents(this.#db)).again
    } catch {
      // Nothing is lost: it is tried again with the next change, or when the page opens. What is wrong with storage is told by whoever needs it.
    }
    this.#under = false
    if (this.#again) {
      this.#again = false
      void this.#collect()
    } else if (later !== undefined) this.#timer = setTimeout(() => this.soon(), later)
  }
}
