/**
 * What kind of failure an error is: is it worth another try, when, and could the call have had its effect already.
 */
import { HaloError } from '../errors.ts'
import { modelFault } from '../models/faults.ts'
import { TransientError } from './types.ts'

export type FailureKind = 'http' | 'network' | 'timeout' | 'transient' | 'aborted' | 'permanent' | 'unknown'

export interface Failure {
  kind: FailureKind
  /** HTTP status, where an answer came. */
  status?: number
  /** Milliseconds the other side asks to wait before another try. */
  afterMs?: number
  /** Could the same request succeed a little later? undefined: nothing tells. */
  transient?: boolean
  /** The answer proves that the request had no effect, so that even a write may be sent again. */
  noEffect: boolean
}

/** Statuses that speak of now, not of the request: RFC 9110 and 6585, and 529 (overloaded, as Anthropic uses it). */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])
/** Sent instead of handling the request. 500, 502 and 504 say nothing of that; a 408 comes when the request never arrived whole. */
const NO_EFFECT_STATUSES: ReadonlySet<number> = new Set([429, 503])

/** Node's and undici's codes of a connection that failed or broke. */
const NETWORK_CODES =
  /^(ECONN(RESET|REFUSED|ABORTED)|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT)$/
const TIMEOUT_CODES = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/
/** What `fetch` rejects with when there is no answer: Node, Chromium, Firefox, Safari. */
const FETCH_MESSAGES = /^(fetch failed|Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed|terminated|network error)$/i

/** Says of an HTTP answer whether the same request may succeed later, and when. Headers: a `Headers` or a plain object. */
export function classifyHttpError(status: number, headers?: HeadersLike, now: number = Date.now()): Failure {
  const afterMs = retryAfterMs(headers, now)
  return {
    kind: 'http',
    status,
    transient: TRANSIENT_STATUSES.has(status),
    noEffect: NO_EFFECT_STATUSES.has(status),
    ...(afterMs === undefined ? {} : { afterMs }),
  }
}

/** An error from a failed HTTP answer, transient where `classifyHttpError` says so. The message holds the status and no body. */
export function httpError(response: { status: number; statusText?: string; headers?: HeadersLike; url?: string }, now: number = Date.now()): Error {
  const { status, statusText } = response
  const { transient, afterMs } = classifyHttpError(status, response.headers, now)
  const message = `HTTP ${status}${statusText ? ` ${statusText}` : ''}`
  if (transient) return new TransientError(message, { status, ...(afterMs === undefined ? {} : { afterMs }) })
  return Object.assign(new Error(message), { status })
}

/** Reads what was thrown, its causes included. */
export function classifyError(thrown: unknown, now: number = Date.now()): Failure {
  const seen = new Set<unknown>()
  for (let error: unknown = thrown; typeof error === 'object' && error !== null && !seen.has(error); error = field(error, 'cause')) {
    seen.add(error)
    const failure = classifyOne(error, now)
    if (failure !== undefined) return failure
  }
  return { kind: 'unknown', noEffect: false }
}

function classifyOne(error: object, now: number): Failure | undefined {
  if (error instanceof TransientError) {
    const { status, afterMs } = error
    // Without a status it is the tool's own word that another try is right.
    return {
      kind: status === undefined ? 'transient' : 'http',
      transient: true,
      noEffect: status === undefined || NO_EFFECT_STATUSES.has(status),
      ...(status === undefined ? {} : { status }),
      ...(afterMs === undefined ? {} : { afterMs }),
    }
  }
  const model = modelFault(error)
  if (model !== undefined) {
    // A model adapter knows more than its status says: a 429 for an empty account is not worth another try.
    const { retry, retryAfterMs: afterMs } = model
    if (retry === undefined) return { kind: 'permanent', transient: false, noEffect: false }
    // An error in the middle of a stream has no status of its own.
    const status = model.status ?? (retry === '429' ? 429 : retry === '5xx' ? 500 : undefined)
    return {
      kind: retry === 'network' ? 'network' : 'http',
      transient: true,
      noEffect: retry === '429',
      ...(status === undefined ? {} : { status }),
      ...(afterMs === undefined ? {} : { afterMs }),
    }
  }
  const name = field(error, 'name')
  if (name === 'AbortError') return { kind: 'aborted', transient: false, noEffect: false }
  const status = statusOf(error)
  if (status !== undefined) return classifyHttpError(status, headersOf(error), now)
  if (name === 'TimeoutError' || codeMatches(error, TIMEOUT_CODES)) return { kind: 'timeout', transient: true, noEffect: false }
  if (codeMatches(error, NETWORK_CODES)) return { kind: 'network', transient: true, noEffect: false }
  if (error instanceof HaloError) return classifyHaloError(error)
  const message = field(error, 'message')
  if (name === 'NetworkError' || (typeof message === 'string' && FETCH_MESSAGES.test(message))) {
    // `fetch failed` in Node is a shell around the cause that says more (a timeout, for one).
    const cause = field(error, 'cause')
    const inner = typeof cause === 'object' && cause !== null ? classifyOne(cause, now) : undefined
    return inner ?? { kind: 'network', transient: true, noEffect: false }
  }
  return undefined
}

function classifyHaloError(error: HaloError): Failure | undefined {
  switch (error.code) {
    case 'CANCELLED':
      return { kind: 'aborted', transient: false, noEffect: false }
    case 'TIMEOUT':
      return { kind: 'timeout', transient: true, noEffect: false }
    case 'NETWORK':
      return { kind: 'network', transient: true, noEffect: false }
    case 'TOOL_ERROR':
    case 'MODEL_ERROR':
      // These wrap what happened; the cause, if there is one, says more.
      return undefined
    default:
      // Policies, schemas, limits, configuration: the same call meets the same end.
      return { kind: 'permanent', transient: false, noEffect: false }
  }
}

export type HeadersLike = { get(name: string): string | null } | Record<string, unknown>

/**
 * The wait a `Retry-After` header asks for, in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3); `retry-after-ms`,
 * which some model APIs send, is more exact and comes first.
 */
export function retryAfterMs(headers: HeadersLike | undefined, now: number = Date.now()): number | undefined {
  const exact = header(headers, 'retry-after-ms')?.trim()
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact))
  const text = header(headers, 'retry-after')?.trim()
  if (text === undefined || text === '') return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse takes much that is no date ("1e3", "-5"); an HTTP date begins with a day's name.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

function header(headers: HeadersLike | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined
  if (typeof headers.get === 'function') return (headers.get as (name: string) => string | null)(name) ?? undefined
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && (typeof value === 'string' || typeof value === 'number')) return String(value)
  }
  return undefined
}

function statusOf(error: object): number | undefined {
  const response = field(error, 'response')
  const data = field(error, 'data')
  for (const holder of [error, response, data]) {
    if (typeof holder !== 'object' || holder === null) continue
    for (const key of ['status', 'statusCode']) {
      const status = field(holder, key)
      if (typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599) return status
    }
  }
  return undefined
}

function headersOf(error: object): HeadersLike | undefined {
  const response = field(error, 'response')
  for (const holder of [error, response]) {
    if (typeof holder !== 'object' || holder === null) continue
    const headers = field(holder, 'headers')
    if (typeof headers === 'object' && headers !== null) return headers as HeadersLike
  }
  return undefined
}

function codeMatches(error: object, codes: RegExp): boolean {
  const code = field(error, 'code')
  return typeof code === 'string' && codes.test(code)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
