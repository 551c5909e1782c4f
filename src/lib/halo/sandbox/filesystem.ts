import { basename, child, dirname } from './paths.ts'
import { FileError } from './types.ts'

export interface Stat {
  type: 'file' | 'directory' | 'symlink'
  /** Bytes. */
  size: number
  /** Milliseconds since the epoch. */
  modified: number
  /** Permission bits. */
  mode: number
}

export interface Entry {
  name: string
  type: Stat['type']
}

/**
 * The one synchronous file system under the file methods, the shell and the JavaScript engine. QuickJS calls its host
 * synchronously, so nothing asynchronous can stand here. All paths are absolute and in normal form; every method throws
 * `FileError`. Content handed out or in is never changed afterwards by either side.
 */
export interface FileSystem {
  read(path: string): Uint8Array
  /** Creates or replaces; follows links; the folder must exist. */
  write(path: string, content: Uint8Array): void
  append(path: string, content: Uint8Array): void
  /** Follows links; undefined when nothing is there. */
  stat(path: string): Stat | undefined
  /** Doesn't follow a link at the end. */
  lstat(path: string): Stat | undefined
  /** By name. */
  list(path: string): Entry[]
  /** One level; the parent must exist. */
  mkdir(path: string): void
  /** A file, a link or an empty folder. */
  remove(path: string): void
  /** Replaces a file by a file, an empty folder by a folder. */
  rename(from: string, to: string): void
  symlink(target: string, path: string): void
  readlink(path: string): string
  /** Links resolved as far as something is there; doesn't throw when nothing is. */
  realpath(path: string): string
  chmod(path: string, mode: number): void
  utimes(path: string, modified: number): void
}

export const notFound = (path: string): FileError => new FileError('not_found', `There is no file or folder "${path}".`)
export const isDirectory = (path: string): FileError => new FileError('is_directory', `"${path}" is a folder.`)
export const notDirectory = (path: string): FileError => new FileError('not_directory', `"${path}" is not a folder.`)
export const alreadyExists = (path: string): FileError => new FileError('exists', `"${path}" exists already.`)
export const notEmpty = (path: string): FileError => new FileError('not_empty', `The folder "${path}" is not empty.`)

/** Where an entry itself lies: links above it resolved, a link at the end not. */
export function placeOf(files: FileSystem, path: string): string {
  return path === '/' ? '/' : child(files.realpath(dirname(path)), basename(path))
}

/** What lies at exactly this path: nothing, where a link on the way would lead elsewhere. */
export function exactly(files: FileSystem, path: string): Stat | undefined {
  try {
    return placeOf(files, path) === path ? files.lstat(path) : undefined
  } catch (error) {
    if (error instanceof FileError && error.code === 'invalid') return undefined
    throw error
  }
}

/** A folder and those above it that are missing. */
export function makeFolders(files: FileSystem, asked: string): void {
  const path = files.realpath(asked)
  const there = files.stat(path)
  if (there?.type === 'directory') return
  if (there) throw alreadyExists(path)
  if (path === '/') return
  makeFolders(files, dirname(path))
  files.mkdir(path)
}

/** Everything under a path, itself last, links not followed. */
export function* walkUp(files: FileSystem, path: string): Generator<{ path: string; type: Stat['type'] }> {
  const stat = files.lstat(path)
  if (!stat) return
  if (stat.type === 'directory') for (const entry of files.list(path)) yield* walkUp(files, child(path, entry.name))
  yield { path, type: stat.type }
}

export function removeTree(files: FileSystem, path: string): void {
  if (!files.lstat(path)) throw notFound(path)
  for (const entry of [...walkUp(files, path)]) files.remove(entry.path)
}
