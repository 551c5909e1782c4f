/** `Http(base_url:, headers:)`: the general connector to a web interface. */
import { Type } from 'typebox'
import { HaloError } from '../../errors.ts'
import type { Effect, MethodInfo, ProviderDefinition, ToolContext } from '../types.ts'

const result = Type.Object({ status: Type.Integer(), body: Type.Unknown({ description: 'Parsed where it is JSON, else text.' }), headers: Type.Record(Type.String(), Type.String()) })
const query = Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Parameters after the ?; a list repeats its name, null leaves one out.' }))
const headers = Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Besides those of the declaration.' }))
const path = Type.Optional(Type.String({ default: '', description: 'Added to the base address: orders/17.' }))
const body = Type.Optional(Type.Unknown({ description: 'A text as it is, anything else as JSON.' }))
const input = Type.Optional(Type.Unknown({ description: 'The value that flows in: the body, where none is given.' }))

function method(description: string, effect: Effect, withBody: boolean): MethodInfo {
  const parameters = withBody
    ? Type.Object({ path, body, query, headers, input }, { additionalProperties: false })
    : Type.Object({ path, query, headers }, { additionalProperties: false })
  return { description, parameters, effect, network: true, result }
}

export const http: ProviderDefinition = {
  name: 'Http',
  description: 'Calls a web interface below one base address, with headers of its own.',
  config: Type.Object({
    base_url: Type.String({ description: 'Every request goes to this address or below it.' }),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Sent with each request: { Authorization: "Bearer {{Env.API_TOKEN}}" }.' })),
  }),
  info: {
    get: method('Reads from the interface (GET).', 'read', false),
    post: method('Sends a body to the interface (POST).', 'external', true),
    put: method('Puts a body in place (PUT).', 'external', true),
    patch: method('Changes a part (PATCH).', 'external', true),
    delete: method('Deletes (DELETE).', 'external', false),
  },
  provider: (config) => {
    const base = baseOf(config.base_url)
    const own = config.headers === undefined || config.headers === null ? {} : (config.headers as Record<string, string>)
    const call = (verb: string) => (args: Record<string, unknown>, context: ToolContext) => request(base, own, verb, args, context)
    return { get: call('GET'), post: call('POST'), put: call('PUT'), patch: call('PATCH'), delete: call('DELETE') }
  },
}

function baseOf(value: unknown): URL {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    throw new HaloError('TOOL_CONFIG', `Http needs a base address: Http(base_url: "https://api.example.com/v1"); got ${JSON.stringify(value) ?? 'none'}.`)
  }
  return new URL(value)
}

async function request(base: URL, own: Record<string, string>, verb: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
  const { send } = await import('../web/request.ts')
  const { decode } = await import('../web/text.ts')
  const { path: below = '', query: parameters = {}, headers: given = {}, body: content = args.input } = args as {
    path?: string
    query?: Record<string, unknown>
    headers?: Record<string, string>
    body?: unknown
  }
  const sends = verb !== 'GET' && verb !== 'DELETE' && content !== undefined
  const sent = { ...lowerCased(own), ...lowerCased(given) }
  if (sends && typeof content !== 'string') sent['content-type'] ??= 'application/json'
  const answer = await send(
    { url: addressOf(base, below, parameters).href, method: verb, headers: sent, ...(sends ? { body: typeof content === 'string' ? content : JSON.stringify(content) } : {}) },
    { allow: [`${base.origin}${base.pathname}`] },
    context,
  )
  const contentType = answer.headers.get('content-type') ?? ''
  const text = decode(answer.bytes, contentType)
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: /[/+]json\b/i.test(contentType) ? parsed(text) : text }
}

/** Below the base whatever the path says: `/a`, `a` and `../a` never leave it (the last is refused as not allowed). */
function addressOf(base: URL, below: string, parameters: Record<string, unknown>): URL {
  const url = new URL(base)
  const [path = '', search] = below.split('?', 2)
  if (path !== '') url.pathname = `${base.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`
  if (search !== undefined) for (const [name, value] of new URLSearchParams(search)) url.searchParams.append(name, value)
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === null || each === undefined) continue
      url.searchParams.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each))
    }
  }
  return url
}

/** Header names are equal whatever their case (RFC 9110, 5.1). */
function lowerCased(given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
}

/** An interface that says JSON and sends something else still says something. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
