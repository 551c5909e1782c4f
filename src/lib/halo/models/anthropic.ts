/** Anthropic's Messages API (platform.claude.com/docs/en/api/messages) over its SDK. */
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { adjusted } from './adjust.ts'
import type { Parameter } from './adjust.ts'
import { acceptsSampling, anthropicBody } from './anthropic-messages.ts'
import type { Kept } from './anthropic-messages.ts'
import { collectCalls, isObject } from './calls.ts'
import type { Connection } from './credentials.ts'
import { halfStream, readFault, refusalFault, stopped } from './faults.ts'
import type { Outline } from './outline.ts'
import { hasImages } from './parts.ts'
import type { ProviderModule } from './registry.ts'
import { isObjectSchema } from './structured.ts'
import type { ModelChunk, ModelRequest, StopReason, Usage } from './types.ts'
import { openWire, refusalOf } from './wire.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) => {
  const bodyOf = anthropicBody()
  return {
    supportsTools: true,
    supportsSchema: true,
    async *stream(request, signal) {
      const connection = await connect(request)
      const sampling = acceptsSampling(request.model)
      const used: Parameter[] = [
        ...(sampling && request.temperature !== undefined ? ['temperature' as const] : []),
        ...(sampling && request.topP !== undefined ? ['top_p' as const] : []),
        ...(request.schema && isObjectSchema(request.schema.schema) ? ['schema' as const] : []),
        ...(hasImages(request.messages) ? ['images' as const] : []),
      ]
      yield* adjusted(`${connection.baseUrl} ${request.model}`, used, (without) =>
        answer(connection, request, bodyOf(request, without), signal),
      )
    },
  }
}

async function* answer(connection: Connection, request: ModelRequest, body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const key = connection.apiKey
  // The API takes either and goes by x-api-key when there are both; gateways know one or the other.
  const wire = openWire(connection, request, signal, key ? { 'x-api-key': key, authorization: `Bearer ${key}` } : {})
  const client = new Anthropic({
    apiKey: 'set by the wire', // Never sent: the wire sends the headers of the connection and no others.
    authToken: null,
    webhookKey: null,
    baseURL: connection.baseUrl.replace(/\/v1$/, ''),
    fetch: wire.fetch,
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    dangerouslyAllowBrowser: true,
    logLevel: 'off',
    openTelemetry: false,
    // 2026-10-21 takes no sampling parameters; the models that still have them are asked by the version before it.
    ...('temperature' in body || 'top_p' in body ? { defaultHeaders: { 'anthropic-version': '2023-06-01' } } : {}),
  })
  try {
    const events = await client.post<AsyncIterable<unknown>>('/v1/messages', { body, stream: true, signal })
    yield wire.raw()
    const reader = readAnswer(request)
    for await (const event of events) {
      if (!isObject(event)) continue
      if (event.type === 'error') throw streamedError(connection, request.model, event)
      yield* reader.read(event)
    }
    if (signal.aborted) throw stopped(signal)
    if (!reader.finished()) throw halfStream(connection)
    yield* reader.end()
    yield wire.raw()
  } catch (error) {
    if (error instanceof SyntaxError && !signal.aborted && !/[\r\n]$/.test(wire.tail())) throw halfStream(connection)
    if (error instanceof APIError && error.status === undefined && isObject(error.error)) throw streamedError(connection, request.model, error.error)
    throw readFault(connection, error, signal)
  }
}

/** platform.claude.com/docs/en/api/errors: the HTTP status each type of error has when it isn't inside a stream. */
const statusOf: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

function streamedError(connection: Connection, model: string, event: Record<string, unknown>): Error {
  const said = refusalOf(event)
  const type = isObject(event.error) && typeof event.error.type === 'string' ? event.error.type : ''
  return refusalFault(connection, { status: statusOf[type] ?? 500, model, ...said })
}

