/** What a person does with whole projects. */
import { HaloError } from '../../halo/errors.ts'
import type { StoredProject } from '../../storage/database.ts'
import { projectIn, projectsIn } from '../../storage/read.ts'
import { putBack, removeProject, renameProject, replaceProject, type WholeProject } from '../../storage/projects.ts'
import { isGuest } from '../share/guest.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { examples, type Example } from './examples.ts'
import { emptyProject, fromExample } from './stored.ts'
import { dialogWords as words } from './dialog-words.ts'

/** The person's own, the last opened first. */
export async function ownProjects({ db, project }: Workbench): Promise<StoredProject[]> {
  await project?.save()
  const all = db ? await projectsIn(db) : []
  return all.filter((one) => !isGuest(one)).sort((a, b) => b.opened - a.opened)
}

/** The example that is shown, as it came; what was made of it is kept as a version. */
export async function resetExample(bench: Workbench): Promise<void> {
  const { db, project } = bench
  const example = examples.find((one) => one.id === project?.example)
  if (!db || !project || !example) return
  await project.save()
  await bench.show(await replaceProject(db, await fromExample(example), 'reset'))
}

export async function openProject(bench: Workbench, id: string): Promise<void> {
  const stored = bench.db && (await projectIn(bench.db, id))
  if (stored) await bench.show(stored)
}

/** A project of the person's own, from an example or empty, under a name that no other has. */
export async function createProject(bench: Workbench, example: Example | undefined): Promise<void> {
  const taken = new Set((await ownProjects(bench)).map(({ name }) => name))
  const { example: _example, ...made } = example ? await fromExample(example) : emptyProject()
  const base = example ? example.title : words.untitled
  let name = base
  for (let n = 2; taken.has(name); n++) name = `${base} ${n}`
  await bench.show({ ...made, id: `own:${crypto.randomUUID()}`, name, edited: true })
}

export async function rename(bench: Workbench, id: string, name: string): Promise<void> {
  if (bench.project?.id === id) {
    bench.project.name = name
    await bench.project.save()
  } else if (bench.db) await renameProject(bench.db, id, name)
}

/** Deletes a project with its files and versions; its recordings stay. What it gives can be put back. */
export async function deleteProject(bench: Workbench, id: string): Promise<WholeProject | undefined> {
  const { db, project, workspaces } = bench
  if (!db || !workspaces) return undefined
  const shown = project?.id === id
  if (shown && bench.busy) throw new HaloError('VALIDATION', words.busy)
  if (shown) await project.save()
  await workspaces.settled(id)
  const whole = await removeProject(db, id)
  workspaces.forget(id)
  if (shown) {
    project.discard()
    await bench.openOwn()
  }
  return whole
}
export async function undelete(bench: Workbench, whole: WholeProject): Promise<void> {
  const { db, project, workspaces } = bench
  const { id } = whole.project
  if (!db) return
  // An example may have been opened anew in its place: nothing of that may be stored over it.
  const shown = project?.id === id
  if (shown) project.discard()
  workspaces?.forget(id)
  await putBack(db, whole)
  if (shown) await bench.show(whole.project)
}
