import { loadImports } from '../check/imports.ts'
import { link, type Program } from '../check/program.ts'
import { HaloError } from '../errors.ts'
import type { HaloFile } from '../syntax/ast.ts'
import { parseSource } from '../syntax/index.ts'
import { VERSION } from '../version.ts'
import { alignedPaths, type Translate } from './aligned.ts'
import { systemClock } from './clock.ts'
import { Execution } from './execution.ts'
import { isPaused, memoryJournal } from './journal.ts'
import { Mocks } from './mocks.ts'
import { samePlain } from './plain.ts'
import { ReplaySource, type Difference, type ReplayOptions, type Versions } from './replay-source.ts'
import type { JournalEnd, JournalEntry, JournalRecord, JournalStart, Mock, RunOptions, RunResult, RuntimeConfig } from './types.ts'

export interface ReplayOutcome {
  result: RunResult
  /** Did it end as the recorded run did: the same status, output, and code of an error? */
  same: boolean
  /** How the recorded run ended; undefined: it never did. */
  recorded?: JournalEnd
  /** In the order in which they came up, the first divergence first. */
  differences: readonly Difference[]
  /** What the recorded run had got and the replay did not ask for. */
  unused: readonly JournalEntry[]
}

/** What a replay may use of the world: its tools and models when they are live, a clock, a listener. */
export interface ReplayConfig extends ReplayOptions, Pick<RunOptions, 'signal'> {
  config?: Omit<RuntimeConfig, 'journal' | 'recorder'>
  mocks?: Record<string, Mock>
}

/**
 * Runs the recorded pipeline of the current file with the recorded arguments, against the recorded answers: no model is
 * asked, no tool runs and nobody is asked, but for what is said to be live. Nothing of it is recorded.
 */
export async function replay(file: HaloFile, record: JournalRecord, options: ReplayConfig = {}): Promise<ReplayOutcome> {
  const { config = {}, mocks = {} } = options
  const clock = config.clock ?? systemClock
  const program = link(file)
  const source = new ReplaySource(record, options, versionsOf(program, record))
  const runId = clock.uuid()
  const world = {
    program,
    config,
    mocks: new Mocks(mocks, config.mockDefaults),
    journal: memoryJournal(),
    clock,
    sandbox: async () => {
      if (config.sandbox !== undefined) return config.sandbox()
      const { memorySandbox } = await import('../sandbox/memory.ts')
      return memorySandbox()
    },
  }
  const { pipeline, args } = record.start
  if (!program.pipelines.has(pipeline)) throw new HaloError('REPLAY_MISMATCH', `The file has no pipeline ${pipeline} any more: the pipeline or its input changed.`)
  const start = { runId, pipeline, args, main: file.path ?? '', sources: {}, at: clock.now(), version: VERSION }
  const execution = new Execution(world, start, { replay: source, onOver: () => undefined })
  const result = await execution.begin({ signal: options.signal })
  return { result, same: sameEnd(result, record), recorded: record.end, differences: source.differences, unused: source.unused }
}

function sameEnd(result: RunResult, { end, entries }: JournalRecord): boolean {
  if (end === undefined) return result.status === 'paused' && isPaused(entries)
  return result.status === end.status && samePlain(result.output ?? null, end.output ?? null) && result.error?.code === end.error?.code
}

/** How the program as it is now relates to the recorded one. */
export function versionsOf(program: Program, { start }: JournalRecord): Versions | undefined {
  const earlier = recordedProgram(start)
  if (earlier === undefined) return undefined
  const aligned = alignedPaths(program, earlier.program, start.pipeline)
  // Of a program that no longer reads as a whole, places are taken to be where they were.
  return { translate: (path) => aligned(path) ?? (earlier.whole ? undefined : path), samePolicies: policyText(program) === policyText(earlier.program) }
}

/** Where places of one run were in another one, by the programs that they were runs of. */
export function earlierPaths(later: JournalStart, earlier: JournalStart): Translate {
  const [now, then] = [recordedProgram(later), recordedProgram(earlier)]
  return now === undefined || then === undefined ? (path) => path : alignedPaths(now.program, then.program, later.pipeline)
}

/** As far as it can be read; undefined: the recording came without one. */
function recordedProgram(start: JournalStart): { program: Program; whole: boolean } | undefined {
  const source = start.sources[start.main]
  if (source === undefined) return undefined
  const { file, diagnostics } = parseSource(source, start.main === '' ? {} : { path: start.main })
  loadImports(file, (path) => (Object.hasOwn(start.sources, path) ? start.sources[path] : undefined))
  return { program: link(file), whole: diagnostics.length === 0 }
}

/** Everything in a program that says which rules hold where. */
function policyText({ files, policies, agents, pipelines }: Program): string {
  const sources = new Map(files.map((file) => [file.path, file.source]))
  const rules = [...policies.values()].map(({ name, file, from, to }) => [name, sources.get(file)?.slice(from, to).replaceAll(/\s+/g, ' ')])
  const required = [...agents.values(), ...pipelines.values()].flatMap(({ name, requires }) => (requires.length === 0 ? [] : [[name, requires.map((each) => each.name)]]))
  return JSON.stringify([rules.sort(byName), required.sort(byName)])
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1
}
