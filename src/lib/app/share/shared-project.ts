/** What a link or a file holds: a project as another person may open it. Plain data, checked as it comes in. */
import { absolutePath, clashing } from '../files/paths.ts'
import { fromBase64, toBase64 } from './packing.ts'
import { shareProblem } from './problem.ts'

export interface SharedProject {
  name: string
  /** The example it was made from. */
  example?: string
  /** Text by path, `main.halo`. */
  files: Record<string, string>
  active: string
  /** Files that tools work on, by absolute path. */
  workspace: Record<string, Uint8Array>
  /** Arguments as typed, by pipeline and parameter. */
  fields: Record<string, Record<string, string>>
  pipeline?: string
  /** `live`, `mock`, `tests`, or `scenario:` and a test's name. */
  mode?: string
  recording?: SharedRecording
  /** Whether an embedded frame lets its text be changed. */
  editable?: boolean
}

export interface SharedRecording {
  mode: string
  /** JSON Lines, redacted. */
  lines: string
}

const MAX_FILES = 2000
const MAX_PATH = 1000

/** As JSON. Lone surrogates survive it, since JSON escapes them. */
export function toJson(project: SharedProject): string {
  const { workspace, ...rest } = project
  const files = Object.entries(workspace).map(([path, bytes]) => {
    const text = textOf(bytes)
    return [path, text ?? { base64: toBase64(bytes) }] as const
  })
  return JSON.stringify({ ...rest, workspace: Object.fromEntries(files) })
}

/** @throws ShareProblem where it isn't what `toJson` gives */
export function fromJson(text: string): SharedProject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw shareProblem('damaged', thrown)
  }
  const given = objectOf(value)
  const files = recordOf(given.files, textIn)
  const active = textIn(given.active)
  if (!Object.hasOwn(files, active) || !Object.keys(files).every(isProjectPath)) throw shareProblem('damaged')
  const workspace = recordOf(given.workspace, bytesIn)
  if (!Object.keys(workspace).every(isWorkspacePath) || clashing(Object.keys(workspace)) !== undefined) throw shareProblem('damaged')
  const project: SharedProject = { name: textIn(given.name), files, active, workspace, fields: recordOf(given.fields, (one) => recordOf(one, textIn)) }
  if (given.example !== undefined) project.example = textIn(given.example)
  if (given.pipeline !== undefined) project.pipeline = textIn(given.pipeline)
  if (given.mode !== undefined) project.mode = textIn(given.mode)
  if (given.recording !== undefined) {
    const recording = objectOf(given.recording)
    project.recording = { mode: textIn(recording.mode), lines: textIn(recording.lines) }
  }
  if (given.editable !== undefined) project.editable = given.editable === true
  return project
}

/** Hex SHA-256 of all that decides what a project does. The same for the same content, however it came. */
export async function digestOf({ editable: _, name: __, example: ___, ...content }: SharedProject): Promise<string> {
  const canonical = JSON.stringify(sorted({ ...content, workspace: mapRecord(content.workspace, toBase64) }))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** undefined: not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)])
}

function mapRecord<T, R>(record: Record<string, T>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw shareProblem('damaged')
  return value as Record<string, unknown>
}
/** `__proto__` is refused as a name: elsewhere in the page it would not be a name like others. */
function recordOf<T>(value: unknown, read: (item: unknown) => T): Record<string, T> {
  const entries = Object.entries(objectOf(value))
  if (entries.length > MAX_FILES || entries.some(([key]) => key === '__proto__')) throw shareProblem('damaged')
  return Object.fromEntries(entries.map(([key, item]) => [key, read(item)]))
}
function textIn(value: unknown): string {
  if (typeof value !== 'string') throw shareProblem('damaged')
  return value
}
function bytesIn(value: unknown): Uint8Array {
  if (typeof value === 'string') return new TextEncoder().encode(value)
  const bytes = fromBase64(textIn(objectOf(value).base64))
  if (!bytes) throw shareProblem('damaged')
  return bytes
}

function isProjectPath(path: string): boolean {
  return path.length <= MAX_PATH && absolutePath(path) === `/${path}` && path !== '' && safe(path)
}
function isWorkspacePath(path: string): boolean {
  return path.length <= MAX_PATH && absolutePath(path) === path && path !== '/' && safe(path)
}
function safe(path: string): boolean {
  return !/[\u0000-\u001f\u007f\\]/.test(path) && !path.split('/').includes('__proto__')
}
