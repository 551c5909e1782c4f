/** A journal as a person reads it: what was asked and answered, in order, without its questions and answers apart. */
import type { JournalEntry, InterruptRequest } from '../../halo/run/types.ts'
import { readApproval } from '../../halo/run/questions.ts'
import { numberOf, stageOf } from '../run/items.ts'

/** A thing that was asked of the world, from when it stands in the journal, and what came of it. */
export interface Exchange {
  /** Of its first entry. */
  index: number
  /** Index of its answer's entry; undefined: it has none. */
  answered?: number
  opening?: JournalEntry
  answer?: JournalEntry
  /** A call that no entry says the end of: it was refused, or its arguments could not be read. */
  refused?: { target: string; args: Record<string, unknown>; detail: string }
  path: string
  stage: string
}

export function exchangesOf(entries: readonly JournalEntry[]): Exchange[] {
  const found: Exchange[] = []
  const open = new Map<number, Exchange>()
  const asked = new Map<string, { target: string; args: Record<string, unknown>; path: string }>()
  const made = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const stage = stageOf(entry.path)
    const begun = entry.ref === undefined ? undefined : open.get(entry.ref)
    if (begun) {
      begun.answer = entry
      begun.answered = index
    } else {
      if (entry.kind === 'agent') for (const refused of refusals(entry, asked, made)) found.push({ index, answered: index, refused, path: refused.path, stage })
      const opens = entry.state === 'begun' || entry.state === 'asked'
      const exchange: Exchange = { index, path: entry.path, stage, ...(opens ? { opening: entry } : { answer: entry, answered: index }) }
      if (opens) open.set(entry.seq, exchange)
      found.push(exchange)
    }
    if (entry.kind === 'tool') made.add(entry.path)
    for (const { index: end } of entry.path.matchAll(/>/g)) made.add(entry.path.slice(0, end))
    for (const [i, call] of (entry.toolCalls ?? []).entries()) asked.set(call.id, { target: call.name.replace('__', '.'), args: call.args, path: `${entry.path}/call:${i}` })
  }
  return found
}

/** What a request tells a model of calls that never ran. */
function refusals({ request }: JournalEntry, asked: Map<string, { target: string; args: Record<string, unknown>; path: string }>, made: ReadonlySet<string>) {
  const messages = (request as { messages?: { role?: string; toolCallId?: string; content?: unknown }[] } | undefined)?.messages ?? []
  return messages.flatMap(({ role, toolCallId, content }) => {
    const call = role === 'tool' && toolCallId !== undefined ? asked.get(toolCallId) : undefined
    if (!call || toolCallId === undefined) return []
    asked.delete(toolCallId)
    return made.has(call.path) ? [] : [{ ...call, detail: typeof content === 'string' ? content : JSON.stringify(content) }]
  })
}

export const stageNumber = (path: string): string => numberOf(stageOf(path))

/** What was asked for there; an answer may leave it to the entry that it answers. */
export const requestOf = ({ opening, answer }: Exchange): unknown => answer?.request ?? opening?.request

/** Of an entry: what is asked, or the answer, in a few words. */
export function gist(entry: JournalEntry): string {
  if (entry.error) return `${entry.error.code}: ${entry.error.message}`
  if (entry.state === 'begun') return ''
  switch (entry.kind) {
    case 'agent':
      return (entry.toolCalls ?? []).map(({ name }) => name.replace('__', '.')).join(', ') || textOf(entry.value)
    case 'approval':
      return entry.state === 'asked' ? questionText(entry.request) : approvalText(entry.value)
    case 'yield':
    case 'listen':
    case 'input':
    case 'recovery':
      return entry.state === 'asked' ? questionText(entry.request) : textOf(entry.value)
    default:
      return textOf(entry.value)
  }
}

export function questionText(request: unknown): string {
  return (request as Partial<InterruptRequest> | undefined)?.message ?? ''
}

export function approvalText(value: unknown): string {
  const { approved, reason } = readApproval(value)
  return approved ? 'allowed' : `denied${reason === undefined ? '' : `: ${reason}`}`
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  // A row shows a line: whole files need not be written out for it.
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, 160).replace(/\s+/g, ' ')
}
