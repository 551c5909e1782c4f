import type { StoredRun } from '../../storage/index.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { recordingWords as words } from './words.ts'

/** How a run ended, or how it stands. */
export function statusOf(run: StoredRun, bench: Workbench): string {
  if (run.end && run.end.status !== 'paused') return run.end.status
  if (run.imported) return run.end?.status ?? words.cut
  if (bench.session?.info.runId === run.runId) return bench.session.status
  return run.asked.length > 0 ? words.waits : words.interrupted
}

export const toneOf = (status: string): string => (status === 'completed' ? 'ok' : status === 'failed' ? 'bad' : status === 'cancelled' || status === words.cut ? '' : 'warn')
