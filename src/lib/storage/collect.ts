/**
 * Takes away contents that nothing refers to any more: those of deleted recordings, forks and projects, and of files that were
 * written over. Mark and sweep, and safe beside writers in this and other tabs:
 *
 * - Who refers to a content puts it first, and a put takes away its mark (`contents.ts`, in one transaction with the content).
 * - A content goes when it was marked `GRACE` ago, its mark still stands, and nothing refers to it now. That time is for
 *   whoever has put it and not yet written down the reference.
 * - What may be changed or copied (runs, workspaces, beginnings) is looked at again in the transaction that takes away. Entries
 *   never change; a run that wasn't there when they were read puts the whole thing off.
 * - References outside of the database (a deleted project that can be put back) are held by a lock.
 */
import type { IDBPTransaction, StoreNames, StoreValue } from 'idb'
import { UNREFERENCED } from './contents.ts'
import type { Database, HaloDatabase, StoredRun } from './database.ts'
import { isDenied } from './owner.ts'
import { storageProblem } from './problem.ts'

/** Milliseconds for which a content stays that nothing refers to. */
export const GRACE = 5 * 60_000
/** Entries that are read, and contents that are taken away, in one transaction: writers wait no longer than that takes. */
const SLICE = 200

type Hashes = Iterable<string | null | undefined>
type Referring = { [Store in StoreNames<HaloDatabase>]: ((value: StoreValue<HaloDatabase, Store>) => Hashes) | undefined }

/** What refers to contents by hash. A store that begins to gets its line here; one that is forgotten is a type error. */
const REFERRING: Referring = {
  runs: ({ baseline }) => Object.values(baseline ?? {}),
  workspaces: ({ files, baseline }) => [...Object.values(files), ...Object.values(baseline ?? {})],
  starts: ({ forkOf }) => Object.values(forkOf?.files ?? {}),
  entries: ({ files }) => (files ?? []).flatMap(({ before, after }) => [before, after]),
  // These hold their texts themselves.
  projects: undefined,
  versions: undefined,
  contents: undefined,
  events: undefined,
  settings: undefined,
}

export interface Collected {
  /** Contents that were taken away. */
  removed: number
  /** Milliseconds until more can be taken away; undefined: there is nothing that nothing refers to. */
  again?: number
}

const LOCK = 'halo-contents'

/** While it is held nothing is taken away: for references that are in no store. Gives the way to let go. */
export function holdContents(): () => void {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  holders++
  void held.then(() => holders--)
  void navigator.locks?.request(LOCK, { mode: 'shared' }, () => held).catch((thrown: unknown) => {
    if (!isDenied(thrown)) throw thrown
  })
  return release
}
/** Of this page: where there are no locks, there is no other. */
let holders = 0

/** What was read of runs that have gone no further since, by their ids. Entries are appended only. */
type Read = Map<string, { at: number; kept: string | undefined; upTo: number; hashes: Set<string> }>
const known = new WeakMap<Database, Read>()

/**
 * Takes away what nothing has referred to for a while, and marks what nothing refers to now. Does nothing while another tab
 * does, or someone holds contents.
 * @throws StorageProblem
 */
export async function collectContents(db: Database, options: { now?: number; signal?: AbortSignal } = {}): Promise<Collected> {
  const { now = Date.now(), signal } = options
  const later: Collected = { removed: 0, again: GRACE }
  if (holders > 0) return later
  const collect = () => collected(db, now, signal)
  try {
    if (!navigator.locks) return await collect()
    return await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => (lock ? collect() : later))
  } catch (thrown) {
    if (isDenied(thrown)) return await collect()
    throw storageProblem(thrown)
  }
}

async function collected(db: Database, now: number, signal: AbortSignal | undefined): Promise<Collected> {
  const all = await db.getAllKeys('contents')
  const marks = await marksOf(db)
  const first = await small(db.transaction(['runs', 'starts', 'workspaces']))
  let left = all.filter((hash) => !first.hashes.has(hash))
  const read = left.length === 0 ? undefined : await readEntries(db, first.runs, signal)
  if (read) left = left.filter((hash) => ![...read.values()].some(({ hashes }) => hashes.has(hash)))
  if (signal?.aborted) return { removed: 0, again: GRACE }

  // Referred to again, or gone.
  const open = new Set(left)
  await eachSlice([...marks.keys()].filter((hash) => !open.has(hash)), (hashes) => mark(db, hashes, undefined))
  await eachSlice(left.filter((hash) => !marks.has(hash)), (hashes) => mark(db, hashes, now))

  let removed = 0
  const ripe = left.filter((hash) => now - (marks.get(hash) ?? now) >= GRACE)
  await eachSlice(ripe, async (hashes) => {
    if (!signal?.aborted) removed += await sweep(db, hashes, read ?? new Map(), marks)
  })
  const waits = left.filter((hash) => !ripe.includes(hash)).map((hash) => GRACE - (now - (marks.get(hash) ?? now)))
  return { removed, ...(removed < left.length ? { again: Math.max(1000, Math.min(GRACE, ...waits)) } : {}) }
}

