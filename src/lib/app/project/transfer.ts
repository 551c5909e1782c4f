/** Projects and workspaces as files, out and in. Loaded when one is saved or opened. */
import { looksZipped, readZip, writeZip, type ZipFiles } from '../files/zip.ts'
import { saveAs } from '../files/save.ts'
import type { Workspace } from '../files/workspace.svelte.ts'
import { openRead } from '../share/actions.ts'
import { fromFile } from '../share/codec.ts'
import { staysAtHome } from '../share/gather.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { projectOf, zipOf } from './project-zip.ts'

export interface Exported {
  /** The file's name. */
  name: string
  /** Files in it that by custom hold secrets. */
  secrets: string[]
}

/** The open project with its workspace. Needs no room in storage. */
export async function exportProject({ project, workspace }: Workbench): Promise<Exported | undefined> {
  if (!project) return undefined
  const { name, example, files, active, fields, pipeline, mode } = project
  const contents = workspace ? await contentsOf(workspace) : {}
  const zip = zipOf({
    name, files: { ...files }, active, workspace: contents, fields: JSON.parse(JSON.stringify(fields)) as Record<string, Record<string, string>>,
    ...(example === undefined ? {} : { example }), ...(pipeline === undefined ? {} : { pipeline }), ...(mode === undefined ? {} : { mode }),
  })
  return { name: saveAs(await writeZip(zip), name, '.zip', 'project'), secrets: Object.keys(contents).filter(staysAtHome) }
}

/** The files of the workspace alone. */
export async function exportWorkspace(workspace: Workspace, name: string): Promise<Exported> {
  const contents = await contentsOf(workspace)
  const files: ZipFiles = Object.fromEntries(Object.entries(contents).map(([path, content]) => [path.slice(1), content]))
  return { name: saveAs(await writeZip(files), `${name}-files`, '.zip', 'files'), secrets: Object.keys(contents).filter(staysAtHome) }
}

async function contentsOf(workspace: Workspace): Promise<Record<string, Uint8Array>> {
  const contents: Record<string, Uint8Array> = {}
  for (const path of Object.keys(workspace.files).sort()) {
    const content = await workspace.read(path)
    if (content) contents[path] = content
  }
  return contents
}

/** Opens a zip or a shared file as a project from elsewhere. False: it said why not. */
export function importProject(bench: Workbench, file: File): Promise<boolean> {
  return openRead(bench, async () => ((await looksZipped(file)) ? projectOf(await readZip(file), file.name.replace(/\.zip$/i, '')) : fromFile(file)))
}
