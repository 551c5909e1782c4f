import type { FileChange, Sandbox } from '../../halo/sandbox/types.ts'
import type { WorkspaceStore } from '../../halo/run/types.ts'
import { createContentStore, hashOf, saveWorkspace } from '../../storage/contents.ts'
import type { Database } from '../../storage/database.ts'
import { storageProblem } from '../../storage/problem.ts'

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
  #sandbox: Promise<Sandbox> | undefined
  #known = false
  /** Has it changed since it was last stored? */
  #dirty = false
  /** Called once a change is in storage, where other tabs can read it. */
  onStored: (() => void) | undefined
  #saving: ReturnType<typeof setTimeout> | undefined
  #pending: Promise<unknown> = Promise.resolve()

  constructor(id: string, db: Database, make: MakeSandbox, onProblem: (thrown: unknown) => void) {
    this.id = id
    this.#db = db
    this.#make = make
    this.#onProblem = onProblem
    this.contents = createContentStore(db)
  }

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

  async load(): Promise<void> {
    const stored = await this.#db.get('workspaces', this.id)
    if (!stored) return
    this.#files = stored.files
    this.#known = true
  }

  /** From here on changes are counted; a map taken from storage continues an earlier run. */
  mark(baseline: Files = { ...this.#files }): void {
    this.#baseline = baseline
  }

  sandbox(): Promise<Sandbox> {
    this.#sandbox ??= this.#open().catch((thrown: unknown) => {
      this.#sandbox = undefined
      throw thrown
    })
    return this.#sandbox
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const hash = this.#files[path]
    return hash === undefined ? undefined : this.content(hash)
  }
  async content(hash: string): Promise<Uint8Array | undefined> {
    await this.#pending
    return this.contents.get(hash)
  }

  /** Writes through the sandbox where there is one, so that running tools see it; else into storage alone. */
  async write(path: string, content: Uint8Array | string): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
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
    await this.#pending
    await this.flush()
  }

  async flush(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    // What hasn't changed here may have changed in another tab.
    if (!this.#dirty) return
    this.#dirty = false
    await this.#pending
    try {
      await saveWorkspace(this.#db, { id: this.id, files: { ...this.#files } })
      this.onStored?.()
    } catch (thrown) {
      this.#onProblem(thrown)
    }
  }

  /** Another tab has stored changes: they are taken over, also into a sandbox that is open here. */
  async follow(): Promise<void> {
    const stored = await this.#db.get('workspaces', this.id)
    if (!stored || this.#dirty) return
    const before = this.#files
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
    const kept = stored.catch((thrown: unknown) => this.#onProblem(storageProblem(thrown)))
    this.#pending = Promise.all([this.#pending, kept])
  }

  #set(path: string, hash: string | undefined): void {
    if (this.#files[path] === hash) return
    this.#dirty = true
    const files = { ...this.#files }
    if (hash === undefined) delete files[path]
    else files[path] = hash
    this.#files = files
    this.#saving ??= setTimeout(() => void this.flush(), 150)
  }
}
