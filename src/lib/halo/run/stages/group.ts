import { HaloError } from '../../errors.ts'
import { CancelScope, Cancelled } from '../cancel.ts'
import type { Frame } from '../frame.ts'

/**
 * Runs work beside each other as strands of the run, at most `limit` at a time, in order. When one fails its siblings are
 * stopped, and the error that happened first is the group's. Gives the results in order.
 */
export async function together<T>(frame: Frame, count: number, limit: number, work: (index: number, scope: CancelScope) => Promise<T>): Promise<T[]> {
  const { run } = frame
  if (count === 0) return []
  const scope = new CancelScope(frame.scope)
  const results: T[] = new Array<T>(count)
  const workers = run.replay?.unlimited === true ? count : Math.min(limit, count)
  const failures: unknown[] = []
  let next = 0
  let left = workers
  // The strand that came here waits for the workers and is one of them as far as the count goes.
  run.strands.start(workers - 1)
  const worker = async (): Promise<void> => {
    try {
      while (next < count && failures.length === 0) {
        const index = next++
        results[index] = await work(index, scope)
      }
    } catch (error) {
      if (error instanceof Cancelled) return
      // While a journal is replayed, siblings first get as far as they had got: one of them may have failed before this.
      await run.caughtUp(frame.scope).catch(() => undefined)
      failures.push(error)
      scope.abort(new HaloError('CANCELLED', 'Stopped: parallel work beside it failed.'))
    } finally {
      // The last one out goes on as the strand that came in.
      if (--left > 0) run.strands.stop()
    }
  }
  try {
    await Promise.all(Array.from({ length: workers }, worker))
  } finally {
    scope.close()
  }
  frame.scope.throwIfAborted()
  if (failures.length > 0) throw earliest(failures)
  return results
}

/** The failure whose outcome was written first; of those that come from no outcome, the first that was seen. */
function earliest(failures: readonly unknown[]): unknown {
  const seqOf = (error: unknown) => (error instanceof HaloError ? (error.seq ?? Infinity) : Infinity)
  return failures.reduce((first, error) => (seqOf(error) < seqOf(first) ? error : first))
}
