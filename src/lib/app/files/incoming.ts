/** Files that a person drops on the page or picks: what of them can be taken, and where it would go. */
import { HaloError } from '../../halo/errors.ts'
import { addWords as words } from './add-words.ts'
import { fileWords } from './words.ts'

export const limits = { files: 2000, file: 32 << 20, total: 64 << 20, depth: 40 }
/** Folders that are made by others, and files that systems put beside one's own. */
const CLOSED = /(^|\/)(\.git|\.hg|\.svn|node_modules|\.venv|__pycache__|__MACOSX)$/
const LEFTOVER = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/

export interface Given {
  /** Without a slash at its begin. */
  path: string
  file: Blob
}
export interface Incoming {
  given: Given[]
  /** What was not taken, and why. */
  leftOut: string[]
}

export async function fromPicker(files: readonly File[]): Promise<Incoming> {
  const taking = new Taking()
  for (const file of files) {
    const path = file.webkitRelativePath || file.name
    const closed = path.split('/').findIndex((name) => CLOSED.test(name))
    if (closed >= 0) taking.close(path.split('/').slice(0, closed + 1).join('/'))
    else taking.take(path, file)
  }
  return taking.done()
}

/** What a zip holds, as if it had been dropped. */
export function fromZip(files: Readonly<Record<string, Uint8Array>>): Incoming {
  const taking = new Taking()
  for (const [path, content] of Object.entries(files)) taking.take(path, new Blob([content.slice()]))
  return taking.done()
}

/** What was dropped. */
export async function fromEntries(entries: readonly FileSystemEntry[]): Promise<Incoming> {
  const taking = new Taking()
  const walk = async (entry: FileSystemEntry, depth: number): Promise<void> => {
    const path = entry.fullPath.replace(/^\//, '')
    if (taking.full) return taking.more()
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)).catch(() => undefined)
      if (file) taking.take(path, file)
      else taking.refuse(words.unreadable(path))
      return
    }
    if (CLOSED.test(path) || depth > limits.depth) return taking.close(path)
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      // It gives a part at a time.
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)).catch(() => undefined)
      if (!part) return taking.refuse(words.unreadable(path))
      if (part.length === 0) return
      for (const one of part) await walk(one, depth + 1)
    }
  }
  for (const entry of entries) await walk(entry, 0)
  return taking.done()
}

class Taking {
  readonly #given = new Map<string, Blob>()
  readonly #leftOut = new Set<string>()
  #total = 0
  #more = 0

  get full(): boolean {
    return this.#given.size >= limits.files
  }
  more(): void {
    this.#more++
  }
  close(path: string): void {
    this.#leftOut.add(words.closed(path))
  }
  refuse(words: string): void {
    this.#leftOut.add(words)
  }
  take(given: string, file: Blob): void {
    if (LEFTOVER.test(given)) return
    if (this.full) return this.more()
    const path = given.normalize('NFC')
    if (!isName(path)) return this.refuse(words.badName(given))
    if (file.size > limits.file || this.#total + file.size > limits.total) return this.refuse(words.large(path, fileWords.bytes(file.size)))
    this.#total += file.size
    this.#given.set(path, file)
  }
  done(): Incoming {
    if (this.#more > 0) this.#leftOut.add(words.many(this.#more, limits.files))
    return { given: [...this.#given].map(([path, file]) => ({ path, file })), leftOut: [...this.#leftOut] }
  }
}

/** The folder that a person names, from the root of the workspace. Empty: the root itself. */
export const folderOf = (typed: string): string => typed.trim().normalize('NFC').replace(/^(\.?\/)+|\/+$/g, '')

/** A path within a folder, in normal form. */
export function isName(path: string): boolean {
  return path !== '' && path.length <= 1000 && !/[\u0000-\u001f\u007f\\]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part !== '__proto__')
}

export type WhenTaken = 'replace' | 'both' | 'skip'

/** A file and the path it goes to. */
export interface Placed extends Given {
  to: 'project' | 'workspace'
}

/** Programs go to the project, the rest under `folder` of the workspace. */
export function place(given: readonly Given[], folder: string): Placed[] {
  return given.map(({ path, file }) => (path.endsWith('.halo') ? { path, file, to: 'project' } : { path: `/${folder === '' ? '' : `${folder}/`}${path}`, file, to: 'workspace' }))
}

/** The files under the names they get; `taken` is asked for names there are. */
export function settle(placed: readonly Placed[], when: WhenTaken, taken: (one: Placed) => boolean): Placed[] {
  const given = new Set(placed.map(({ to, path }) => `${to} ${path}`))
  return placed.flatMap((one): Placed[] => {
    if (!taken(one) || when === 'replace') return [one]
    if (when === 'skip') return []
    const cut = one.path.lastIndexOf('.') > one.path.lastIndexOf('/') + 1 ? one.path.lastIndexOf('.') : one.path.length
    for (let n = 2; ; n++) {
      const path = `${one.path.slice(0, cut)} ${n}${one.path.slice(cut)}`
      if (taken({ ...one, path }) || given.has(`${one.to} ${path}`)) continue
      given.add(`${one.to} ${path}`)
      return [{ ...one, path }]
    }
  })
}

/** @throws HaloError VALIDATION: not a text */
export async function textOf({ path, file }: Given): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer())
  } catch (thrown) {
    throw new HaloError('VALIDATION', words.leftOut([words.notText(path)]), { cause: thrown })
  }
}
