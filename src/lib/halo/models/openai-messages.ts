/** Conversations in the form of OpenAI's Chat Completions (platform.openai.com/docs/api-reference/chat), which many servers speak. */
import { sentArgs } from './calls.ts'
import { dataUrl, describe, fileText, notShown, partsOf, translations } from './parts.ts'
import type { FunctionTool, Message, ModelRequest, Part } from './types.ts'

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | ChatPart[] | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string }; [extra: string]: unknown }[]
  tool_call_id?: string
  [extra: string]: unknown
}
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

export interface ChatForm {
  /** Whether `file` parts (PDF) may be sent. */
  files: boolean
  /** Fields of an assistant message for parts that this provider wants back unchanged. */
  opaque?(data: unknown, reasoning: boolean): Record<string, unknown>
  /** Fields of one of its calls, likewise. */
  opaqueOfCall?(data: unknown, id: string): Record<string, unknown>
  provider: string
}

/** What may be sent beside text. */
export interface Send {
  images: boolean
  reasoning: boolean
}

/** One message, and what can't stand in it: a tool message takes text only, so its images follow in a user message. */
interface Translated {
  message: ChatMessage
  after: ChatPart[]
}

/** Translates whole conversations; every message is translated once. */
export function chatMessages(form: ChatForm): (request: ModelRequest, send: Send) => ChatMessage[] {
  const made = new Map<string, (message: Message) => Translated>()
  const translating = (send: Send): ((message: Message) => Translated) => {
    const key = `${send.images} ${send.reasoning}`
    const known = made.get(key) ?? translations((message) => translate(message, form, send))
    made.set(key, known)
    return known
  }
  return (request, send) => {
    const one = translating(send)
    const out: ChatMessage[] = request.system ? [{ role: 'system', content: request.system }] : []
    let after: ChatPart[] = []
    for (const message of request.messages) {
      // The answers to one turn's calls must follow each other, so their images wait for the last of them.
      if (message.role !== 'tool' && after.length > 0) {
        out.push({ role: 'user', content: after })
        after = []
      }
      const translated = one(message)
      out.push(translated.message)
      after = after.concat(translated.after)
    }
    if (after.length > 0) out.push({ role: 'user', content: after })
    return out
  }
}

function translate(message: Message, form: ChatForm, { images, reasoning }: Send): Translated {
  if (message.role === 'assistant') return { message: assistant(message, form, reasoning), after: [] }
  if (message.role !== 'tool') {
    const simple = typeof message.content === 'string' ? message.content : undefined
    return { message: { role: message.role, content: simple ?? partsOf(message).map((part) => chatPart(part, form, images)) }, after: [] }
  }
  const after: ChatPart[] = []
  const texts = partsOf(message).map((part) => {
    if (part.type === 'text') return part.text
    const sent = chatPart(part, form, images)
    if (sent.type === 'text') return sent.text
    after.push(sent)
    return `[${describe(part)}: in the next message]`
  })
  if (after.length > 0) after.unshift({ type: 'text', text: `From the result of ${message.name ?? 'the call'} (${message.toolCallId ?? ''}):` })
  return { message: { role: 'tool', tool_call_id: message.toolCallId ?? '', content: texts.join('\n') }, after }
}

function assistant(message: Message, form: ChatForm, reasoning: boolean): ChatMessage {
  const text = partsOf(message)
    .map((part) => (part.type === 'text' ? part.text : notShown(part)))
    .join('')
  const calls = message.toolCalls ?? []
  const own = message.opaque?.provider === form.provider ? message.opaque.data : undefined
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(sentArgs(call)) },
            ...(own === undefined ? {} : form.opaqueOfCall?.(own, call.id)),
          })),
        }),
    ...(own === undefined ? {} : form.opaque?.(own, reasoning)),
  }
}

function chatPart(part: Part, form: ChatForm, images: boolean): ChatPart {
  if (part.type === 'text') return part
  if (part.type === 'image') return images ? { type: 'image_url', image_url: { url: dataUrl(part) } } : { type: 'text', text: notShown(part) }
  const text = fileText(part)
  if (text !== undefined) return { type: 'text', text }
  if (!form.files || part.mimeType !== 'application/pdf') return { type: 'text', text: notShown(part) }
  return { type: 'file', file: { filename: part.name ?? 'file.pdf', file_data: dataUrl(part) } }
}

export const chatTool = (tool: FunctionTool): Record<string, unknown> => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: tool.parameters },
})
