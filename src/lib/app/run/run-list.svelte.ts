import type { Database, StoredRun } from '../../storage/database.ts'
import { heldRuns, released } from '../../storage/owner.ts'
import { isOpenRun, listRuns } from '../../storage/runs.ts'
import { Collecting } from '../recordings/collecting.ts'

/** All runs of this browser, and which of them some tab works on. Tabs tell each other when one begins, waits or ends. */
export class RunList {
  readonly #db: Database
  readonly #collecting: Collecting
  readonly #others = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('halo-runs')
  #all = $state.raw<StoredRun[]>([])
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- replaced as a whole
  #held = $state.raw<ReadonlySet<string>>(new Set())

  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never shown
  readonly #awaited = new Set<string>()

  constructor(db: Database) {
    this.#db = db
    this.#collecting = new Collecting(db)
    // In a stray event of a closing page the database may be gone; the next look says so where it matters.
    this.#others?.addEventListener('message', () => void this.refresh().catch(() => undefined))
  }

  get all(): StoredRun[] {
    return this.#all
  }
  /**
   * Open runs beside the one that is shown which no tab works on: they wait for an answer, or were cut off. And those of this tab that wait for an
   * answer while it shows another: nothing else on the page tells of them.
   */
  waiting(shown: string | undefined, owns: (runId: string) => boolean): StoredRun[] {
    return this.#all.filter((run) => isOpenRun(run) && run.runId !== shown && (!this.#held.has(run.runId) || (run.asked.length > 0 && owns(run.runId))))
  }
  /** Open runs that a tab works on, this one or another. */
  get held(): StoredRun[] {
    return this.#all.filter((run) => isOpenRun(run) && this.#held.has(run.runId))
  }

  async refresh(): Promise<void> {
    const [held, all] = await Promise.all([heldRuns(), listRuns(this.#db)])
    this.#held = held
    for (const run of all) if (isOpenRun(run) && held.has(run.runId)) this.#awaitRelease(run.runId)
    this.#all = all
    this.#collecting.soon()
  }
  /** A tab that crashes tells nobody; its lock is released all the same. */
  #awaitRelease(runId: string): void {
    if (this.#awaited.has(runId)) return
    this.#awaited.add(runId)
    void released(runId).then(() => {
      this.#awaited.delete(runId)
      return this.refresh().catch(() => undefined)
    })
  }
  /** Something of a run of this tab has changed that the lists of other tabs show. */
  async changed(): Promise<void> {
    this.#others?.postMessage('changed')
    await this.refresh()
  }
}
