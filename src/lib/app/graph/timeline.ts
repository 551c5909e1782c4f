/** Model and tool calls as a waterfall has them. */
import { comparePaths } from '../../halo/run/journal.ts'
import type { JournalEntry } from '../../halo/run/types.ts'
import { numberOf, stageOf, type TimedCall } from '../run/items.ts'

export interface Bar {
  key: string
  /** The stage it belongs to, as a reader counts. */
  number: string
  path: string
  kind: 'model' | 'tool'
  target: string
  /** Milliseconds since the first call began. */
  from: number
  ms: number
  cost: number
  failed: boolean
  /** Has no end yet. */
  running: boolean
}
export interface Waterfall {
  bars: Bar[]
  /** Milliseconds from the first begin to the last end. */
  total: number
}

type Call = Omit<Bar, 'number' | 'from'> & { at: number }

function waterfall(calls: readonly Call[]): Waterfall {
  const began = calls.reduce((least, { at }) => Math.min(least, at), Infinity)
  const bars = calls.map(({ at, ...call }) => ({ ...call, number: numberOf(stageOf(call.path)), from: at - began })).sort((a, b) => a.from - b.from || comparePaths(a.path, b.path))
  return { bars, total: bars.reduce((most, { from, ms }) => Math.max(most, from + ms), 0) }
}

/** Of a journal up to and with the entry at `upTo`. */
export function waterfallOf(entries: readonly JournalEntry[], upTo: number): Waterfall {
  const open = new Map<number, JournalEntry>()
  const calls: Call[] = []
  for (const entry of entries.slice(0, upTo + 1)) {
    if (entry.kind !== 'agent' && entry.kind !== 'tool') continue
    if (entry.state === 'begun') {
      open.set(entry.seq, entry)
      continue
    }
    if (entry.ref !== undefined) open.delete(entry.ref)
    const { seq, path, kind, target, at, ms = 0, cost = 0 } = entry
    calls.push({ key: String(seq), path, kind: kind === 'agent' ? 'model' : 'tool', target, at: at - ms, ms, cost, failed: entry.error !== undefined, running: false })
  }
  for (const run of nestedRuns(entries.slice(0, upTo + 1), calls)) calls.push(run)
  const now = entries[upTo]?.at ?? 0
  for (const { seq, path, kind, target, at } of open.values()) {
    calls.push({ key: String(seq), path, kind: kind === 'agent' ? 'model' : 'tool', target, at, ms: Math.max(0, now - at), cost: 0, failed: false, running: true })
  }
  return waterfall(calls)
}

/** Pipelines that agents called as tools: each from the first to the last that it did. A journal has no entry of the call itself. */
function nestedRuns(entries: readonly JournalEntry[], made: readonly Call[]): Call[] {
  const names = new Map(entries.flatMap(({ path, toolCalls = [] }) => toolCalls.map(({ name }, i): [string, string] => [`${path}/call:${i}`, name.replace('__', '.')])))
  const runs = new Map<string, Call>()
  for (const { path, at, ms } of made) {
    for (const { index } of path.matchAll(/>/g)) {
      const call = path.slice(0, index)
      const target = names.get(call)
      if (target === undefined) continue
      const run = runs.get(call) ?? { key: call, path: call, kind: 'tool', target, at, ms: 0, cost: 0, failed: false, running: false }
      const end = Math.max(run.at + run.ms, at + ms)
      run.at = Math.min(run.at, at)
      run.ms = end - run.at
      runs.set(call, run)
    }
  }
  return [...runs.values()]
}

/** Of a transcript, as it stands at `now`. */
export function waterfallOfCalls(calls: readonly TimedCall[], now: number): Waterfall {
  return waterfall(calls.map(({ ms, ...call }) => ({ ...call, ms: ms ?? Math.max(0, now - call.at), running: ms === undefined })))
}