function readAnswer(request: ModelRequest): {
  read(event: Record<string, unknown>): Generator<ModelChunk>
  end(): Generator<ModelChunk>
  finished(): boolean
} {
  const calls = collectCalls(request.messages)
  const items: Outline<Kept>['items'] = []
  const blocks = new Map<number, Block>()
  let usage: Record<string, unknown> = {}
  let stop: StopReason | undefined
  let ended = false

  const indexOf = (event: Record<string, unknown>): number => (typeof event.index === 'number' ? event.index : blocks.size)

  function* start(event: Record<string, unknown>): Generator<ModelChunk> {
    const block = isObject(event.content_block) ? event.content_block : {}
    const index = indexOf(event)
    if (block.type === 'text') {
      const item = { text: 0 }
      items.push(item)
      blocks.set(index, { type: 'text', item })
      if (typeof block.text === 'string' && block.text !== '') yield* text(item, block.text)
    } else if (block.type === 'tool_use') {
      const given = isObject(block.input) && Object.keys(block.input).length > 0 ? JSON.stringify(block.input) : ''
      yield* calls.add(index, { id: string(block.id), name: string(block.name), args: given })
      items.push({ call: calls.at(index)?.id ?? '' })
      blocks.set(index, { type: 'tool_use' })
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      const kept: Kept = { ...block, type: block.type }
      items.push({ kept })
      blocks.set(index, { type: 'thinking', kept })
      if (typeof block.thinking === 'string' && block.thinking !== '') yield { type: 'reasoning', text: block.thinking }
    }
    // Blocks of the provider's own tools don't come unless they are asked for, and Halo asks for none.
  }

  function* text(item: { text: number }, piece: string): Generator<ModelChunk> {
    item.text += piece.length
    yield { type: 'text', text: piece }
  }

  function* delta(event: Record<string, unknown>): Generator<ModelChunk> {
    const block = blocks.get(indexOf(event))
    const piece = isObject(event.delta) ? event.delta : {}
    if (piece.type === 'text_delta' && block?.type === 'text') yield* text(block.item, string(piece.text) ?? '')
    else if (piece.type === 'input_json_delta' && block?.type === 'tool_use') yield* calls.add(indexOf(event), { args: string(piece.partial_json) })
    else if (piece.type === 'thinking_delta' && block?.type === 'thinking') {
      const words = string(piece.thinking) ?? ''
      block.kept.thinking = `${string(block.kept.thinking) ?? ''}${words}`
      if (words !== '') yield { type: 'reasoning', text: words }
    } else if (piece.type === 'signature_delta' && block?.type === 'thinking') {
      block.kept.signature = `${string(block.kept.signature) ?? ''}${string(piece.signature) ?? ''}`
    }
  }

  return {
    finished: () => ended || stop !== undefined,
    *read(event) {
      switch (event.type) {
        case 'message_start':
          if (isObject(event.message) && isObject(event.message.usage)) usage = { ...event.message.usage }
          break
        case 'content_block_start':
          yield* start(event)
          break
        case 'content_block_delta':
          yield* delta(event)
          break
        case 'message_delta':
          // The counts here are totals, in place of those at the start.
          if (isObject(event.usage)) for (const [name, value] of Object.entries(event.usage)) if (value !== null) usage[name] = value
          if (isObject(event.delta) && typeof event.delta.stop_reason === 'string') stop = stopReasons[event.delta.stop_reason] ?? 'other'
          break
        case 'message_stop':
          ended = true
          break
      }
    },
    *end() {
      yield* calls.finish()
      if (items.some((item) => 'kept' in item)) yield { type: 'opaque', data: { model: request.model, items } satisfies Outline<Kept> }
      yield { type: 'usage', usage: readUsage(usage) }
      yield { type: 'stop', reason: stop ?? 'stop' }
    },
  }
}

type Block = { type: 'text'; item: { text: number } } | { type: 'tool_use' } | { type: 'thinking'; kept: Kept }

const stopReasons: Record<string, StopReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  refusal: 'content_filter',
}

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The whole input is what was neither read from nor written to the cache, and both of those. */
function readUsage(usage: Record<string, unknown>): Usage {
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
  const cacheRead = count(usage.cache_read_input_tokens)
  const cacheWrite = count(usage.cache_creation_input_tokens)
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  return {
    input: count(usage.input_tokens) + cacheRead + cacheWrite,
    output: count(usage.output_tokens),
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
    ...(typeof details.thinking_tokens === 'number' ? { reasoning: details.thinking_tokens } : {}),
  }
}
