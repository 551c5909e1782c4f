/**
 * A run's journal as JSON Lines: a `start` line, one line an entry, an `end` line. The form in which recordings lie on disk
 * and go from one place to another. A run that was resumed has an `end` line for each time it stopped; the last one that
 * nothing follows counts.
 */
import { HaloError, messageOf } from '../errors.ts'
import type { EntryKind, JournalEnd, JournalEntry, JournalRecord, JournalStart } from '../run/types.ts'

/** The version of the form. A reader refuses newer ones, since it can't know what they mean. */
export const FORMAT = 1

const KINDS: Record<EntryKind, true> = {
  agent: true,
  tool: true,
  approval: true,
  yield: true,
  listen: true,
  input: true,
  clock: true,
  methods: true,
  store: true,
  verdict: true,
  recovery: true,
}

export function startLine(start: JournalStart): string {
  return `${JSON.stringify({ kind: 'start', format: FORMAT, ...start })}\n`
}

export function entryLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`
}

export function endLine(end: JournalEnd): string {
  return `${JSON.stringify({ kind: 'end', ...end })}\n`
}

/** A whole journal as text. */
export function toLines({ start, entries, end }: JournalRecord): string {
  return startLine(start) + entries.map(entryLine).join('') + (end === undefined ? '' : endLine(end))
}

export interface ReadLines {
  record: JournalRecord
  /** Whether the last line was cut off while it was written. */
  cut: boolean
}

/**
 * Reads what `toLines` gives. A last line that is cut off is left out: a process that is killed leaves one. Anything else
 * that isn't a recording throws a HaloError VALIDATION whose message says what is wrong with which line.
 */
export function readLines(text: string): ReadLines {
  let start: JournalStart | undefined
  let end: JournalEnd | undefined
  const entries: JournalEntry[] = []
  // Some editors put a mark of UTF-8 before the first line.
  let from = text.startsWith('\uFEFF') ? 1 : 0
  let number = 0
  while (from < text.length) {
    const newline = text.indexOf('\n', from)
    const to = newline === -1 ? text.length : newline
    const line = text.slice(from, to)
    from = to + 1
    number++
    if (line.trim() === '') continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (error) {
      if (newline === -1 && start !== undefined) return { record: recordOf(start, entries, end), cut: true }
      throw unreadable(number, `it is not JSON (${messageOf(error)})`)
    }
    if (!isObject(value)) throw unreadable(number, 'it is not an object')
    if (start === undefined) {
      start = startOf(value, number)
    } else if (value.kind === 'start') {
      throw unreadable(number, 'a second run starts there')
    } else if (value.kind === 'end') {
      end = endOf(value, number)
    } else {
      const entry = entryOf(value, number, entries)
      entries.push(entry)
      // What came after a run was stopped doesn't open it again.
      if (entry.state !== 'late') end = undefined
    }
  }
  if (start === undefined) throw new HaloError('VALIDATION', 'This is not a recording: it is empty.')
  return { record: recordOf(start, entries, end), cut: false }
}

function recordOf(start: JournalStart, entries: JournalEntry[], end: JournalEnd | undefined): JournalRecord {
  return end === undefined ? { start, entries } : { start, entries, end }
}

function startOf(value: Record<string, unknown>, line: number): JournalStart {
  const { kind, format, ...start } = value
  if (kind !== 'start') throw unreadable(line, 'a recording begins with a line of kind "start"')
  if (typeof format === 'number' && format > FORMAT) {
    throw new HaloError('VALIDATION', `This recording was made by a newer version (its form is ${format}, this one reads up to ${FORMAT}). Update to read it.`)
  }
  if (format !== undefined && typeof format !== 'number') throw unreadable(line, `its form, ${JSON.stringify(format)}, is no number`)
  const { runId, pipeline, args, at, version } = start
  // A recorder that was handed to a runtime knows no program: what it kept can be replayed, not resumed.
  const { main = '', sources = {} } = start
  if (typeof runId !== 'string' || runId === '') throw unreadable(line, 'the run has no id')
  if (typeof pipeline !== 'string') throw unreadable(line, 'it names no pipeline')
  if (!isObject(args)) throw unreadable(line, 'it has no arguments')
  if (!isObject(sources) || !Object.values(sources).every((text) => typeof text === 'string')) throw unreadable(line, "its program's text is no text")
  if (typeof main !== 'string' || (Object.keys(sources).length > 0 && !Object.hasOwn(sources, main))) throw unreadable(line, 'it does not say which file is the program')
  if (typeof at !== 'number') throw unreadable(line, 'it has no time')
  return { ...start, runId, pipeline, args, main, sources: sources as Record<string, string>, at, version: typeof version === 'string' ? version : '' }
}

function entryOf(value: Record<string, unknown>, line: number, before: JournalEntry[]): JournalEntry {
  const { seq, at, path, kind, target } = value
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) throw unreadable(line, `nothing is known of entries of kind ${JSON.stringify(kind)}`)
  if (typeof seq !== 'number' || !Number.isInteger(seq) || seq < 0) throw unreadable(line, 'the entry has no number')
  const last = before.at(-1)
  if (last !== undefined && seq <= last.seq) throw unreadable(line, `entry ${seq} comes after entry ${last.seq}`)
  if (typeof at !== 'number' || typeof path !== 'string' || typeof target !== 'string') throw unreadable(line, 'the entry lacks its time, path or target')
  return { ...value, seq, at, path, kind: kind as EntryKind, target }
}

const STATUSES = ['completed', 'paused', 'failed', 'declined', 'cancelled'] as const

function endOf(value: Record<string, unknown>, line: number): JournalEnd {
  const { kind: _, ...end } = value
  const status = STATUSES.find((one) => one === end.status)
  if (status === undefined) throw unreadable(line, 'it does not say how the run ended')
  if (typeof end.at !== 'number') throw unreadable(line, 'it has no time')
  return { ...end, status, output: end.output, at: end.at }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(line: number, why: string): HaloError {
  return new HaloError('VALIDATION', `This is not a recording that can be read: line ${line}: ${why}.`)
}
