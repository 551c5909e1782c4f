/** Journals of the command line: one JSON Lines file a run under .halo/recordings, written through to the disk line by line. */
import { closeSync, existsSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { endLine, entryLine, readLines, startLine, toLines } from '../lib/halo/recordings/lines.ts'
import { summarise } from '../lib/halo/run/journal.ts'
import type { JournalRecord, JournalStore, JournalSummary } from '../lib/halo/run/types.ts'
import { mark, marksReadable, readMarks, type Mark } from './recording-marks.ts'

/** Ended runs beyond these go when a new run starts. Pinned ones and open ones stay beside them, however old. */
const KEPT = 50

export interface Recordings {
  /** The newest first. */
  summaries: (JournalSummary & Mark)[]
  unreadable: { file: string; why: string }[]
}

export interface RecordingsFolder extends JournalStore {
  load(runId: string): JournalRecord | undefined
  all(): Recordings
  /** Where the recording of a run lies, or would. */
  pathOf(runId: string): string
  mark(runId: string, change: Mark): void
  /** Takes in a recording from elsewhere. @throws HaloError VALIDATION when it is there already */
  add(record: JournalRecord): void
}

/** @param folder made when the first run is recorded */
export function recordingsFolder(folder: string): RecordingsFolder {
  const open = new Map<string, number>()

  const fileOf = (runId: string): string => {
    if (!/^\w[\w.-]{0,99}$/.test(runId)) throw new HaloError('VALIDATION', `${JSON.stringify(runId)} can't be the id of a run: letters, digits, "-", "_" and "." only.`)
    return join(folder, `${runId}.jsonl`)
  }

  /** Synchronous: an entry is on the disk before anything is made of it. */
  const append = (runId: string, line: string): void => {
    let file = open.get(runId)
    if (file === undefined) {
      mend(fileOf(runId))
      file = openSync(fileOf(runId), 'a')
      open.set(runId, file)
    }
    writeSync(file, line)
    fdatasyncSync(file)
  }

  const close = (runId: string): void => {
    const file = open.get(runId)
    if (file !== undefined) closeSync(file)
    open.delete(runId)
  }

  const all = (): Recordings => {
    const summaries: Recordings['summaries'] = []
    const unreadable: Recordings['unreadable'] = []
    const marks = readMarks(folder)
    for (const file of filesIn(folder)) {
      try {
        const summary = summarise(read(file))
        summaries.push({ ...summary, ...marks.get(summary.runId) })
      } catch (error) {
        unreadable.push({ file, why: messageOf(error) })
      }
    }
    summaries.sort((a, b) => b.at - a.at)
    return { summaries, unreadable }
  }

  return {
    all,
    pathOf: fileOf,
    list: () => all().summaries,
    create(start) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      prune(folder)
      // Recordings hold what was said, unredacted: for their owner's eyes.
      open.set(start.runId, openSync(fileOf(start.runId), 'wx', 0o600))
      append(start.runId, startLine(start))
    },
    append(runId, entry) {
      append(runId, entryLine(entry))
      // Nothing follows what came after the end.
      if (entry.state === 'late') close(runId)
    },
    end(runId, end) {
      append(runId, endLine(end))
      close(runId)
    },
    load(runId) {
      const file = fileOf(runId)
      return existsSync(file) ? read(file) : undefined
    },
    remove(runId) {
      close(runId)
      rmSync(fileOf(runId), { force: true })
      if (readMarks(folder).has(runId)) mark(folder, runId, { pinned: false, name: '' })
    },
    mark(runId, change) {
      if (!existsSync(fileOf(runId))) throw new HaloError('VALIDATION', `There is no recording of run ${runId}.`)
      mark(folder, runId, change)
    },
    add(record) {
      const { runId } = record.start
      const file = fileOf(runId)
      if (existsSync(file)) throw new HaloError('VALIDATION', `There is a recording of run ${runId} already: it stays as it is.`)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // All of it or nothing: a disk that is full leaves no half.
      const written = `${file}.part`
      try {
        writeFileSync(written, toLines(record), { mode: 0o600 })
        const at = new Date(record.end?.at ?? record.start.at)
        utimesSync(written, at, at)
        renameSync(written, file)
      } finally {
        rmSync(written, { force: true })
      }
    },
  }
}

function read(file: string): JournalRecord {
  try {
    return readLines(readFileSync(file, 'utf8')).record
  } catch (error) {
    throw new HaloError('VALIDATION', `${file}: ${messageOf(error)}`, { cause: error })
  }
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
}

/** A process that was killed may leave half a line: it goes, else the next one would be glued to it. */
function mend(file: string): void {
  const bytes = readFileSync(file)
  const from = bytes.lastIndexOf(0x0a) + 1
  if (from === bytes.length) return
  try {
    JSON.parse(bytes.toString('utf8', from))
    // Whole but for its line end.
    const open = openSync(file, 'a')
    writeSync(open, '\n')
    closeSync(open)
  } catch {
    truncateSync(file, from)
  }
}

/** Makes room for one more: of the ended runs that aren't pinned the newest are kept. */
function prune(folder: string): void {
  const files = filesIn(folder)
  if (files.length < KEPT || !marksReadable(folder)) return
  const marks = readMarks(folder)
  const ended = files
    .filter((file) => marks.get(basename(file, '.jsonl'))?.pinned !== true && hasEnded(file))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { file } of ended.slice(KEPT - 1)) {
    rmSync(file, { force: true })
    const runId = basename(file, '.jsonl')
    if (marks.has(runId)) mark(folder, runId, { name: '' })
  }
}

/** Lines are read from the end of a file in pieces of this many bytes. */
const TAIL = 65_536

/** Is the last line that isn't about a late result an `end`? What can't be read is not ours to throw away. */
function hasEnded(path: string): boolean {
  try {
    const last = lastLine(path)
    const value = last === undefined ? undefined : (JSON.parse(last) as { kind?: unknown; state?: unknown })
    if (value?.kind === 'end') return true
    return value?.state === 'late' && readLines(readFileSync(path, 'utf8')).record.end !== undefined
  } catch {
    return false
  }
}

/** undefined: it is longer than what is read. */
function lastLine(path: string): string | undefined {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(TAIL, size))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const text = bytes.toString('utf8').trimEnd()
    const from = text.lastIndexOf('\n')
    return from === -1 && bytes.length < size ? undefined : text.slice(from + 1)
  } finally {
    closeSync(file)
  }
}
