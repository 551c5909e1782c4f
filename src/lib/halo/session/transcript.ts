/** A kept conversation, read again: checked, and what was under way when it was kept closed off. */
import { Type } from 'typebox'
import { HaloError, messageOf } from '../errors.ts'
import type { Message } from '../models/types.ts'
import { faultsText, validate } from '../run/schema.ts'
import type { CallStatus, SessionItem, SessionTranscript } from './types.ts'

const part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('image'), mimeType: Type.String(), data: Type.String() }),
  Type.Object({ type: Type.Literal('file'), mimeType: Type.String(), data: Type.String(), name: Type.Optional(Type.String()) }),
])
const args = Type.Record(Type.String(), Type.Unknown())
const usage = Type.Object({
  input: Type.Number(), output: Type.Number(),
  cacheRead: Type.Optional(Type.Number()), cacheWrite: Type.Optional(Type.Number()), reasoning: Type.Optional(Type.Number()),
})
const message = Type.Object({
  role: Type.Union((['system', 'user', 'assistant', 'tool'] as const).map((role) => Type.Literal(role))),
  content: Type.Union([Type.String(), Type.Array(part)]),
  toolCalls: Type.Optional(Type.Array(Type.Object({ id: Type.String(), name: Type.String(), args, invalid: Type.Optional(Type.String()) }))),
  toolCallId: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  opaque: Type.Optional(Type.Object({ provider: Type.String(), data: Type.Unknown() })),
})
const base = { id: Type.String(), at: Type.Number() }
const text = Type.Optional(Type.String())
const item = Type.Union([
  Type.Object({ ...base, type: Type.Literal('user'), text: Type.String(), images: Type.Array(part) }),
  Type.Object({
    ...base, type: Type.Literal('assistant'), text: Type.String(), model: Type.String(), reasoning: text,
    status: Type.Union((['streaming', 'done', 'failed', 'stopped'] as const).map((status) => Type.Literal(status))),
    usage: Type.Optional(usage), cost: Type.Optional(Type.Number()),
  }),
  Type.Object({
    ...base, type: Type.Literal('call'), name: Type.String(), args, target: text, error: text, reason: text, output: text,
    by: Type.Union([Type.Literal('model'), Type.Literal('person')]),
    status: Type.Union((['queued', 'waiting', 'running', 'done', 'error', 'declined', 'refused', 'stopped'] as const).map((status) => Type.Literal(status))),
  }),
  Type.Object({ ...base, type: Type.Literal('error'), code: Type.String(), message: Type.String() }),
])
const queued = Type.Union([
  Type.Object({ id: Type.String(), type: Type.Literal('message'), text: Type.String(), images: Type.Array(part) }),
  Type.Object({ id: Type.String(), type: Type.Literal('tool'), name: Type.String(), args }),
])
const SCHEMA = Type.Object({
  version: Type.Literal(1),
  id: Type.String({ minLength: 1 }),
  model: Type.String(),
  items: Type.Array(item),
  messages: Type.Array(message),
  queue: Type.Array(queued),
  usage,
  context: Type.Optional(Type.Number()),
  cost: Type.Number(),
  steps: Type.Number(),
  calls: Type.Record(Type.String(), Type.Number()),
  turns: Type.Integer({ minimum: 0 }),
  canRetry: Type.Boolean(),
})

/** Why what waited when a conversation was kept has no answer. */
const CUT_OFF = 'The conversation was closed before anyone answered.'

/**
 * The conversation in `given`, which may have been kept in the middle of a turn.
 * @throws HaloError VALIDATION that names what is wrong with it.
 */
export function readTranscript(given: unknown): SessionTranscript {
  let plain: unknown
  try {
    // Images may make it larger than any value of a run.
    plain = JSON.parse(JSON.stringify(given) ?? 'null')
  } catch (error) {
    throw new HaloError('VALIDATION', `The transcript can't be read: ${messageOf(error)}`, { cause: error })
  }
  const faults = validate(SCHEMA, plain)
  if (faults.length > 0) throw new HaloError('VALIDATION', `The transcript isn't one that this version reads:\n${faultsText(faults, 'the transcript')}`, { data: faults })
  const transcript = plain as SessionTranscript
  const status = new Map(transcript.items.flatMap((each) => (each.type === 'call' ? [[each.id, each.status] as const] : [])))
  const last = transcript.items.filter((each) => each.type === 'call').map(({ id }) => id)
  const messages = [...transcript.messages]
  closeCalls(messages, (i, count) => status.get(last[last.length - count + i] ?? ''), CUT_OFF)
  return { ...transcript, messages, items: transcript.items.map(ended) }
}

function ended(item: SessionItem): SessionItem {
  if (item.type === 'assistant' && item.status === 'streaming') return { ...item, status: 'stopped' }
  if (item.type !== 'call') return item
  if (item.status === 'waiting') return { ...item, status: 'declined', reason: CUT_OFF }
  return item.status === 'running' || item.status === 'queued' ? { ...item, status: 'stopped' } : item
}

/** Every call of the last turn gets an answer, since no provider takes a conversation where one has none. `reason` is why what waited was denied. */
export function closeCalls(messages: Message[], statusOf: (call: number, count: number) => CallStatus | undefined, reason: string): void {
  const at = messages.findLastIndex((each) => each.role === 'assistant')
  const calls = messages[at]?.toolCalls ?? []
  const told = messages.length - at - 1
  for (const [i, call] of calls.entries()) {
    if (i < told) continue
    messages.push({ role: 'tool', content: unanswered(statusOf(i, calls.length), reason), toolCallId: call.id, name: call.name })
  }
}

function unanswered(status: CallStatus | undefined, reason: string): string {
  switch (status) {
    case 'waiting': return `A person declined this call: ${reason} It was not made.`
    case 'queued': return 'This call was not made: the conversation was stopped before its turn.'
    default: return 'This call was stopped while it was under way. Whether it has done something is not known.'
  }
}
