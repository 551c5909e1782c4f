/** What can go wrong with a model request, each as one HaloError: a sentence that says what happened and what to do next. */
import { HaloError, messageOf } from '../errors.ts'
import { providerInfo, providerTitle } from './catalogue.ts'
import type { Connection } from './credentials.ts'

export type FaultKind =
  /** 401, 403, or no key at all. */
  | 'key'
  /** Nowhere to send the request to. */
  | 'address'
  /** The provider has no such model. */
  | 'model'
  | 'rate_limit'
  /** The account is out of credit: waiting does not help. */
  | 'quota'
  | 'server'
  /** The conversation is longer than the model takes. */
  | 'context'
  | 'content_filter'
  /** The model can't call tools. */
  | 'tools'
  /** Any other request that was refused. */
  | 'request'
  /** An answer that isn't of the documented form. */
  | 'protocol'
  /** The connection ended half way through an answer. */
  | 'stream'
  | 'offline'
  /** The browser withheld the answer because the server doesn't allow the page to read it. */
  | 'cors'
  /** Nothing answers at that address, or (in a page, where the two can't be told apart) CORS. */
  | 'unreachable'
  /** This model isn't there on this device. */
  | 'unavailable'

/** `data` of the HaloErrors made here. */
export interface ModelFault {
  kind: FaultKind
  /** HTTP status, where there was an answer. */
  status?: number
  /** How long the provider asks to wait. */
  retryAfterMs?: number
  /** The name by which `@retry(on: …)` knows it; absent: the same request would fail again. */
  retry?: '429' | '5xx' | 'network'
}

/** The particulars of a fault of a model request, if the error is one. */
export function modelFault(error: unknown): ModelFault | undefined {
  if (!(error instanceof HaloError) || (error.code !== 'MODEL_ERROR' && error.code !== 'NETWORK')) return undefined
  const data = error.data
  return typeof data === 'object' && data !== null && 'kind' in data ? (data as ModelFault) : undefined
}

export function fault(code: 'MODEL_ERROR' | 'NETWORK', message: string, data: ModelFault, cause?: unknown): HaloError {
  return new HaloError(code, message, { data, ...(cause === undefined ? {} : { cause }) })
}

/** The error for a request that its caller stopped; the signal's own reason where that is one of ours (a time limit). */
export function stopped(signal: AbortSignal): HaloError {
  if (signal.reason instanceof HaloError) return signal.reason
  return new HaloError('CANCELLED', 'The model request was stopped.', { cause: signal.reason })
}

/** A refusal as it came over the wire. */
export interface Refusal {
  status: number
  /** The provider's own words, if it gave any. */
  message?: string
  /** Its error code or type: `context_length_exceeded`, `overloaded_error`. */
  type?: string
  retryAfterMs?: number
  model: string
}

