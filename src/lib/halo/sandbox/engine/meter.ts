import type { FileSystem } from '../filesystem.ts'
import { FileError } from '../types.ts'

/** Counts what one command line adds to the files, and ends it when that is too much. Overwriting costs nothing. */
export function meter(files: FileSystem, limits: { writtenBytes: number; createdEntries: number }, over: () => void): FileSystem {
  let bytes = 0
  let entries = 0

  function charge(path: string, more: number, created: boolean): void {
    bytes += more
    if (created) entries++
    if (bytes <= limits.writtenBytes && entries <= limits.createdEntries) return
    over()
    throw new FileError('too_large', `"${path}": this command has reached its limit of new files.`)
  }
  return {
    read: (path) => files.read(path),
    write(path, content) {
      const there = files.stat(path)
      charge(path, content.length - (there?.size ?? 0), !there)
      files.write(path, content)
    },
    append(path, content) {
      charge(path, content.length, !files.stat(path))
      files.append(path, content)
    },
    stat: (path) => files.stat(path),
    lstat: (path) => files.lstat(path),
    list: (path) => files.list(path),
    mkdir(path) {
      charge(path, 0, true)
      files.mkdir(path)
    },
    remove(path) {
      const size = files.lstat(path)?.size ?? 0
      files.remove(path)
      bytes -= size
      entries--
    },
    rename: (from, to) => files.rename(from, to),
    symlink(target, path) {
      charge(path, 0, true)
      files.symlink(target, path)
    },
    readlink: (path) => files.readlink(path),
    realpath: (path) => files.realpath(path),
    chmod: (path, mode) => files.chmod(path, mode),
    utimes: (path, modified) => files.utimes(path, modified),
  }
}
