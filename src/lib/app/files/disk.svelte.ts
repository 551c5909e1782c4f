/**
 * A folder of the disk as the workspace: what tools change goes to the disk before their call returns, what others change
 * there is taken in before it is read, and neither overwrites the other.
 */
import { HaloError, messageOf } from '../../halo/errors.ts'
import { normalise, within } from '../../halo/sandbox/paths.ts'
import { FileError, type FileChange, type Sandbox, type SandboxHandle } from '../../halo/sandbox/types.ts'
import type { WorkspaceStore } from '../../halo/run/types.ts'
import { hashOf } from '../../storage/contents.ts'
import { DiskFolder } from './disk-folder.ts'
import { diskWords as words } from './disk-words.ts'

/** What the page shows of the folder. */
export interface Picture {
  set(path: string, hash: string | undefined): void
  show(files: Record<string, string>): void
  /** Keeps what is needed to undo. */
  contents: WorkspaceStore
}
export type DiskState = 'reading' | 'ready' | 'ask' | 'gone'

/** Commands see what others changed on the disk up to so long ago, in ms; reading a big folder takes its time. */
const RECENT = 3000

export class Disk {
  readonly folder: DiskFolder
  readonly #picture: Picture
  #state = $state<DiskState>('ask')
  #leftOut = $state.raw<readonly string[]>([])
  #sandbox: Sandbox | undefined
  #read = 0
  /** One thing at a time on the disk. */
  #queue: Promise<unknown> = Promise.resolve()
  /** Changes that could not be written, by path. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never shown
  readonly #failed = new Map<string, { thrown: unknown; content: Uint8Array | undefined }>()
  /** How many changes of a path are on their way to the disk. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never shown
  readonly #under = new Map<string, number>()

  constructor(handle: FileSystemDirectoryHandle, picture: Picture) {
    this.folder = new DiskFolder(handle)
    this.#picture = picture
  }
  get name(): string {
    return this.folder.name
  }
  get state(): DiskState {
    return this.#state
  }
  get leftOut(): readonly string[] {
    return this.#leftOut
  }

  /** Reads the folder, where the page may. `ask`: the person has just clicked, so the browser may ask. */
  async open(ask = false): Promise<void> {
    if (!(await this.folder.allowed(ask))) {
      this.#state = 'ask'
      return
    }
    if (this.#state !== 'ready') this.#state = 'reading'
    await this.#next(() => this.#refresh())
  }
  /** @throws HaloError VALIDATION in words when nothing can work on the folder just now */
  async ready(): Promise<void> {
    await this.open()
    if (this.#state === 'ask') throw new HaloError('VALIDATION', words.denied(this.name))
    if (this.#state === 'gone') throw new HaloError('VALIDATION', words.gone(this.name))
  }

  /** Writes for the person. Where the file was changed meanwhile, the text is put beside it, and that is what is thrown. */
  async write(path: string, content: Uint8Array): Promise<void> {
    await this.#next(async () => {
      try {
        await this.folder.write(path, content)
      } catch (thrown) {
        const beside = await this.#keepBeside(path, content)
        await this.#look(path).catch(() => false)
        throw beside === undefined ? thrown : new FileError('invalid', words.kept(path, beside))
      }
      await this.#show(path, content)
    })
  }
  async remove(path: string): Promise<void> {
    await this.#next(async () => {
      await this.folder.remove(path)
      await this.#show(path, undefined)
    })
  }

  /** The sandbox whose files these are, filled with them. */
  async around(sandbox: Sandbox): Promise<Sandbox> {
    await this.ready()
    await this.#next(async () => {
      for (const path of this.folder.paths) {
        const content = await this.folder.bytes(path)
        if (content) await sandbox.write(path, content)
      }
      this.#sandbox = sandbox
    })
    sandbox.watch((change) => this.#changed(sandbox, change))
    return {
      ...this.#handle(sandbox),
      engine: sandbox.engine,
      watch: (listener) => sandbox.watch(listener),
      content: (hash) => sandbox.content(hash),
      // Copies are in the page alone.
      fork: async () => {
        await this.#recent()
        return sandbox.fork()
      },
      dispose: () => sandbox.dispose(),
    }
  }

  /** Resolves when all that was changed is on the disk, or has failed. */
  async settled(): Promise<void> {
    await this.#queue
  }

  #handle(handle: SandboxHandle): SandboxHandle {
    const at = (path: string) => normalise(path, handle.base)
    /** Changes nothing where the disk no longer is as it was last seen. */
    const change = async (paths: string[], act: () => Promise<void>): Promise<void> => {
      await this.#next(async () => {
        let stale: string | undefined
        for (const path of paths) if (await this.#look(path)) stale ??= path
        if (stale !== undefined) throw new FileError('invalid', words.changed(stale))
      })
      await act()
      await this.#queue
      const [fault] = await this.#faults(paths, false)
      if (fault) throw fault
    }
    return {
      base: handle.base,
      read: async (path) => {
        await this.#next(() => this.#look(at(path)))
        return handle.read(path)
      },
      stat: (path) => handle.stat(path),
      list: async (path) => {
        await this.#recent()
        return handle.list(path)
      },
      realpath: (path) => handle.realpath(path),
      write: (path, content) => change([at(path)], () => handle.write(path, content)),
      rename: (from, to) => change([at(from), at(to)], () => handle.rename(from, to)),
      remove: async (path) => {
        const folder = (await handle.stat(path))?.type === 'directory'
        await change(folder ? [] : [at(path)], () => handle.remove(path))
        if (folder) await this.#next(() => this.folder.removeFolder(at(path)))
      },
      mkdir: async (path) => {
        await handle.mkdir(path)
        await this.#next(() => this.folder.makeFolder(at(path)))
      },
      exec: async (command, options) => {
        await this.#recent()
        const result = await handle.exec(command, options)
        await this.#queue
        const faults = await this.#faults(result.changed.map(({ path }) => path), true)
        if (faults.length === 0) return result
        const told = faults.map((fault) => `${messageOf(fault)}\n`).join('')
        options?.onOutput?.('stderr', told)
        return { ...result, exitCode: result.exitCode || 1, stderr: `${result.stderr}${told}` }
      },
      open: (rules, onChange) => this.#handle(handle.open(rules, onChange)),
    }
  }

  async #recent(): Promise<void> {
    if (Date.now() - this.#read > RECENT) await this.ready()
  }

  /** A tool changed a file of the sandbox. */
  #changed(sandbox: Sandbox, { path, before, after }: FileChange): void {
    this.#picture.set(path, after)
    const under = this.#under.get(path) ?? 0
    // It came from the disk, unless what was made of it before is still to be written there.
    if (under === 0 && this.folder.hashOf(path) === after) return
    this.#under.set(path, under + 1)
    void this.#next(async () => {
      const [old, content] = await Promise.all([before, after].map((hash) => (hash === undefined ? undefined : sandbox.content(hash))))
      try {
        if (before !== undefined && old) await this.#picture.contents.put(before, old)
        if (after !== undefined && content) await this.#picture.contents.put(after, content)
        const there = this.folder.hashOf(path)
        // The folder may have been read anew since: then it has what this was never made from.
        if (there !== before && there !== after) throw new FileError('invalid', words.changed(path))
        if (content) await this.folder.write(path, content)
        else await this.folder.remove(path)
        this.#picture.set(path, after)
      } catch (thrown) {
        this.#failed.set(path, { thrown, content })
      } finally {
        const left = (this.#under.get(path) ?? 1) - 1
        if (left > 0) this.#under.set(path, left)
        else this.#under.delete(path)
      }
    })
  }

  /** What of these paths could not be written. The page then shows them as they are on the disk. */
  #faults(paths: readonly string[], beside: boolean): Promise<unknown[]> {
    const failed = [...this.#failed].filter(([path]) => paths.some((one) => within(one, path))).map(([path, failure]) => ({ path, ...failure }))
    for (const { path } of failed) this.#failed.delete(path)
    if (failed.length === 0) return Promise.resolve([])
    return this.#next(async () => {
      const faults: unknown[] = []
      for (const { path, thrown, content } of failed) {
        const kept = beside && content ? await this.#keepBeside(path, content) : undefined
        faults.push(kept === undefined ? thrown : new FileError('invalid', words.kept(path, kept)))
        await this.#putDisk(path).catch(() => undefined)
      }
      return faults
    })
  }

  /** Under a name that is free. undefined: not even that could be written. */
  async #keepBeside(path: string, content: Uint8Array): Promise<string | undefined> {
    const cut = path.lastIndexOf('.') > path.lastIndexOf('/') + 1 ? path.lastIndexOf('.') : path.length
    for (let n = 1; n < 100; n++) {
      const beside = `${path.slice(0, cut)} (from Halo${n === 1 ? '' : ` ${n}`})${path.slice(cut)}`
      if (this.folder.hashOf(beside) !== undefined) continue
      try {
        await this.folder.write(beside, content)
        await this.#show(beside, content)
        return beside
      } catch (thrown) {
        if (!(thrown instanceof FileError && thrown.code === 'exists')) return undefined
      }
    }
    return undefined
  }

  async #refresh(): Promise<void> {
    try {
      const { files, fresh, gone, leftOut } = await this.folder.read()
      this.#leftOut = leftOut
      for (const path of gone) await this.#show(path, undefined)
      for (const [path, content] of this.#sandbox ? fresh : []) await this.#sandbox?.write(path, content)
      this.#picture.show(files)
      this.#read = Date.now()
      this.#state = 'ready'
    } catch (thrown) {
      if (!(thrown instanceof DOMException)) throw thrown
      if (thrown.name === 'NotFoundError') this.#state = 'gone'
      else if (thrown.name === 'NotAllowedError') this.#state = 'ask'
      else throw thrown
    }
  }
  /** Takes in a file that was changed on the disk. Gives whether it was. */
  async #look(path: string): Promise<boolean> {
    const changed = await this.folder.look(path)
    if (changed) await this.#show(path, changed.content)
    return changed !== undefined
  }
  async #putDisk(path: string): Promise<void> {
    await this.folder.look(path)
    await this.#show(path, this.folder.hashOf(path) === undefined ? undefined : await this.folder.bytes(path))
  }
  /** The page and the sandbox have a file as the disk has it. */
  async #show(path: string, content: Uint8Array | undefined): Promise<void> {
    this.#picture.set(path, content && (this.folder.hashOf(path) ?? (await hashOf(content))))
    if (!this.#sandbox) return
    if (content) await this.#sandbox.write(path, content)
    else if ((await this.#sandbox.stat(path))?.type === 'file') await this.#sandbox.remove(path)
  }

  #next<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(act)
    this.#queue = done.catch(() => undefined)
    return done
  }
}
