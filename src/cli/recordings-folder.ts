/** Journals of the command line: one JSON Lines file a run under .halo/recordings, written through to the disk line by line. */
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { endLine, entryLine, readLines, startLine } from '../lib/halo/recordings/lines.ts'
import { summarise } from '../lib/halo/run/journal.ts'
import type { JournalRecord, JournalStore, JournalSummary } from '../lib/halo/run/types.ts'

/** Ended runs beyond these go when a new run starts. Open ones stay, however old. */
const KEPT = 50

export interface Recordings {
  /** The newest first. */
  summaries: JournalSummary[]
  unreadable: { file: string; why: string }[]
}

export interface RecordingsFolder extends JournalStore {
  load(runId: string): JournalRecord | undefined
  all(): Recordings
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
    const summaries: JournalSummary[] = []
    const unreadable: Recordings['unreadable'] = []
    for (const file of filesIn(folder)) {
      try {
        summaries.push(summarise(read(file)))
      } catch (error) {
        unreadable.push({ file, why: messageOf(error) })
      }
    }
    summaries.sort((a, b) => b.at - a.at)
    return { summaries, unreadable }
  }

  return {
    all,
    list: () => all().summaries,
    create(start) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      prune(folder)
      // Recordings hold what was said, unredacted: for their owner's eyes.
      open.set(start.runId, openSync(fileOf(start.runId), 'wx', 0o600))
      append(start.runId, startLine(start))
    },
    append: (runId, entry) => append(runId, entryLine(entry)),
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

/** Makes room for one more: of the ended runs the newest are kept. */
function prune(folder: string): void {
  const files = filesIn(folder)
  if (files.length < KEPT) return
  const ended = files
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT - 1)
    .filter(({ file }) => hasEnded(file))
  for (const { file } of ended) rmSync(file, { force: true })
}

function hasEnded(file: string): boolean {
  try {
    return readLines(readFileSync(file, 'utf8')).record.end !== undefined
  } catch {
    // What can't be read is not ours to throw away.
    return false
  }
}
