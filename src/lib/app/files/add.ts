/** Puts files that a person gave into the project and its workspace. */
import { HaloError } from '../../halo/errors.ts'
import { hashOf } from '../../storage/contents.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { addWords as words } from './add-words.ts'
import { textOf, type Placed } from './incoming.ts'
import { clashing } from './paths.ts'

/** Is there such a file already? */
export const isTaken = ({ project, workspace }: Workbench) => ({ to, path }: Placed): boolean => (to === 'project' ? project?.files[path] !== undefined : workspace?.files[path] !== undefined)

/**
 * The workspace's changes can be undone like those of a run, the project's are a version. Programs come from elsewhere: the
 * next run asks first. Texts are read before anything is written.
 */
export async function addFiles(bench: Workbench, placed: readonly Placed[]): Promise<number> {
  const { project, workspace } = bench
  const programs: [string, string][] = []
  for (const one of placed) if (one.to === 'project') programs.push([one.path, await textOf(one)])
  if (programs.length > 0 && bench.stoppable && bench.settings.engine === 'webcontainer') throw new HaloError('VALIDATION', words.stopFirst)
  const others = placed.filter(({ to }) => to === 'workspace')
  const clash = clashing(others.map(({ path }) => path), Object.keys(workspace?.files ?? {}))
  if (clash !== undefined) throw new HaloError('VALIDATION', words.clash(clash))
  if (workspace && others.length > 0) {
    await workspace.settled()
    // What a run has changed by now has to be undone from where it began.
    if (!bench.stoppable) workspace.mark()
    for (const { path, file } of others) await workspace.write(path, new Uint8Array(await file.arrayBuffer()))
    await workspace.settled()
  }
  if (project && programs.length > 0) {
    const together = () => ({ ...project.files, ...Object.fromEntries(programs) })
    const digest = await hashOf(new TextEncoder().encode(JSON.stringify(Object.entries(together()).sort())))
    await project.replace(together(), programs[0]?.[0] ?? project.active, 'added', { from: 'added', ...project.elsewhere, digest })
    await bench.workspaces?.leaveContainer(project.id)
  }
  return placed.length
}
