import type { Message } from '../models/types.ts'
import type { Conversation } from './request.ts'

const encoder = new TextEncoder()

/** Appends a message, and keeps count of what a request comes to. Gives its position. */
export function push(talk: Conversation, message: Message): number {
  talk.bytes += sizeOf(message)
  return talk.messages.push(message) - 1
}

export function say(talk: Conversation, text: string): void {
  push(talk, { role: 'user', content: text })
}

/** UTF-8 bytes of a message as it goes over the wire, with room for its frame: a token is at least one byte. */
export function sizeOf(message: Message): number {
  const { content, toolCalls } = message
  let size = 16
  if (typeof content === 'string') size += byteLength(content)
  else for (const part of content) size += part.type === 'text' ? byteLength(part.text) : part.data.length
  for (const call of toolCalls ?? []) size += call.name.length + byteLength(JSON.stringify(call.args)) + 16
  return size
}

export function byteLength(text: string): number {
  // Three bytes a unit is the most there can be; short texts, the usual case, are counted exactly.
  return text.length > 4096 ? text.length * 3 : encoder.encode(text).length
}
