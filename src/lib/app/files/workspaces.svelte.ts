import type { Database } from '../../storage/database.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'
import type { Engine } from '../settings/settings.svelte.ts'
import { projectIn } from '../../storage/read.ts'
import { onDisk, projectOf, saveWorkspace } from '../../storage/contents.ts'
import { Workspace } from './workspace.svelte.ts'

export type EngineState = 'off' | 'starting' | 'ready' | 'failed' | 'container'

/** The workspaces open in this tab, also those of projects not shown now, and the state of the engine that runs on them. */
export class Workspaces {
  readonly #db: Database
  readonly #report: (thrown: unknown) => void
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- finds open things; what is shown of them is in state
  readonly #open = new Map<string, Workspace>()
  readonly #others = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('halo-workspaces')
  #engine = $state<EngineState>('off')
  readonly #engineWanted: Engine

  /** `engine`: what runs commands, as the person has it. */
  constructor(db: Database, report: (thrown: unknown) => void, engine: Engine) {
    this.#db = db
    this.#engineWanted = engine
    this.#report = report
    this.#others?.addEventListener('message', ({ data }: MessageEvent<string>) => void this.#open.get(data)?.follow().catch(report))
  }

  get engine(): EngineState {
    return this.#engine
  }

  of(id: string): Workspace {
    let workspace = this.#open.get(id)
    if (!workspace) {
      workspace = new Workspace(id, this.#db, () => this.#makeSandbox(id), this.#report)
      workspace.onStored = () => this.#others?.postMessage(id)
      this.#open.set(id, workspace)
    }
    return workspace
  }

  /** Where live runs of a project work: a folder of the disk, where one was chosen for it, else its files in the page. Loaded. */
  async liveOf(project: string): Promise<Workspace> {
    const folder = (await this.#db.getKey('workspaces', onDisk(project))) !== undefined
    const workspace = this.of(folder ? onDisk(project) : project)
    if (folder ? !workspace.disk : !workspace.known) await workspace.load()
    return workspace
  }
  /** From now on the project's live runs work on this folder. */
  async useFolder(project: string, folder: FileSystemDirectoryHandle): Promise<Workspace> {
    await this.leaveFolder(project)
    await saveWorkspace(this.#db, { id: onDisk(project), files: {}, folder })
    return this.liveOf(project)
  }
  async leaveFolder(project: string): Promise<Workspace> {
    const id = onDisk(project)
    const workspace = this.#open.get(id)
    await workspace?.settled()
    // A run that still works on it would bring the folder back.
    workspace?.discard()
    this.#open.delete(id)
    await this.#db.delete('workspaces', id)
    return this.liveOf(project)
  }

  /** What is open of a project that is taken away must not be stored again. */
  forget(project: string): void {
    for (const id of [project, onDisk(project)]) {
      this.#open.get(id)?.discard()
      this.#open.delete(id)
    }
  }

  async leaveContainer(project: string): Promise<void> {
    for (const id of [project, onDisk(project)]) await this.#open.get(id)?.leaveContainer()
  }

  async settled(project: string): Promise<void> {
    for (const id of [project, onDisk(project)]) await this.#open.get(id)?.settled()
  }
  flush(): void {
    for (const workspace of this.#open.values()) void workspace.flush()
  }

  async #makeSandbox(id: string): Promise<Sandbox> {
    this.#engine = 'starting'
    try {
      const container = await this.#container(id)
      if (container) {
        this.#engine = 'container'
        return container
      }
      const { createEmbedded } = await import('../shell/sandbox.ts')
      const sandbox = createEmbedded()
      this.#engine = 'ready'
      return sandbox
    } catch (thrown) {
      this.#engine = 'failed'
      throw thrown
    }
  }

  /** WebContainers have a network that nothing holds back: what comes from elsewhere doesn't get them. */
  async #container(id: string): Promise<Sandbox | undefined> {
    if (this.#engineWanted !== 'webcontainer') return undefined
    const project = await projectIn(this.#db, projectOf(id))
    if (!project || project.elsewhere) return undefined
    const [{ webContainerMissing }, { webContainerSandbox }] = await Promise.all([import('../../halo/sandbox/container.ts'), import('../../halo/sandbox/webcontainer.ts')])
    const missing = webContainerMissing()
    if (missing === undefined) return webContainerSandbox()
    this.#report(new Error(missing))
    return undefined
  }
}
