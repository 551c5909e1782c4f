/** What a person says of recordings: a name, and that one is to be kept. One small file beside them. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mark {
  /** Kept beside the newest ones. */
  pinned?: boolean
  name?: string
}

const FILE = 'marks.json'

export function readMarks(folder: string): Map<string, Mark> {
  const file = join(folder, FILE)
  if (!existsSync(file)) return new Map()
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Mark>
    return new Map(Object.entries(read))
  } catch {
    // A damaged file costs names and pins of recordings, never a recording: nothing is thrown away on its word.
    return new Map()
  }
}

/** Can the marks be relied on? Where they can't be read, any recording may be a pinned one. */
export function marksReadable(folder: string): boolean {
  const file = join(folder, FILE)
  if (!existsSync(file)) return true
  try {
    return typeof JSON.parse(readFileSync(file, 'utf8')) === 'object'
  } catch {
    return false
  }
}

/** Changes one mark; the file is whole at every moment. */
export function mark(folder: string, runId: string, change: Mark): void {
  const marks = readMarks(folder)
  const whole: Mark = { ...marks.get(runId), ...change }
  if (whole.pinned !== true) delete whole.pinned
  if (whole.name === undefined || whole.name === '') delete whole.name
  if (Object.keys(whole).length === 0) marks.delete(runId)
  else marks.set(runId, whole)
  const file = join(folder, FILE)
  if (marks.size === 0) rmSync(file, { force: true })
  else {
    const written = `${file}.${process.pid}`
    writeFileSync(written, `${JSON.stringify(Object.fromEntries(marks), null, 2)}\n`, { mode: 0o600 })
    renameSync(written, file)
  }
}
