/** One HTTP request under rules: where it may go, where redirects may lead, how much is read. */
import { HaloError, messageOf } from '../../errors.ts'
import { classifyHttpError, httpError } from '../failure.ts'
import { TransientError, type ToolContext } from '../types.ts'
import { isAllowed, isPrivate } from './address.ts'

export interface WebRequest {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
}
export interface WebRules {
  /** URL prefixes. Absent: every public address. */
  allow?: readonly string[]
}
export interface WebAnswer {
  status: number
  /** Where the answer came from, after redirects. */
  url: string
  headers: Headers
  bytes: Uint8Array
  /** More was sent than is read. */
  cut: boolean
}

/** Bytes of an answer that are read. */
const MAX_BYTES = 10_000_000
const MAX_REDIRECTS = 10
/** Headers that hold no secret, whatever is in them; any other may be one. */
const PLAIN_HEADERS = /^(accept(-.*)?|content-(type|language)|user-agent|range|if-.*|cache-control|pragma|prefer|x-requested-with)$/i

/**
 * Sends a request and reads its answer. Every address on the way is held to the rules. A page can't see where a redirect
 * leads, so there one with an allow list or a secret is not followed.
 * @throws HaloError TOOL_ERROR with words for the model; TransientError for an answer that asks to try again.
 */
export async function send(request: WebRequest, rules: WebRules, { fetch, signal }: Pick<ToolContext, 'fetch' | 'signal'>): Promise<WebAnswer> {
  const started = addressOf(request.url)
  let { method, body } = request
  let headers = { ...request.headers }
  let url = started
  for (let step = 0; ; step++) {
    requireAllowed(url, rules, step > 0)
    const response = await reach(fetch, url, { method, headers, body, signal, redirect: 'manual' })
    if (response.type === 'opaqueredirect') {
      const secret = Object.keys(headers).some((name) => !PLAIN_HEADERS.test(name))
      if (rules.allow !== undefined || secret || (method !== 'GET' && method !== 'HEAD')) {
        throw refused(`${url.href} redirects, and a page can't see where to. Ask for the address it leads to.`)
      }
      return read(await reach(fetch, url, { method, headers, signal, redirect: 'follow' }), url, method)
    }
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return read(response, url, method)
    await response.body?.cancel()
    if (step >= MAX_REDIRECTS) throw refused(`${started.href} redirects more than ${MAX_REDIRECTS} times.`)
    const next = addressOf(location, url)
    // As browsers do (Fetch standard, HTTP-redirect fetch): a POST becomes a GET, but for 307 and 308.
    if (response.status === 303 ? method !== 'HEAD' : response.status < 303 && method === 'POST') [method, body] = ['GET', undefined]
    // What was meant for one host is not told to another.
    if (next.origin !== url.origin) headers = Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN_HEADERS.test(name)))
    url = next
  }
}

/** The request's address. @throws HaloError TOOL_ERROR when it is none of http or https. */
function addressOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base)) throw refused(`${JSON.stringify(text)} is no web address. Give a whole one: https://example.com/page.`)
  const url = new URL(text, base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(`Only http and https addresses can be fetched, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') throw refused('An address with a user name and password in it is not fetched.')
  return url
}

function requireAllowed(url: URL, { allow }: WebRules, redirected: boolean): void {
  const from = redirected ? ', where the address redirects to,' : ''
  if (allow !== undefined) {
    if (!isAllowed(url, allow)) throw refused(`${url.href}${from} is not among the allowed addresses: ${allow.join(', ')}.`)
  } else if (isPrivate(url)) {
    throw refused(`${url.href}${from} is a private or local address. It has to be named in allow: to be reached.`)
  }
}

async function reach(fetch: ToolContext['fetch'], url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url.href, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new HaloError('NETWORK', `${url.origin} could not be reached: ${messageOf(error)}. From a page this is also what it looks like when the site doesn't allow requests from other origins (CORS).`, { cause: error })
  }
}

async function read(response: Response, url: URL, method: string): Promise<WebAnswer> {
  const { status, headers } = response
  const { bytes, cut } = await readBody(response)
  if (classifyHttpError(status, headers).transient) {
    const error = httpError({ status, statusText: response.statusText, headers, url: url.href })
    const said = new TextDecoder().decode(bytes.subarray(0, 500)).trim()
    throw new TransientError(`${method} ${url.href}: ${error.message}${said === '' ? '' : `: ${said}`}`, {
      status,
      ...(error instanceof TransientError && error.afterMs !== undefined ? { afterMs: error.afterMs } : {}),
    })
  }
  return { status, url: response.url === '' ? url.href : response.url, headers, bytes, cut }
}

async function readBody(response: Response): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const reader = response.body?.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  if (reader !== undefined) {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      size += value.length
      if (size > MAX_BYTES) {
        await reader.cancel()
        break
      }
    }
  }
  const bytes = new Uint8Array(Math.min(size, MAX_BYTES))
  let at = 0
  for (const part of parts) {
    const fits = part.subarray(0, bytes.length - at)
    bytes.set(fits, at)
    at += fits.length
  }
  return { bytes, cut: size > MAX_BYTES }
}

function refused(message: string): HaloError {
  return new HaloError('TOOL_ERROR', message)
}
