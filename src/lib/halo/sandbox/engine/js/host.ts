import type { FileSystem } from '../../filesystem.ts'
import { makeFolders, removeTree } from '../../filesystem.ts'
import { dirname, normalise } from '../../paths.ts'
import { FileError } from '../../types.ts'
import { copyTree } from '../mount.ts'
import { bytesOf, textOf, type Encoding } from '../encoding.ts'
import { posixError } from '../shell-files.ts'
import { matchesGlob, resolve, ResolveError, type Flavour } from './resolve.ts'
import { builtins } from './shims/index.ts'

/** What the guest's `__host` can ask for and get as data. Each has the arguments as they came from JSON. */
export type Operation = (args: readonly unknown[], bytes: Uint8Array | undefined) => unknown

export interface HostState {
  files: FileSystem
  flavour: Flavour
  cwd: string
  stdin: string
  /** Milliseconds, with fractions, since the program began. */
  now(): number
  out(stream: 1 | 2, content: Uint8Array): void
}

const string = (value: unknown) => String(value)
const path = (value: unknown) => normalise(String(value))

/** File operations under Node's error codes. */
export function operations(state: HostState): Record<string, Operation> {
  const { files } = state
  const sources = new Map<string, string[]>()
  const fileOperation = (syscall: string, act: (path: string, args: readonly unknown[], bytes?: Uint8Array) => unknown): Operation => (args, bytes) => {
    try {
      return act(path(args[0]), args, bytes)
    } catch (error) {
      throw posixError(error, syscall, string(args[0]))
    }
  }
  const stat = (p: string, args: readonly unknown[]) => {
    const found = args[1] ? files.stat(p) : files.lstat(p)
    if (!found && args[2] !== false) throw new FileError('not_found', p)
    return found ?? null
  }
  return {
    source: ([name]) => Object.hasOwn(builtins, string(name)),
    builtin: ([name]) => Object.hasOwn(builtins, string(name)),
    builtins: () => Object.keys(builtins).filter((name) => !['web', 'bun', 'bun:test'].includes(name)),
    resolve: ([id, from, kind]) => resolve(files, string(id), string(from), kind === 'import' ? 'import' : 'require', state.flavour),
    line: ([file, line]) => {
      const at = path(file)
      if (!sources.has(at)) {
        try {
          sources.set(at, new TextDecoder().decode(files.read(at)).split('\n'))
        } catch {
          sources.set(at, [])
        }
      }
      return sources.get(at)?.[Number(line) - 1] ?? null
    },
    now: () => state.now(),
    stdin: () => state.stdin,
    out: ([stream, content], bytes) => state.out(stream === 2 ? 2 : 1, bytes ?? bytesOf(string(content))),
    chdir: fileOperation('chdir', (p) => {
      if (files.stat(p)?.type !== 'directory') throw new FileError(files.stat(p) ? 'not_directory' : 'not_found', p)
      return (state.cwd = p)
    }),
    read: fileOperation('open', (p, args) => textOf(files.read(p), args[1] as Encoding)),
    bytes: fileOperation('open', (p) => files.read(p).slice()),
    write: fileOperation('open', (p, _, bytes) => files.write(p, bytes ?? new Uint8Array())),
    append: fileOperation('open', (p, _, bytes) => files.append(p, bytes ?? new Uint8Array())),
    stat: (args) => fileOperation(string(args[3] ?? 'stat'), stat)(args, undefined),
    list: fileOperation('scandir', (p) => files.list(p)),
    mkdir: fileOperation('mkdir', (p, args) => {
      if (!args[1]) return files.mkdir(p)
      const there = files.stat(p)
      makeFolders(files, p)
      return there ? undefined : p
    }),
    rmdir: fileOperation('rmdir', (p) => {
      if (files.lstat(p)?.type !== 'directory') throw new FileError(files.lstat(p) ? 'not_directory' : 'not_found', p)
      files.remove(p)
    }),
    rmtree: fileOperation('rmdir', (p) => removeTree(files, p)),
    rm: fileOperation('rm', (p, args) => {
      const there = files.lstat(p)
      if (!there && args[2]) return
      if (there?.type === 'directory' && !args[1]) throw new FileError('is_directory', p)
      removeTree(files, p)
    }),
    unlink: fileOperation('unlink', (p) => {
      if (files.lstat(p)?.type === 'directory') throw new FileError('is_directory', p)
      files.remove(p)
    }),
    rename: fileOperation('rename', (p, args) => files.rename(p, path(args[1]))),
    copy: fileOperation('cp', (p, args) => {
      const to = path(args[1])
      if (files.stat(p)?.type === 'directory') {
        if (!args[2]) throw new FileError('is_directory', p)
        makeFolders(files, dirname(to))
        copyTree(files, p, files, to)
      } else files.write(to, files.read(p))
    }),
    symlink: (args) => fileOperation('symlink', (p) => files.symlink(string(args[0]), p))([args[1]], undefined),
    link: fileOperation('link', (p, args) => files.write(path(args[1]), files.read(p))),
    readlink: fileOperation('readlink', (p) => files.readlink(p)),
    realpath: fileOperation('realpath', (p) => {
      const real = files.realpath(p)
      if (!files.lstat(real)) throw new FileError('not_found', p)
      return real
    }),
    chmod: fileOperation('chmod', (p, args) => files.chmod(p, Number(args[1]))),
    utimes: fileOperation('utime', (p, args) => files.utimes(p, Number(args[1]))),
    throw: ([code, syscall, p]) => {
      throw posixError(new FileError(code === 'EEXIST' ? 'exists' : 'invalid', string(p)), string(syscall), string(p))
    },
    encode: ([text, encoding]) => bytesOf(string(text), encoding as Encoding),
    decode: ([, encoding], bytes = new Uint8Array()) => {
      if (encoding === 'fatal' || encoding === 'text') return new TextDecoder('utf-8', { fatal: encoding === 'fatal' }).decode(bytes)
      return textOf(bytes, encoding as Encoding)
    },
    url: ([href, base]) => {
      const url = parseUrl(string(href), base === null ? undefined : string(base))
      return url && urlParts(url)
    },
    urlset: ([href, key, value]) => {
      const url = parseUrl(string(href))
      if (url) Reflect.set(url, string(key), value)
      return url && urlParts(url)
    },
    unescape: ([text]) => new URLSearchParams(`a=${string(text).replaceAll('+', '%2B').replaceAll('&', '%26')}`).get('a'),
    random: ([count]) => {
      const bytes = new Uint8Array(Math.min(Number(count), 1 << 20))
      for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
      return bytes
    },
    glob: ([p, glob]) => matchesGlob(string(p), string(glob)),
  }
}

function parseUrl(href: string, base?: string): URL | null {
  try {
    return new URL(href, base)
  } catch {
    return null
  }
}

function urlParts({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash }: URL) {
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash }
}

/** An error as the guest gets it. */
export function thrown(error: unknown): { message: string; props: Record<string, unknown> } {
  const { message, code, syscall, path } = error as { message?: string; code?: string; syscall?: string; path?: string }
  if (error instanceof ResolveError) return { message: error.message, props: { code: error.code } }
  return { message: message ?? String(error), props: { ...(code !== undefined && { code }), ...(syscall !== undefined && { syscall, errno: -2 }), ...(path !== undefined && { path }) } }
}
