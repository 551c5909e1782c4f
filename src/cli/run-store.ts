/** Where the journals of runs lie: recordings, and those of runs that ask not to be recorded, until they end. */
import { join } from 'node:path'
import { HaloError } from '../lib/halo/errors.ts'
import { comparePaths } from '../lib/halo/run/journal.ts'
import type { JournalEntry, JournalRecord, JournalStore } from '../lib/halo/run/types.ts'
import { recordingsFolder } from './recordings-folder.ts'
import { claim, release } from './run-claim.ts'

/** Below the current folder. */
export const RECORDINGS = '.halo/recordings'
const UNRECORDED = '.halo/unrecorded'
/** Which process is at which run. */
const CLAIMS = '.halo/claims'

export interface RunStore {
  journal: JournalStore
  /** Is there a recording once the run has ended? */
  recorded: boolean
}

export function runStore(recorded: boolean): RunStore {
  const folder = recordingsFolder(recorded ? RECORDINGS : UNRECORDED)
  const journal: JournalStore = {
    ...folder,
    create(start) {
      // Asked for its path first: an id that can't be one is refused there.
      folder.pathOf(start.runId)
      claim(claimOf(start.runId), start.runId)
      return folder.create(start)
    },
    end(runId, end) {
      // A paused run has to be found again; one that is over and not recorded leaves nothing behind.
      if (recorded) folder.end(runId, end)
      else folder.remove(runId)
      release(claimOf(runId))
    },
  }
  return { journal, recorded }
}

function claimOf(runId: string): string {
  return join(CLAIMS, `${runId}.lock`)
}

/** The store that has a run, and the run's journal. @throws HaloError VALIDATION when there is no such run */
export function findRun(runId: string): RunStore & { record: JournalRecord } {
  for (const recorded of [true, false]) {
    const record = recordingsFolder(recorded ? RECORDINGS : UNRECORDED).load(runId)
    if (record !== undefined) return { ...runStore(recorded), record }
  }
  throw new HaloError('VALIDATION', `There is no run ${runId} in this folder. halo recordings lists those there are.`)
}

/**
 * As `findRun`, to go on with the run: no other process can, until it has ended or this process has.
 * @throws HaloError VALIDATION when another is at it
 */
export function takeRun(runId: string): ReturnType<typeof findRun> {
  findRun(runId)
  claim(claimOf(runId), runId)
  // As it is now that it is ours.
  return findRun(runId)
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
