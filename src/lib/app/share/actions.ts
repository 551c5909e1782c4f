/** What a person does with shared projects. Each says on the page what went wrong, and then leaves all as it was. */
import type { Workbench } from '../shell/workbench.svelte.ts'
import { rememberAddress } from './address.ts'
import { fromFile, fromHash } from './codec.ts'
import type { SharedProject } from './shared-project.ts'
import { copyGuest, forget, takeIn } from './store.ts'

export async function openHash(bench: Workbench, hash: string): Promise<boolean> {
  try {
    const shared = await fromHash(hash)
    if (!bench.db) return false
    const { stored, known } = await takeIn(bench.db, shared, 'link')
    if (bench.project?.id !== stored.id) await bench.show(stored, true)
    if (!known) rememberAddress(bench)
    bench.dismissProblem()
    return true
  } catch (thrown) {
    bench.report(thrown)
    return false
  }
}

export function openFile(bench: Workbench, file: Blob): Promise<boolean> {
  return openRead(bench, () => fromFile(file))
}

/** Opens what a file holds, once read, as a project from elsewhere: inert, beside the person's own. False: it said why not. */
export async function openRead(bench: Workbench, read: () => Promise<SharedProject>): Promise<boolean> {
  try {
    const shared = await read()
    if (!bench.db) return false
    const { stored } = await takeIn(bench.db, shared, 'file')
    await bench.show(stored)
    await bench.refreshRuns()
    return true
  } catch (thrown) {
    bench.report(thrown)
    return false
  }
}

export async function keepAsOwn(bench: Workbench): Promise<void> {
  const { db, project, workspace } = bench
  if (!db || !project) return
  try {
    await Promise.all([project.save(), workspace?.settled()])
    const copy = await copyGuest(db, project.id)
    if (!copy) return
    const over = !bench.stoppable
    await bench.show(copy)
    // Not before: what was shown is stored once more when it makes place.
    if (over) await forget(db, project.id)
    await bench.refreshRuns()
  } catch (thrown) {
    bench.report(thrown)
  }
}
