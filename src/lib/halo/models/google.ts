/** Google's Gemini API (ai.google.dev/api/generate-content). Its REST form: the SDK can't be given a fetch. */
import { adjusted } from './adjust.ts'
import type { Parameter } from './adjust.ts'
import { collectCalls, isObject } from './calls.ts'
import type { Connection } from './credentials.ts'
import { fault, halfStream, protocolFault, readFault, refusalFault, stopped } from './faults.ts'
import { geminiBody } from './google-messages.ts'
import type { Kept } from './google-messages.ts'
import { serverEvents } from './lines.ts'
import type { Outline, OutlineItem } from './outline.ts'
import { hasImages } from './parts.ts'
import type { ProviderModule } from './registry.ts'
import type { ModelChunk, ModelRequest, StopReason, Usage } from './types.ts'
import { openWire, refusalOf } from './wire.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) => {
  const bodyOf = geminiBody()
  return {
    supportsTools: true,
    supportsSchema: true,
    async *stream(request, signal) {
      const connection = await connect(request)
      const used: Parameter[] = [
        ...(request.temperature === undefined ? [] : ['temperature' as const]),
        ...(request.topP === undefined ? [] : ['top_p' as const]),
        ...(request.seed === undefined ? [] : ['seed' as const]),
        ...(request.schema ? ['schema' as const] : []),
        ...(hasImages(request.messages) ? ['images' as const] : []),
      ]
      yield* adjusted(`${connection.baseUrl} ${request.model}`, used, (without) => answer(connection, request, bodyOf(request, without), signal))
    },
  }
}

async function* answer(connection: Connection, request: ModelRequest, body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const wire = openWire(connection, request, signal, connection.apiKey ? { 'x-goog-api-key': connection.apiKey } : {})
  const base = /\/v1(alpha|beta)?$/.test(connection.baseUrl) ? connection.baseUrl : `${connection.baseUrl}/v1beta`
  const name = request.model.startsWith('models/') || request.model.startsWith('tunedModels/') ? request.model : `models/${request.model}`
  const response = await wire.fetch(`${base}/${name.split('/').map(encodeURIComponent).join('/')}:streamGenerateContent?alt=sse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  yield wire.raw()
  try {
    if (!response.body) throw halfStream(connection)
    const reader = readAnswer(connection, request)
    if (/application\/json/i.test(response.headers.get('content-type') ?? '')) {
      // Without `alt=sse` (some gateways drop it) the same chunks come as one JSON list.
      const whole: unknown = await response.json()
      for (const chunk of Array.isArray(whole) ? whole : [whole]) yield* reader.read(chunk)
    } else {
      for await (const { data } of serverEvents(response.body)) yield* reader.read(JSON.parse(data))
    }
    if (signal.aborted) throw stopped(signal)
    yield* reader.end()
    yield wire.raw()
  } catch (error) {
    throw readFault(connection, error, signal)
  }
}

function readAnswer(connection: Connection, request: ModelRequest): { read(chunk: unknown): Generator<ModelChunk>; end(): Generator<ModelChunk> } {
  const calls = collectCalls(request.messages)
  const items: OutlineItem<Kept>[] = []
  let usage: Record<string, unknown> = {}
  let stop: StopReason | undefined
  let malformed = false

  /** Text that follows unsigned text is the same part, streamed on; a signed part is never joined with another. */
  const note = (length: number, extra: Record<string, unknown> | undefined): void => {
    const last = items.at(-1)
    if (last && 'text' in last && !last.with && (!extra || length > 0)) {
      last.text += length
      if (extra) last.with = extra
    } else if (length > 0 || extra) items.push({ text: length, ...(extra ? { with: extra } : {}) })
  }

  function* readPart(part: Record<string, unknown>): Generator<ModelChunk> {
    const extra = typeof part.thoughtSignature === 'string' ? { thoughtSignature: part.thoughtSignature } : undefined
    if (isObject(part.functionCall)) {
      const { id, name, args } = part.functionCall
      const call = calls.whole({ id: typeof id === 'string' ? id : undefined, name: typeof name === 'string' ? name : '', args: args ?? {} })
      items.push({ call: call.id, ...(extra ? { with: extra } : {}) })
      yield* call.chunks
    } else if (part.thought === true) {
      if (typeof part.text === 'string' && part.text !== '') yield { type: 'reasoning', text: part.text }
      if (extra) items.push({ kept: { text: '', ...part, thought: true } })
    } else if (typeof part.text === 'string') {
      if (part.text !== '') yield { type: 'text', text: part.text }
      note(part.text.length, extra)
    } else if (extra) items.push({ kept: part })
  }

  return {
    *read(chunk) {
      if (!isObject(chunk)) throw protocolFault(connection, 'it is no JSON object')
      if (isObject(chunk.error)) {
        const code = Number(chunk.error.code)
        throw refusalFault(connection, { status: code >= 400 && code < 600 ? code : 500, model: request.model, ...refusalOf(chunk) })
      }
      if (isObject(chunk.usageMetadata)) usage = { ...usage, ...chunk.usageMetadata }
      if (isObject(chunk.promptFeedback) && typeof chunk.promptFeedback.blockReason === 'string') {
        throw fault('MODEL_ERROR', `Google Gemini blocked the prompt (${chunk.promptFeedback.blockReason}). Change the prompt, or use another model.`, { kind: 'content_filter' })
      }
      const candidate: unknown = Array.isArray(chunk.candidates) ? chunk.candidates[0] : undefined
      if (!isObject(candidate)) return
      const parts = isObject(candidate.content) && Array.isArray(candidate.content.parts) ? candidate.content.parts : []
      for (const part of parts) if (isObject(part)) yield* readPart(part)
      if (typeof candidate.finishReason === 'string') {
        stop = stopReasons[candidate.finishReason] ?? 'other'
        malformed ||= candidate.finishReason === 'MALFORMED_FUNCTION_CALL'
      }
    },
    *end() {
      if (stop === undefined) throw halfStream(connection)
      if (malformed && calls.count === 0) {
        throw fault('MODEL_ERROR', 'Google Gemini began a call it could not finish (MALFORMED_FUNCTION_CALL). Try again, or put @retry(3) on the call.', { kind: 'protocol', retry: '5xx' })
      }
      if (items.some((item) => 'kept' in item || item.with)) {
        yield { type: 'opaque', data: { model: request.model, items } satisfies Outline<Kept> }
      }
      yield { type: 'usage', usage: readUsage(usage) }
      yield { type: 'stop', reason: stop }
    },
  }
}

/** ai.google.dev/api/generate-content#FinishReason. Calls end with STOP too. */
const stopReasons: Record<string, StopReason> = {
  STOP: 'stop',
  MAX_TOKENS: 'max_tokens',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'other',
}

/** The prompt's count has the cached tokens in it; thoughts are counted beside the answer and billed as output. */
function readUsage(usage: Record<string, unknown>): Usage {
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
  const thoughts = count(usage.thoughtsTokenCount)
  const cached = count(usage.cachedContentTokenCount)
  return {
    input: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    output: count(usage.candidatesTokenCount) + thoughts,
    ...(cached > 0 ? { cacheRead: cached } : {}),
    ...(thoughts > 0 ? { reasoning: thoughts } : {}),
  }
}
