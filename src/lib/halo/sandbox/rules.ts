import picomatch from 'picomatch'
import type { Entry, FileSystem, Stat } from './filesystem.ts'
import { notFound, placeOf, walkUp } from './filesystem.ts'
import { child, dirname, normalise, relative, within } from './paths.ts'
import { FileError, type FileRules } from './types.ts'

/** Rules with their folders resolved; plain data, so that they can be posted to a worker. A call must satisfy every layer. */
export interface Layer {
  /** Absolute, links resolved. undefined: everything. */
  roots?: string[]
  write: boolean
  protect: string[]
  /** What `protect` is relative to where there are no roots. */
  base: string
}

export function layerOf(rules: FileRules, base: string, files: FileSystem): Layer {
  return {
    roots: rules.roots?.map((root) => files.realpath(normalise(root, base))),
    write: rules.write !== false,
    protect: rules.protect ?? [],
    base: files.realpath(base),
  }
}

interface CompiledLayer extends Layer {
  isProtected(path: string): boolean
}

function compile(layer: Layer): CompiledLayer {
  // Without regard to case: on a disk that ignores case `A.TEST.TS` and `a.test.ts` are one file.
  const options = { dot: true, nocase: true, nonegate: true }
  const from = layer.roots ?? [layer.base]
  const globs = layer.protect.map((glob) => {
    const plain = glob.replace(/^\.\//, '')
    const match = picomatch(plain, options)
    return plain.startsWith('/') ? (path: string) => match(path) : (path: string) => from.some((root) => within(root, path) && match(relative(root, path)))
  })
  return { ...layer, isProtected: (path) => globs.some((match) => match(path)) }
}

/**
 * A file system that keeps to rules. Paths are judged where they really are, after links, so that no link, `..` or renamed
 * parent leads around a rule.
 */
export function guard(files: FileSystem, layers: readonly Layer[]): FileSystem {
  if (layers.length === 0) return files
  const compiled = layers.map(compile)

  const inside = (real: string) => compiled.every((l) => !l.roots || l.roots.some((root) => within(root, real)))
  /** A folder on the way from `/` to a root: may be passed through, shows only the way. */
  const onTheWay = (real: string) => compiled.every((l) => !l.roots || l.roots.some((root) => within(root, real) || within(real, root)))

  const place = (path: string) => placeOf(files, path)

  function seen(real: string, asked: string): string {
    if (!inside(real)) throw new FileError('outside', `"${asked}" is outside of the folders that may be used here.`)
    return real
  }

  function mayChange(real: string, asked: string): void {
    seen(real, asked)
    for (const layer of compiled) {
      if (!layer.write) throw new FileError('read_only', `"${asked}" can't be changed: these files are read-only here.`)
      if (layer.isProtected(real)) throw new FileError('protected', `"${asked}" is protected: it can be read but not changed.`)
    }
  }

  /** The same for everything under a folder; `to` is where it would end up. */
  function mayMove(real: string, asked: string, to: string): void {
    for (const entry of walkUp(files, real)) {
      mayChange(entry.path, asked)
      mayChange(to + entry.path.slice(real.length), asked)
    }
  }

  function refuseRoot(real: string, asked: string): void {
    if (compiled.some((l) => l.roots?.some((root) => within(real, root)))) throw new FileError('outside', `"${asked}" is the folder these tools work in, or holds it: it can't be moved or removed.`)
  }

  return {
    read: (path) => files.read(seen(files.realpath(path), path)),
    write(path, content) {
      const real = files.realpath(path)
      mayChange(real, path)
      files.write(real, content)
    },
    append(path, content) {
      const real = files.realpath(path)
      mayChange(real, path)
      files.append(real, content)
    },
    stat: (path) => visible(files.realpath(path), (real) => files.stat(real)),
    lstat: (path) => visible(place(path), (real) => files.lstat(real)),
    list(path): Entry[] {
      const real = files.realpath(path)
      if (inside(real)) return files.list(real)
      if (!onTheWay(real)) throw new FileError('outside', `"${path}" is outside of the folders that may be used here.`)
      return files.list(real).filter((entry) => onTheWay(child(real, entry.name)))
    },
    mkdir(path) {
      const real = place(path)
      // A root that isn't there yet may be made, with the folders above it.
      if (inside(real) || !onTheWay(real) || compiled.some((l) => !l.write)) mayChange(real, path)
      files.mkdir(real)
    },
    remove(path) {
      const real = place(path)
      mayChange(real, path)
      refuseRoot(real, path)
      files.remove(real)
    },
    rename(from, to) {
      const source = place(from)
      const target = place(to)
      seen(source, from)
      if (!files.lstat(source)) throw notFound(from)
      refuseRoot(source, from)
      mayMove(source, from, target)
      mayChange(target, to)
      if (files.lstat(target)) refuseRoot(target, to)
      files.rename(source, target)
    },
    symlink(target, path) {
      const real = place(path)
      mayChange(real, path)
      seen(files.realpath(normalise(target, dirname(real))), target)
      files.symlink(target, real)
    },
    readlink: (path) => files.readlink(seen(place(path), path)),
    realpath: (path) => {
      const real = files.realpath(path)
      if (!onTheWay(real)) throw new FileError('outside', `"${path}" is outside of the folders that may be used here.`)
      return real
    },
    chmod(path, mode) {
      const real = files.realpath(path)
      mayChange(real, path)
      files.chmod(real, mode)
    },
    utimes(path, modified) {
      const real = files.realpath(path)
      mayChange(real, path)
      files.utimes(real, modified)
    },
  }

  function visible(real: string, stat: (real: string) => Stat | undefined): Stat | undefined {
    if (inside(real)) return stat(real)
    const found = onTheWay(real) ? stat(real) : undefined
    return found?.type === 'directory' ? found : undefined
  }
}
