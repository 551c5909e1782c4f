import picomatch from 'picomatch'
import { RE2JS } from 're2js'
import { basename, relative } from '../../sandbox/paths.ts'
import { messageOf } from '../../errors.ts'
import { FileError, type FileStat, type SandboxHandle } from '../../sandbox/types.ts'
import { looksBinary } from './workspace-read.ts'

/** Folders that hold no one's own text. Hidden ones are left out as well. */
const SKIPPED = new Set(['node_modules', '.git', '__pycache__', 'target', 'vendor'])
const isSkipped = (name: string) => SKIPPED.has(name) || name.startsWith('.')

/** Entries looked at in one call, so that a huge tree ends with words. */
const MAX_VISITED = 100_000
const MAX_SEARCHED_BYTES = 8 << 20
const MAX_LINE = 500

interface Page {
  offset: number
  limit: number
  signal: AbortSignal
}
interface Cut {
  total: number
  next?: number
  truncated?: { shown: number; of: number }
}
type Shown = (path: string) => string

function page<T>(all: T[], { offset, limit }: Page): { shown: T[] } & Cut {
  const shown = all.slice(offset, offset + limit)
  const more = offset + shown.length < all.length
  return { shown, total: all.length, ...(more && { next: offset + shown.length }), ...(shown.length < all.length && { truncated: { shown: shown.length, of: all.length } }) }
}

/** Depth first, by name; `enter` decides about folders and files by name. */
async function* walk(files: SandboxHandle, folder: string, signal: AbortSignal, skip: (entry: FileStat) => boolean): AsyncGenerator<FileStat> {
  const budget = { left: MAX_VISITED }
  yield* visit(folder)
  async function* visit(at: string): AsyncGenerator<FileStat> {
    for (const entry of await files.list(at)) {
      signal.throwIfAborted()
      if (--budget.left < 0) throw new FileError('too_large', `There are more than ${MAX_VISITED} files and folders under "${folder}": name a folder below it.`)
      if (skip(entry)) continue
      yield entry
      if (entry.type === 'directory') yield* visit(entry.path)
    }
  }
}

async function folderAt(files: SandboxHandle, folder: string, shown: Shown): Promise<FileStat | undefined> {
  const stat = await files.stat(await files.realpath(folder))
  if (!stat && shown(folder) !== '.') throw new FileError('not_found', `There is no file or folder "${folder}".`)
  return stat
}

export async function listFolder(files: SandboxHandle, folder: string, shown: Shown, options: Page & { recursive: boolean }) {
  const stat = await folderAt(files, folder, shown)
  if (stat && stat.type !== 'directory') throw new FileError('not_directory', `"${folder}" is not a folder.`)
  const skipped: string[] = []
  const all: FileStat[] = []
  if (stat) {
    const skip = (entry: FileStat) => {
      const out = isSkipped(basename(entry.path))
      if (out) skipped.push(shown(entry.path))
      return out
    }
    if (options.recursive) for await (const entry of walk(files, folder, options.signal, skip)) all.push(entry)
    else for (const entry of await files.list(folder)) if (!skip(entry)) all.push(entry)
  }
  const { shown: entries, ...cut } = page(all, options)
  return {
    path: shown(folder),
    entries: entries.map(({ path, type, size }) => ({ path: shown(path), type, ...(type === 'file' && { size }) })),
    ...cut,
    ...(skipped.length > 0 && { skipped: skipped.slice(0, 20) }),
  }
}

export async function findFiles(files: SandboxHandle, folder: string, shown: Shown, options: Page & { pattern: string }) {
  const { match, names } = globMatcher(options.pattern)
  const all: string[] = []
  if (await folderAt(files, folder, shown)) {
    // What the pattern names itself is looked into.
    const skip = (entry: FileStat) => isSkipped(basename(entry.path)) && !names.has(basename(entry.path))
    for await (const entry of walk(files, folder, options.signal, skip)) {
      if (entry.type !== 'directory' && match(relative(folder, entry.path))) all.push(shown(entry.path))
    }
  }
  const { shown: found, ...cut } = page(all, options)
  return { pattern: options.pattern, files: found, ...cut }
}

/** A pattern without `/` is tried on names at any depth. */
function globMatcher(pattern: string): { match(path: string): boolean; names: Set<string> } {
  const plain = pattern.replace(/^\.\//, '')
  if (plain.startsWith('/') || plain.split('/').includes('..')) throw new FileError('invalid', `The pattern "${pattern}" is relative to the folder: no leading "/" and no "..".`)
  const matches = picomatch(plain.includes('/') ? plain : `**/${plain}`, { dot: true })
  return { match: (path) => matches(path), names: new Set(plain.split('/')) }
}

interface SearchOptions extends Page {
  pattern: string
  include?: string
  literal: boolean
  ignoreCase: boolean
  context: number
}

interface Match {
  path: string
  /** From 1, as editors and compilers count. */
  line: number
  text: string
  before?: string[]
  after?: string[]
}

export async function searchFiles(files: SandboxHandle, place: string, shown: Shown, options: SearchOptions) {
  const tester = lineTester(options)
  const included = options.include === undefined ? undefined : globMatcher(options.include)
  const stat = await folderAt(files, place, shown)
  const all: Match[] = []
  const tooLarge: string[] = []
  const from = options.offset
  /** Found and not kept: before the page or after it. */
  let total = 0
  const read = async (path: string) => {
    const stat = await files.stat(path)
    if ((stat?.size ?? 0) > MAX_SEARCHED_BYTES) return void tooLarge.push(shown(path))
    const bytes = await files.read(path)
    if (looksBinary(bytes)) return
    const lines = new TextDecoder().decode(bytes).split('\n')
    lines.forEach((line, i) => {
      if (!tester(line)) return
      total++
      if (total <= from || all.length >= options.limit) return
      const match: Match = { path: shown(path), line: i + 1, text: short(line) }
      if (options.context > 0) {
        match.before = lines.slice(Math.max(0, i - options.context), i).map(short)
        match.after = lines.slice(i + 1, i + 1 + options.context).map(short)
      }
      all.push(match)
    })
  }
  if (stat?.type === 'file') await read(stat.path)
  else if (stat) {
    const skip = (entry: FileStat) => isSkipped(basename(entry.path)) && !included?.names.has(basename(entry.path))
    for await (const entry of walk(files, place, options.signal, skip)) {
      if (entry.type !== 'file') continue
      if (included && !included.match(relative(place, entry.path))) continue
      await read(entry.path)
    }
  }
  const end = from + all.length
  return {
    pattern: options.pattern,
    matches: all,
    total,
    ...(end < total && { next: end }),
    ...(all.length < total && { truncated: { shown: all.length, of: total } }),
    ...(tooLarge.length > 0 && { skipped: tooLarge }),
  }
}

/** RE2 needs time linear in the text, whatever the pattern: a model's pattern can't hang the page. */
function lineTester({ pattern, literal, ignoreCase }: SearchOptions): (line: string) => boolean {
  try {
    const compiled = RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return (line) => compiled.matcher(line.endsWith('\r') ? line.slice(0, -1) : line).find()
  } catch (error) {
    throw new FileError('invalid', `The pattern "${pattern}" is not a regular expression that search takes (RE2 syntax: no look-around, no back-references): ${messageOf(error)}. For plain text set literal.`)
  }
}

function short(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}… [${text.length} characters]` : text
}
