/** Ollama's chat API (docs.ollama.com/api/chat): JSON lines, calls whole, no way to turn tools off. */
import { adjusted } from './adjust.ts'
import type { Parameter } from './adjust.ts'
import { collectCalls, isObject, sentArgs } from './calls.ts'
import type { Connection } from './credentials.ts'
import { halfStream, protocolFault, readFault, refusalFault, stopped } from './faults.ts'
import { jsonLines } from './lines.ts'
import { chatTool } from './openai-messages.ts'
import { describe, hasImages, notShown, partsOf, textOf, translations } from './parts.ts'
import type { ProviderModule } from './registry.ts'
import { withSchemaInPrompt } from './structured.ts'
import type { Message, ModelChunk, ModelRequest, StopReason, StreamingAdapter } from './types.ts'
import { openWire } from './wire.ts'

type WireMessage = { role: string; content: string } & Record<string, unknown>

export const createAdapter: ProviderModule['createAdapter'] = (connect): StreamingAdapter => {
  const translate = { with: translations((message) => wireMessages(message, true)), without: translations((message) => wireMessages(message, false)) }
  return {
    supportsTools: true,
    supportsSchema: true,
    async *stream(request, signal) {
      const connection = await connect(request)
      const used: Parameter[] = [...(hasImages(request.messages) ? ['images' as const] : []), ...(native(request) ? ['schema' as const] : [])]
      yield* adjusted(`${connection.baseUrl} ${request.model}`, used, (without) => {
        const form = without.has('images') ? translate.without : translate.with
        return answer(connection, request, bodyOf(request, form, !without.has('schema')), signal)
      })
    },
  }
}

/** `format` binds every answer, calls too, so it is for requests that can't call. */
const native = (request: ModelRequest): boolean => request.schema !== undefined && (request.tools.length === 0 || request.toolChoice === 'none')

function bodyOf(asked: ModelRequest, form: (message: Message) => { message: WireMessage; images: string[] }, format: boolean): Record<string, unknown> {
  const schema = format && native(asked) ? asked.schema : undefined
  const request = withSchemaInPrompt(asked) // In words as well: the model doesn't see `format`.
  return {
    model: request.model,
    stream: true,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(chatTool) }),
    messages: conversation(request, form),
    ...(schema ? { format: schema.schema } : {}),
    options: {
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.topP === undefined ? {} : { top_p: request.topP }),
      ...(request.seed === undefined ? {} : { seed: request.seed }),
      num_predict: request.maxTokens,
    },
  }
}

/** Models look for images in the user's messages, so those of results follow in one. */
function conversation(request: ModelRequest, form: (message: Message) => { message: WireMessage; images: string[] }): WireMessage[] {
  const out: WireMessage[] = request.system ? [{ role: 'system', content: request.system }] : []
  let waiting: string[] = []
  const flush = (): void => {
    if (waiting.length > 0) out.push({ role: 'user', content: 'The images of the results above.', images: waiting })
    waiting = []
  }
  for (const message of request.messages) {
    if (message.role !== 'tool') flush()
    const translated = form(message)
    out.push(translated.message)
    waiting = waiting.concat(translated.images)
  }
  flush()
  return out
}

function wireMessages(message: Message, images: boolean): { message: WireMessage; images: string[] } {
  const shown = images ? partsOf(message).flatMap((part) => (part.type === 'image' ? [part.data] : [])) : []
  if (message.role === 'tool') {
    const content = textOf(message, (part) => (part.type === 'image' && images ? `[${describe(part)}: in the next message]` : notShown(part)))
    return { message: { role: 'tool', content, tool_name: message.name ?? '' }, images: shown }
  }
  if (message.role !== 'assistant') {
    const content = shown.length > 0 ? partsOf(message).flatMap((part) => (part.type === 'image' ? [] : [textOf({ role: 'user', content: [part] })])).join('\n') : textOf(message)
    return { message: { role: message.role, content, ...(shown.length > 0 ? { images: shown } : {}) }, images: [] }
  }
  const calls = message.toolCalls ?? []
  const kept = message.opaque?.provider === 'ollama' && isObject(message.opaque.data) ? message.opaque.data : {}
  return {
    message: {
      role: 'assistant',
      content: textOf(message),
      ...(typeof kept.thinking === 'string' ? { thinking: kept.thinking } : {}),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map((call, index) => ({ type: 'function', function: { index, name: call.name, arguments: sentArgs(call) } })) }),
    },
    images: [],
  }
}

async function* answer(connection: Connection, request: ModelRequest, body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const wire = openWire(connection, request, signal)
  const response = await wire.fetch(`${connection.baseUrl.replace(/\/(api|v1)$/, '')}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  yield wire.raw()
  try {
    if (!response.body) throw halfStream(connection)
    const calls = collectCalls(request.messages)
    let thinking = ''
    let done: Record<string, unknown> | undefined
    for await (const line of jsonLines(response.body)) {
      if (!isObject(line)) throw protocolFault(connection, 'a line is no JSON object')
      if (typeof line.error === 'string') throw refusalFault(connection, { status: 500, model: request.model, message: line.error })
      const message = isObject(line.message) ? line.message : {}
      if (typeof message.thinking === 'string' && message.thinking !== '') {
        thinking += message.thinking
        yield { type: 'reasoning', text: message.thinking }
      }
      if (typeof message.content === 'string' && message.content !== '') yield { type: 'text', text: message.content }
      for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
        if (!isObject(call) || !isObject(call.function)) continue
        const { name, arguments: args } = call.function
        yield* calls.whole({ id: typeof call.id === 'string' && call.id !== '' ? call.id : undefined, name: typeof name === 'string' ? name : '', args: args ?? {} }).chunks
      }
      if (line.done === true) done = line
    }
    if (signal.aborted) throw stopped(signal)
    if (!done) throw halfStream(connection)
    // Within a tool conversation a thinking model goes on from its thoughts (docs.ollama.com/capabilities/tool-calling).
    if (thinking !== '' && calls.count > 0) yield { type: 'opaque', data: { thinking } }
    const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
    yield { type: 'usage', usage: { input: count(done.prompt_eval_count), output: count(done.eval_count) } }
    yield { type: 'stop', reason: stopReasons[String(done.done_reason ?? 'stop')] ?? 'other' }
    yield wire.raw()
  } catch (error) {
    throw readFault(connection, error, signal)
  }
}

const stopReasons: Record<string, StopReason> = { stop: 'stop', length: 'max_tokens' }
