/** Two recorded runs beside each other. */
import { recordingOf } from '../../halo/recordings/recording.ts'
import { samePlain } from '../../halo/run/plain.ts'
import type { JournalEntry, JournalRecord } from '../../halo/run/types.ts'

export interface RunFigures {
  status: string
  ms: number
  requests: number
  calls: number
  /** US dollars. */
  cost: number
  tokens: number
}
/** Where two runs first part: what was asked, or what was answered. */
export interface Parting {
  path: string
  target: string
  what: 'request' | 'answer' | 'missing'
  left: unknown
  right: unknown
  /** Index of the entry in each; undefined: it has none there. */
  leftSeq?: number
  rightSeq?: number
}
export interface Comparison {
  figures: [RunFigures, RunFigures]
  parting?: Parting
  sameOutput: boolean
}

export function compare(left: JournalRecord, right: JournalRecord): Comparison {
  return {
    figures: [figuresOf(left), figuresOf(right)],
    parting: partingOf(left, right),
    sameOutput: left.end?.status === right.end?.status && samePlain(left.end?.output ?? null, right.end?.output ?? null),
  }
}

export function figuresOf({ start, entries, end }: JournalRecord): RunFigures {
  const figures: RunFigures = { status: end?.status ?? 'open', ms: (end?.at ?? entries.at(-1)?.at ?? start.at) - start.at, requests: 0, calls: 0, cost: 0, tokens: 0 }
  for (const { state, kind, cost = 0, usage } of entries) {
    if (state !== undefined) continue
    if (kind === 'agent') figures.requests++
    if (kind === 'tool') figures.calls++
    figures.cost += cost
    figures.tokens += (usage?.input ?? 0) + (usage?.output ?? 0)
  }
  return figures
}

const placeOf = ({ kind, path }: JournalEntry): string => `${kind} ${path}`
/** What policies and clocks said tells of a run's machinery, not of its course. */
const counts = ({ kind }: JournalEntry): boolean => kind !== 'verdict' && kind !== 'clock' && kind !== 'methods'

function partingOf(left: JournalRecord, right: JournalRecord): Parting | undefined {
  if (!samePlain(left.start.args, right.start.args)) return { path: '', target: left.start.pipeline, what: 'request', left: left.start.args, right: right.start.args }
  const ours = recordingOf(left).calls.filter(counts)
  const theirs = recordingOf(right).calls.filter(counts)
  const byPlace = new Map(theirs.map((entry) => [placeOf(entry), entry]))
  for (const entry of ours) {
    const other = byPlace.get(placeOf(entry))
    byPlace.delete(placeOf(entry))
    const { path, target } = entry
    const seqs = { leftSeq: entry.seq, ...(other ? { rightSeq: other.seq } : {}) }
    if (!other || other.target !== target) return { path, target, what: 'missing', left: entry.request, right: other && { target: other.target, request: other.request }, ...seqs }
    if (!samePlain(entry.request ?? null, other.request ?? null)) return { path, target, what: 'request', left: entry.request, right: other.request, ...seqs }
    if (!samePlain(answerOf(entry), answerOf(other))) return { path, target, what: 'answer', left: answerOf(entry), right: answerOf(other), ...seqs }
  }
  const [more] = byPlace.values()
  return more && { path: more.path, target: more.target, what: 'missing', left: undefined, right: more.request, rightSeq: more.seq }
}

function answerOf({ value, toolCalls = [], error }: JournalEntry): unknown {
  if (error) return { error: `${error.code}: ${error.message}` }
  // Ids of calls are made anew in each run.
  return toolCalls.length === 0 ? (value ?? null) : { text: value ?? null, calls: toolCalls.map(({ name, args }) => ({ name, args })) }
}
