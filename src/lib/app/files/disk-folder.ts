/** A folder of the person's disk: read as far as a page can, and written only where it is still as it was read. */
import { FileError } from '../../halo/sandbox/types.ts'
import { hashOf } from '../../storage/contents.ts'
import { diskWords as words } from './disk-words.ts'
import { fileWords } from './words.ts'

/** What browsers have that offer folders; TypeScript's own list lacks these. */
interface Permitted {
  queryPermission?(descriptor: { mode: 'readwrite' }): Promise<PermissionState>
  requestPermission?(descriptor: { mode: 'readwrite' }): Promise<PermissionState>
}
interface Listed {
  entries(): AsyncIterableIterator<[string, FileSystemDirectoryHandle | FileSystemFileHandle]>
}
type Picker = (options: { mode: 'readwrite'; id: string }) => Promise<FileSystemDirectoryHandle>

const picker = (): Picker | undefined => (globalThis as { showDirectoryPicker?: Picker }).showDirectoryPicker
export const offersFolders = (): boolean => picker() !== undefined

/** undefined: the person chose none. */
export async function pickFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await picker()?.call(globalThis, { mode: 'readwrite', id: 'halo' })
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return undefined
    throw thrown
  }
}

const entriesOf = (folder: FileSystemDirectoryHandle) => (folder as FileSystemDirectoryHandle & Listed).entries()

/** Folders that others make and keep, with more files than any run reads, or with what must not be changed by hand. */
const CLOSED = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__'])
const LIMITS = { files: 5000, file: 8 << 20, total: 64 << 20, depth: 40 }
/** So many files are looked at at once. */
const AT_ONCE = 16

/** A file as it was last read or written here. */
interface Seen {
  hash: string
  size: number
  modified: number
  /** Names as the disk has them; a path in the page is in one normal form. */
  names: string[]
}
export interface Reading {
  /** Content hash by absolute path. */
  files: Record<string, string>
  /** Contents that are new or changed since they were last read, by path. */
  fresh: Map<string, Uint8Array>
  /** What was there when it was last read or written here. */
  gone: string[]
  leftOut: string[]
}

export class DiskFolder {
  readonly handle: FileSystemDirectoryHandle
  #seen = new Map<string, Seen>()

  constructor(handle: FileSystemDirectoryHandle) {
    this.handle = handle
  }
  get name(): string {
    return this.handle.name
  }

  /** Asking the person needs a click; the question whether it is needed doesn't. */
  async allowed(ask = false): Promise<boolean> {
    const handle = this.handle as FileSystemDirectoryHandle & Permitted
    const mode = { mode: 'readwrite' } as const
    if (!handle.queryPermission) return true
    if ((await handle.queryPermission(mode)) === 'granted') return true
    return ask && (await handle.requestPermission?.(mode)) === 'granted'
  }

  /** All files within the limits. Contents are read where size or time differ from what was read before. */
  async read(): Promise<Reading> {
    const found: { names: string[]; handle: FileSystemFileHandle }[] = []
    const leftOut: string[] = []
    let beyond = 0
    const walk = async (folder: FileSystemDirectoryHandle, names: string[]): Promise<void> => {
      for await (const [name, entry] of entriesOf(folder)) {
        const path = [...names, name]
        if (entry.kind === 'directory') {
          if (CLOSED.has(name.toLowerCase()) || names.length >= LIMITS.depth) leftOut.push(path.join('/'))
          else await walk(entry, path)
        } else if (found.length < LIMITS.files) found.push({ names: path, handle: entry })
        else beyond++
        // What is out of reach anyway must not keep the page busy for ever.
        if (beyond > LIMITS.files * 10) return
      }
    }
    await walk(this.handle, [])
    const seen = new Map<string, Seen>()
    const fresh = new Map<string, Uint8Array>()
    let total = 0
    for (let at = 0; at < found.length; at += AT_ONCE) {
      await Promise.all(
        found.slice(at, at + AT_ONCE).map(async ({ names, handle }) => {
          const path = pathOf(names)
          const file = await handle.getFile()
          total += file.size
          if (seen.has(path) || file.size > LIMITS.file || total > LIMITS.total) {
            total -= file.size
            leftOut.push(words.tooLarge(names.join('/'), fileWords.bytes(file.size)))
            return
          }
          const before = this.#seen.get(path)
          if (before && before.size === file.size && before.modified === file.lastModified) {
            seen.set(path, { ...before, names })
            return
          }
          const content = new Uint8Array(await file.arrayBuffer())
          const hash = await hashOf(content)
          seen.set(path, { hash, size: file.size, modified: file.lastModified, names })
          if (before?.hash !== hash) fresh.set(path, content)
        }),
      )
    }
    if (beyond > 0) leftOut.push(words.tooMany(beyond))
    const gone = this.paths.filter((path) => !seen.has(path))
    this.#seen = seen
    return { files: Object.fromEntries([...seen].map(([path, { hash }]) => [path, hash])), fresh, gone, leftOut: leftOut.sort() }
  }

