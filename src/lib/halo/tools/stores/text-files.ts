/** Text of the workspace, for the stores. */
import { FileError, type SandboxHandle } from '../../sandbox/types.ts'

type Files = Pick<SandboxHandle, 'read' | 'stat' | 'list'>

/** The file as text; undefined when nothing is there. */
export async function readText(files: Pick<SandboxHandle, 'read'>, path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(path))
  } catch (error) {
    if (error instanceof FileError && error.code === 'not_found') return undefined
    throw error
  }
}

export interface TextFile {
  path: string
  text: string
}

/** Folders that hold other people's code or a tool's own files. */
const SKIPPED = new Set(['node_modules', '__pycache__', 'target', 'vendor'])
const MAX_FILES = 2000
/** Bytes. A larger file is data, not something to quote from. */
const MAX_SIZE = 1_000_000

/** Every text file of a folder and those in it, by path; hidden and dependency folders are skipped, `except` is left out. */
export async function textFilesOf(files: Files, folder: string, except: string, signal: AbortSignal): Promise<TextFile[]> {
  const found: TextFile[] = []
  const folders = [folder]
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    for (const { path, type, size } of await files.list(at)) {
      signal.throwIfAborted()
      const name = path.slice(path.lastIndexOf('/') + 1)
      if (name.startsWith('.') || SKIPPED.has(name) || path === except) continue
      if (type === 'directory') folders.push(path)
      if (type !== 'file' || size > MAX_SIZE) continue
      const text = textOf(await files.read(path))
      if (text !== undefined) found.push({ path, text })
      if (found.length > MAX_FILES) throw new FileError('too_large', `${folder} has more than ${MAX_FILES} text files; point the store at a smaller folder.`)
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** undefined: not UTF-8 text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const running = new Map<string, Promise<unknown>>()

/** One after another for each path: reading, changing and writing a file back is one step. */
export async function oneAtATime<T>(path: string, step: () => Promise<T>): Promise<T> {
  const before = running.get(path)
  const mine = (before ?? Promise.resolve()).then(step, step)
  running.set(path, mine)
  try {
    return await mine
  } finally {
    if (running.get(path) === mine) running.delete(path)
  }
}

/** A text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
