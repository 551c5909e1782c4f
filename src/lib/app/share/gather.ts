/** Makes what is shared from what is open. */
import { digestOf, type SharedProject, type SharedRecording } from './shared-project.ts'

/** The parts of a project and its workspace that are looked at. */
export interface ProjectSource {
  name: string
  example: string | undefined
  files: Readonly<Record<string, string>>
  active: string
  fields: Readonly<Record<string, Record<string, string>>>
  pipeline: string | undefined
  mode: string | undefined
}
export interface WorkspaceSource {
  /** Content hash by absolute path. */
  files: Readonly<Record<string, string>>
  read(path: string): Promise<Uint8Array | undefined>
}

export interface ShareOptions {
  arguments: boolean
  /** The chosen pipeline and mode. */
  scenario: boolean
  workspace: boolean
}
export const everything: ShareOptions = { arguments: true, scenario: true, workspace: true }

export interface Gathered {
  project: SharedProject
  digest: string
  /** Workspace files that stay at home. */
  leftOut: string[]
}

/** Files that by custom hold secrets, and folders that others can make again for themselves. */
const PRIVATE = /(^|\/)(\.env(\.[^/]*)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx)|credentials\.json)$|(^|\/)(\.git|\.ssh|\.aws|\.halo|node_modules)\//i
export const staysAtHome = (path: string): boolean => PRIVATE.test(path)

export async function gather(source: ProjectSource, workspace: WorkspaceSource | undefined, options: ShareOptions, recording?: SharedRecording): Promise<Gathered> {
  const leftOut: string[] = []
  const contents: [string, Uint8Array][] = []
  for (const path of options.workspace ? Object.keys(workspace?.files ?? {}).sort() : []) {
    const content = staysAtHome(path) ? undefined : await workspace?.read(path)
    if (content) contents.push([path, content])
    else leftOut.push(path)
  }
  const project: SharedProject = {
    name: source.name,
    files: { ...source.files },
    active: source.active,
    workspace: Object.fromEntries(contents),
    fields: options.arguments ? plain(source.fields) : {},
  }
  if (source.example !== undefined) project.example = source.example
  if (options.scenario && source.pipeline !== undefined) project.pipeline = source.pipeline
  if (options.scenario && source.mode !== undefined) project.mode = source.mode
  if (recording) project.recording = recording
  return { project, digest: await digestOf(project), leftOut }
}

function plain(fields: Readonly<Record<string, Record<string, string>>>): Record<string, Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([pipeline, texts]) => [pipeline, { ...texts }]))
}
