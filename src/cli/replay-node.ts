/** `halo/replay` for Node: recordings may also be named by their folder. */
import { Recorder as StoreRecorder } from '../lib/halo/recordings/recorder.ts'
import { readRecording as readFrom, type Recording, type RecordingsAtHand } from '../lib/halo/recordings/recording.ts'
import type { JournalStore } from '../lib/halo/run/types.ts'
import { recordingsFolder } from './recordings-folder.ts'

export * from '../lib/halo/replay.ts'
export { recordingsFolder } from './recordings-folder.ts'

/** Keeps what a run got from outside, in `<folder>/<runId>.jsonl` or in a store. */
export class Recorder extends StoreRecorder {
  constructor(recordings: string | JournalStore, runId: string) {
    super(typeof recordings === 'string' ? recordingsFolder(recordings) : recordings, runId)
  }
}

/**
 * The recording of a run; at once where it lies in a folder, or in a store that gives it at once.
 * @throws HaloError VALIDATION when there is none, or it can't be read
 */
export function readRecording(recordings: string | RecordingsAtHand, runId: string): Recording
export function readRecording(recordings: string | Pick<JournalStore, 'load'>, runId: string): Recording | Promise<Recording>
export function readRecording(recordings: string | Pick<JournalStore, 'load'>, runId: string): Recording | Promise<Recording> {
  return readFrom(typeof recordings === 'string' ? recordingsFolder(recordings) : recordings, runId)
}
