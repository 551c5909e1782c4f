import type { FileChange, Sandbox } from '../../halo/sandbox/types.ts'
import type { WorkspaceStore } from '../../halo/run/types.ts'
import { createContentStore, hashOf, saveWorkspace } from '../../storage/contents.ts'
import type { Database } from '../../storage/database.ts'
import { storageProblem } from '../../storage/problem.ts'
import type { Disk } from './disk.svelte.ts'

export interface Change {
  path: string
  mark: 'A' | 'M' | 'D'
  before?: string
  after?: string
}

type Files = Record<string, string>

/** Makes the sandbox when it is first needed: it is heavy, and a page that only edits must not load it. */
export type MakeSandbox = () => Promise<Sandbox>

/**
 * The files that tools and the terminal work on: content hashes by path, kept in the page's storage, and a sandbox over
 * them once one is needed. `baseline` is how they stood when the last run began.
 */
export class Workspace {
  readonly id: string
  readonly contents: WorkspaceStore
  readonly #db: Database
  readonly #make: MakeSandbox
  readonly #onProblem: (thrown: unknown) => void
  #files = $state.raw<Files>({})
  #baseline = $state.raw<Files | undefined>()
  #disk = $state.raw<Disk | undefined>()
  #sandbox: Promise<Sandbox> | undefined
  #known = false
  #loading: Promise<void> | undefined
  #discarded = false
  /** Has it changed since it was last stored? */
  #dirty = false
  /** Called once a change is in storage, where other tabs can read it. */
  onStored: (() => void) | undefined
  #saving: ReturnType<typeof setTimeout> | undefined
  #pending: Promise<unknown> = Promise.resolve()
  /** Hashes of contents that storage had no room for. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never shown
  readonly #unkept = new Set<string>()

  constructor(id: string, db: Database, make: MakeSandbox, onProblem: (thrown: unknown) => void) {
    this.id = id
    this.#db = db
    this.#make = make
    this.#onProblem = onProblem
    const stored = createContentStore(db)
    this.contents = { put: stored.put, get: async (hash) => (await stored.get(hash)) ?? this.#disk?.folder.find(hash) }
  }

  /** The folder of the disk that these files are; undefined: they are in the page alone. */
  get disk(): Disk | undefined {
    return this.#disk
  }
  report = (thrown: unknown): void => this.#onProblem(thrown)

  get files(): Readonly<Files> {
    return this.#files
  }
  get baseline(): Readonly<Files> | undefined {
    return this.#baseline
  }

  /** Has it ever held files? */
  get known(): boolean {
    return this.#known
  }

