import type { Workbench } from '../shell/workbench.svelte.ts'
import { literalFiles } from './literal-files.ts'

/** An example that was never run shows the files of its test, so that there is something to look at. */
export async function furnish(bench: Workbench): Promise<void> {
  const { project, workspace } = bench
  const test = bench.scenario() ?? bench.analysis.tests[0]
  if (!workspace || !test || project?.example === undefined || workspace.known) return
  await workspace.seed(literalFiles(test))
}
