import type { InterruptRequest, JournalRecord, Question } from '../../halo/run/types.ts'

/** A question that was kept without its card is asked anew when the run goes on. */
function isCard(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'channel' in request && 'named' in request && typeof request.named === 'object' && request.named !== null
}

/** The questions a journal holds open, as the runtime names them. */
export function questionsOf({ start, entries }: JournalRecord): Question[] {
  const answered = new Set(entries.map((entry) => entry.ref))
  return entries.flatMap((entry): Question[] => {
    if (entry.state !== 'asked' || answered.has(entry.seq) || !isCard(entry.request)) return []
    const request = { ...(entry.request as InterruptRequest), runId: start.runId, path: entry.path }
    const { deadline } = (entry.value ?? {}) as { deadline?: number }
    if (deadline !== undefined) request.deadline = deadline
    const waitingFor = entry.kind === 'listen' ? entry.target : entry.kind
    return [{ id: `${entry.kind}@${entry.path}`, path: entry.path, waitingFor, request }]
  })
}
