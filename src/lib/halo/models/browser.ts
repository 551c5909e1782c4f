/** The browser's built-in model through the Prompt API (webmachinelearning.github.io/prompt-api). Everything stays on the device. */
import { messageOf } from '../errors.ts'
import { isObject } from './calls.ts'
import { fault, stopped } from './faults.ts'
import { fileText, notShown, partsOf } from './parts.ts'
import type { ProviderModule } from './registry.ts'
import { withSchemaInPrompt } from './structured.ts'
import type { Message, ModelChunk, ModelRequest } from './types.ts'

/** What of the API is used here. */
interface LanguageModelApi {
  availability(options?: CreateOptions): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>
  create(options: CreateOptions & { initialPrompts?: Prompt[]; signal?: AbortSignal }): Promise<Session>
}
interface CreateOptions {
  expectedInputs?: { type: 'image' }[]
}
interface Session {
  promptStreaming(input: Prompt[], options: { signal?: AbortSignal; responseConstraint?: unknown }): ReadableStream<string>
  measureContextUsage?(input: Prompt[]): Promise<number>
  /** Tokens in the session so far; `inputUsage` before it was renamed. */
  contextUsage?: number
  inputUsage?: number
  destroy(): void
}
interface Prompt {
  role: 'system' | 'user' | 'assistant'
  content: string | ({ type: 'text'; value: string } | { type: 'image'; value: Blob })[]
}

export const createAdapter: ProviderModule['createAdapter'] = () => ({
  supportsTools: false,
  supportsSchema: true,
  async *stream(request, signal): AsyncGenerator<ModelChunk> {
    const api = languageModel()
    let constraint: unknown = request.schema?.schema
    for (;;) {
      try {
        yield* answer(api, constraint === undefined ? withSchemaInPrompt(request) : request, constraint, signal)
        return
      } catch (error) {
        // A schema with a keyword it doesn't know: the words of the prompt have to do.
        if (constraint === undefined || nameOf(error) !== 'NotSupportedError') throw asFault(error, signal)
        constraint = undefined
      }
    }
  },
})

function languageModel(): LanguageModelApi {
  const api: unknown = Reflect.get(globalThis, 'LanguageModel')
  if ((typeof api === 'function' || isObject(api)) && 'create' in api && 'availability' in api) return api as unknown as LanguageModelApi
  throw fault('MODEL_ERROR', 'This browser has no built-in model. Use desktop Chrome or Edge with its Prompt API, or another model.', { kind: 'unavailable' })
}

async function* answer(api: LanguageModelApi, request: ModelRequest, constraint: unknown, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const prompts = request.messages.map(promptOf)
  const images = prompts.some(({ content }) => typeof content !== 'string')
  const options: CreateOptions = images ? { expectedInputs: [{ type: 'image' }] } : {}
  if ((await api.availability(options)) === 'unavailable') {
    throw fault(
      'MODEL_ERROR',
      `The browser's built-in model ${images ? "doesn't take images" : "can't run on this device"}. ${images ? 'Leave them out' : 'Free some disk space and see chrome://on-device-internals'}, or use another model.`,
      { kind: 'unavailable' },
    )
  }
  // All but the last turn is how the session begins; the model answers the last.
  const initialPrompts: Prompt[] = [...(request.system ? [{ role: 'system' as const, content: request.system }] : []), ...prompts.slice(0, -1)]
  yield { type: 'raw', request: { initialPrompts, prompt: prompts.at(-1), ...(constraint === undefined ? {} : { responseConstraint: constraint }) } }
  const session = await api.create({ ...options, ...(initialPrompts.length > 0 ? { initialPrompts } : {}), signal })
  try {
    const stream = session.promptStreaming(prompts.slice(-1), { signal, ...(constraint === undefined ? {} : { responseConstraint: constraint }) })
    const reader = stream.getReader()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
      yield { type: 'text', text: value }
    }
    if (signal.aborted) throw stopped(signal)
    const total = session.contextUsage ?? session.inputUsage
    if (total !== undefined) {
      const output = Math.min(total, (await session.measureContextUsage?.([{ role: 'assistant', content: text }]).catch(() => undefined)) ?? Math.ceil(text.length / 4))
      yield { type: 'usage', usage: { input: total - output, output } }
    }
    yield { type: 'stop', reason: 'stop' }
  } finally {
    session.destroy()
  }
}

function promptOf(message: Message): Prompt {
  const role = message.role === 'assistant' ? 'assistant' : 'user' // A system prompt may stand at the start only.
  const parts = partsOf(message)
  if (role === 'assistant' || !parts.some((part) => part.type === 'image')) {
    return { role, content: parts.map((part) => (part.type === 'text' ? part.text : (fileText(part) ?? notShown(part)))).join('\n') }
  }
  return {
    role,
    content: parts.map((part) =>
      part.type === 'image'
        ? { type: 'image', value: new Blob([Uint8Array.from(atob(part.data), (char) => char.charCodeAt(0))], { type: part.mimeType }) }
        : { type: 'text', value: part.type === 'text' ? part.text : (fileText(part) ?? notShown(part)) },
    ),
  }
}

const nameOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '')

function asFault(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return stopped(signal)
  switch (nameOf(error)) {
    case 'HaloError':
      return error
    case 'QuotaExceededError':
      return fault('MODEL_ERROR', "The conversation is too long for the browser's built-in model. Send less, or use a model with a longer context.", { kind: 'context' }, error)
    case 'NotAllowedError':
      return fault('MODEL_ERROR', "The browser doesn't let this page use its built-in model now: its download has to be begun by a click. Click Run again, or use another model.", { kind: 'unavailable' }, error)
    case 'NotReadableError':
      return fault('MODEL_ERROR', "The browser's built-in model withheld its answer. Change the prompt, or use another model.", { kind: 'content_filter' }, error)
    default:
      return fault('MODEL_ERROR', `The browser's built-in model failed: ${messageOf(error).replace(/\.$/, '')}. Try again, or use another model.`, { kind: 'server', retry: '5xx' }, error)
  }
}
