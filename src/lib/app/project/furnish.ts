import type { TestDeclaration } from '../../halo/syntax/ast.ts'
import type { Workspace } from '../files/workspace.svelte.ts'
import { literalFiles } from './literal-files.ts'
import type { Project } from './project.svelte.ts'

/** An example that was never run shows the files of its first test, so that there is something to look at. */
export async function furnish(project: Project, workspace: Workspace, test: TestDeclaration): Promise<void> {
  if (project.example === undefined || workspace.known) return
  await workspace.seed(literalFiles(test))
}
