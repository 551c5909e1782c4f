/** A fork that goes on with another program than the one it was recorded with. */
import { link } from '../check/program.ts'
import { HaloError } from '../errors.ts'
import type { RegexRunner } from '../policy/types.ts'
import type { Translate } from '../run/aligned.ts'
import { brief, differenceText } from '../run/difference.ts'
import { comparePaths, EARLY } from '../run/journal.ts'
import { rehearse, type Rehearsed } from '../run/rehearsal.ts'
import { versionsOf } from '../run/replay.ts'
import { askedWords, SAME, type Difference, type Wanted } from '../run/replay-source.ts'
import type { EntryKind, JournalEntry, JournalRecord } from '../run/types.ts'
import type { HaloFile } from '../syntax/ast.ts'
import { forkRecord, siblingsOf, type ForkOptions } from './fork.ts'

export interface ProgramForkOptions extends ForkOptions {
  signal?: AbortSignal
  /** What decides regular expressions that no proof covers, as in a run. */
  regexRunner?: RegexRunner
}

/** `data` of the error when a program doesn't come to the entry of a fork as the recorded run did. */
export interface ForkMismatch {
  /** Where they first part. */
  difference: Omit<Difference, 'actual'> & { actual?: Difference['actual'] }
  /** seq of the entry to fork at instead, with `again`: everything before it matches. */
  forkAt: number
}

/** What a program may ask anew, or no longer ask, without being another run for it. */
const NO_MATTER: ReadonlySet<EntryKind> = new Set(['clock', 'verdict', 'methods'])

/**
 * `forkRecord` with an edited program: what came before the entry is answered by the recording as long as the program asks for
 * the same, wherever its stages stand by now; what comes after runs as the program says. Work beside the forked branch that no
 * longer matches runs again from there. Nothing runs yet.
 * @param file the edited program, its imports loaded
 * @throws HaloError REPLAY_MISMATCH when something before the entry doesn't match; its `data` is a ForkMismatch
 * @throws HaloError VALIDATION when there is no such entry, or the program can't take the run's arguments
 */
export async function forkProgram(file: HaloFile, record: JournalRecord, options: ProgramForkOptions): Promise<JournalRecord> {
  const { signal, regexRunner, ...wanted } = options
  const fork = forkRecord(record, wanted)
  const { start } = record
  const program = link(file)
  if (!program.pipelines.has(start.pipeline)) throw new HaloError('VALIDATION', `The edited program has no pipeline ${start.pipeline}.`)
  const versions = versionsOf(program, record) ?? SAME
  const rehearsed = await rehearse(program, fork, versions, { signal, regexRunner })
  const { used, result } = rehearsed
  if (result.error?.code === 'VALIDATION' && used.size === 0) throw result.error

  const at = record.entries.find(({ seq }) => seq === wanted.at)
  const besides = siblingsOf(at?.path ?? '')
  const lost = fork.entries.find((entry) => !used.has(entry.seq) && entry.path !== EARLY && entry.state === undefined && !NO_MATTER.has(entry.kind) && !besides(entry.path))
  if (lost !== undefined) throw mismatch(record, lost, rehearsed, versions.translate)

  const kept = fork.entries.flatMap((entry) => {
    if (entry.path === EARLY) return [entry]
    const path = used.get(entry.seq)
    return path === undefined ? [] : [{ ...entry, path }]
  })
  const sources = Object.fromEntries(program.files.map((each) => [each.path ?? '', each.source]))
  const forkOf = { ...fork.start.forkOf, runId: start.runId, seq: fork.start.forkOf?.seq ?? wanted.at, kept: kept.reduce((last, { seq }) => Math.max(last, seq), -1) }
  return { start: { ...fork.start, args: result.context.args, main: file.path ?? '', sources, forkOf }, entries: kept }
}

function mismatch({ entries }: JournalRecord, lost: JournalEntry, { missing, result }: Rehearsed, translate: Translate): HaloError {
  const { kind, path, target } = lost
  const opening = lost.ref === undefined ? undefined : entries.find(({ seq }) => seq === lost.ref)
  const request = lost.request ?? opening?.request
  const actual = instead(missing, lost, translate)
  const forkAt = opening !== undefined && opening.path === path ? opening.seq : lost.seq
  const difference: ForkMismatch['difference'] = {
    kind: actual?.kind ?? kind,
    path: actual?.path ?? path,
    target: actual?.target ?? target,
    ...(actual?.span === undefined ? {} : { span: actual.span }),
    recorded: { path, target, request },
    ...(actual === undefined ? {} : { actual: { target: actual.target, request: actual.request } }),
  }
  const data: ForkMismatch = { difference, forkAt }
  return new HaloError('REPLAY_MISMATCH', `The edited program doesn't come to that entry as the recorded run did. The first difference is at stage ${difference.path}: ${explained(lost, request, actual, result.error)}. Fork at entry ${forkAt} to run from there.`, {
    path: difference.path,
    ...(actual?.span === undefined ? {} : { span: actual.span }),
    data,
  })
}

/** What the program asks for where the recorded run asked for `lost`: there, at a place before it, or at one that is new. */
function instead(missing: readonly Wanted[], { kind, path }: JournalEntry, translate: Translate): Wanted | undefined {
  const places = missing.map((wanted) => ({ wanted, was: translate(wanted.path) }))
  const there = places.find(({ wanted, was }) => was === path && wanted.kind === kind)
  return (there ?? places.find(({ was }) => was === undefined || comparePaths(was, path) <= 0))?.wanted
}

function explained({ kind, path, target }: JournalEntry, request: unknown, actual: Wanted | undefined, error: HaloError | undefined): string {
  const was = `${target} (${askedWords[kind]}) with ${brief(request)}`
  if (actual === undefined) return `the recorded run asked for ${was}; the edited program does not${error === undefined || error.code === 'CANCELLED' ? '' : `, it ends with ${error.code}: ${error.message}`}`
  const text = actual.kind === kind && actual.target === target ? differenceText(request, actual.request) : undefined
  return text === undefined ? `${actual.target} (${askedWords[actual.kind]}) with ${brief(actual.request)} is asked for; the recorded run asked for ${was}${path === actual.path ? '' : ` at stage ${path}`}` : `${target}: ${text}`
}
