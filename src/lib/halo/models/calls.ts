/** Tool calls as they come in pieces: told apart, given unique ids, their arguments read as JSON objects. */
import type { Message, ModelChunk, ToolCall } from './types.ts'

/**
 * The ids of calls made here begin with this; an API that takes its own ids only is never sent them.
 * They are the same each time the conversation is the same, so that a replay finds its place.
 */
const MADE = 'call_halo_'
export const isMadeId = (id: string): boolean => id.startsWith(MADE)

interface OpenCall {
  id: string
  name: string
  text: string
}

export interface CallCollector {
  /** A call begins, or goes on: `key` is its place in the answer. Gives the chunks to show. */
  add(key: string | number, piece: { id?: string; name?: string; args?: string }): ModelChunk[]
  /** Whether a call is open at this place, with which id and name. */
  at(key: string | number): Readonly<OpenCall> | undefined
  /** A call that came whole, its arguments already an object. */
  whole(call: { id?: string; name: string; args: unknown }): { chunks: ModelChunk[]; id: string }
  /** Every call collected since the last time, complete; in the order they began. */
  finish(): ModelChunk[]
  /** How many calls there were in all. */
  readonly count: number
}

export function collectCalls(messages: readonly Message[]): CallCollector {
  const taken = new Set<string>()
  for (const message of messages) for (const call of message.toolCalls ?? []) taken.add(call.id)
  const open = new Map<string | number, OpenCall>()
  let order: OpenCall[] = []
  let count = 0

  const newId = (wanted: string | undefined): string => {
    const id = uniqueId(wanted || `${MADE}${messages.length}_${count}`, taken)
    count++
    return id
  }

  return {
    add(key, piece) {
      let call = open.get(key)
      if (!call) {
        call = { id: newId(piece.id), name: '', text: '' }
        open.set(key, call)
        order.push(call)
      }
      const named = piece.name && !call.name ? piece.name : undefined
      if (named) call.name = named
      const args = piece.args ?? ''
      call.text += args
      return named || args ? [{ type: 'tool_delta', id: call.id, ...(named ? { name: named } : {}), args }] : []
    },
    at: (key) => open.get(key),
    whole({ id, name, args }) {
      const unique = newId(id)
      const call = wholeCall({ id: unique, name, args: args as ToolCall['args'] }, new Set())
      return { id: unique, chunks: [{ type: 'tool_delta', id: unique, name, args: JSON.stringify(args ?? {}) }, { type: 'tool_call', call }] }
    },
    finish() {
      const done = order.map((call): ModelChunk => ({ type: 'tool_call', call: toCall(call) }))
      order = []
      open.clear()
      return done
    },
    get count() {
      return count
    },
  }
}

/** A call as an adapter gave it, with an id of its own; arguments may be given as the JSON text that came. */
export function wholeCall(call: ToolCall, taken: Set<string>): ToolCall {
  const id = uniqueId(call.id || 'call', taken)
  const args: unknown = call.args
  if (isObject(args)) return { ...call, id }
  return toCall({ id, name: call.name, text: typeof args === 'string' ? args : JSON.stringify(args ?? {}) })
}

/** `wanted`, or the next free `wanted_2`; taken from then on. */
export function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted
  for (let n = 2; taken.has(id); n++) id = `${wanted}_${n}`
  taken.add(id)
  return id
}

/** Arguments that aren't a JSON object (cut short, or simply wrong) stay as text in `invalid`. None at all is `{}`. */
function toCall({ id, name, text }: OpenCall): ToolCall {
  if (text.trim() === '') return { id, name, args: {} }
  try {
    const args: unknown = JSON.parse(text)
    if (isObject(args)) return { id, name, args }
  } catch {
    // The model is told: see `invalid`.
  }
  return { id, name, args: {}, invalid: text }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a provider that wants an object is sent for a call whose arguments could not be read. */
export function sentArgs(call: ToolCall): Record<string, unknown> {
  return call.invalid === undefined ? call.args : { unreadable_arguments: call.invalid.slice(0, 2000) }
}
