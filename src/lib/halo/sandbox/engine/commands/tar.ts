import { gzipSync } from 'fflate'
import type { FileSystem } from '../../filesystem.ts'
import { makeFolders } from '../../filesystem.ts'
import { child, dirname, normalise } from '../../paths.ts'
import { bytesOf, joinBytes, textOf } from '../encoding.ts'
import { posixError } from '../shell-files.ts'
import { gunzip } from './gzip.ts'
import { bytesResult, fails, stdinBytes, type CommandResult, type Run } from './program.ts'

const BLOCK = 512

interface TarEntry {
  name: string
  type: 'file' | 'directory' | 'symlink'
  content: Uint8Array
  target: string
  mode: number
  /** Seconds since the epoch. */
  modified: number
}

/** `tar` for ustar archives, plain or gzip'd: -c, -x, -t with -f, -z, -v, -C, -O, --strip-components, --exclude. */
export const tar: Run = (args, { files }, context) => {
  let mode: 'c' | 'x' | 't' | undefined
  let archive = '-'
  let gzip = false
  let verbose = false
  let toStdout = false
  let strip = 0
  let folder = context.cwd
  const excludes: string[] = []
  const names: { folder: string; name: string }[] = []
  const rest = [...args]
  if (rest[0] !== undefined && !rest[0].startsWith('-')) rest[0] = `-${rest[0]}`
  while (rest.length > 0) {
    const arg = rest.shift() ?? ''
    if (arg.startsWith('--')) {
      const [flag, value = ''] = arg.split('=')
      if (flag === '--create') mode = 'c'
      else if (flag === '--extract' || flag === '--get') mode = 'x'
      else if (flag === '--list') mode = 't'
      else if (flag === '--gzip') gzip = true
      else if (flag === '--verbose') verbose = true
      else if (flag === '--file') archive = value || (rest.shift() ?? '-')
      else if (flag === '--directory') folder = normalise(value || (rest.shift() ?? '.'), folder)
      else if (flag === '--strip-components') strip = Number(value)
      else if (flag === '--exclude') excludes.push(value || (rest.shift() ?? ''))
      else if (flag === '--to-stdout') toStdout = true
      else if (['--no-same-owner', '--owner', '--group', '--numeric-owner', '--sort', '--mtime', '--format'].includes(flag ?? '')) continue
      else return fails('tar', `the option ${arg} is not here`, 2)
    } else if (arg.startsWith('-') && arg !== '-') {
      for (const letter of arg.slice(1)) {
        if (letter === 'c' || letter === 'x' || letter === 't') mode = letter
        else if (letter === 'z') gzip = true
        else if (letter === 'v') verbose = true
        else if (letter === 'f') archive = rest.shift() ?? '-'
        else if (letter === 'C') folder = normalise(rest.shift() ?? '.', folder)
        else if (letter === 'O') toStdout = true
        else if (!'pahkom'.includes(letter)) return fails('tar', `the option -${letter} is not here`, 2)
      }
    } else names.push({ folder, name: arg })
  }
  if (mode === undefined) return fails('tar', 'You must specify one of -c, -x or -t', 2)
  const at = normalise(archive, context.cwd)
  try {
    if (mode === 'c') {
      if (names.length === 0) return fails('tar', 'Cowardly refusing to create an empty archive', 2)
      const entries = names.flatMap(({ folder: from, name }) => [...collect(files, from, name.replace(/\/+$/, ''), excludes)])
      const packed = pack(entries)
      const bytes = gzip || /\.t?gz$/.test(archive) ? gzipSync(packed) : packed
      const listing = verbose ? entries.map((entry) => `${entry.name}\n`).join('') : ''
      if (archive === '-') return bytesResult(bytes, new TextEncoder().encode(listing), 0)
      files.write(at, bytes)
      return { stdout: listing, stderr: '', exitCode: 0 }
    }
    const raw = archive === '-' ? stdinBytes(context) : files.read(at)
    const entries = unpack(raw[0] === 0x1f && raw[1] === 0x8b ? gunzip(raw) : raw)
    const wanted = names.map(({ name }) => name.replace(/\/+$/, ''))
    const chosen = entries.filter((entry) => (wanted.length === 0 || wanted.some((name) => entry.name === name || entry.name === `${name}/` || entry.name.startsWith(`${name}/`))) && !excluded(entry.name, excludes))
    if (mode === 't') return { stdout: chosen.map((entry) => `${entry.name}\n`).join(''), stderr: '', exitCode: 0 }
    if (toStdout) return bytesResult(joinBytes(chosen.map((entry) => entry.content)), new Uint8Array(), 0)
    return extract(files, chosen, folder, strip, verbose)
  } catch (error) {
    return fails('tar', `${archive}: ${posixError(error, 'open', archive).message}`, 2)
  }
}

