/** Waiting, and giving up after a while. */
import { HaloError } from '../../errors.ts'
import type { Tool } from '../define.ts'
import type { ToolContext } from '../types.ts'
import { inOrder, type Middleware } from './compose.ts'
import { settle } from './settle.ts'

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal))
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    // setTimeout fires at once above 2^31 - 1 ms; such a wait is cut there, 24 days.
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, Math.min(ms, 2 ** 31 - 1))
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Gives `run` a signal that aborts when the time is over or `signal` aborts, and rejects then whether or not `run` listens.
 * @throws HaloError TIMEOUT with the given words when the time is over.
 */
export async function withinTime<T>(
  run: (signal: AbortSignal) => T | Promise<T>,
  ms: number,
  options: { signal?: AbortSignal; sleep?: typeof sleep; what?: string } = {},
): Promise<T> {
  const { signal, sleep: wait = sleep, what = 'The call' } = options
  signal?.throwIfAborted()
  const inner = new AbortController()
  const timer = new AbortController()
  const onAbort = (): void => inner.abort(reasonOf(signal))
  signal?.addEventListener('abort', onAbort, { once: true })
  const stopped = new Promise<never>((_, reject) => inner.signal.addEventListener('abort', () => reject(reasonOf(inner.signal)), { once: true }))
  // Nobody else may be listening any more when it rejects late.
  stopped.catch(() => {})
  wait(ms, timer.signal).then(
    () => inner.abort(new HaloError('TIMEOUT', `${what} took longer than ${duration(ms)}.`)),
    // The timer was put away because the call ended first.
    () => {},
  )
  try {
    return await Promise.race([Promise.resolve(inner.signal).then(run), stopped])
  } finally {
    timer.abort()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Ends a tool's call after `ms` milliseconds. */
export function withTimeout(ms: number, world: { sleep?: typeof sleep } = {}): Middleware {
  if (!(ms > 0)) throw new HaloError('VALIDATION', `A timeout must be more than 0 ms; got ${ms}.`)
  return inOrder('timeout', (tool: Tool): Tool => ({
    ...tool,
    execute: (args, context) =>
      withinTime(
        (signal) => {
          const narrowed = withSignal(context, signal)
          return settle(tool.execute(args, narrowed), narrowed)
        },
        ms,
        { ...world, signal: context.signal, what: tool.name },
      ),
  }))
}

/** The same context with another signal. Not a copy: what the context computes on use stays so. */
function withSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  return Object.create(context, { signal: { value: signal, enumerable: true } }) as ToolContext
}

/** `30s`, `1h30m`, `250ms`: as durations are written in Halo. */
export function duration(ms: number): string {
  if (ms < 1000 || ms % 1000 !== 0) return `${ms}ms`
  const seconds = ms / 1000
  const units: [string, number][] = [['d', 86_400], ['h', 3600], ['m', 60], ['s', 1]]
  let rest = seconds
  let text = ''
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text
}

function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new HaloError('CANCELLED', 'The call was cancelled.')
}
