import type { JournalEnd, JournalEntry, JournalRecord, JournalStart, JournalStore, JournalSummary } from './types.ts'

/** The number of ended runs that the memory store keeps; open ones are always kept. */
const KEPT = 50

/** Journals in memory: the default, and for tests. */
export function memoryJournal(): JournalStore & { records: Map<string, JournalRecord> } {
  const records = new Map<string, JournalRecord>()
  const find = (runId: string) => {
    const record = records.get(runId)
    if (record === undefined) throw new Error(`No journal of run ${runId}.`)
    return record
  }
  return {
    records,
    create(start: JournalStart) {
      records.set(start.runId, { start, entries: [] })
    },
    append(runId: string, entry: JournalEntry) {
      find(runId).entries.push(entry)
    },
    end(runId: string, end: JournalEnd) {
      find(runId).end = end
      if (records.size <= KEPT) return
      for (const [id, record] of records) {
        if (records.size <= KEPT) break
        if (record.end !== undefined && id !== runId) records.delete(id)
      }
    },
    load: (runId: string) => records.get(runId),
    remove(runId: string) {
      records.delete(runId)
    },
    list: () => [...records.values()].map(summarise),
  }
}

/** One line about a journal, for lists. */
export function summarise(record: JournalRecord): JournalSummary {
  const { start, entries, end } = record
  return { runId: start.runId, pipeline: start.pipeline, at: start.at, status: end?.status ?? (isPaused(entries) ? 'paused' : 'running'), entries: entries.length }
}

/** Of a run without an end: does it wait for a person? Else something cut it off while it was running. */
export function isPaused(entries: readonly JournalEntry[]): boolean {
  const answered = new Set(entries.map((entry) => entry.ref))
  return entries.some((entry) => entry.state === 'asked' && !answered.has(entry.seq))
}

/** What a journal says about one ask. */
export interface Recorded {
  answer?: JournalEntry
  /** A call that was begun and whose outcome nobody knows. */
  begun?: JournalEntry
  /** A question that was put and not answered. */
  asked?: JournalEntry
}

/** Finds entries of an earlier part of the same run by their place: path and kind. */
export class JournalIndex {
  readonly #answers = new Map<string, JournalEntry>()
  readonly #begun = new Map<string, JournalEntry>()
  readonly #asked = new Map<string, JournalEntry>()
  readonly #paths: Set<string>
  /** Events that came before anyone listened, by name, oldest first. */
  readonly early = new Map<string, JournalEntry[]>()

  constructor(entries: readonly JournalEntry[]) {
    const used = new Set<number>()
    for (const entry of entries) if (entry.ref !== undefined) used.add(entry.ref)
    for (const entry of entries) {
      const key = keyOf(entry.kind, entry.path)
      if (entry.state === 'begun') this.#begun.set(key, entry)
      else if (entry.state === 'asked') this.#asked.set(key, entry)
      else if (entry.state === 'late') continue
      else if (entry.kind === 'listen' && entry.path === EARLY) {
        if (used.has(entry.seq)) continue
        const waiting = this.early.get(entry.target)
        if (waiting === undefined) this.early.set(entry.target, [entry])
        else waiting.push(entry)
      } else this.#answers.set(key, entry)
    }
    this.#paths = new Set(entries.filter((entry) => entry.kind === 'input').map((entry) => entry.path))
  }

  find(kind: JournalEntry['kind'], path: string): Recorded {
    const key = keyOf(kind, path)
    return { answer: this.#answers.get(key), begun: this.#begun.get(key), asked: this.#asked.get(key) }
  }

  /** Did the tool call at this path ask a person something? Then it is entered again from its start. */
  asksBelow(path: string): boolean {
    return this.#paths.has(`${path}/input:1`)
  }
}

/** The path of events that came before anyone listened for them. */
export const EARLY = 'early'

function keyOf(kind: string, path: string): string {
  return `${kind} ${path}`
}

/** Journal paths in the order of the program: numbers by value, all else by character. */
export function comparePaths(a: string, b: string): number {
  const left = a.match(/\d+|\D/g) ?? []
  const right = b.match(/\d+|\D/g) ?? []
  for (let i = 0; i < left.length && i < right.length; i++) {
    const x = left[i] ?? ''
    const y = right[i] ?? ''
    if (x === y) continue
    const difference = Number(x) - Number(y)
    return Number.isNaN(difference) ? (x < y ? -1 : 1) : difference
  }
  return left.length - right.length
}
