import type { HaloEvent } from '../halo/run/types.ts'
import { rangeOf, type Database } from './database.ts'
import { readEvents } from './read.ts'
import { transact } from './transact.ts'

/**
 * Keeps a run's events so that its transcript can be shown again as it was. Deltas are left out (the whole answer follows),
 * and so is progress; writes are batched and not waited for: the journal, not this, is what a run goes on from.
 */
export function createEventLog(db: Database, onProblem: (thrown: unknown) => void) {
  let pending: { key: [string, number]; event: HaloEvent }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = new Map<string, number>()

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = []
    if (batch.length === 0) return
    try {
      await transact(db, ['events'], (tx) => Promise.all(batch.map(async ({ key, event }) => tx.objectStore('events').put(event, key))))
    } catch (thrown) {
      // With the next ones there may be room for them again.
      pending = [...batch, ...pending]
      onProblem(thrown)
    }
  }

  return {
    add(event: HaloEvent): void {
      if (event.type === 'llm_delta' || event.type === 'tool_progress' || event.type === 'llm_raw') return
      const n = next.get(event.runId) ?? 0
      next.set(event.runId, n + 1)
      pending.push({ key: [event.runId, n], event: JSON.parse(JSON.stringify(event)) as HaloEvent })
      // A question may be the last thing before the tab closes.
      if ('state' in event && event.state === 'asked') void flush()
      else timer ??= setTimeout(() => void flush(), 200)
    },
    flush,
    async load(runId: string): Promise<HaloEvent[]> {
      const events = await db.getAll('events', rangeOf(runId))
      next.set(runId, events.length)
      return readEvents(events)
    },
  }
}
export type EventLog = ReturnType<typeof createEventLog>
