import type { Database, StoredProject } from '../../storage/database.ts'
import { projectIn } from '../../storage/read.ts'
import { exampleFiles, type Example } from './examples.ts'

export function emptyProject(): StoredProject {
  return { id: 'own', name: 'Project', files: { 'main.halo': '' }, active: 'main.halo', fields: {}, opened: Date.now() }
}

const exampleId = (example: Example): string => `example:${example.id}`

/** An example as it came. */
export async function fromExample(example: Example): Promise<StoredProject> {
  const files = await exampleFiles(example)
  return { id: exampleId(example), name: example.title, example: example.id, files, active: `${example.id}.halo`, fields: {}, opened: Date.now() }
}

/** What became of an example here, or as it came. */
export async function exampleProject(db: Database | undefined, example: Example): Promise<StoredProject> {
  return (db && (await projectIn(db, exampleId(example)))) ?? fromExample(example)
}
