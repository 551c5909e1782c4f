import type { FileSystem } from './filesystem.ts'
import { exactly, placeOf, walkUp } from './filesystem.ts'

/** A changed file with its content before and after; undefined: not there. */
export interface RawChange {
  path: string
  before?: Uint8Array
  after?: Uint8Array
}

/** A file system that remembers what was changed through it. */
export interface TrackedFiles extends FileSystem {
  /** The files whose content differs from when they were first touched, sorted by path; starts anew. Folders and links are not files. */
  changes(): RawChange[]
  /** Every path touched since the last call: files, folders and links. */
  touched(): string[]
}

export function track(files: FileSystem): TrackedFiles {
  let before = new Map<string, Uint8Array | undefined>()
  let touched = new Set<string>()

  const contentAt = (path: string) => (exactly(files, path)?.type === 'file' ? files.read(path) : undefined)
  function note(path: string): void {
    touched.add(path)
    if (!before.has(path)) before.set(path, contentAt(path))
  }

  return {
    read: (path) => files.read(path),
    write(path, content) {
      note(files.realpath(path))
      files.write(path, content)
    },
    append(path, content) {
      note(files.realpath(path))
      files.append(path, content)
    },
    stat: (path) => files.stat(path),
    lstat: (path) => files.lstat(path),
    list: (path) => files.list(path),
    mkdir(path) {
      files.mkdir(path)
      touched.add(placeOf(files, path))
    },
    remove(path) {
      note(placeOf(files, path))
      files.remove(path)
    },
    rename(asked, target) {
      const from = placeOf(files, asked)
      const to = placeOf(files, target)
      note(to)
      for (const entry of [...walkUp(files, from)]) {
        note(entry.path)
        note(to + entry.path.slice(from.length))
      }
      files.rename(from, to)
    },
    symlink(target, path) {
      files.symlink(target, path)
      touched.add(placeOf(files, path))
    },
    readlink: (path) => files.readlink(path),
    realpath: (path) => files.realpath(path),
    chmod(path, mode) {
      files.chmod(path, mode)
      touched.add(files.realpath(path))
    },
    utimes(path, modified) {
      files.utimes(path, modified)
      touched.add(files.realpath(path))
    },
    changes() {
      const changes: RawChange[] = []
      for (const [path, old] of before) {
        const now = contentAt(path)
        if (!sameBytes(old, now)) changes.push({ path, before: old, after: now })
      }
      before = new Map()
      return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    touched() {
      const list = [...touched]
      touched = new Set()
      return list
    },
  }
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === b) return true
  if (!a || !b || a.length !== b.length) return false
  return a.every((byte, i) => byte === b[i])
}
