/** What lies in storage, checked as it comes in: another version or a damaged disk may have written it. */
import { HaloError } from '../halo/errors.ts'
import type { HaloEvent, JournalEntry, JournalStart } from '../halo/run/types.ts'
import type { Database, StoredProject, StoredRun } from './database.ts'

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is Record<string, string> => isObject(value) && Object.values(value).every(isText)

/** undefined: there is nothing in it that could be shown. */
export function readProject(value: unknown): StoredProject | undefined {
  if (!isObject(value) || !isText(value.id) || !isTexts(value.files)) return undefined
  const [first] = Object.keys(value.files)
  if (first === undefined) return undefined
  const { files, active, name, fields, opened } = value
  return {
    ...(value as unknown as StoredProject),
    name: isText(name) ? name : value.id,
    active: isText(active) && Object.hasOwn(files, active) ? active : first,
    fields: isObject(fields) && Object.values(fields).every(isTexts) ? (fields as StoredProject['fields']) : {},
    opened: typeof opened === 'number' ? opened : 0,
  }
}
export async function projectIn(db: Database, id: string): Promise<StoredProject | undefined> {
  return readProject(await db.get('projects', id))
}
export async function projectsIn(db: Database): Promise<StoredProject[]> {
  return (await db.getAll('projects')).flatMap((one) => readProject(one) ?? [])
}

export function readRun(value: unknown): StoredRun | undefined {
  if (!isObject(value) || !isText(value.runId) || !isText(value.pipeline) || typeof value.at !== 'number' || !Array.isArray(value.asked)) return undefined
  if (value.end !== undefined && !(isObject(value.end) && isText(value.end.status))) return undefined
  return { ...(value as unknown as StoredRun), entries: typeof value.entries === 'number' ? value.entries : 0 }
}

/** @throws HaloError VALIDATION where it can't be gone on with, nor shown */
export function readJournal(start: unknown, entries: readonly unknown[]): { start: JournalStart; entries: JournalEntry[] } {
  const damaged = (what: string) => new HaloError('VALIDATION', `What is stored of this run is damaged (${what}), so it can’t be opened. It can be deleted under Recordings.`)
  if (!isObject(start) || !isText(start.pipeline) || !isText(start.main) || !isObject(start.args) || !isTexts(start.sources)) throw damaged('its beginning')
  const bad = entries.findIndex((one) => !isEntry(one))
  if (bad >= 0) throw damaged(`entry ${bad + 1}`)
  return { start: start as unknown as JournalStart, entries: entries as JournalEntry[] }
}
function isEntry(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value.seq) && [value.kind, value.path, value.target].every(isText)
}

/** Those that can be shown. */
export function readEvents(values: readonly unknown[]): HaloEvent[] {
  return values.filter((one) => isObject(one) && isText(one.type) && isText(one.path) && typeof one.time === 'number') as HaloEvent[]
}