/** The fault that an HTTP status, or an error event within a stream, stands for. */
export function refusalFault(connection: Connection, refusal: Refusal): HaloError {
  const { status, type = '', model, retryAfterMs } = refusal
  const info = providerInfo(connection.provider)
  const title = info?.title ?? providerTitle(connection.provider)
  const words = scrub(refusal.message?.trim() ?? '', connection)
  const said = words ? `: ${sentence(words)}` : '.'
  const known = `${type} ${words}`
  const fail = (kind: FaultKind, text: string, retry?: ModelFault['retry']): HaloError =>
    fault('MODEL_ERROR', text, {
      kind,
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(retry ? { retry } : {}),
    })

  if (status === 401 || (status === 400 && /API_KEY_INVALID|api key not valid/i.test(known))) {
    const withheld = connection.withheld ? ` The saved key belongs to another address and was not sent to ${connection.baseUrl}; save one for this address.` : ''
    return fail('key', `${title} refused the key (${status})${said} ${withheld.trim() || `Check the key in Settings${info?.keyVariable ? `, or ${info.keyVariable}` : ''}.`}`)
  }
  // OpenAI answers 429, Anthropic 400 for an empty account.
  if (status === 402 || /insufficient_quota|billing|spend_limit/i.test(type) || /credit balance is too low/i.test(words)) {
    return fail('quota', `${title} says that the account is out of credit (${status})${said} Add credit with the provider, or use another model.`)
  }
  if (isContext(status, known)) {
    return fail('context', `The conversation is too long for ${model} (${status})${said} Lower tool_result_chars or max_steps, or use a model with a longer context.`)
  }
  if (/content_filter|content_policy|safety_block|moderation|flagged/i.test(known) && status >= 400 && status < 500) {
    return fail('content_filter', `${title} blocked the request by its content rules (${status})${said} Change the prompt, or use another model.`)
  }
  if (status === 403) {
    return fail('key', `${title} doesn't allow this (403)${said} Check what the key may do and that it may use ${model}.`)
  }
  if (status === 404 || /model_not_found/i.test(type)) {
    return fail('model', `${title} has no model "${model}" (${status})${said} ${connection.provider === 'ollama' ? `Fetch it with \`ollama pull ${model}\`.` : 'Check its name, and the base URL if you set one.'}`)
  }
  if (status === 429) {
    const wait = retryAfterMs === undefined ? 'in a while' : `in ${Math.ceil(retryAfterMs / 1000)} s`
    return fail('rate_limit', `${title} is limiting requests (429)${said} Try again ${wait}, or put @retry(3) on the call.`, '429')
  }
  if (status === 408 || status >= 500) {
    const what = status === 529 || /overloaded/i.test(known) ? 'is overloaded' : 'had an error of its own'
    return fail('server', `${title} ${what} (${status})${said} Try again, or put @retry(3) on the call.`, '5xx')
  }
  if (/(does not|doesn't|do not) support (tools?|function|tool (use|calling))|tool use is not supported|No endpoints found that support tool use/i.test(words)) {
    return fail('tools', `The model ${model} can't call tools (${status})${said} Use a model that can, or leave out tools:.`)
  }
  return fail('request', `${title} refused the request (${status})${said} Check the agent's settings and its tools.`)
}

