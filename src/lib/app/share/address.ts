/** The hash of the page's address: what is shown, for as long as the address names it. */
import { replaceState } from '$app/navigation'
import type { Project } from '../project/project.svelte.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { toLink } from './codec.ts'
import { everything, gather } from './gather.ts'

/** What the address held when it was last read or written; parts are compared by identity, since each change makes new ones. */
let written: { project: Project; parts: readonly unknown[] } | undefined

function partsOf(bench: Workbench, project: Project): readonly unknown[] {
  return [project.files, project.active, project.fields, project.pipeline, project.mode, bench.workspace?.files]
}

/** The address holds what is shown just now. */
export function rememberAddress(bench: Workbench): void {
  const { project } = bench
  written = project && { project, parts: partsOf(bench, project) }
}

export function clearAddress(): void {
  // eslint-disable-next-line svelte/no-navigation-without-resolve -- the page's own path
  replaceState(location.pathname + location.search, {})
}

/** Puts a hash into the address. The project is stored first: were the page to end between the two, nothing is lost. */
export async function writeAddress(bench: Workbench, hash: string, digest: string): Promise<void> {
  const { project } = bench
  if (!project) return
  project.link = digest
  await project.save()
  rememberAddress(bench)
  // eslint-disable-next-line svelte/no-navigation-without-resolve -- the page's own path
  replaceState(`${location.pathname}${location.search}#${hash}`, {})
}

/** Brings the address up to date with what was changed since; where that no longer fits, the address holds nothing. */
export async function syncAddress(bench: Workbench): Promise<void> {
  const { project, workspace } = bench
  if (!project || project.link === undefined || location.hash.length < 2) return
  const parts = partsOf(bench, project)
  if (written?.project === project && written.parts.every((part, at) => part === parts[at])) return
  const { project: shared, digest } = await gather(project, workspace, everything)
  if (digest === project.link) {
    written = { project, parts }
    return
  }
  const { hash, size } = await toLink(shared)
  if (bench.project !== project) return
  if (size !== 'too long') await writeAddress(bench, hash, digest)
  else {
    project.link = undefined
    clearAddress()
  }
}
