import type { Workbench } from '../shell/workbench.svelte.ts'

/** Formats the file that is edited. Rejects with PARSE_ERROR where it can't be read. */
export async function formatSource({ project }: Workbench): Promise<void> {
  if (!project) return
  const { format } = await import('../../halo/syntax/index.ts')
  project.edit(project.active, format(project.source))
}
