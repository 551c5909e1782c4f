import { messageOf } from '../../halo/errors.ts'
import type { ReplayOutcome } from '../../halo/run/replay.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { fileAgainst, fileNow, replayExactly, type Against } from './replaying.ts'
import type { Travel } from './travel.svelte.ts'

/** The replays of an open recording: what was chosen for the next one, and what came of the last. They outlast their panel. */
export class ReplayRun {
  readonly #bench: Workbench
  readonly #travel: Travel
  #asked = $state<Against>('now')
  liveModels = $state(false)
  liveTools = $state(false)
  #outcome = $state.raw<ReplayOutcome>()
  #running = $state<'exact' | 'live'>()
  #problem = $state('')
  #stopping: AbortController | undefined

  constructor(bench: Workbench, travel: Travel) {
    this.#bench = bench
    this.#travel = travel
  }

  /** Path of the file of the open project that it can be held against. */
  get now(): string | undefined {
    return fileNow(this.#bench, this.#travel.record)
  }
  get against(): Against {
    return this.now === undefined ? 'then' : this.#asked
  }
  set against(chosen: Against) {
    this.#asked = chosen
  }
  /** The recording and its program came from elsewhere: what runs of them gets no keys. */
  get keyless(): boolean {
    return this.#travel.run.imported === true && this.against === 'then'
  }
  get outcome(): ReplayOutcome | undefined {
    return this.#outcome
  }
  get running(): 'exact' | 'live' | undefined {
    return this.#running
  }
  get problem(): string {
    return this.#problem
  }

  async start(): Promise<void> {
    const { liveModels, liveTools, keyless } = this
    const { run, record } = this.#travel
    const { signal } = (this.#stopping = new AbortController())
    const live = liveModels || liveTools
    this.#problem = ''
    this.#outcome = undefined
    this.#running = live ? 'live' : 'exact'
    try {
      const file = fileAgainst(this.#bench, record, this.against)
      this.#outcome = live ? await this.#bench.replayLive({ run, record, file, liveModels, liveTools, keyless, signal }) : await replayExactly(file, record, signal)
    } catch (thrown) {
      this.#problem = messageOf(thrown)
    } finally {
      this.#running = undefined
    }
  }
  stop(): void {
    this.#stopping?.abort()
  }
}
