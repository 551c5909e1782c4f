/** More attempts at what failed for a while. */
import { HaloError } from '../../errors.ts'
import { classifyError, type Failure } from '../failure.ts'
import type { Tool } from '../define.ts'
import type { Effect } from '../types.ts'
import { sleep as realSleep } from './time.ts'
import { inOrder, type Middleware } from './compose.ts'
import { settle } from './settle.ts'

export type Backoff = 'exponential' | 'linear' | 'constant'
export const BACKOFFS: readonly Backoff[] = ['exponential', 'linear', 'constant']

/**
 * What may be tried again: an HTTP status (`"429"` or 429), a class (`"4xx"`, `"5xx"`), `"network"`, `"timeout"`,
 * `"transient"` (whatever is known to pass: TransientError, 408, 425, 429, 5xx, network, timeout) or `"any"`.
 */
export type RetryCondition = string | number

export interface RetryPolicy {
  /** Further attempts after the first, 0 or more. */
  attempts: number
  /** Default exponential. */
  backoff?: Backoff
  /** First wait in milliseconds, default 500. */
  baseMs?: number
  /** No wait of the backoff is longer, in milliseconds; default 30,000. */
  capMs?: number
  /** Share of each wait that is left to chance, 0 to 1, default 0.5: of a wait of 1,000 ms at least 500 are kept. */
  jitter?: number
  /** Absent: all but what is known to be permanent. */
  on?: readonly RetryCondition[]
  /** A `Retry-After` above this, in milliseconds, ends the attempts instead of being waited for; default 300,000. */
  maxRetryAfterMs?: number
}

/** What time and chance are taken from; tests give their own. */
export interface RetryWorld {
  signal?: AbortSignal
  /** What the call does to the world. A write or external call is repeated only when nothing can have happened. */
  effect?: Effect
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
  /** 0 inclusive to 1 exclusive. */
  random?(): number
  now?(): number
  /** Before each wait: the attempt that failed (1, 2, …), the wait in milliseconds, the error. */
  onRetry?(attempt: number, waitMs: number, error: unknown): void
}

/** Runs until it succeeds, fails for good, or the attempts are used up; then the last error is thrown. */
export async function retrying<T>(run: (attempt: number) => T | Promise<T>, policy: RetryPolicy, world: RetryWorld = {}): Promise<T> {
  const { signal, effect, sleep = realSleep, random = Math.random, now = Date.now, onRetry } = world
  requireValid(policy)
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt)
    } catch (error) {
      if (attempt > policy.attempts || signal?.aborted) throw error
      const failure = classifyError(error, now())
      if (!mayRetry(failure, policy, effect)) throw error
      const wait = Math.max(backoffMs(policy, attempt, random()), failure.afterMs ?? 0)
      onRetry?.(attempt, wait, error)
      await sleep(wait, signal)
    }
  }
}

/** Is another attempt right after this failure? */
export function mayRetry(failure: Failure, policy: Pick<RetryPolicy, 'on' | 'maxRetryAfterMs'>, effect?: Effect): boolean {
  if (failure.kind === 'aborted' || failure.kind === 'permanent') return false
  if ((effect === 'write' || effect === 'external') && !failure.noEffect) return false
  if ((failure.afterMs ?? 0) > (policy.maxRetryAfterMs ?? 300_000)) return false
  return policy.on === undefined ? failure.transient !== false : policy.on.some((condition) => matches(failure, condition))
}

/** The wait after the given failed attempt (1, 2, …) in milliseconds, for a chance from 0 to 1. */
export function backoffMs(policy: RetryPolicy, attempt: number, chance: number): number {
  const { backoff = 'exponential', baseMs = 500, capMs = 30_000, jitter = 0.5 } = policy
  const factor = backoff === 'constant' ? 1 : backoff === 'linear' ? attempt : 2 ** (attempt - 1)
  const full = Math.min(capMs, baseMs * factor)
  return Math.round(full * (1 - jitter * chance))
}

/** Tries a tool again; its own effect decides what is safe to repeat. */
export function withRetry(policy: RetryPolicy, world: Omit<RetryWorld, 'signal' | 'effect'> = {}): Middleware {
  requireValid(policy)
  return inOrder('retry', (tool: Tool): Tool => ({
    ...tool,
    execute: (args, context) =>
      retrying(() => settle(tool.execute(args, context), context), policy, {
        ...world,
        signal: context.signal,
        effect: tool.effect,
        onRetry(attempt, waitMs, error) {
          context.log(`${tool.name} failed (attempt ${attempt} of ${policy.attempts + 1}), trying again in ${waitMs} ms`)
          world.onRetry?.(attempt, waitMs, error)
        },
      }),
  }))
}

/** Is this a condition that `on:` takes? */
export function isRetryCondition(value: unknown): value is RetryCondition {
  return (typeof value === 'number' || typeof value === 'string') && /^([1-5]\d\d|[1-5]xx|network|timeout|transient|any)$/.test(String(value))
}

function matches(failure: Failure, condition: RetryCondition): boolean {
  const name = String(condition)
  switch (name) {
    case 'any':
      return true
    case 'transient':
      return failure.transient === true
    case 'network':
    case 'timeout':
      return failure.kind === name
    default:
      if (failure.status === undefined) return false
      return name.endsWith('xx') ? Math.floor(failure.status / 100) === Number(name[0]) : failure.status === Number(name)
  }
}

function requireValid(policy: RetryPolicy): void {
  const fault = (message: string) => new HaloError('VALIDATION', `A retry policy's ${message}.`)
  if (!Number.isInteger(policy.attempts) || policy.attempts < 0) throw fault(`attempts must be a whole number, 0 or more; got ${policy.attempts}`)
  if (policy.backoff !== undefined && !BACKOFFS.includes(policy.backoff)) throw fault(`backoff must be exponential, linear or constant; got ${policy.backoff}`)
  if (policy.jitter !== undefined && !(policy.jitter >= 0 && policy.jitter <= 1)) throw fault(`jitter must be from 0 to 1; got ${policy.jitter}`)
  for (const name of ['baseMs', 'capMs', 'maxRetryAfterMs'] as const) {
    const ms = policy[name]
    if (ms !== undefined && !(ms >= 0)) throw fault(`${name} must be 0 or more; got ${ms}`)
  }
  for (const condition of policy.on ?? []) {
    if (!isRetryCondition(condition)) {
      throw fault(`on: takes HTTP statuses ("429"), classes ("5xx"), "network", "timeout", "transient" and "any"; got ${JSON.stringify(condition)}`)
    }
  }
}
