/**
 * Equal calls once: the result of the first is given to the next. A cache of results, not a licence to repeat a call whose
 * end is unknown.
 */
import { HaloError, messageOf } from '../../errors.ts'
import { canonicalJson } from '../canonical.ts'
import type { Tool } from '../define.ts'
import type { ToolContext } from '../types.ts'
import { inOrder, type Middleware } from './compose.ts'
import { settle } from './settle.ts'

/** How far a kept result reaches: one run, one chat session, or all. */
export type IdempotencyScope = 'run' | 'session' | 'global'
export const SCOPES: readonly IdempotencyScope[] = ['run', 'session', 'global']

export interface KeptResult {
  value: unknown
  /** Milliseconds since the epoch. Absent: until it is removed. */
  expiresAt?: number
}

/** Where results are kept. Expiry is checked by the caller; a store may drop what has expired at any time. */
export interface IdempotencyStore {
  get(key: string): KeptResult | undefined | Promise<KeptResult | undefined>
  set(key: string, result: KeptResult): void | Promise<void>
  delete(key: string): void | Promise<void>
}

/** Results in memory, at most `limit` of them (10,000); the one kept longest ago goes first. */
export function memoryIdempotencyStore(limit = 10_000): IdempotencyStore {
  const kept = new Map<string, KeptResult>()
  return {
    get: (key) => kept.get(key),
    set(key, result) {
      kept.delete(key)
      kept.set(key, result)
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break
        kept.delete(oldest)
      }
    },
    delete(key) {
      kept.delete(key)
    },
  }
}

/** What makes two calls equal. */
export interface CallIdentity {
  provider: string
  /** The evaluated configuration of the declaration. Only its hash goes into the key: it may hold secrets. */
  config: unknown
  method: string
  args: Record<string, unknown>
  /** Given: stands for the arguments. */
  key?: unknown
}

/**
 * The key of a call in its scope: provider, hash of the configuration, method, then `key` or the arguments as canonical JSON.
 * @throws HaloError VALIDATION when a part has no JSON form or the scope has no id here.
 */
export async function idempotencyKey(call: CallIdentity, scope: IdempotencyScope, ids: { runId: string; sessionId?: string }): Promise<string> {
  const last = call.key === undefined ? { args: call.args } : { key: call.key }
  try {
    return `${scopePrefix(scope, ids)}${canonicalJson([call.provider, await sha256(canonicalJson(call.config ?? {})), call.method, last])}`
  } catch (error) {
    if (error instanceof HaloError) throw error
    throw new HaloError('VALIDATION', `The call of ${call.provider}.${call.method} can't have an idempotency key: ${messageOf(error)}.`, { cause: error })
  }
}

export interface OnceOptions {
  store: IdempotencyStore
  /** Milliseconds that a result is kept; absent: as long as the store keeps it. */
  ttlMs?: number
  signal?: AbortSignal
  now?(): number
}

/** `cached`: another call's result, kept or under way. */
export interface OnceResult {
  value: unknown
  cached: boolean
}

interface Flight {
  result: Promise<unknown>
  /** The signal of the call that runs it. */
  signal?: AbortSignal
}
/** Executions under way, by store and key: whoever shares a store shares them. */
const underWay = new WeakMap<IdempotencyStore, Map<string, Flight>>()

/**
 * The kept result of `key`, or the result of `run`, which is then kept. Concurrent calls with one key share one execution.
 * A failure is given to all that waited for it and isn't kept; a call that was only cancelled by its own caller is run
 * again by the next that waits.
 */
export async function once(key: string, run: () => unknown, options: OnceOptions): Promise<OnceResult> {
  const { store, ttlMs, signal, now = Date.now } = options
  const flights = underWay.get(store) ?? new Map<string, Flight>()
  underWay.set(store, flights)
  for (;;) {
    signal?.throwIfAborted()
    const other = flights.get(key)
    if (other === undefined) break
    const outcome = await untilAborted(other.result.then((value) => ({ value }), (error: unknown) => ({ error })), signal)
    if ('value' in outcome) return { value: copy(outcome.value), cached: true }
    if (!other.signal?.aborted) throw outcome.error
  }
  let ran = false
  // Entered before anything is awaited, so that no equal call can slip in between.
  const result = (async (): Promise<unknown> => {
    const kept = await store.get(key)
    if (kept !== undefined) {
      if (kept.expiresAt === undefined || kept.expiresAt > now()) return copy(kept.value)
      await store.delete(key)
    }
    ran = true
    const value = plain(await run())
    await store.set(key, { value: copy(value), ...(ttlMs === undefined ? {} : { expiresAt: now() + ttlMs }) })
    return value
  })()
  const flight: Flight = { result, ...(signal === undefined ? {} : { signal }) }
  flights.set(key, flight)
  try {
    const value = await result
    return { value, cached: !ran }
  } finally {
    flights.delete(key)
  }
}

export interface IdempotencyPolicy {
  /** What stands for the arguments; absent: all of them as canonical JSON. */
  key?(args: Record<string, unknown>): unknown
  /** Default run. */
  scope?: IdempotencyScope
  /** Milliseconds that a result is kept. */
  ttlMs?: number
  /** Default: one store in memory for each use of the middleware. */
  store?: IdempotencyStore
  /** Tells tools of one name but different set-up apart in a shared store. */
  config?: unknown
  now?(): number
}

/** Equal calls of a tool run once within the scope. */
export function withIdempotency(policy: IdempotencyPolicy = {}): Middleware {
  const { key, scope = 'run', ttlMs, store = memoryIdempotencyStore(), config, now } = policy
  if (!SCOPES.includes(scope)) throw new HaloError('VALIDATION', `An idempotency scope is run, session or global; got ${scope}.`)
  if (ttlMs !== undefined && !(ttlMs > 0)) throw new HaloError('VALIDATION', `A time to live must be more than 0 ms; got ${ttlMs}.`)
  return inOrder('idempotency', (tool: Tool): Tool => ({
    ...tool,
    async execute(args: Record<string, unknown>, context: ToolContext) {
      const call = { provider: tool.name, config, method: tool.name, args, ...(key === undefined ? {} : { key: key(args) }) }
      const { value } = await once(await idempotencyKey(call, scope, context), () => settle(tool.execute(args, context), context), {
        store,
        signal: context.signal,
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(now === undefined ? {} : { now }),
      })
      return value
    },
  }))
}

function scopePrefix(scope: IdempotencyScope, ids: { runId: string; sessionId?: string }): string {
  switch (scope) {
    case 'run':
      return `run:${ids.runId}:`
    case 'session':
      if (ids.sessionId === undefined) throw new HaloError('VALIDATION', 'The idempotency scope session is of a chat; a pipeline run has none. Use run or global.')
      return `session:${ids.sessionId}:`
    case 'global':
      return 'global:'
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What is kept must not change with what a caller does to its own. */
function copy(value: unknown): unknown {
  return structuredClone(value)
}

function plain(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch (error) {
    throw new HaloError('TOOL_ERROR', `The result can't be kept for equal calls: ${messageOf(error)}. Give plain data.`, { cause: error })
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