  get paths(): string[] {
    return [...this.#seen.keys()]
  }
  /** Hash of a file as it is known to stand on the disk. */
  hashOf(path: string): string | undefined {
    return this.#seen.get(path)?.hash
  }
  /** Content by hash, if a file on the disk still has it. */
  async find(hash: string): Promise<Uint8Array | undefined> {
    for (const [path, seen] of this.#seen) {
      if (seen.hash !== hash) continue
      const content = await this.bytes(path)
      if (content && (await hashOf(content)) === hash) return content
    }
    return undefined
  }

  /** Looks at one file again. undefined: it is as it was known. */
  async look(path: string): Promise<{ content: Uint8Array | undefined } | undefined> {
    // Whoever knows its name must not get at what is left out.
    if (isClosed(path)) return undefined
    const known = this.#seen.get(path)
    const file = await this.#file(path)
    if (!file) {
      if (!known) return undefined
      this.#seen.delete(path)
      return { content: undefined }
    }
    if (known && known.size === file.size && known.modified === file.lastModified) return undefined
    // What was left out as too large or too much stays out.
    if (!known && (file.size > LIMITS.file || this.#seen.size >= LIMITS.files)) return undefined
    const content = new Uint8Array(await file.arrayBuffer())
    const hash = await hashOf(content)
    this.#seen.set(path, { hash, size: file.size, modified: file.lastModified, names: known?.names ?? namesOf(path) })
    return hash === known?.hash ? undefined : { content }
  }

  /** @throws FileError when the file is not as it was known, or may not be written */
  async write(path: string, content: Uint8Array): Promise<void> {
    await this.#check(path)
    const names = this.#seen.get(path)?.names ?? namesOf(path)
    try {
      const folder = await this.#folder(names.slice(0, -1), true)
      const handle = await folder?.getFileHandle(names.at(-1) ?? '', { create: true })
      const writable = await handle?.createWritable()
      if (!handle || !writable) throw new FileError('invalid', words.badName(path))
      await writable.write(content.slice())
      await writable.close()
      const file = await handle.getFile()
      this.#seen.set(path, { hash: await hashOf(content), size: file.size, modified: file.lastModified, names })
    } catch (thrown) {
      throw this.#failure(path, thrown)
    }
  }
  async remove(path: string): Promise<void> {
    await this.#check(path)
    const names = this.#seen.get(path)?.names
    if (!names) return
    try {
      const folder = await this.#folder(names.slice(0, -1), false)
      await folder?.removeEntry(names.at(-1) ?? '')
      this.#seen.delete(path)
    } catch (thrown) {
      throw this.#failure(path, thrown)
    }
  }
  async makeFolder(path: string): Promise<void> {
    closedTo(path)
    await this.#folder(namesOf(path), true).catch((thrown: unknown) => Promise.reject(this.#failure(path, thrown)))
  }
  /** Only where it is empty on the disk too. */
  async removeFolder(path: string): Promise<void> {
    closedTo(path)
    const names = namesOf(path)
    try {
      await (await this.#folder(names.slice(0, -1), false))?.removeEntry(names.at(-1) ?? '')
    } catch (thrown) {
      throw this.#failure(path, thrown)
    }
  }

  /** May it be written, and is it as it was known? */
  async #check(path: string): Promise<void> {
    closedTo(path)
    const known = this.#seen.get(path)
    const file = await this.#file(path)
    if (!file && !known) return
    if (!known) throw new FileError('exists', words.there(path))
    if (!file) throw new FileError('not_found', words.changed(path))
    if (known.size === file.size && known.modified === file.lastModified) return
    if ((await hashOf(new Uint8Array(await file.arrayBuffer()))) !== known.hash) throw new FileError('invalid', words.changed(path))
  }

  async bytes(path: string): Promise<Uint8Array | undefined> {
    const file = await this.#file(path)
    return file && new Uint8Array(await file.arrayBuffer())
  }
  async #file(path: string): Promise<File | undefined> {
    const names = this.#seen.get(path)?.names ?? namesOf(path)
    try {
      const folder = await this.#folder(names.slice(0, -1), false)
      return await (await folder?.getFileHandle(names.at(-1) ?? ''))?.getFile()
    } catch (thrown) {
      if (isNothing(thrown)) {
        // Nothing there, or the whole folder is away, which is another matter.
        if (await this.isThere()) return undefined
        throw new FileError('not_found', words.gone(this.name))
      }
      throw this.#failure(path, thrown)
    }
  }
  async isThere(): Promise<boolean> {
    try {
      await entriesOf(this.handle).next()
      return true
    } catch (thrown) {
      if (thrown instanceof DOMException && thrown.name === 'NotFoundError') return false
      throw thrown
    }
  }
  async #folder(names: readonly string[], create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
    let folder = this.handle
    for (const name of names) folder = await folder.getDirectoryHandle(name, { create })
    return folder
  }
  #failure(path: string, thrown: unknown): unknown {
    if (thrown instanceof FileError) return thrown
    if (thrown instanceof TypeError) return new FileError('invalid', words.badName(path))
    if (thrown instanceof DOMException && thrown.name === 'NotAllowedError') return new FileError('read_only', words.denied(this.name))
    return new FileError('invalid', words.failed(path, thrown instanceof Error ? thrown.message : String(thrown)))
  }
}

const pathOf = (names: readonly string[]): string => `/${names.join('/').normalize('NFC')}`
const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '')

/** Without regard to case: so are many disks. */
const isClosed = (path: string): boolean => namesOf(path).some((name) => CLOSED.has(name.toLowerCase()))
function closedTo(path: string): void {
  if (isClosed(path)) throw new FileError('protected', words.closed(path))
}

function isNothing(thrown: unknown): boolean {
  return thrown instanceof DOMException && (thrown.name === 'NotFoundError' || thrown.name === 'TypeMismatchError')
}