function extract(files: FileSystem, entries: readonly TarEntry[], folder: string, strip: number, verbose: boolean): CommandResult {
  const lines: string[] = []
  const errors: string[] = []
  for (const entry of entries) {
    const name = entry.name.split('/').slice(strip).join('/')
    if (name === '' || name === '.') continue
    // A name that climbs out of the folder is an attack, or a mistake.
    if (name.startsWith('/') || name.split('/').includes('..')) {
      errors.push(`tar: ${entry.name}: refused, it lies outside of the folder\n`)
      continue
    }
    const path = normalise(name, folder)
    try {
      if (entry.type === 'directory') makeFolders(files, path)
      else {
        makeFolders(files, dirname(path))
        if (files.lstat(path)?.type === 'symlink') files.remove(path)
        if (entry.type === 'symlink') files.symlink(entry.target, path)
        else {
          files.write(path, entry.content)
          files.chmod(path, entry.mode)
          files.utimes(path, entry.modified * 1000)
        }
      }
      if (verbose) lines.push(`${name}\n`)
    } catch (error) {
      errors.push(`tar: ${name}: ${posixError(error, 'open', name).message}\n`)
    }
  }
  return { stdout: lines.join(''), stderr: errors.join(''), exitCode: errors.length > 0 ? 2 : 0 }
}

function excluded(name: string, patterns: readonly string[]): boolean {
  const path = name.replace(/\/$/, '')
  return patterns.some((pattern) => path === pattern || path.startsWith(`${pattern}/`) || path.split('/').some((part) => part === pattern) || (pattern.startsWith('*.') && path.endsWith(pattern.slice(1))))
}

function* collect(files: FileSystem, folder: string, name: string, excludes: readonly string[]): Generator<TarEntry> {
  if (excluded(name, excludes)) return
  const path = normalise(name, folder)
  const stat = files.lstat(path)
  if (!stat) throw Object.assign(new Error(`Cannot stat ${name}: No such file or directory`))
  const shared = { mode: stat.mode, modified: Math.floor(stat.modified / 1000), target: '', content: new Uint8Array() }
  // Like tar, names in archives have no leading slash.
  const stored = name.replace(/^\/+/, '')
  if (stat.type === 'directory') {
    yield { ...shared, name: `${stored}/`, type: 'directory' }
    for (const entry of files.list(path)) yield* collect(files, folder, child(name, entry.name), excludes)
  } else if (stat.type === 'symlink') yield { ...shared, name: stored, type: 'symlink', target: files.readlink(path) }
  else yield { ...shared, name: stored, type: 'file', content: files.read(path) }
}

function pack(entries: readonly TarEntry[]): Uint8Array {
  const blocks: Uint8Array[] = []
  for (const entry of entries) {
    // GNU's way for names that ustar has no room for.
    if (bytesOf(entry.name).length > 100) blocks.push(...record({ ...entry, name: '././@LongLink', content: bytesOf(`${entry.name}\0`) }, 'L'))
    blocks.push(...record(entry, entry.type === 'directory' ? '5' : entry.type === 'symlink' ? '2' : '0'))
  }
  return joinBytes([...blocks, new Uint8Array(2 * BLOCK)])
}

function record(entry: TarEntry, flag: string): Uint8Array[] {
  const header = new Uint8Array(BLOCK)
  const put = (at: number, text: string, room: number) => header.set(bytesOf(text).subarray(0, room), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  put(0, entry.name, 100)
  put(100, `${octal(entry.mode & 0o7777, 7)}\0`, 8)
  put(108, `${octal(1000, 7)}\0`, 8)
  put(116, `${octal(1000, 7)}\0`, 8)
  put(124, `${octal(entry.content.length, 11)}\0`, 12)
  put(136, `${octal(entry.modified, 11)}\0`, 12)
  put(148, '        ', 8)
  put(156, flag, 1)
  put(157, entry.target, 100)
  put(257, 'ustar\x0000', 8)
  put(265, 'user', 32)
  put(297, 'user', 32)
  put(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `, 8)
  return [header, entry.content, new Uint8Array((BLOCK - (entry.content.length % BLOCK)) % BLOCK)]
}

function unpack(bytes: Uint8Array): TarEntry[] {
  const entries: TarEntry[] = []
  let longName: string | undefined
  let headers: Record<string, string> = {}
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) break
    const field = (from: number, length: number) => textOf(header.subarray(from, from + length)).replace(/\0[\s\S]*$/, '')
    const number = (from: number, length: number) => parseInt(field(from, length).trim() || '0', 8)
    const size = number(124, 12)
    if (!Number.isFinite(size) || at + BLOCK + size > bytes.length) throw new Error('This does not look like a tar archive')
    const content = bytes.slice(at + BLOCK, at + BLOCK + size)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const flag = field(156, 1) || '0'
    if (flag === 'L') longName = textOf(content).replace(/\0[\s\S]*$/, '')
    else if (flag === 'x') headers = pax(content)
    else if (flag !== 'g') {
      const prefix = field(257, 5) === 'ustar' ? field(345, 155) : ''
      const name = headers.path ?? longName ?? (prefix ? `${prefix}/${field(0, 100)}` : field(0, 100))
      const type = flag === '5' || (flag === '0' && name.endsWith('/')) ? 'directory' : flag === '2' ? 'symlink' : 'file'
      entries.push({ name, type, content, target: headers.linkpath ?? field(157, 100), mode: number(100, 8) & 0o777, modified: number(136, 12) })
      longName = undefined
      headers = {}
    }
  }
  return entries
}

function pax(content: Uint8Array): Record<string, string> {
  return Object.fromEntries([...textOf(content).matchAll(/\d+ ([^=]+)=([^\n]*)\n/g)].map(([, key, value]) => [key, value]))
}
