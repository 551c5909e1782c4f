/** Where the journals of runs lie: recordings, and those of runs that ask not to be recorded, until they end. */
import { HaloError } from '../lib/halo/errors.ts'
import { comparePaths } from '../lib/halo/run/journal.ts'
import type { JournalEntry, JournalRecord, JournalStart, JournalStore } from '../lib/halo/run/types.ts'
import { recordingsFolder } from './recordings-folder.ts'

/** Below the current folder. */
export const RECORDINGS = '.halo/recordings'
const UNRECORDED = '.halo/unrecorded'

export interface RunStore {
  journal: JournalStore
  /** Is there a recording once the run has ended? */
  recorded: boolean
}

/** @param marks goes into the journal's start, beside what the runtime writes there */
export function newRunStore(recorded: boolean, marks: Partial<JournalStart> = {}): RunStore {
  return storeIn(recorded, (start) => ({ ...start, ...marks }))
}

function storeIn(recorded: boolean, mark: (start: JournalStart) => JournalStart): RunStore {
  const folder = recordingsFolder(recorded ? RECORDINGS : UNRECORDED)
  const journal: JournalStore = {
    ...folder,
    create: (start) => folder.create(mark(start)),
    // A paused run has to be found again; one that is over leaves nothing behind.
    end: (runId, end) => (recorded || end.status === 'paused' ? folder.end(runId, end) : folder.remove(runId)),
  }
  return { journal, recorded }
}

/** The store that has a run, and the run's journal. @throws HaloError VALIDATION when there is no such run */
export function findRun(runId: string): RunStore & { record: JournalRecord } {
  for (const recorded of [true, false]) {
    const record = recordingsFolder(recorded ? RECORDINGS : UNRECORDED).load(runId)
    if (record !== undefined) return { ...storeIn(recorded, (start) => start), record }
  }
  throw new HaloError('VALIDATION', `There is no run ${runId} in this folder. halo recordings lists those there are.`)
}

/** The questions of a journal that have no answer yet, in path order. */
export function openQuestions({ entries }: JournalRecord): { id: string; waitingFor: string; message: string; entry: JournalEntry }[] {
  const answered = new Set(entries.map((entry) => entry.ref))
  return entries
    .filter((entry) => entry.state === 'asked' && !answered.has(entry.seq))
    .sort((a, b) => comparePaths(a.path, b.path))
    .map((entry) => ({
      id: `${entry.kind}@${entry.path}`,
      waitingFor: entry.kind === 'listen' ? entry.target : entry.kind,
      message: messageIn(entry.request),
      entry,
    }))
}

function messageIn(card: unknown): string {
  return typeof card === 'object' && card !== null && 'message' in card && typeof card.message === 'string' ? card.message : ''
}
