import type { InterruptRequest, JournalRecord, Question } from '../../halo/run/types.ts'

/** The questions a journal holds open, as the runtime names them. */
export function questionsOf({ start, entries }: JournalRecord): Question[] {
  const answered = new Set(entries.map((entry) => entry.ref))
  return entries.flatMap((entry): Question[] => {
    if (entry.state !== 'asked' || answered.has(entry.seq)) return []
    const request = { ...(entry.request as InterruptRequest), runId: start.runId, path: entry.path }
    const { deadline } = (entry.value ?? {}) as { deadline?: number }
    if (deadline !== undefined) request.deadline = deadline
    const waitingFor = entry.kind === 'listen' ? entry.target : entry.kind
    return [{ id: `${entry.kind}@${entry.path}`, path: entry.path, waitingFor, request }]
  })
}
