import type { Entry, FileSystem, Stat } from './filesystem.ts'
import { alreadyExists, isDirectory, notDirectory, notEmpty, notFound } from './filesystem.ts'
import { basename, child, dirname, normalise, segments, within } from './paths.ts'
import { FileError } from './types.ts'

interface FileNode {
  type: 'file'
  /** Bytes beyond `size` are room to append into; views handed out before never reach there. */
  data: Uint8Array
  size: number
  mode: number
  modified: number
  /** Content still to be read from the source. */
  from?: string
}
interface LinkNode {
  type: 'symlink'
  target: string
  mode: number
  modified: number
}
interface FolderNode {
  type: 'directory'
  /** undefined: still to be listed from the source at `from`. */
  children?: Map<string, Node>
  from?: string
  mode: number
  modified: number
}
type Node = FileNode | LinkNode | FolderNode

export interface MemoryLimits {
  /** Bytes of one file. */
  maxFileBytes: number
  /** Bytes of all files. */
  maxTotalBytes: number
  /** Files, folders and links. */
  maxEntries: number
}
export const memoryLimits: MemoryLimits = { maxFileBytes: 64 << 20, maxTotalBytes: 512 << 20, maxEntries: 100_000 }

const MAX_LINKS = 40

/**
 * Files in memory. With a `source` it is a copy of that file system which reads on first use and never writes to it:
 * throw-away copies of real folders cost nothing until they are touched.
 */
export class MemoryFileSystem implements FileSystem {
  #root: FolderNode
  #limits: MemoryLimits
  #source?: FileSystem
  #bytes = 0
  #entries = 0

  constructor(options: { files?: Record<string, string | Uint8Array>; limits?: Partial<MemoryLimits>; source?: FileSystem } = {}) {
    this.#limits = { ...memoryLimits, ...options.limits }
    this.#source = options.source
    this.#root = options.source
      ? { type: 'directory', from: '/', mode: 0o755, modified: 0 }
      : { type: 'directory', children: new Map(), mode: 0o755, modified: Date.now() }
    for (const [path, content] of Object.entries(options.files ?? {})) {
      const at = normalise(path)
      this.#folders(dirname(at))
      this.write(at, typeof content === 'string' ? new TextEncoder().encode(content) : content)
    }
  }