/** All but the entries: little enough to be read at once. */
async function small<Mode extends IDBTransactionMode>(tx: IDBPTransaction<HaloDatabase, ('runs' | 'starts' | 'workspaces' | 'contents' | 'settings')[], Mode>): Promise<{ runs: StoredRun[]; hashes: Set<string> }> {
  const [runs, workspaces] = await Promise.all([tx.objectStore('runs').getAll(), tx.objectStore('workspaces').getAll()])
  // A beginning holds the program's text: those of forks alone say something of contents.
  const forks = runs.filter(({ forkOf }) => forkOf !== undefined)
  const starts = await Promise.all(forks.map(({ runId }) => tx.objectStore('starts').get(runId)))
  const hashes = new Set<string>()
  add(hashes, runs, REFERRING.runs)
  add(hashes, workspaces, REFERRING.workspaces)
  add(hashes, starts.filter((start) => start !== undefined), REFERRING.starts)
  return { runs, hashes }
}

function add<T>(hashes: Set<string>, values: readonly T[], of: ((value: T) => Hashes) | undefined): void {
  for (const value of values) for (const hash of of?.(value) ?? []) if (typeof hash === 'string') hashes.add(hash)
}

async function readEntries(db: Database, runs: readonly StoredRun[], signal: AbortSignal | undefined): Promise<Read> {
  const before = known.get(db)
  const read: Read = new Map()
  known.set(db, read)
  for (const { runId, at, kept, imported } of runs) {
    const last = before?.get(runId)
    // A file may bring other entries under an id that was known.
    const same = last?.at === at && last.kept === kept && (!imported || kept !== undefined)
    const of = same ? last : { at, kept, upTo: -1, hashes: new Set<string>() }
    read.set(runId, of)
    for (;;) {
      if (signal?.aborted) return read
      const range = IDBKeyRange.bound([runId, of.upTo], [runId, Number.MAX_SAFE_INTEGER], true)
      const entries = await db.getAll('entries', range, SLICE)
      add(of.hashes, entries, REFERRING.entries)
      of.upTo = entries.at(-1)?.seq ?? of.upTo
      if (entries.length < SLICE) break
    }
  }
  return read
}

/** Takes away those that are still marked as they were, and that still nothing refers to. */
async function sweep(db: Database, hashes: readonly string[], read: Read, marks: ReadonlyMap<string, number>): Promise<number> {
  const tx = db.transaction(['runs', 'starts', 'workspaces', 'contents', 'settings'], 'readwrite')
  const { runs, hashes: referred } = await small(tx)
  let removed = 0
  // The entries of a run that came meanwhile, a fork's, nobody has read.
  if (runs.every(({ runId, kept }) => read.has(runId) && read.get(runId)?.kept === kept)) {
    const [contents, settings] = [tx.objectStore('contents'), tx.objectStore('settings')]
    for (const hash of hashes) {
      if (referred.has(hash) || (await settings.get(UNREFERENCED + hash)) !== marks.get(hash)) continue
      await Promise.all([contents.delete(hash), settings.delete(UNREFERENCED + hash)])
      removed++
    }
  }
  await tx.done
  return removed
}

/** When each marked content was. */
async function marksOf(db: Database): Promise<Map<string, number>> {
  const range = IDBKeyRange.bound(UNREFERENCED, `${UNREFERENCED}\uffff`)
  const tx = db.transaction('settings')
  const [keys, values] = await Promise.all([tx.store.getAllKeys(range), tx.store.getAll(range)])
  return new Map(keys.map((key, i) => [key.slice(UNREFERENCED.length), typeof values[i] === 'number' ? values[i] : 0]))
}

async function mark(db: Database, hashes: readonly string[], at: number | undefined): Promise<void> {
  const tx = db.transaction('settings', 'readwrite')
  await Promise.all([...hashes.map((hash) => (at === undefined ? tx.store.delete(UNREFERENCED + hash) : tx.store.put(at, UNREFERENCED + hash))), tx.done])
}

async function eachSlice(hashes: readonly string[], work: (slice: string[]) => Promise<void>): Promise<void> {
  for (let i = 0; i < hashes.length; i += SLICE) await work(hashes.slice(i, i + SLICE))
}
