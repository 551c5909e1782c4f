/** `Web(allow: […])`: pages and files of the web. */
import { Type } from 'typebox'
import { HaloError, messageOf } from '../../errors.ts'
import type { ProviderDefinition, ToolContext } from '../types.ts'
import type { TextFormat } from '../web/text.ts'

const MAX_LENGTH = 20_000
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const strict = { additionalProperties: false }
const page = {
  total: Type.Optional(Type.Integer({ description: 'Characters of the whole.' })),
  next: Type.Optional(Type.Integer({ description: 'start_index of what follows.' })),
  truncated: Type.Optional(Type.Object({ shown: Type.Integer(), of: Type.Integer() })),
}

export const web: ProviderDefinition = {
  name: 'Web',
  description: 'Fetches pages and files of the web; allow: limits it to some addresses.',
  config: Type.Object({
    allow: Type.Optional(Type.Array(Type.String(), { description: 'URL prefixes that may be reached, redirects included; https://*.example.com for all below it. Without it every public address.' })),
    search: Type.Optional(Type.String({ description: 'The address of a search interface, with {query} where the query goes; it has to be covered by allow: where that is given.' })),
  }),
  info: {
    fetch: {
      description: 'Fetches a web address and gives its status and text: pages as Markdown unless format says otherwise. Long texts come in parts: go on with start_index: next.',
      parameters: Type.Object(
        {
          url: Type.String({ minLength: 1, description: 'The whole address, https://…' }),
          method: Type.Optional(Type.Union(METHODS.map((method) => Type.Literal(method)), { default: 'GET', description: 'GET and HEAD only read.' })),
          headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Headers of the request.' })),
          body: Type.Optional(Type.Unknown({ description: 'A text, or a value that is sent as JSON.' })),
          format: Type.Optional(Type.Union(['markdown', 'text', 'html', 'json'].map((format) => Type.Literal(format)), { description: 'How a page is given; json parses the answer.' })),
          max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: MAX_LENGTH, description: 'Characters to give at most.' })),
          start_index: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'The character to start from.' })),
        },
        strict,
      ),
      effect: 'external',
      network: true,
      effectBy: { argument: 'method', effects: { GET: 'read', HEAD: 'read' } },
      result: Type.Object({ status: Type.Integer(), url: Type.String(), contentType: Type.String(), body: Type.Unknown(), ...page }),
    },
    search: {
      description: 'Searches through the search interface of the declaration and gives its answer.',
      parameters: Type.Object({ query: Type.String({ minLength: 1, description: 'What to search for.' }), max_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: MAX_LENGTH, description: 'Characters to give at most.' })) }, strict),
      effect: 'external',
      network: true,
      result: Type.Object({ status: Type.Integer(), url: Type.String(), contentType: Type.String(), body: Type.Unknown(), ...page }),
    },
  },
  methods: ({ search }) => (search === undefined ? ['fetch'] : ['fetch', 'search']),
  provider: (config) => {
    const { allow, search } = config
    if (allow !== undefined && !(Array.isArray(allow) && allow.every((entry) => typeof entry === 'string'))) {
      throw new HaloError('TOOL_CONFIG', 'allow: of Web is a list of addresses: Web(allow: ["https://example.com/docs"]).')
    }
    const rules = allow === undefined ? {} : { allow: allow as string[] }
    return {
      fetch: (args, context) => fetchPage(args, rules, context),
      ...(typeof search === 'string'
        ? {
            search: ({ query, max_length }: Record<string, unknown>, context: ToolContext) =>
              fetchPage({ url: search.replaceAll('{query}', encodeURIComponent(String(query))), max_length }, rules, context),
          }
        : {}),
    }
  },
}

async function fetchPage(args: Record<string, unknown>, rules: { allow?: string[] }, context: ToolContext): Promise<unknown> {
  const { send } = await import('../web/request.ts')
  const { decode, markdownOf, pageOf, plainTextOf } = await import('../web/text.ts')
  const { url, method = 'GET', headers = {}, body, format, max_length = MAX_LENGTH, start_index = 0 } = args as {
    url: string
    method?: string
    headers?: Record<string, string>
    body?: unknown
    format?: TextFormat
    max_length?: number
    start_index?: number
  }
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const answer = await send(
    {
      url,
      method,
      headers: sent === undefined || typed || typeof body === 'string' ? headers : { ...headers, 'content-type': 'application/json' },
      ...(sent === undefined ? {} : { body: sent }),
    },
    rules,
    context,
  )
  const contentType = answer.headers.get('content-type') ?? ''
  const about = { status: answer.status, url: answer.url, contentType }
  if (isBinary(contentType)) return { ...about, body: `[${answer.bytes.length} bytes of ${contentType}]` }
  const whole = decode(answer.bytes, contentType)
  if (format === 'json') return { ...about, body: jsonOf(whole, answer.url) }
  const isPage = /\b(x?html)\b/i.test(contentType)
  const text = !isPage || format === 'html' ? whole : format === 'text' ? await plainTextOf(whole) : await markdownOf(whole)
  const { text: shown, ...paging } = pageOf(text, start_index, max_length)
  return { ...about, body: shown, ...paging, ...(answer.cut ? { note: 'The answer is longer than is read; this is its beginning.' } : {}) }
}

function isBinary(contentType: string): boolean {
  return /^(image|audio|video|font)\/(?!svg)|^application\/(octet-stream|pdf|zip|gzip|x-.*(zip|tar)|wasm|vnd\.(?!.*(json|xml)))/i.test(contentType)
}

function jsonOf(text: string, url: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new HaloError('TOOL_ERROR', `The answer of ${url} is no JSON: ${messageOf(error)}. Ask for format: "text" to see it.`)
  }
}
