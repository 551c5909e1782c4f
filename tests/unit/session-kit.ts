/** What the tests of sessions share: a session on a model that says what it is told to, and tools that note their calls. */
import { createSession } from '../../src/lib/halo/session/session.ts'
import type { Session, SessionItem, SessionOptions } from '../../src/lib/halo/session/types.ts'
import type { ModelChunk, ModelRequest, StreamingAdapter } from '../../src/lib/halo/models/types.ts'
import { defineTool, type Tool } from '../../src/lib/halo/tools/define.ts'
import type { ToolContext } from '../../src/lib/halo/tools/types.ts'
import type { TSchema } from 'typebox'
import { FORM, type ToolForm } from './gate-contract.ts'

export type Turn = string | ModelChunk[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelChunk> | Iterable<ModelChunk>)

export const text = (said: string): ModelChunk => ({ type: 'text', text: said })
export const asks = (name: string, args: Record<string, unknown> = {}, id = 'c1'): ModelChunk => ({ type: 'tool_call', call: { id, name, args } })

/** A model that gives one turn after the other, and notes what it is sent. */
export function script(turns: Turn[]) {
  const requests: ModelRequest[] = []
  const adapter: StreamingAdapter = {
    async *stream(request, signal) {
      requests.push({ ...request, messages: structuredClone([...request.messages]) })
      const turn = turns.shift() ?? 'done'
      if (typeof turn === 'string') yield text(turn)
      else yield* Array.isArray(turn) ? turn : turn(request, signal)
    },
  }
  return { adapter, requests, turns }
}

export interface Ran {
  name: string
  args: Record<string, unknown>
}

export function tool(name: string, ran: Ran[], about: Partial<ToolForm> & { effect?: 'read' | 'write' | 'external' } = {}, execute: (args: Record<string, unknown>, context: ToolContext) => unknown = () => 'ok'): Tool {
  const { description, parameters } = { ...FORM, ...about }
  return defineTool({
    name, description, parameters: parameters as TSchema, effect: about.effect ?? 'write',
    execute: (args, context) => {
      ran.push({ name, args: structuredClone(args as Record<string, unknown>) })
      return execute(args as Record<string, unknown>, context)
    },
  })
}

/** A session on a scripted model. `ran` has the calls of its tools `look` and `put`. */
export function chat(turns: Turn[], options: Partial<SessionOptions> = {}) {
  const ran: Ran[] = []
  const model = script(turns)
  const session = createSession({ model: 'scripted/m', models: { scripted: model.adapter }, tools: [tool('look', ran, { effect: 'read' }), tool('put', ran)], ...options })
  return { session, ran, requests: model.requests, turns: model.turns }
}

/** Waits for something to be true of a session; fails loudly when it never is. */
export async function until(session: Session, holds: () => boolean, what = 'what was waited for'): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    if (holds()) return
    await new Promise((done) => setTimeout(done, 1))
  }
  throw new Error(`Never came: ${what}. The session has ${JSON.stringify(session.snapshot().items)}`)
}

export function ofType<T extends SessionItem['type']>(session: Session, type: T) {
  return session.snapshot().items.filter((item): item is Extract<SessionItem, { type: T }> => item.type === type)
}

/** The conversation in short: `user: hello`, `assistant: hi`, `put done`, `error CODE`. */
export function inShort(session: Session): string[] {
  return session.snapshot().items.flatMap((item) => {
    switch (item.type) {
      case 'user': return [`user: ${item.text}`]
      case 'assistant': return item.text === '' && item.status === 'done' ? [] : [`assistant${item.status === 'done' ? '' : ` ${item.status}`}: ${item.text}`]
      case 'call': return [`${item.name} ${item.status}`]
      case 'error': return [`error ${item.code}`]
    }
  })
}

/** What the model was told by its tools, in the last request. */
export function toldBy(requests: readonly ModelRequest[]): unknown[] {
  return (requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content)
}

/** No provider takes a conversation in which a call has no answer, or an answer no call. */
export function wellFormed(messages: readonly { role: string; toolCalls?: readonly { id: string }[]; toolCallId?: string }[]): boolean {
  for (let i = 0; i < messages.length; i++) {
    const { role, toolCalls = [] } = messages[i] ?? { role: '' }
    if (role === 'tool') return false
    if (toolCalls.length === 0) continue
    for (const { id } of toolCalls) {
      i++
      if (messages[i]?.role !== 'tool' || messages[i]?.toolCallId !== id) return false
    }
  }
  return messages[0] === undefined || messages[0].role === 'user'
}
