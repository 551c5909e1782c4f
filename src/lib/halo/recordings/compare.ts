/** Two runs side by side: what each got at the same place, and where they first part. */
import { comparePaths } from '../run/journal.ts'
import { samePlain } from '../run/plain.ts'
import { earlierPaths } from '../run/replay.ts'
import type { JournalEntry, JournalRecord } from '../run/types.ts'
import { recordingOf } from './recording.ts'

/** One place of the program; `a` or `b` is absent where that run didn't come there. */
export interface Compared {
  kind: JournalEntry['kind']
  /** In the second run, else in the first. */
  path: string
  target: string
  a?: JournalEntry
  b?: JournalEntry
  /** What was asked is the same, and so is what came back. */
  sameRequest: boolean
  sameAnswer: boolean
}

export interface Totals {
  /** US dollars. */
  cost: number
  tokens: { input: number; output: number }
  /** Milliseconds of model requests and calls, waiting for people left out. */
  ms: number
  requests: number
  calls: number
}

export interface Comparison {
  /** In the order of the program. */
  rows: Compared[]
  /** The first place, in the order in which the second run came to them, where they aren't the same. */
  first?: Compared
  sameEnd: boolean
  totals: { a: Totals; b: Totals }
}

/** Compares what two runs got from outside. Programs that differ are compared stage by stage. */
export function compareRuns(a: JournalRecord, b: JournalRecord): Comparison {
  const before = earlierPaths(b.start, a.start)
  const [left, right] = [answersOf(a), answersOf(b)]
  const open = new Map(left.map((entry) => [`${entry.kind} ${entry.path}`, entry]))
  const rows: Compared[] = []
  for (const entry of right) {
    const key = `${entry.kind} ${before(entry.path) ?? '?'}`
    const other = open.get(key)
    if (other !== undefined && other.target === entry.target) {
      open.delete(key)
      rows.push(pair(other, entry))
    } else rows.push(pair(undefined, entry))
  }
  const bySeq = [...rows].sort((x, y) => (x.b?.seq ?? 0) - (y.b?.seq ?? 0))
  for (const entry of open.values()) rows.push(pair(entry, undefined))
  rows.sort((x, y) => comparePaths(x.path, y.path))
  const first = bySeq.find(differs) ?? rows.find(differs)
  const sameEnd = a.end?.status === b.end?.status && samePlain(a.end?.output ?? null, b.end?.output ?? null) && a.end?.error?.code === b.end?.error?.code
  return { rows, ...(first === undefined ? {} : { first }), sameEnd, totals: { a: totalsOf(left), b: totalsOf(right) } }
}

function answersOf(record: JournalRecord): JournalEntry[] {
  return recordingOf(record).calls.filter(({ kind }) => kind !== 'clock' && kind !== 'verdict')
}

function pair(a: JournalEntry | undefined, b: JournalEntry | undefined): Compared {
  const { kind, path, target } = b ?? a ?? { kind: 'tool' as const, path: '', target: '' }
  const both = a !== undefined && b !== undefined
  return {
    kind, path, target,
    ...(a === undefined ? {} : { a }),
    ...(b === undefined ? {} : { b }),
    sameRequest: both && samePlain(a.request ?? null, b.request ?? null),
    sameAnswer: both && samePlain(a.value ?? null, b.value ?? null) && samePlain(a.toolCalls ?? [], b.toolCalls ?? []) && a.error?.message === b.error?.message,
  }
}

function differs({ sameRequest, sameAnswer }: Compared): boolean {
  return !sameRequest || !sameAnswer
}

function totalsOf(entries: readonly JournalEntry[]): Totals {
  const totals: Totals = { cost: 0, tokens: { input: 0, output: 0 }, ms: 0, requests: 0, calls: 0 }
  for (const { kind, cost = 0, usage, ms = 0 } of entries) {
    if (kind === 'agent') totals.requests++
    else if (kind === 'tool') totals.calls++
    else continue
    totals.cost += cost
    totals.tokens.input += usage?.input ?? 0
    totals.tokens.output += usage?.output ?? 0
    totals.ms += ms
  }
  return totals
}
