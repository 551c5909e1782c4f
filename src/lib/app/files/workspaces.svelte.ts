import type { Database } from '../../storage/database.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'
import { Workspace } from './workspace.svelte.ts'

export type EngineState = 'off' | 'starting' | 'ready' | 'failed'

/** The workspaces open in this tab, also those of projects not shown now, and the state of the engine that runs on them. */
export class Workspaces {
  readonly #db: Database
  readonly #report: (thrown: unknown) => void
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- finds open things; what is shown of them is in state
  readonly #open = new Map<string, Workspace>()
  readonly #others = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('halo-workspaces')
  #engine = $state<EngineState>('off')

  constructor(db: Database, report: (thrown: unknown) => void) {
    this.#db = db
    this.#report = report
    this.#others?.addEventListener('message', ({ data }: MessageEvent<string>) => void this.#open.get(data)?.follow().catch(report))
  }

  get engine(): EngineState {
    return this.#engine
  }

  of(id: string): Workspace {
    let workspace = this.#open.get(id)
    if (!workspace) {
      workspace = new Workspace(id, this.#db, () => this.#makeSandbox(), this.#report)
      workspace.onStored = () => this.#others?.postMessage(id)
      this.#open.set(id, workspace)
    }
    return workspace
  }

  flush(): void {
    for (const workspace of this.#open.values()) void workspace.flush()
  }

  async #makeSandbox(): Promise<Sandbox> {
    this.#engine = 'starting'
    try {
      const { createEmbedded } = await import('../shell/sandbox.ts')
      const sandbox = createEmbedded()
      this.#engine = 'ready'
      return sandbox
    } catch (thrown) {
      this.#engine = 'failed'
      throw thrown
    }
  }
}
