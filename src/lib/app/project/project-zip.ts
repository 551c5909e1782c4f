/**
 * A project as a zip. Programs and the workspace's files lie together at its root, since tools look for `./shop` beside the
 * program that names it: unpacked, `npx halo run main.halo` finds what it found in the page. `halo.json` says which are the
 * programs, and what was chosen and typed.
 */
import { HaloError } from '../../halo/errors.ts'
import { clashing } from '../files/paths.ts'
import type { ZipFiles } from '../files/zip.ts'
import { fromJson, type SharedProject } from '../share/shared-project.ts'
import { dialogWords as words } from './dialog-words.ts'

const MANIFEST = 'halo.json'
const FORM = 'halo-zip'
const VERSION = 1

export type ZippedProject = Omit<SharedProject, 'recording' | 'editable'>

export function zipOf({ files, workspace, ...about }: ZippedProject): ZipFiles {
  const programs = Object.keys(files)
  const folder = folderFor(programs, Object.keys(workspace))
  const manifest = { form: FORM, version: VERSION, ...about, programs, workspace: folder || '.' }
  const text = new TextEncoder()
  return Object.fromEntries([
    [MANIFEST, text.encode(`${JSON.stringify(manifest, undefined, 2)}\n`)],
    ...Object.entries(files).map(([path, source]) => [path, text.encode(source)] as const),
    ...Object.entries(workspace).map(([path, content]) => [inFolder(folder, path.slice(1)), content] as const),
  ])
}

/** The root, unless a file of the workspace has the name of a program or lies where one has a folder of its name. */
function folderFor(programs: string[], workspace: string[]): string {
  const own = [MANIFEST, ...programs]
  const clash = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
  const free = (folder: string) => workspace.every((path) => own.every((one) => !clash(one, inFolder(folder, path.slice(1)))))
  for (let n = 0; ; n++) {
    const folder = n === 0 ? '' : n === 1 ? 'workspace' : `workspace-${n}`
    // Programs in a folder of that name would be taken for files of the workspace.
    if (free(folder) && (n === 0 || !programs.some((path) => clash(path, folder)))) return folder
  }
}
const inFolder = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)

/** Reads such a zip, and any other with programs in it. @throws HaloError VALIDATION in words */
export function projectOf(zip: ZipFiles, name: string): ZippedProject {
  const entries = withoutWrapping(zip)
  const manifest = entries.get(MANIFEST)
  const about = manifest && manifestOf(manifest)
  if (about) entries.delete(MANIFEST)
  const programs = about?.programs ?? [...entries.keys()].filter((path) => path.endsWith('.halo') && !path.startsWith('.halo/'))
  if (programs.length === 0) throw refuse(words.noProgram)
  const files: [string, string][] = []
  for (const path of programs) {
    const content = entries.get(path)
    if (!content) throw refuse(words.badManifest)
    files.push([path, sourceOf(path, content)])
    entries.delete(path)
  }
  const folder = about?.folder ?? ''
  const workspace = [...entries].map(([path, content]) => [`/${folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path}`, content] as const)
  // Taken out of its folder, a file may come to lie where another is.
  if (clashing(workspace.map(([path]) => path)) !== undefined) throw refuse(words.badManifest)
  const active = about?.rest.active ?? programs.find((path) => path === 'main.halo') ?? programs[0]
  // The same door as for what is shared: what is odd in it is refused there.
  const project = fromJson(JSON.stringify({ name, fields: {}, ...about?.rest, files: Object.fromEntries(files), active, workspace: {} }))
  return { ...project, workspace: Object.fromEntries(workspace) }
}

/** Some programs pack the folder, others what is in it. */
function withoutWrapping(zip: ZipFiles): Map<string, Uint8Array> {
  const paths = Object.keys(zip)
  const top = paths[0]?.split('/')[0]
  const wrapped = top !== undefined && paths.every((path) => path.startsWith(`${top}/`))
  const inner = wrapped ? paths.some((path) => path === `${top}/${MANIFEST}` || new RegExp('^[^/]+/[^/]+\\.halo$').test(path)) : false
  return new Map(Object.entries(zip).map(([path, content]) => [inner ? path.slice((top?.length ?? 0) + 1) : path, content]))
}

interface Manifest {
  programs: string[]
  folder: string
  rest: Record<string, unknown>
}
/** undefined: it is some other program's file of that name. */
function manifestOf(bytes: Uint8Array): Manifest | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('form' in value) || value.form !== FORM) return undefined
  const { version, programs, workspace, name, example, active, fields, pipeline, mode } = value as Record<string, unknown>
  const listed = Array.isArray(programs) && programs.length > 0 && programs.every((path) => typeof path === 'string')
  if (version !== VERSION || !listed || typeof workspace !== 'string') throw refuse(words.badManifest)
  return { programs: [...new Set(programs)], folder: workspace === '.' ? '' : workspace, rest: Object.fromEntries(Object.entries({ name, example, active, fields, pipeline, mode }).filter(([, one]) => one !== undefined)) }
}

function sourceOf(path: string, content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch (thrown) {
    throw refuse(words.notText(path), thrown)
  }
}
const refuse = (message: string, cause?: unknown): HaloError => new HaloError('VALIDATION', message, { cause })
