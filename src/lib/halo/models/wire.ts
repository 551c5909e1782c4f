/** The one way to a provider's server: which headers leave, what came back for the raw view, and faults as HaloErrors. */
import { isObject } from './calls.ts'
import type { Connection } from './credentials.ts'
import { networkFault, refusalFault, retryAfter, scrub, stopped } from './faults.ts'
import { inSlices } from './slices.ts'
import type { ModelChunk, ModelRequest } from './types.ts'

/** Of an answer, this much is kept for the raw view, in UTF-16 code units. */
const RAW_LIMIT = 200_000

/**
 * Headers an SDK may send. Everything else it adds (its telemetry, organisation and custom headers of the environment) stays
 * here: each would be asked for in a page's preflight, and nothing leaves that the person didn't set.
 */
const allowed = new Set(['accept', 'content-type', 'anthropic-version', 'anthropic-beta', 'anthropic-dangerous-direct-browser-access', 'prefer'])

export interface Wire {
  fetch: typeof fetch
  /** Request and, once it has been read, response; without credentials. */
  raw(): ModelChunk & { type: 'raw' }
  /** The end of what has come so far; enough to see how a stream ended. */
  tail(): string
}

/** How most servers take the key. */
const bearer = ({ apiKey }: Connection): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {})

/** `auth`: the headers that carry the key; never shown. */
export function openWire(connection: Connection, { model, fetch: given }: Pick<ModelRequest, 'model' | 'fetch'>, signal: AbortSignal, auth: Record<string, string> = bearer(connection)): Wire {
  const fetcher: typeof fetch = given ?? ((input, init) => globalThis.fetch(input, init))
  let request: Record<string, unknown> = {}
  let text = ''
  let length = 0
  let tail = ''
  let status: number | undefined

  const note = (piece: string): void => {
    length += piece.length
    if (text.length < RAW_LIMIT) text += piece.slice(0, RAW_LIMIT - text.length)
    tail = piece.length >= 64 ? piece.slice(-64) : (tail + piece).slice(-64)
  }

  const wireFetch: typeof fetch = async (input, init = {}) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
    const method = init.method ?? 'GET'
    const headers = new Headers()
    for (const [name, value] of new Headers(init.headers)) if (allowed.has(name)) headers.set(name, value)
    request = { url, method, headers: Object.fromEntries(headers), ...(typeof init.body === 'string' ? { body: init.body } : {}) }
    for (const [name, value] of Object.entries({ ...auth, ...connection.headers })) headers.set(name, value)

    const sent: RequestInit = { method, headers, signal }
    if (init.body !== undefined && init.body !== null) sent.body = init.body
    let response: Response
    try {
      response = await fetcher(url, sent)
    } catch (error) {
      throw signal.aborted ? stopped(signal) : await networkFault(connection, url, error, fetcher)
    }
    status = response.status
    if (!response.ok) throw await refusal(response)
    return response.body ? new Response(inSlices(response.body, note), { status, headers: response.headers }) : response
  }

  const refusal = async (response: Response): Promise<Error> => {
    const body = await response.text().catch(() => '')
    note(body)
    return refusalFault(connection, {
      status: response.status,
      model,
      ...readRefusal(body),
      ...withDefined('retryAfterMs', retryAfter(response.headers) ?? delayInBody(body)),
    })
  }

  return {
    fetch: wireFetch,
    tail: () => tail,
    raw: () => ({
      type: 'raw',
      request,
      ...(length === 0
        ? {}
        : { response: { status, body: scrub(text, connection), ...(length > text.length ? { cut: `${length - text.length} more characters` } : {}) } }),
    }),
  }
}

/** The message and the code of an error body, in any of the forms providers use; else its text, if that is short and no page. */
export function readRefusal(body: string): { message?: string; type?: string } {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return body.length < 500 && !/<\w+/.test(body) ? { message: body } : {}
  }
  return refusalOf(json)
}

/** The same of an error that came as JSON, within a stream too. */
export function refusalOf(value: unknown): { message?: string; type?: string } {
  const json = Array.isArray(value) ? (value[0] as unknown) : value
  if (typeof json === 'string') return { message: json }
  if (!isObject(json)) return {}
  const inner = isObject(json.error) ? json.error : json
  const message = [inner.message, json.error, json.detail, json.message, inner.title].find((text) => typeof text === 'string')
  const details = Array.isArray(inner.details) ? inner.details.filter(isObject).map((detail) => detail.reason) : []
  const upstream = isObject(inner.metadata) && typeof inner.metadata.raw === 'string' ? inner.metadata.raw : undefined
  const type = [...details, inner.code, inner.type, inner.status].filter((text) => typeof text === 'string').join(' ')
  return {
    ...withDefined('message', upstream && message ? `${message} (${upstream})` : message),
    ...(type ? { type } : {}),
  }
}

/** Google says how long to wait in the body: `"retryDelay": "34s"` (google.rpc.RetryInfo). */
function delayInBody(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function withDefined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
