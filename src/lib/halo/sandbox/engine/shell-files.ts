import type { FsStat, IFileSystem } from 'just-bash/browser'
import type { FileSystem, Stat } from '../filesystem.ts'
import { makeFolders, removeTree } from '../filesystem.ts'
import { normalise } from '../paths.ts'
import { FileError } from '../types.ts'
import { copyTree } from './mount.ts'
import { bytesOf, textOf, type Encoding } from './encoding.ts'

/** Node's error codes and words, by which shell commands and programs know what happened. */
const POSIX: Record<FileError['code'], [code: string, words: string]> = {
  not_found: ['ENOENT', 'no such file or directory'],
  exists: ['EEXIST', 'file already exists'],
  is_directory: ['EISDIR', 'illegal operation on a directory'],
  not_directory: ['ENOTDIR', 'not a directory'],
  not_empty: ['ENOTEMPTY', 'directory not empty'],
  outside: ['EACCES', 'permission denied'],
  protected: ['EACCES', 'permission denied'],
  read_only: ['EROFS', 'read-only file system'],
  too_large: ['ENOSPC', 'no space left on device'],
  invalid: ['EINVAL', 'invalid argument'],
}

export interface PosixError extends Error {
  code: string
  syscall: string
  path: string
}

/** The error that Node's fs would throw. For what only rules refuse, the reason is added. */
export function posixError(error: unknown, syscall: string, path: string): PosixError | Error {
  if (!(error instanceof FileError)) return error instanceof Error ? error : new Error(String(error))
  const [code, words] = POSIX[error.code]
  const why = ['protected', 'outside', 'read_only', 'too_large'].includes(error.code) ? ` (${error.message})` : ''
  return Object.assign(new Error(`${code}: ${words}, ${syscall} '${path}'${why}`), { code, syscall, path })
}

type Options = { encoding?: string | null } | string | undefined
const encodingOf = (options: Options): Encoding => ((typeof options === 'string' ? options : options?.encoding) ?? 'utf8') as Encoding

/** The files as just-bash wants them. `redirected` is asked before anything that changes a file. */
export function shellFiles(files: FileSystem, beforeChange: (path: string) => void = () => undefined): IFileSystem {
  const at = (path: string) => normalise(path)
  async function attempt<T>(syscall: string, path: string, act: (path: string) => T): Promise<T> {
    try {
      return act(at(path))
    } catch (error) {
      throw posixError(error, syscall, path)
    }
  }
  const change = (syscall: string, path: string, act: (path: string) => void) =>
    attempt(syscall, path, (p) => {
      beforeChange(p)
      act(p)
    })
  const statOf = (stat: Stat | undefined, path: string): FsStat => {
    if (!stat) throw new FileError('not_found', path)
    const { type, mode, size, modified } = stat
    return { isFile: type === 'file', isDirectory: type === 'directory', isSymbolicLink: type === 'symlink', mode, size, mtime: new Date(modified) }
  }

  return {
    readFile: (path, options) => attempt('open', path, (p) => textOf(files.read(p), encodingOf(options))),
    readFileBytes: (path) => attempt('open', path, (p) => textOf(files.read(p), 'latin1') as never),
    readFileBuffer: (path) => attempt('open', path, (p) => files.read(p).slice()),
    writeFile: (path, content, options) => change('open', path, (p) => files.write(p, toBytes(content, options))),
    appendFile: (path, content, options) => change('open', path, (p) => files.append(p, toBytes(content, options))),
    exists: async (path) => {
      try {
        return files.stat(at(path)) !== undefined
      } catch {
        return false
      }
    },
    stat: (path) => attempt('stat', path, (p) => statOf(files.stat(p), path)),
    lstat: (path) => attempt('lstat', path, (p) => statOf(files.lstat(p), path)),
    mkdir: (path, options) => change('mkdir', path, (p) => (options?.recursive ? makeFolders(files, p) : files.mkdir(p))),
    readdir: (path) => attempt('scandir', path, (p) => files.list(p).map((entry) => entry.name)),
    readdirWithFileTypes: (path) =>
      attempt('scandir', path, (p) =>
        files.list(p).map(({ name, type }) => ({ name, isFile: type === 'file', isDirectory: type === 'directory', isSymbolicLink: type === 'symlink' })),
      ),
    rm: (path, options) =>
      change('rm', path, (p) => {
        if (!files.lstat(p)) {
          if (options?.force) return
          throw new FileError('not_found', path)
        }
        if (options?.recursive) removeTree(files, p)
        else files.remove(p)
      }),
    cp: (src, dest, options) =>
      change('cp', dest, (to) => {
        const from = at(src)
        const stat = files.stat(from)
        if (!stat) throw new FileError('not_found', src)
        if (stat.type !== 'directory') {
          files.write(to, files.read(from))
          return
        }
        if (!options?.recursive) throw new FileError('is_directory', src)
        copyTree(files, from, files, to)
      }),
    mv: (src, dest) => change('rename', dest, (to) => files.rename(at(src), to)),
    resolvePath: (base, path) => normalise(path, base),
    getAllPaths: () => [],
    chmod: (path, mode) => change('chmod', path, (p) => files.chmod(p, mode)),
    symlink: (target, path) => change('symlink', path, (p) => files.symlink(target, p)),
    // A copy: two names for one content would give a protected file a second, unprotected one.
    link: (existing, path) =>
      change('link', path, (p) => {
        if (files.lstat(p)) throw new FileError('exists', path)
        files.write(p, files.read(at(existing)))
      }),
    readlink: (path) => attempt('readlink', path, (p) => files.readlink(p)),
    realpath: (path) =>
      attempt('realpath', path, (p) => {
        const real = files.realpath(p)
        if (!files.lstat(real)) throw new FileError('not_found', path)
        return real
      }),
    utimes: (path, _accessed, modified) => change('utimes', path, (p) => files.utimes(p, modified.getTime())),
  }
}

function toBytes(content: string | Uint8Array, options: Options): Uint8Array {
  return typeof content === 'string' ? bytesOf(content, encodingOf(options)) : content.slice()
}
