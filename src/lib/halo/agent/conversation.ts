import type { Message } from '../models/types.ts'
import type { Conversation } from './request.ts'

const encoder = new TextEncoder()

/** Appends a message; gives its position. */
export function push(talk: Conversation, message: Message): number {
  return talk.messages.push(message) - 1
}

/**
 * What a request's input can come to at the most, in tokens: the UTF-8 bytes of the system prompt, the functions and all
 * messages. Only what is new since the last time is counted, and only where a limit of spending asks for it.
 */
export function inputBytes(talk: Conversation): number {
  const { size, messages } = talk
  if (size.counted === 0) size.bytes = byteLength(talk.system ?? '') + byteLength(JSON.stringify(talk.settings.schema ?? '')) + talk.offer.bytes
  for (; size.counted < messages.length; size.counted++) {
    const message = messages[size.counted]
    if (message !== undefined) size.bytes += sizeOf(message)
  }
  return size.bytes
}

export function say(talk: Conversation, text: string): void {
  push(talk, { role: 'user', content: text })
}

/** UTF-8 bytes of a message as it goes over the wire, with room for its frame: a token is at least one byte. */
function sizeOf(message: Message): number {
  const { content, toolCalls } = message
  let size = 16
  if (typeof content === 'string') size += byteLength(content)
  else for (const part of content) size += part.type === 'text' ? byteLength(part.text) : part.data.length
  for (const call of toolCalls ?? []) size += call.name.length + byteLength(JSON.stringify(call.args)) + 16
  return size
}

function byteLength(text: string): number {
  // Three bytes a unit is the most there can be; short texts, the usual case, are counted exactly.
  return text.length > 4096 ? text.length * 3 : encoder.encode(text).length
}