  /** An independent copy; contents are shared until one side replaces them. */
  copy(): MemoryFileSystem {
    const copy = new MemoryFileSystem({ limits: this.#limits, source: this.#source })
    copy.#root = copyNode(this.#root) as FolderNode
    copy.#bytes = this.#bytes
    copy.#entries = this.#entries
    return copy
  }

  get totalBytes(): number {
    return this.#bytes
  }

  read(path: string): Uint8Array {
    const node = this.#find(path)
    if (!node) throw notFound(path)
    if (node.type !== 'file') throw isDirectory(path)
    this.#load(node)
    return node.data.subarray(0, node.size)
  }

  write(path: string, content: Uint8Array): void {
    const at = this.realpath(path)
    const existing = this.#at(at)
    if (existing?.type === 'directory') throw isDirectory(path)
    if (existing?.type === 'symlink') throw tooManyLinks(path)
    const more = content.length - (existing && existing.from === undefined ? existing.size : 0)
    this.#checkSize(path, content.length, more)
    if (existing) {
      existing.data = content
      existing.size = content.length
      existing.from = undefined
      existing.modified = Date.now()
    } else this.#add(at, { type: 'file', data: content, size: content.length, mode: 0o644, modified: Date.now() })
    this.#bytes += more
  }

  append(path: string, content: Uint8Array): void {
    const node = this.#find(path)
    if (node?.type !== 'file') return this.write(path, content)
    this.#load(node)
    const size = node.size + content.length
    this.#checkSize(path, size, content.length)
    if (size > node.data.length || node.data.buffer.byteLength !== node.data.length) {
      const room = new Uint8Array(Math.max(size, Math.min(size * 2, size + (8 << 20))))
      room.set(node.data.subarray(0, node.size))
      node.data = room
    }
    node.data.set(content, node.size)
    node.size = size
    node.modified = Date.now()
    this.#bytes += content.length
  }

  stat(path: string): Stat | undefined {
    const node = this.#find(path)
    return node && describe(node)
  }

  lstat(path: string): Stat | undefined {
    const node = this.#at(this.#parentReal(path))
    return node && describe(node)
  }

  list(path: string): Entry[] {
    const node = this.#find(path)
    if (!node) throw notFound(path)
    if (node.type !== 'directory') throw notDirectory(path)
    const entries = [...this.#children(node)].map(([name, n]) => ({ name, type: n.type }))
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  }

  mkdir(path: string): void {
    const at = this.#parentReal(path)
    if (this.#at(at)) throw alreadyExists(path)
    this.#add(at, { type: 'directory', children: new Map(), mode: 0o755, modified: Date.now() })
  }

  remove(path: string): void {
    const at = this.#parentReal(path)
    const node = this.#at(at)
    if (!node) throw notFound(path)
    if (at === '/') throw new FileError('invalid', 'The root folder cannot be removed.')
    if (node.type === 'directory' && this.#children(node).size > 0) throw notEmpty(path)
    this.#detach(at)
    if (node.type === 'file' && node.from === undefined) this.#bytes -= node.size
    this.#entries--
  }

  rename(from: string, to: string): void {
    const source = this.#parentReal(from)
    const target = this.#parentReal(to)
    const node = this.#at(source)
    if (!node) throw notFound(from)
    if (source === target) return
    if (within(source, target)) throw new FileError('invalid', `"${from}" cannot be moved into itself.`)
    this.#folder(dirname(target), to)
    const there = this.#at(target)
    if (there) {
      if (there.type === 'directory' && node.type !== 'directory') throw isDirectory(to)
      if (there.type !== 'directory' && node.type === 'directory') throw notDirectory(to)
      this.remove(target)
    }
    this.#detach(source)
    this.#folder(dirname(target), to).set(basename(target), node)
  }

  symlink(target: string, path: string): void {
    const at = this.#parentReal(path)
    if (this.#at(at)) throw alreadyExists(path)
    this.#add(at, { type: 'symlink', target, mode: 0o777, modified: Date.now() })
  }

  readlink(path: string): string {
    const node = this.#at(this.#parentReal(path))
    if (!node) throw notFound(path)
    if (node.type !== 'symlink') throw new FileError('invalid', `"${path}" is not a link.`)
    return node.target
  }

  realpath(path: string): string {
    let rest = segments(path)
    let at = '/'
    let node: Node | undefined = this.#root
    for (let links = 0; rest.length > 0; ) {
      const [name = '', ...others] = rest
      const next: Node | undefined = node?.type === 'directory' ? this.#children(node).get(name) : undefined
      if (next?.type === 'symlink') {
        if (++links > MAX_LINKS) throw tooManyLinks(path)
        const target = normalise(next.target, at)
        rest = [...segments(target), ...others]
        at = '/'
        node = this.#root
        continue
      }
      at = child(at, name)
      node = next
      rest = others
    }
    return at
  }

  chmod(path: string, mode: number): void {
    const node = this.#find(path)
    if (!node) throw notFound(path)
    node.mode = mode & 0o7777
  }

  utimes(path: string, modified: number): void {
    const node = this.#find(path)
    if (!node) throw notFound(path)
    node.modified = modified
  }

  #find(path: string): Node | undefined {
    return this.#at(this.realpath(path))
  }

  /** The node at a path without links in it. */
  #at(path: string): Node | undefined {
    let node: Node | undefined = this.#root
    for (const name of segments(path)) {
      if (node?.type !== 'directory') return undefined
      node = this.#children(node).get(name)
    }
    return node
  }

  #parentReal(path: string): string {
    return path === '/' ? '/' : child(this.realpath(dirname(path)), basename(path))
  }

  #folder(path: string, asked: string): Map<string, Node> {
    const node = this.#at(path)
    if (!node) throw notFound(dirname(asked))
    if (node.type !== 'directory') throw notDirectory(dirname(asked))
    return this.#children(node)
  }

  #folders(path: string): void {
    if (this.stat(path)) return
    this.#folders(dirname(path))
    this.mkdir(path)
  }

  #add(path: string, node: Node): void {
    const folder = this.#folder(dirname(path), path)
    if (this.#entries >= this.#limits.maxEntries) throw new FileError('too_large', `The workspace already holds ${this.#limits.maxEntries} files and folders, its limit.`)
    folder.set(basename(path), node)
    this.#entries++
  }

  #detach(path: string): void {
    this.#folder(dirname(path), path).delete(basename(path))
  }

  #checkSize(path: string, size: number, more: number): void {
    const { maxFileBytes, maxTotalBytes } = this.#limits
    if (size > maxFileBytes) throw new FileError('too_large', `"${path}" would be ${megabytes(size)}; a file may have ${megabytes(maxFileBytes)}.`)
    if (this.#bytes + more > maxTotalBytes) throw new FileError('too_large', `The workspace would pass its limit of ${megabytes(maxTotalBytes)} with "${path}".`)
  }

  #children(node: FolderNode): Map<string, Node> {
    if (node.children) return node.children
    const children = new Map<string, Node>()
    if (this.#source && node.from !== undefined) {
      for (const { name } of this.#source.list(node.from)) {
        const path = child(node.from, name)
        const stat = this.#source.lstat(path)
        if (!stat) continue
        const { mode, modified } = stat
        if (stat.type === 'directory') children.set(name, { type: 'directory', from: path, mode, modified })
        else if (stat.type === 'symlink') children.set(name, { type: 'symlink', target: this.#source.readlink(path), mode, modified })
        else children.set(name, { type: 'file', data: new Uint8Array(), size: stat.size, mode, modified, from: path })
      }
    }
    return (node.children = children)
  }

  #load(node: FileNode): void {
    if (node.from === undefined || !this.#source) return
    node.data = this.#source.read(node.from)
    node.size = node.data.length
    node.from = undefined
    this.#bytes += node.size
  }
}

function copyNode(node: Node): Node {
  if (node.type !== 'directory') {
    // The copy may not append into room that the original still appends into.
    return node.type === 'file' ? { ...node, data: node.data.subarray(0, node.size) } : { ...node }
  }
  return { ...node, children: node.children && new Map([...node.children].map(([name, n]) => [name, copyNode(n)])) }
}

function describe(node: Node): Stat {
  const { type, modified, mode } = node
  return { type, modified, mode, size: node.type === 'file' ? node.size : node.type === 'symlink' ? node.target.length : 0 }
}

function tooManyLinks(path: string): FileError {
  return new FileError('invalid', `"${path}" goes round in links.`)
}

export function megabytes(bytes: number): string {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round((bytes / (1 << 20)) * 10) / 10} MB`
}
