import { HaloError } from '../../halo/errors.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { diskWords as words } from './disk-words.ts'

/** The project works on its files in the page again. Not in mid run: it would go on writing to the disk behind the person's back. */
export async function leaveFolder(bench: Workbench): Promise<void> {
  const { workspaces, project } = bench
  if (!workspaces || !project) return
  if (bench.busy) throw new HaloError('VALIDATION', words.busy)
  bench.workspace = await workspaces.leaveFolder(project.id)
}