function isContext(status: number, known: string): boolean {
  if (status === 413) return true
  return (
    status >= 400 && status < 500 && status !== 429 &&
    /context_length_exceeded|exceed_context_size|context (length|window|size)|prompt is too long|input (is )?too long|too many (input )?tokens|token count .*exceeds|exceeds? the (maximum|max|model'?s).*tokens|maximum context|request_too_large/i.test(known)
  )
}

/** The wire failed before there was an answer. In a page, tries to tell CORS from a server that isn't there. */
export async function networkFault(connection: Connection, url: string, cause: unknown, fetcher: typeof fetch): Promise<HaloError> {
  if (cause instanceof HaloError) return cause
  const title = providerTitle(connection.provider)
  const hint = providerInfo(connection.provider)?.reachHint ?? ''
  const where = URL.canParse(url) ? new URL(url).origin : url
  const fail = (kind: FaultKind, text: string): HaloError => fault('NETWORK', text, { kind, retry: 'network' }, cause)
  if (isOffline()) {
    return isLocal(where)
      ? fail('unreachable', `Nothing answers at ${where}. ${hint}`.trim())
      : fail('offline', `This device is offline, so ${title} can't be reached. Connect it, or use a model on this machine (ollama, browser).`)
  }
  const origin = pageOrigin()
  if (origin === undefined) {
    return fail('unreachable', `${title} can't be reached at ${where}: ${reason(cause)}. ${isLocal(where) ? (providerInfo(connection.provider)?.startHint ?? 'Check the address.') : 'Check the address and the network.'}`)
  }
  if (origin.startsWith('https:') && where.startsWith('http:') && !isLocal(where)) {
    return fault('NETWORK', `The browser doesn't let this page (https) call ${where} (http). Use an https address, or open Halo from http://localhost.`, { kind: 'unreachable' }, cause)
  }
  // A request whose answer the page may not read still tells whether a server is there.
  const reachable = await answers(where, fetcher)
  if (reachable) {
    return fault('NETWORK', `${title} answers at ${where}, but its answer may not be read from ${origin} (CORS). ${hint}`, { kind: 'cors' }, cause)
  }
  return fail('unreachable', `${title} can't be reached from this page at ${where}: it isn't running there, or it doesn't allow requests from ${origin} (CORS). ${hint}`)
}

/** Something threw while an answer was read. */
export function readFault(connection: Connection, error: unknown, signal: AbortSignal): HaloError {
  if (signal.aborted) return stopped(signal)
  const own = ownError(error)
  if (own) return own
  const title = providerTitle(connection.provider)
  if (error instanceof SyntaxError) {
    return fault('MODEL_ERROR', `${title} sent an answer that can't be read (${scrub(messageOf(error), connection)}). Check that the base URL is that of its API.`, { kind: 'protocol' }, error)
  }
  return fault('NETWORK', `The connection to ${title} was lost while it answered (${reason(error)}). Try again, or put @retry(3) on the call.`, { kind: 'stream', retry: 'network' }, error)
}

/** The stream ended without the event that ends an answer. */
export function halfStream(connection: Connection): HaloError {
  return fault('NETWORK', `${providerTitle(connection.provider)} stopped half way through its answer. Try again, or put @retry(3) on the call.`, { kind: 'stream', retry: 'network' })
}

export function protocolFault(connection: Connection, what: string): HaloError {
  return fault('MODEL_ERROR', `${providerTitle(connection.provider)} sent an answer that can't be read: ${scrub(what, connection)}. Check that the base URL is that of its API.`, { kind: 'protocol' })
}

/** The HaloError inside what an SDK threw, if it only wrapped one. */
export function ownError(error: unknown): HaloError | undefined {
  for (let depth = 0, at: unknown = error; depth < 5 && at instanceof Error; depth++, at = at.cause) {
    if (at instanceof HaloError) return at
  }
  return undefined
}

/** Milliseconds to wait, from the headers of an answer. */
export function retryAfter(headers: Headers, now = Date.now()): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** A text without the secrets of the connection: providers quote keys in their errors. */
export function scrub(text: string, connection: Connection): string {
  const headers = Object.entries(connection.headers).flatMap(([name, value]) => (plainHeaders.has(name.toLowerCase()) ? [] : [value]))
  const secrets = [connection.apiKey, ...headers].filter((secret): secret is string => (secret?.length ?? 0) >= 8)
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]').replaceAll(secret.replace(/^Bearer\s+/i, ''), '[key]'), text)
}
const plainHeaders = new Set(['content-type', 'accept', 'user-agent', 'referer', 'http-referer', 'x-title'])

/** One sentence of at most 300 characters that ends like one. */
function sentence(words: string): string {
  const line = words.replace(/\s+/g, ' ')
  const short = line.length > 300 ? `${line.slice(0, 299)}…` : line
  return /[.!?…]$/.test(short) ? short : `${short}.`
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : ''
  const words: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'its name could not be looked up',
    ECONNRESET: 'the connection was reset',
    ETIMEDOUT: 'it took too long to connect',
    UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
    UND_ERR_SOCKET: 'the connection was closed',
    CERT_HAS_EXPIRED: 'its certificate has expired',
  }
  return words[code] ?? (code || messageOf(cause).replace(/\.$/, ''))
}

const isLocal = (origin: string): boolean => /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(origin)

const isOffline = (): boolean => typeof navigator === 'object' && 'onLine' in navigator && navigator.onLine === false

/** The origin of the page or worker this runs in; undefined outside a browser, where there is no CORS. */
function pageOrigin(): string | undefined {
  const here: unknown = Reflect.get(globalThis, 'location')
  return typeof here === 'object' && here !== null && 'origin' in here && typeof here.origin === 'string' ? here.origin : undefined
}

async function answers(origin: string, fetcher: typeof fetch): Promise<boolean> {
  try {
    await fetcher(origin, { method: 'GET', mode: 'no-cors', credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(3000) })
    return true
  } catch {
    return false // Unreachable, or the page's own embedder policy forbids even that answer: the message names both.
  }
}
