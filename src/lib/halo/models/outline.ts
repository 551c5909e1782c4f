/**
 * The order of an answer's parts. Providers that sign their parts want them back in the order they came in, while a message holds
 * its text in one piece and its calls in a list; and both may have been changed since (a person edited a call, a policy took
 * something out of the text). So the order is kept with references to them, and what is signed is kept whole.
 */
import { isObject } from './calls.ts'
import { partsOf } from './parts.ts'
import type { Message, ToolCall } from './types.ts'

export type OutlineItem<Kept> =
  /** Text of this many UTF-16 code units. */
  | { text: number; with?: Record<string, unknown> }
  /** The call of this id. */
  | { call: string; with?: Record<string, unknown> }
  /** A part that has to go back unchanged. */
  | { kept: Kept }

export interface Outline<Kept> {
  /** Signatures hold for the model that made them. */
  model: string
  items: OutlineItem<Kept>[]
}

export type Piece<Kept> =
  | { type: 'text'; text: string; with?: Record<string, unknown> }
  | { type: 'call'; call: ToolCall; with?: Record<string, unknown> }
  | { type: 'kept'; part: Kept }

/** The outline in a message from this provider, if it has one of the expected form. */
export function outlineOf<Kept>(message: Message, provider: string): Outline<Kept> | undefined {
  if (message.opaque?.provider !== provider) return undefined
  const data = message.opaque.data
  return isObject(data) && typeof data.model === 'string' && Array.isArray(data.items) ? (data as unknown as Outline<Kept>) : undefined
}

/** An assistant message's text, calls and kept parts in their order. Without an outline: the text, then the calls. */
export function piecesOf<Kept>(message: Message, outline: Outline<Kept> | undefined): Piece<Kept>[] {
  const text = partsOf(message)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
  const calls = new Map((message.toolCalls ?? []).map((call) => [call.id, call]))
  const pieces: Piece<Kept>[] = []
  const items = outline?.items ?? []
  const outlined = items.reduce((sum, item) => sum + ('text' in item ? item.text : 0), 0)
  let at = 0
  for (const item of items) {
    if ('kept' in item) pieces.push({ type: 'kept', part: item.kept })
    else if ('call' in item) {
      const call = calls.get(item.call)
      if (call) pieces.push({ type: 'call', call, with: item.with })
      calls.delete(item.call)
    } else if (outlined === text.length) {
      pieces.push({ type: 'text', text: text.slice(at, at + item.text), with: item.with })
      at += item.text
    } else if (at === 0) {
      // The text is no longer what came: it stands where the first of it stood, unsigned.
      pieces.push({ type: 'text', text })
      at = text.length
    }
  }
  if (at < text.length) pieces.push({ type: 'text', text: text.slice(at) })
  for (const call of calls.values()) pieces.push({ type: 'call', call })
  return pieces
}
