import type { JournalEntry, JournalRecord, JournalStore, JournalSummary } from '../halo/run/types.ts'
import { isOnDisk } from './contents.ts'
import { rangeOf, type Database, type StoredRun } from './database.ts'
import { readJournal, readRun } from './read.ts'
import { isOpenRun, listRuns } from './runs.ts'
import { transact, type Writing } from './transact.ts'

interface Waiting {
  runId: string
  entry: JournalEntry
  resolve(): void
  reject(reason: unknown): void
}

/** What a run is marked with when its journal begins. */
export type RunMark = Pick<StoredRun, 'project' | 'mode' | 'baseline' | 'unkept' | 'workspace' | 'folder' | 'imported'>

/** So many recordings are kept; pinned ones and open runs stand beside them. */
export const KEPT = 50

/**
 * Journals in IndexedDB. Appends that come while a transaction is under way go together into the next one; each promise
 * resolves once its transaction is durable. Rejects with a StorageProblem.
 */
export function createJournalStore(db: Database, mark: () => RunMark = () => ({})): JournalStore {
  let waiting: Waiting[] = []
  let writing = false

  async function write(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await writeBatch(db, batch)
        for (const one of batch) one.resolve()
      } catch (thrown) {
        for (const one of batch) one.reject(thrown)
      }
    }
    writing = false
  }

  return {
    async create(start) {
      const run: StoredRun = { runId: start.runId, pipeline: start.pipeline, at: start.at, entries: 0, asked: [], ...forkOf(start), ...mark() }
      await transact(
        db,
        ['runs', 'starts'],
        async (tx) => {
          await tx.objectStore('starts').put(plain(start))
          await tx.objectStore('runs').put(plain(run))
        },
        'strict',
      )
    },
    append(runId, entry) {
      return new Promise<void>((resolve, reject) => {
        waiting.push({ runId, entry, resolve, reject })
        if (!writing) void write()
      })
    },
    async end(runId, end) {
      await transact(
        db,
        ['runs'],
        async (tx) => {
          const run = await tx.objectStore('runs').get(runId)
          if (run) await tx.objectStore('runs').put({ ...run, end: plain(end) })
        },
        'strict',
      )
    },
    async load(runId): Promise<JournalRecord | undefined> {
      const tx = db.transaction(['runs', 'starts', 'entries'])
      const [start, run, entries] = await Promise.all([
        tx.objectStore('starts').get(runId),
        tx.objectStore('runs').get(runId),
        tx.objectStore('entries').getAll(rangeOf(runId)),
      ])
      return start && { ...readJournal(start, entries), end: readRun(run)?.end }
    },
    remove: (runId) => removeRun(db, runId),
    async list(): Promise<JournalSummary[]> {
      const runs = await listRuns(db)
      return runs.map((run) => ({
        runId: run.runId,
        pipeline: run.pipeline,
        at: run.at,
        status: run.end?.status ?? 'running',
        entries: run.entries,
      }))
    },
  }
}

const forkOf = ({ forkOf: of }: JournalRecord['start']): Pick<StoredRun, 'forkOf'> => (of ? { forkOf: { runId: of.runId, seq: of.seq } } : {})

/** Everything of a run: its journal, its events, and the files of a fork. */
async function removeRun(db: Database, runId: string): Promise<void> {
  await transact(db, ['runs', 'starts', 'entries', 'events', 'workspaces'], async (tx) => {
    const own = (await tx.objectStore('runs').get(runId))?.workspace
    await Promise.all([
      tx.objectStore('runs').delete(runId),
      tx.objectStore('starts').delete(runId),
      tx.objectStore('entries').delete(rangeOf(runId)),
      tx.objectStore('events').delete(rangeOf(runId)),
      ...(own === undefined || isOnDisk(own) ? [] : [tx.objectStore('workspaces').delete(own)]),
    ])
  })
}

/** A whole journal at once, all of it or nothing. False, and nothing is changed, when there is a run of its id already. */
export async function keepWhole(db: Database, { start, entries, end }: JournalRecord, mark: RunMark): Promise<boolean> {
  const answered = new Set(entries.map((entry) => entry.ref))
  const asked = entries.filter(({ state, seq }) => state === 'asked' && !answered.has(seq)).map(({ seq }) => seq)
  const run: StoredRun = { runId: start.runId, pipeline: start.pipeline, at: start.at, entries: entries.length, asked, kept: crypto.randomUUID(), ...forkOf(start), ...mark, ...(end ? { end: plain(end) } : {}) }
  const write = async (tx: Writing<('runs' | 'starts' | 'entries')[]>): Promise<boolean> => {
    const runs = tx.objectStore('runs')
    if ((await runs.getKey(start.runId)) !== undefined) return false
    await runs.put(plain(run))
    await tx.objectStore('starts').put(plain(start))
    const kept = tx.objectStore('entries')
    await Promise.all(entries.map(async (entry) => kept.put(plain(entry), [start.runId, entry.seq])))
    return true
  }
  return transact(db, ['runs', 'starts', 'entries'], write, 'strict')
}

/** What a person says about a recording. An empty name takes it away. */
export async function labelRun(db: Database, runId: string, label: Pick<StoredRun, 'name' | 'pinned'>): Promise<void> {
  await transact(db, ['runs'], async (tx) => {
    const run = await tx.objectStore('runs').get(runId)
    if (run) await tx.objectStore('runs').put({ ...run, ...label })
  })
}

/** Takes away the oldest recordings beyond `most`, and those that were not to be kept. Gives the ids of what went. */
export async function pruneRuns(db: Database, most = KEPT): Promise<string[]> {
  const ended = (await listRuns(db)).filter((run) => !isOpenRun(run) && !run.pinned)
  const kept = ended.filter((run) => !run.unkept).slice(0, most)
  const gone = ended.filter((run) => !kept.includes(run)).map(({ runId }) => runId)
  for (const runId of gone) await removeRun(db, runId)
  return gone
}

async function writeBatch(db: Database, batch: Waiting[]): Promise<void> {
  const write = async (tx: Writing<('entries' | 'runs')[]>): Promise<void> => {
    const runs = tx.objectStore('runs')
    const entries = tx.objectStore('entries')
    const changed = new Map<string, StoredRun | undefined>()
    for (const { runId } of batch) if (!changed.has(runId)) changed.set(runId, await runs.get(runId))
    for (const { runId, entry } of batch) {
      const run = changed.get(runId)
      if (!run) continue
      run.entries++
      if (entry.state === 'asked') run.asked.push(entry.seq)
      else if (entry.ref !== undefined) run.asked = run.asked.filter((seq) => seq !== entry.ref)
      // A run that goes on after a pause has ended no longer.
      if (run.end?.status === 'paused') delete run.end
    }
    await Promise.all(batch.map(async ({ runId, entry }) => entries.put(plain(entry), [runId, entry.seq])))
    for (const run of changed.values()) if (run) await runs.put(run)
  }
  await transact(db, ['entries', 'runs'], write, 'strict')
}

/**
 * What IndexedDB's structured clone can't take (functions, class instances with odd fields) must not end a run: such
 * values go through JSON, as they would in a file.
 */
function plain<T>(value: T): T {
  try {
    return structuredClone(value)
  } catch {
    return JSON.parse(JSON.stringify(value)) as T
  }
}
