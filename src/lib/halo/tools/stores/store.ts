/**
 * The pieces of a VectorStore and their index, kept as lines of JSON in the workspace: readable, and with everything a
 * workspace gives its files (undo, forks, export). The index is rebuilt from them and remembered while they don't change.
 */
import { HaloError } from '../../errors.ts'
import type { SandboxHandle } from '../../sandbox/types.ts'
import type { ToolContext } from '../types.ts'
import { pieces } from './chunks.ts'
import { lexicalIndex, type Chunk, type LexicalIndex } from './lexical.ts'
import { oneAtATime, readText, textFilesOf, type TextFile } from './text-files.ts'

export type StoreContext = Pick<ToolContext, 'sandbox' | 'signal'>

interface Where {
  path: string
  chunkChars: number
}

export interface OpenStore {
  /** Added ones first, then those of the folder's or the file's own text. */
  chunks: Chunk[]
  /** How many of them were added. */
  added: number
  index(): Promise<LexicalIndex>
}

export async function openStore(where: Where, { sandbox, signal }: StoreContext): Promise<OpenStore> {
  const place = await locate(sandbox, where.path)
  const kept = (await readText(sandbox, place.chunks)) ?? ''
  const documents = await documentsOf(sandbox, place, signal)
  // Equal contents have equal indexes, whichever sandbox they lie in.
  const key = JSON.stringify([where.chunkChars, kept, documents])
  const known = opened.get(key)
  if (known !== undefined) {
    opened.delete(key)
    opened.set(key, known)
    return known
  }
  const added = parse(kept, place.chunks)
  const chunks = [...added, ...documents.flatMap(({ path, text }) => chunksOf(text, shown(path, sandbox.base), where.chunkChars))]
  let index: Promise<LexicalIndex> | undefined
  const store: OpenStore = { chunks, added: added.length, index: () => (index ??= lexicalIndex(chunks)) }
  opened.set(key, store)
  for (const oldest of opened.keys()) {
    if (opened.size <= REMEMBERED) break
    opened.delete(oldest)
  }
  return store
}
const opened = new Map<string, OpenStore>()
const REMEMBERED = 8

export async function addTo(where: Where, input: unknown, source: string | undefined, context: StoreContext): Promise<{ added: number; ids: string[]; count: number }> {
  const given = Array.isArray(input) ? input : [input]
  const chunks = given.flatMap((item: unknown) => chunksFrom(item, source, where.chunkChars))
  const place = await locate(context.sandbox, where.path)
  return oneAtATime(place.chunks, async () => {
    const before = await openStore(where, context)
    const all = before.chunks.slice(0, before.added)
    const ids = new Set(all.map(({ id }) => id))
    const fresh = chunks.filter(({ id }) => !ids.has(id) && ids.add(id))
    if (fresh.length > 0) await context.sandbox.write(place.chunks, serialise([...all, ...fresh]))
    return { added: fresh.length, ids: [...new Set(chunks.map(({ id }) => id))], count: before.chunks.length + fresh.length }
  })
}

export async function removeFrom(where: Where, { id, source }: { id?: unknown; source?: unknown }, context: StoreContext): Promise<{ removed: number; count: number }> {
  const ids = new Set<unknown>(Array.isArray(id) ? id : id === undefined ? [] : [id])
  if (ids.size === 0 && source === undefined) throw new HaloError('TOOL_ERROR', 'Say what to remove: an id, a list of ids, or a source.')
  const place = await locate(context.sandbox, where.path)
  return oneAtATime(place.chunks, async () => {
    const chosen = (chunk: Chunk): boolean => ids.has(chunk.id) || (source !== undefined && chunk.source === source)
    const { chunks, added } = await openStore(where, context)
    const fixed = chunks.slice(added).find(chosen)
    if (fixed !== undefined) throw new HaloError('TOOL_ERROR', `${fixed.source} is a file that belongs to the store; remove or change the file itself.`)
    const rest = chunks.slice(0, added).filter((chunk) => !chosen(chunk))
    if (rest.length < added) await context.sandbox.write(place.chunks, serialise(rest))
    return { removed: added - rest.length, count: chunks.length - added + rest.length }
  })
}

interface Place {
  /** Where added pieces are kept. */
  chunks: string
  folder?: string
  file?: string
}

async function locate(sandbox: SandboxHandle, path: string): Promise<Place> {
  const at = await sandbox.realpath(path)
  if (at.endsWith('.jsonl')) return { chunks: at }
  const stat = await sandbox.stat(at)
  if (stat?.type === 'file') return { chunks: `${at}.chunks.jsonl`, file: at }
  return { chunks: `${at === '/' ? '' : at}/chunks.jsonl`, ...(stat === undefined ? {} : { folder: at }) }
}

async function documentsOf(sandbox: SandboxHandle, { folder, file, chunks }: Place, signal: AbortSignal): Promise<TextFile[]> {
  if (folder !== undefined) return textFilesOf(sandbox, folder, chunks, signal)
  return file === undefined ? [] : [{ path: file, text: (await readText(sandbox, file)) ?? '' }]
}

/** As a person would write it: relative to the workspace. */
function shown(path: string, base: string): string {
  const prefix = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

function chunksFrom(item: unknown, source: string | undefined, size: number): Chunk[] {
  if (typeof item === 'string') return chunksOf(item, source, size)
  if (typeof item === 'object' && item !== null && 'text' in item && typeof item.text === 'string') {
    const own = 'source' in item && typeof item.source === 'string' ? item.source : source
    return chunksOf(item.text, own, size)
  }
  // Files as Workspace.read gives them.
  if (typeof item === 'object' && item !== null && 'content' in item && typeof item.content === 'string') {
    const own = 'path' in item && typeof item.path === 'string' ? item.path : undefined
    return chunksOf(item.content, source ?? own, size)
  }
  throw new HaloError('TOOL_ERROR', 'A VectorStore takes texts, { text, source }, or a list of these.')
}

function chunksOf(text: string, source: string | undefined, size: number): Chunk[] {
  return pieces(text, size).map(({ text: piece, position }) => ({
    id: `c${fingerprint(`${source ?? ''}\u0000${position}\u0000${piece}`)}`,
    text: piece,
    ...(source === undefined ? {} : { source }),
    position,
  }))
}

function serialise(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')
}

function parse(lines: string, path: string): Chunk[] {
  const chunks: Chunk[] = []
  lines.split('\n').forEach((line, at) => {
    if (line.trim() === '') return
    const chunk = chunkIn(line)
    if (chunk === undefined) throw new HaloError('TOOL_ERROR', `Line ${at + 1} of ${path} is not a piece of a VectorStore: { "id", "text" } as JSON.`)
    chunks.push(chunk)
  })
  return chunks
}

function chunkIn(line: string): Chunk | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { id, text, source, position } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof text !== 'string') return undefined
  return {
    id,
    text,
    ...(typeof source === 'string' ? { source } : {}),
    ...(typeof position === 'number' ? { position } : {}),
  }
}

/** Two 32-bit FNV-1a hashes over the UTF-16 code units, as hex: names pieces, guards nothing. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ ((unit << 7) | (unit >>> 9)), 0x85ebca6b)
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
