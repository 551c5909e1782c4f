import { HaloError } from '../errors.ts'
import type { JournalEntry, JournalRecord, JournalStore, RunStatus } from '../run/types.ts'

/** A recorded run: its journal, and what is most asked of it. */
export interface Recording extends JournalRecord {
  runId: string
  pipeline: string
  args: Record<string, unknown>
  /** The answers alone, each with what was asked; in order. */
  calls: JournalEntry[]
  /** undefined: the run has not ended, or was cut off. */
  status?: RunStatus
  output?: unknown
}

/** Anything that has recordings and gives them at once. */
export interface RecordingsAtHand {
  load(runId: string): JournalRecord | undefined
}

/**
 * The recording of a run; at once where the store is at hand.
 * @throws HaloError VALIDATION when there is none, or it can't be read
 */
export function readRecording(store: RecordingsAtHand, runId: string): Recording
export function readRecording(store: Pick<JournalStore, 'load'>, runId: string): Recording | Promise<Recording>
export function readRecording(store: Pick<JournalStore, 'load'>, runId: string): Recording | Promise<Recording> {
  const found = store.load(runId)
  return found instanceof Promise ? found.then((record) => existing(record, runId)) : existing(found, runId)
}

function existing(record: JournalRecord | undefined, runId: string): Recording {
  if (record === undefined) throw new HaloError('VALIDATION', `There is no recording of run ${runId}.`)
  return recordingOf(record)
}

export function recordingOf(record: JournalRecord): Recording {
  const { start, entries, end } = record
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
  const calls = entries
    .filter((entry) => entry.state === undefined)
    .map((entry) => {
      const request = entry.request ?? (entry.ref === undefined ? undefined : bySeq.get(entry.ref)?.request)
      return request === undefined ? entry : { ...entry, request }
    })
  return { ...record, runId: start.runId, pipeline: start.pipeline, args: start.args, calls, ...(end === undefined ? {} : { status: end.status, output: end.output }) }
}
