/** Makes a run that goes on differently from an entry of a recorded one. */
import { analyse } from '../../halo/check/index.ts'
import { HaloError } from '../../halo/errors.ts'
import { forkProgram } from '../../halo/recordings/fork-program.ts'
import { forkFiles, forkRecord, type ForkOptions } from '../../halo/recordings/fork.ts'
import type { JournalRecord } from '../../halo/run/types.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import { createContentStore, hashOf, keepWhole, projectIn, saveWorkspace, type StoredRun } from '../../storage/index.ts'
import { resolvePath } from '../project/paths.ts'
import { regexRunner } from '../run/regex-worker.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { fileAgainst } from './replaying.ts'
import type { Travel } from './travel.svelte.ts'

/** `then`: as it was recorded; `now`: that of the open project; `edited`: as it was, but for the text of one file. */
export type ForkedProgram = { kind: 'then' | 'now' } | { kind: 'edited'; path: string; text: string }

export interface ForkPlan extends Pick<ForkOptions, 'answer' | 'again'> {
  /** seq of the entry. */
  at: number
  program: ForkedProgram
  /** A file with another text. */
  file?: { path: string; text: string }
}

/**
 * The new run, kept and not yet gone on with. undefined: the person did not agree to what it may do.
 * @throws HaloError REPLAY_MISMATCH when the program doesn't come to the entry as the recorded run did
 */
export async function makeFork(bench: Workbench, { run, record, files }: Travel, plan: ForkPlan): Promise<StoredRun | undefined> {
  const { db } = bench
  if (!db) return undefined
  const runId = crypto.randomUUID()
  const contents = createContentStore(db)
  const edited = plan.file && new TextEncoder().encode(plan.file.text)
  const hash = edited && (await hashOf(edited))
  const changed = plan.file && hash !== undefined && files[plan.file.path] !== hash ? { [plan.file.path]: hash } : undefined
  const options: ForkOptions = {
    at: plan.at,
    runId,
    ...(plan.again ? { again: true } : {}),
    ...(plan.answer ? { answer: plan.answer } : {}),
    ...(changed ? { files: changed } : {}),
  }
  const fork = plan.program.kind === 'then' ? forkRecord(record, options) : await forkProgram(programOf(bench, record, plan.program), record, { ...options, regexRunner: regexRunner() })
  const project = await projectFor(bench, run, fork.start)
  if (project === undefined) return undefined
  // Only now: a person may have taken their time to agree, and what nothing refers to doesn't stay for long.
  if (edited && hash !== undefined) await contents.put(hash, edited)
  const baseline = forkFiles(fork, run.baseline ?? {})
  for (const [path, hash] of Object.entries(baseline)) {
    if ((await contents.get(hash)) === undefined) throw new HaloError('VALIDATION', `What was in ${path} at that point is no longer kept, so nothing can go on from there.`)
  }
  const workspace = `fork:${runId}`
  await saveWorkspace(db, { id: workspace, files: baseline })
  try {
    await keepWhole(db, fork, { project, workspace, baseline, ...(run.mode === undefined ? {} : { mode: run.mode }) })
  } catch (thrown) {
    // Nothing would ever take its files away again.
    await db.delete('workspaces', workspace).catch(() => undefined)
    throw thrown
  }
  await bench.refreshRuns()
  return bench.runs.find((one) => one.runId === runId)
}

/** The project that a fork belongs to: its recording's own, or one made of the program that came with it. */
async function projectFor(bench: Workbench, run: StoredRun, start: Travel['record']['start']): Promise<string | undefined> {
  const { db } = bench
  if (!db) return undefined
  const own = run.imported || run.project === undefined ? undefined : await projectIn(db, run.project)
  if (own) return (await bench.trust.ask(own)) ? own.id : undefined
  const { takeIn } = await import('../share/store.ts')
  const { stored } = await takeIn(db, { name: start.pipeline, files: start.sources, active: start.main, workspace: {}, fields: {}, pipeline: start.pipeline }, 'file')
  // What it may do is shown of the project that is open.
  await bench.show(stored)
  return (await bench.trust.ask(stored)) ? stored.id : undefined
}

/** @throws HaloError VALIDATION when it has faults */
function programOf(bench: Workbench, record: JournalRecord, program: ForkedProgram): HaloFile {
  if (program.kind !== 'edited') return fileAgainst(bench, record, program.kind)
  const { main } = record.start
  const sources: Record<string, string> = { ...record.start.sources, [program.path]: program.text }
  const { file, diagnostics } = analyse(sources[main] ?? '', { path: main, resolve: (path, from) => sources[resolvePath(path, from) ?? ''] })
  const fault = diagnostics.find(({ severity }) => severity === 'error')
  if (fault) throw new HaloError('VALIDATION', `The edited program has errors: ${fault.message}`)
  return file
}
