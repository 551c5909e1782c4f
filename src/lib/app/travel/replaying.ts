/** Recorded runs again: against the file as it is now, or as it was. */
import { analyse } from '../../halo/check/index.ts'
import { HaloError } from '../../halo/errors.ts'
import { replayPolicies, type PolicyReplay } from '../../halo/recordings/under-policies.ts'
import { replay, type ReplayOutcome } from '../../halo/run/replay.ts'
import { programOf } from '../../halo/run/runtime.ts'
import type { JournalRecord } from '../../halo/run/types.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import { breather } from './breathe.ts'
import { regexRunner } from '../run/regex-worker.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'

/** Which program a recording is held against. */
export type Against = 'now' | 'then'

/** The file of the open project that a recording can be replayed against, by path; undefined: it has no such pipeline. */
export function fileNow({ project }: Workbench, { start }: JournalRecord): string | undefined {
  if (!project) return undefined
  // A recording may come from anyone, and name what is no name.
  if (!/^[A-Za-z_]\w*$/.test(start.pipeline)) return undefined
  const declared = new RegExp(`(^|\\s)pipeline\\s+${start.pipeline}\\b`)
  const declares = (path: string): boolean => declared.test(project.files[path] ?? '')
  return [start.main, project.active, ...Object.keys(project.files)].find(declares)
}

/** @throws HaloError when the file doesn't hold: it has faults, or no longer reads */
export function fileAgainst(bench: Workbench, record: JournalRecord, against: Against): HaloFile {
  const path = against === 'now' ? fileNow(bench, record) : undefined
  const { project } = bench
  if (path === undefined || !project) return programOf(record.start).file
  const { file, diagnostics } = analyse(project.files[path] ?? '', { path, resolve: project.resolve })
  const fault = diagnostics.find(({ severity }) => severity === 'error')
  if (fault) throw new HaloError('VALIDATION', `${path} has errors, so nothing can be replayed against it: ${fault.message}`)
  return file
}

export function replayExactly(file: HaloFile, record: JournalRecord, signal: AbortSignal): Promise<ReplayOutcome> {
  return replay(file, record, { signal, breathe: breather(), config: { regexRunner: regexRunner() } })
}

export function underPolicies(file: HaloFile, record: JournalRecord): Promise<PolicyReplay> {
  return replayPolicies(file, record, undefined, { regexRunner: regexRunner(), breathe: breather() })
}
