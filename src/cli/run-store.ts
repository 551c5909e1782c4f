/** Where the journals of runs lie: recordings, and those of runs that ask not to be recorded, until they end. */
import { HaloError } from '../lib/halo/errors.ts'
import { comparePaths } from '../lib/halo/run/journal.ts'
import type { JournalEntry, JournalRecord, JournalStore } from '../lib/halo/run/types.ts'
import { recordingsFolder } from './recordings-folder.ts'

/** Below the current folder. */
export const RECORDINGS = '.halo/recordings'
const UNRECORDED = '.halo/unrecorded'

export interface RunStore {
  journal: JournalStore
  /** Is there a recording once the run has ended? */
  recorded: boolean
}

export function runStore(recorded: boolean): RunStore {
  const folder = recordingsFolder(recorded ? RECORDINGS : UNRECORDED)
  // A paused run has to be found again; one that is over and not recorded leaves nothing behind.
  const journal: JournalStore = recorded ? folder : { ...folder, end: (runId) => folder.remove(runId) }
  return { journal, recorded }
}

/** The store that has a run, and the run's journal. @throws HaloError VALIDATION when there is no such run */
export function findRun(runId: string): RunStore & { record: JournalRecord } {
  for (const recorded of [true, false]) {
    const record = recordingsFolder(recorded ? RECORDINGS : UNRECORDED).load(runId)
    if (record !== undefined) return { ...runStore(recorded), record }
  }
  throw new HaloError('VALIDATION', `There is no run ${runId} in this folder. halo recordings lists those there are.`)
}

export interface OpenQuestion {
  id: string
  waitingFor: string
  message: string
  entry: JournalEntry
}

/** The questions of a journal that have no answer yet, in path order. */
export function openQuestions({ entries }: JournalRecord): OpenQuestion[] {
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
