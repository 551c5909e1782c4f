/** Shared projects in the page's storage: apart from the person's own, until a copy is kept. */
import { readLines } from '../../halo/recordings/lines.ts'
import type { JournalRecord } from '../../halo/run/types.ts'
import { createContentStore, hashOf, keepWhole, projectIn, projectsIn, saveWorkspace, storageProblem, type Database, type StoredProject } from '../../storage/index.ts'
import { removeProject } from '../../storage/projects.ts'
import { guestId, isGuest } from './guest.ts'
import { shareProblem } from './problem.ts'
import { digestOf, type SharedProject, type SharedRecording } from './shared-project.ts'
import type { Elsewhere } from './trust.svelte.ts'

/** Guests that nobody has opened for so long are forgotten, in ms. */
const FORGOTTEN = 30 * 24 * 3600 * 1000

/**
 * The project that a link or file holds, put beside the person's own. A link that this browser wrote leads back to the
 * project it was written for, and one that was opened before to what became of it.
 */
export async function takeIn(db: Database, shared: SharedProject, from: Elsewhere['from']): Promise<{ stored: StoredProject; known: boolean }> {
  const digest = await digestOf(shared)
  const id = guestId()
  try {
    const all = await projectsIn(db)
    const known = all.find((one) => one.link === digest && !isGuest(one)) ?? all.find((one) => isGuest(one) && (one.link === digest || one.elsewhere?.digest === digest))
    if (known) return { stored: known, known: true }
    const recording = shared.recording && readRecording(shared.recording)
    for (const one of all) if (isGuest(one) && one.opened < Date.now() - FORGOTTEN) await forget(db, one.id)
    const stored: StoredProject = {
      id,
      name: shared.name,
      files: shared.files,
      active: shared.active,
      fields: shared.fields,
      edited: true,
      opened: Date.now(),
      elsewhere: { digest, from },
      ...(shared.example === undefined ? {} : { example: shared.example }),
      ...(shared.pipeline === undefined ? {} : { pipeline: shared.pipeline }),
      ...(shared.mode === undefined ? {} : { mode: shared.mode }),
      ...(from === 'link' ? { link: digest } : {}),
    }
    const contents = createContentStore(db)
    const files: Record<string, string> = {}
    for (const [path, bytes] of Object.entries(shared.workspace)) {
      const hash = await hashOf(bytes)
      await contents.put(hash, bytes)
      files[path] = hash
    }
    await saveWorkspace(db, { id, files })
    if (recording && shared.recording) await keepRecording(db, id, recording, shared.recording.mode)
    await db.put('projects', stored)
    return { stored, known: false }
  } catch (thrown) {
    throw thrown instanceof Error && thrown.name === 'ShareProblem' ? thrown : storageProblem(thrown)
  }
}

/**
 * A copy of a guest as the person's own project, with the guest's recordings of runs that are over. It stays from elsewhere
 * until its first run is agreed to.
 */
export async function copyGuest(db: Database, id: string): Promise<StoredProject | undefined> {
  const guest = await projectIn(db, id)
  if (!guest) return undefined
  const { link: _link, example: _example, ...rest } = guest
  const copy: StoredProject = { ...rest, id: `own:${crypto.randomUUID()}`, opened: Date.now() }
  const workspace = await db.get('workspaces', id)
  if (workspace) await saveWorkspace(db, { id: copy.id, files: workspace.files })
  await db.put('projects', copy)
  const runs = (await db.getAll('runs')).filter((run) => run.project === id && run.end && run.end.status !== 'paused')
  await Promise.all(runs.map((run) => db.put('runs', { ...run, project: copy.id })))
  return copy
}

/** With its files and versions; what ran of it stays among the recordings. */
export async function forget(db: Database, id: string): Promise<void> {
  await removeProject(db, id)
}

function readRecording({ lines }: SharedRecording): JournalRecord {
  try {
    return readLines(lines).record
  } catch (thrown) {
    throw shareProblem('damaged', thrown)
  }
}

/** Under an id of its own, and as a run that is over: its answers must not let anyone go on with it. */
async function keepRecording(db: Database, project: string, { start, entries, end }: JournalRecord, mode: string): Promise<void> {
  const { forkOf: _forkOf, ...own } = start
  const over = end && end.status !== 'paused' ? end : { status: 'cancelled' as const, output: null, at: start.at }
  await keepWhole(db, { start: { ...own, runId: crypto.randomUUID() }, entries, end: over }, { project, mode, imported: true })
}
