/** What is said when a run has stopped. */
import type { Question, RunResult } from '../lib/halo/run/types.ts'
import { errorText, give, quoted, say, type Sources } from './print.ts'
import { exitOf } from './exit.ts'

export interface Told {
  result: RunResult
  /** As named on the command line: the commands that are shown take it. */
  path: string
  sources: Sources
  /** Milliseconds of this sitting. */
  ms: number
  /** Was it recorded? Then it can be replayed. */
  recorded: boolean
  json: boolean
  /** What else the JSON says. */
  extra?: Record<string, unknown>
  /** A replay: it spent nothing, and nobody is asked to go on with it. */
  replay?: boolean
}

/** Prints a result; gives the exit code. */
export function tell({ result, path, sources, ms, recorded, json, extra, replay = false }: Told): number {
  const { status, output, runId, context, error } = result
  if (json) give({ status, output, runId, context, ...(error === undefined ? {} : { error }), ...extra })
  else if (status === 'completed') give(output)
  if (status === 'paused' && replay) say('Paused, as the recorded run.')
  else if (status === 'paused') sayPaused(context.meta.paused?.questions ?? [], path, runId)
  else if (status === 'declined') say(`Declined${error === undefined ? '.' : `: ${error.message}`}`)
  else if (status === 'cancelled') say('Cancelled.')
  else if (error !== undefined) say(errorText(error, sources))
  const { steps, calls, cost } = context.meta
  const kept = recorded ? ` · run ${runId} (halo replay ${quoted(path)} ${runId})` : ''
  say(`${Math.round(ms)}ms · ${steps} LLM call(s) · ${calls.length} tool call(s) · $${cost.toFixed(4)}${kept}`)
  return exitOf(status)
}

function sayPaused(questions: Question[], path: string, runId: string): void {
  for (const { waitingFor, request, id } of questions) {
    say(`Paused, waiting for ${waitingFor}: ${request.message}`)
    const which = questions.length > 1 ? ` --question ${quoted(id)}` : ''
    say(`  halo resume ${quoted(path)} ${runId} --payload ${payloadHint(waitingFor)}${which}`)
  }
}

function payloadHint(waitingFor: string): string {
  if (waitingFor === 'approval' || waitingFor === 'yield') return 'approve'
  return waitingFor === 'recovery' ? 'retry' : "'…'"
}