  /** What differs from the baseline, by path. */
  readonly changes: Change[] = $derived.by(() => {
    const before = this.#baseline
    if (!before) return []
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- made anew each time
    const paths = new Set([...Object.keys(before), ...Object.keys(this.#files)])
    return [...paths].sort().flatMap((path): Change[] => {
      const [from, to] = [before[path], this.#files[path]]
      if (from === to) return []
      return [{ path, mark: from === undefined ? 'A' : to === undefined ? 'D' : 'M', before: from, after: to }]
    })
  })

  /** Whoever needs it while it is loaded waits for the same: a second reading would undo what was changed after the first. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)))
  }
  async #load(): Promise<void> {
    const stored = await this.#db.get('workspaces', this.id)
    if (!stored) return
    this.#known = true
    this.#baseline = stored.baseline
    if (!stored.folder) {
      this.#files = stored.files
      return
    }
    const { Disk } = await import('./disk.svelte.ts')
    this.#disk = new Disk(stored.folder, { set: (path, hash) => this.#set(path, hash), show: (files) => (this.#files = files), contents: this.contents })
    await this.#disk.open()
  }

  /** From here on changes are counted; a map taken from storage continues an earlier run. */
  mark(baseline?: Files): void {
    this.#baseline = baseline ?? { ...this.#files }
    // What is only shown here may be worked on in another tab.
    if (!baseline) this.#touch()
  }
  /** So that what is recorded of it can be gone through and forked even when its files are no longer as they were. */
  async keepContents(most: number): Promise<void> {
    if (!this.#disk) return
    for (const path of Object.keys(this.#files)) {
      const content = await this.read(path)
      const hash = this.#files[path]
      if (!content || hash === undefined || (most -= content.length) < 0) return
      await this.contents.put(hash, content)
    }
  }

  sandbox(): Promise<Sandbox> {
    this.#sandbox ??= this.#open().catch((thrown: unknown) => {
      this.#sandbox = undefined
      throw thrown
    })
    return this.#sandbox
  }

  /** A container's network is open: once files from elsewhere are here, what comes next gets an engine that may be another. */
  async leaveContainer(): Promise<void> {
    const sandbox = await this.#sandbox
    if (sandbox?.engine !== 'webcontainer') return
    await this.settled()
    this.#sandbox = undefined
    await sandbox.dispose()
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const hash = this.#files[path]
    return hash === undefined ? undefined : this.content(hash)
  }
  async content(hash: string): Promise<Uint8Array | undefined> {
    await this.#pending
    // What storage had no room for is still where it was made.
    return (await this.contents.get(hash)) ?? (await (await this.#sandbox)?.content(hash))
  }

  /** Writes through the sandbox where there is one, so that running tools see it; else into storage alone. */
  async write(path: string, content: Uint8Array | string): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    if (this.#disk) return this.#disk.write(path, bytes)
    if (this.#sandbox) {
      const sandbox = await this.#sandbox
      await sandbox.write(path, bytes)
      await this.settled()
      return
    }
    const hash = await hashOf(bytes)
    await this.contents.put(hash, bytes)
    this.#set(path, hash)
  }
  async remove(path: string): Promise<void> {
    if (this.#disk) return this.#disk.remove(path)
    if (this.#sandbox) {
      const sandbox = await this.#sandbox
      await sandbox.remove(path)
      await this.settled()
    } else this.#set(path, undefined)
  }

  /** Puts these files there as a scenario has them; others stay. Gives the number that were not so already. */
  async seed(files: Record<string, string>): Promise<number> {
    this.#known = true
    let changed = 0
    for (const [path, text] of Object.entries(files)) {
      const bytes = new TextEncoder().encode(text)
      if (this.#files[path] === (await hashOf(bytes))) continue
      await this.write(path, bytes)
      changed++
    }
    return changed
  }

  /** Puts the given changes back, but not those of files that someone changed again since. */
  async undo(changes: readonly Change[]): Promise<{ done: string[]; kept: string[] }> {
    const done: string[] = []
    const kept: string[] = []
    // What others changed on the disk since is theirs.
    await this.#disk?.ready()
    for (const { path, before, after } of changes) {
      const content = before === undefined ? undefined : await this.content(before)
      if (this.#files[path] !== after || (before !== undefined && content === undefined)) {
        kept.push(path)
        continue
      }
      if (content === undefined) await this.remove(path)
      else await this.write(path, content)
      done.push(path)
    }
    return { done, kept }
  }

  /** Resolves when every change told so far is in storage. */
  async settled(): Promise<void> {
    await this.#disk?.settled()
    await this.#pending
    await this.flush()
  }

  /** Nothing of it is to be stored any more. */
  discard(): void {
    clearTimeout(this.#saving)
    this.#discarded = true
  }
  async flush(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    if (this.#discarded) return
    // What hasn't changed here may have changed in another tab.
    if (!this.#dirty) return
    this.#dirty = false
    await this.#pending
    try {
      await this.#keepRest()
      await saveWorkspace(this.#db, {
        id: this.id,
        files: { ...this.#files },
        ...(this.#baseline && { baseline: { ...this.#baseline } }),
        ...(this.#disk && { folder: this.#disk.folder.handle }),
      })
      this.onStored?.()
    } catch (thrown) {
      // There may be room when it is tried next: at another change, or when the page goes away.
      this.#dirty = true
      this.#onProblem(thrown)
    }
  }
  /** No file is stored whose content isn't: what was there before stays readable instead. */
  async #keepRest(): Promise<void> {
    const used = Object.values(this.#files)
    for (const hash of this.#unkept) {
      const content = used.includes(hash) ? await (await this.#sandbox)?.content(hash) : undefined
      if (content) await this.contents.put(hash, content)
      this.#unkept.delete(hash)
    }
  }

  /** Another tab has stored changes: they are taken over, also into a sandbox that is open here. */
  async follow(): Promise<void> {
    const stored = await this.#db.get('workspaces', this.id)
    if (!stored || this.#dirty) return
    const before = this.#files
    if (this.#disk) return this.#disk.open()
    this.#baseline = stored.baseline ?? this.#baseline
    this.#files = stored.files
    this.#known = true
    if (!this.#sandbox) return
    const sandbox = await this.#sandbox
    for (const [path, hash] of Object.entries(stored.files)) {
      const content = before[path] === hash ? undefined : await this.contents.get(hash)
      if (content) await sandbox.write(path, content)
    }
    for (const path of Object.keys(before)) if (stored.files[path] === undefined) await sandbox.remove(path)
  }

  async #open(): Promise<Sandbox> {
    const sandbox = await this.#make()
    if (this.#disk) return this.#disk.around(sandbox)
    for (const [path, hash] of Object.entries(this.#files)) {
      const content = await this.contents.get(hash)
      if (content) await sandbox.write(path, content)
    }
    sandbox.watch((change) => this.#take(sandbox, change))
    return sandbox
  }

  #take(sandbox: Sandbox, change: FileChange): void {
    const { after } = change
    this.#set(change.path, after)
    if (after === undefined) return
    const stored = (async () => {
      const content = await sandbox.content(after)
      if (content) await this.contents.put(after, content)
    })()
    const kept = stored.catch((thrown: unknown) => {
      this.#unkept.add(after)
      this.#onProblem(storageProblem(thrown))
    })
    this.#pending = Promise.all([this.#pending, kept])
  }

  #set(path: string, hash: string | undefined): void {
    if (this.#files[path] === hash) return
    const files = { ...this.#files }
    if (hash === undefined) delete files[path]
    else files[path] = hash
    this.#files = files
    this.#touch()
  }
  #touch(): void {
    this.#dirty = true
    this.#saving ??= setTimeout(() => void this.flush(), 150)
  }
}
