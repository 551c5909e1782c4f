/** Chat Completions over the OpenAI SDK, for OpenAI itself and every server that speaks its protocol. */
import OpenAI, { APIError } from 'openai'
import { Stream } from 'openai/core/streaming'
import { adjusted } from './adjust.ts'
import type { Parameter } from './adjust.ts'
import { collectCalls, isObject } from './calls.ts'
import type { CallCollector } from './calls.ts'
import type { Connection } from './credentials.ts'
import { halfStream, protocolFault, readFault, refusalFault, stopped } from './faults.ts'
import { chatMessages, chatTool } from './openai-messages.ts'
import type { ChatForm } from './openai-messages.ts'
import { hasImages } from './parts.ts'
import type { Connect } from './registry.ts'
import { closedSchema, isObjectSchema, schemaName, withSchemaInPrompt } from './structured.ts'
import type { ModelChunk, ModelRequest, StopReason, StreamingAdapter, Usage } from './types.ts'
import { openWire, refusalOf } from './wire.ts'
import type { Wire } from './wire.ts'

/** Where servers differ. */
export interface Dialect extends ChatForm {
  /** The name of the limit on output tokens. */
  limit: 'max_tokens' | 'max_completion_tokens'
  /** Parameters that a model is known to refuse. */
  refuses?(model: string): readonly Parameter[]
  /** Further fields of the request. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  /** Collects parts of the answer that have to be sent back; see `opaque`. */
  keep?(): Keeper
}

export interface Keeper {
  add(delta: Record<string, unknown>): void
  /** A piece of a call, with the id that the call has here. */
  addCall?(piece: Record<string, unknown>, id: string): void
  data(): unknown
}

export function chatAdapter(dialect: Dialect, connect: Connect): StreamingAdapter {
  const translate = chatMessages(dialect)
  return {
    supportsTools: true,
    supportsSchema: true,
    async *stream(request, signal) {
      const connection = await connect(request)
      connection.headers = { ...dialect.headers, ...connection.headers }
      const used: Parameter[] = [
        ...(request.temperature === undefined ? [] : ['temperature' as const]),
        ...(request.topP === undefined ? [] : ['top_p' as const]),
        ...(request.seed === undefined ? [] : ['seed' as const]),
        ...(request.schema && isObjectSchema(request.schema.schema) ? ['schema' as const] : []),
        ...(request.toolChoice === 'none' && request.tools.length > 0 ? ['tool_choice' as const] : []),
        ...(hasImages(request.messages) ? ['images' as const] : []),
        'stream_options',
        'without_reasoning',
        dialect.limit,
      ]
      const refused = dialect.refuses?.(request.model) ?? []
      yield* adjusted(`${connection.baseUrl} ${request.model}`, used, (without) => {
        const leave = new Set([...refused, ...without])
        return answer(dialect, connection, request, chatBody(dialect, translate, request, leave), signal)
      })
    },
  }
}

/**
 * What changes from step to step stands after the messages, so that the text of a request begins with the text of the one
 * before it: servers cache by prefix.
 */
