import { link } from '../check/program.ts'
import { HaloError } from '../errors.ts'
import type { HaloFile } from '../syntax/ast.ts'
import { VERSION } from '../version.ts'
import { systemClock } from './clock.ts'
import { Execution } from './execution.ts'
import { memoryJournal } from './journal.ts'
import { Mocks } from './mocks.ts'
import { samePlain } from './plain.ts'
import { ReplaySource, type Difference, type ReplayOptions } from './replay-source.ts'
import type { JournalEnd, JournalRecord, Mock, RunOptions, RunResult, RuntimeConfig } from './types.ts'

export interface ReplayOutcome {
  result: RunResult
  /** Did it end as the recorded run did: the same status, output, and code of an error? */
  same: boolean
  /** How the recorded run ended; undefined: it never did. */
  recorded?: JournalEnd
  /** In the order in which they came up, the first divergence first. */
  differences: readonly Difference[]
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
  const source = new ReplaySource(record, options)
  const program = link(file)
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
  return { result, same: sameEnd(result, record), recorded: record.end, differences: source.differences }
}

function sameEnd(result: RunResult, { end }: JournalRecord): boolean {
  if (end === undefined) return result.status === 'paused'
  return result.status === end.status && samePlain(result.output ?? null, end.output ?? null) && result.error?.code === end.error?.code
}