function chatBody(dialect: Dialect, translate: ReturnType<typeof chatMessages>, asked: ModelRequest, leave: ReadonlySet<Parameter>): Record<string, unknown> {
  const native = asked.schema && isObjectSchema(asked.schema.schema) && !leave.has('schema') ? asked.schema : undefined
  const request = native ? asked : withSchemaInPrompt(asked)
  const limit = leave.has(dialect.limit) ? (dialect.limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens') : dialect.limit
  const closed = native && closedSchema(native.schema)
  return {
    model: request.model,
    stream: true,
    ...(leave.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
    ...dialect.extra,
    ...(request.temperature === undefined || leave.has('temperature') ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined || leave.has('top_p') ? {} : { top_p: request.topP }),
    ...(request.seed === undefined || leave.has('seed') ? {} : { seed: request.seed }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(chatTool) }),
    ...(native && closed
      ? { response_format: { type: 'json_schema', json_schema: { name: schemaName(native.name), strict: closed.strict, schema: closed.strict ? closed.schema : native.schema } } }
      : {}),
    messages: translate(request, { images: !leave.has('images'), reasoning: leave.has('without_reasoning') }),
    ...(request.tools.length > 0 && request.toolChoice === 'none' && !leave.has('tool_choice') ? { tool_choice: 'none' } : {}),
    [limit]: request.maxTokens,
  }
}

async function* answer(dialect: Dialect, connection: Connection, request: ModelRequest, body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const wire = openWire(connection, request, signal)
  const client = new OpenAI({
    apiKey: 'set by the wire', // Never sent: the wire sends the headers of the connection and no others.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: withVersion(connection.baseUrl),
    fetch: wire.fetch,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    dangerouslyAllowBrowser: true,
    logLevel: 'off',
  })
  try {
    const response = await client.post('/chat/completions', { body, stream: true, signal }).asResponse()
    yield wire.raw()
    const calls = collectCalls(request.messages)
    const reader = readAnswer(dialect, connection, request, calls)
    for await (const piece of pieces(client, connection, response, wire)) yield* reader.read(piece)
    if (signal.aborted) throw stopped(signal)
    // A stream that ends without a reason is half an answer, unless it says that it is done.
    if (!reader.finished && !wire.tail().includes('[DONE]')) throw halfStream(connection)
    yield* reader.end()
    yield wire.raw()
  } catch (error) {
    // A last line that was cut off isn't malformed: the stream just stopped there.
    if (error instanceof SyntaxError && !signal.aborted && !/[\r\n]$/.test(wire.tail())) throw halfStream(connection)
    if (error instanceof APIError && error.status === undefined && isObject(error.error)) throw streamedError(connection, request.model, error.error)
    throw readFault(connection, error, signal)
  }
}

/** A server's own error within its stream: `{ "error": { "code": 502, "message": … } }`. */
function streamedError(connection: Connection, model: string, error: Record<string, unknown>): Error {
  const said = refusalOf({ error })
  const number = [error.code, error.status, error.status_code].map(Number).find((code) => code >= 400 && code < 600)
  const status = number ?? (/rate_?limit/i.test(said.type ?? '') ? 429 : /invalid|context|filter/i.test(said.type ?? '') ? 400 : 500)
  return refusalFault(connection, { status, model, ...said })
}

/** The chunks of a stream; of a server that doesn't stream, its whole answer as one. */
async function* pieces(client: OpenAI, connection: Connection, response: Response, wire: Wire): AsyncGenerator<Record<string, unknown>> {
  const type = response.headers.get('content-type') ?? ''
  if (/application\/json/i.test(type)) {
    const whole: unknown = await response.json()
    if (!isObject(whole)) throw protocolFault(connection, wire.tail())
    if (isObject(whole.error)) throw new APIError(undefined, whole.error, undefined, response.headers)
    yield whole
    return
  }
  if (/text\/html/i.test(type)) throw protocolFault(connection, 'it sent a web page')
  for await (const chunk of Stream.fromSSEResponse<unknown>(response, new AbortController(), client)) {
    if (isObject(chunk)) yield chunk
  }
}

interface AnswerReader {
  read(piece: Record<string, unknown>): Generator<ModelChunk>
  end(): Generator<ModelChunk>
  readonly finished: boolean
}

function readAnswer(dialect: Dialect, connection: Connection, request: ModelRequest, calls: CallCollector): AnswerReader {
  const kept = dialect.keep?.()
  let stop: StopReason | undefined
  let refused = false
  let usage: Usage | undefined
  // Some servers number every call 0 and tell them apart by id only.
  const places = new Map<number, number>()
  let lastPlace = -1

  function* readCalls(list: unknown[]): Generator<ModelChunk> {
    for (const [at, piece] of list.entries()) {
      if (!isObject(piece)) continue
      const named = isObject(piece.function) ? piece.function : {}
      const index = typeof piece.index === 'number' ? piece.index : at
      const id = typeof piece.id === 'string' && piece.id !== '' ? piece.id : undefined
      const name = typeof named.name === 'string' && named.name !== '' ? named.name : undefined
      const args = typeof named.arguments === 'string' ? named.arguments : isObject(named.arguments) ? JSON.stringify(named.arguments) : ''
      let place = places.get(index)
      const begins = place === undefined || (id !== undefined && name !== undefined && ids.get(place) !== id)
      if (place === undefined || begins) {
        place = ++lastPlace
        places.set(index, place)
        ids.set(place, id)
      }
      yield* calls.add(place, { id, name, args })
      kept?.addCall?.(piece, calls.at(place)?.id ?? '')
    }
  }
  const ids = new Map<number, string | undefined>()

  return {
    get finished() {
      return stop !== undefined
    },
    *read(piece) {
      if (isObject(piece.error)) throw streamedError(connection, request.model, piece.error)
      if (isObject(piece.usage)) usage = readUsage(piece.usage)
      const choice: unknown = Array.isArray(piece.choices) ? piece.choices[0] : undefined
      if (!isObject(choice)) return
      if (isObject(choice.error)) throw streamedError(connection, request.model, choice.error)
      const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {}
      const reasoning = delta.reasoning ?? delta.reasoning_content
      if (typeof reasoning === 'string' && reasoning !== '') yield { type: 'reasoning', text: reasoning }
      kept?.add(delta)
      const text = contentText(delta.content)
      if (text !== '') yield { type: 'text', text }
      if (typeof delta.refusal === 'string' && delta.refusal !== '') {
        refused = true
        yield { type: 'text', text: delta.refusal }
      }
      if (Array.isArray(delta.tool_calls)) yield* readCalls(delta.tool_calls)
      if (typeof choice.finish_reason === 'string') stop = stopReasons[choice.finish_reason] ?? 'other'
    },
    *end() {
      yield* calls.finish()
      const data = kept?.data()
      if (data !== undefined) yield { type: 'opaque', data }
      if (usage) yield { type: 'usage', usage }
      yield { type: 'stop', reason: refused ? 'content_filter' : (stop ?? 'stop') }
    },
  }
}

const stopReasons: Record<string, StopReason> = {
  stop: 'stop',
  eos: 'stop',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('')
}

function readUsage(usage: Record<string, unknown>): Usage {
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  return {
    input: count(usage.prompt_tokens) ?? 0,
    output: count(usage.completion_tokens) ?? 0,
    ...optional('cacheRead', count(prompt.cached_tokens) ?? count(usage.prompt_cache_hit_tokens) ?? count(usage.cached_tokens)),
    ...optional('cacheWrite', count(prompt.cache_write_tokens)),
    ...optional('reasoning', count(completion.reasoning_tokens)),
  }
}

const count = (value: unknown): number | undefined => (typeof value === 'number' && value >= 0 ? value : undefined)

const optional = (key: 'cacheRead' | 'cacheWrite' | 'reasoning', value: number | undefined): Partial<Usage> => (value === undefined ? {} : { [key]: value })

/** Addresses are often given without the version: `http://localhost:1234` means `http://localhost:1234/v1`. */
function withVersion(baseUrl: string): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl}/v1` : baseUrl
}
