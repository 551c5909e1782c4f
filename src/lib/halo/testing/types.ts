import type { HaloError, Span } from '../errors.ts'
import type { PriceList } from '../models/types.ts'
import type { RegexRunner } from '../policy/types.ts'
import type { Clock, HaloEvent, RunResult } from '../run/types.ts'
import type { SandboxFactory } from '../sandbox/types.ts'

export interface TestOptions {
  /** The files a test starts from: it gets a copy of its own, which is thrown away. Absent: no files, in memory. */
  sandbox?: SandboxFactory
  regexRunner?: RegexRunner
  prices?: PriceList
  clock?: Clock
  signal?: AbortSignal
  /** Milliseconds that a run may take; 60,000 by default. */
  timeoutMs?: number
  /** Told of every event as it happens. */
  onEvent?(event: HaloEvent): void
}

/** A value that an expectation spoke of, as it is written and as it was. */
export interface SeenValue {
  text: string
  value: unknown
}

export interface ExpectOutcome {
  /** The condition as it is written. */
  text: string
  span: Span
  passed: boolean
  /** What stands on the sides of its comparisons, literals left out. */
  values: SeenValue[]
  /** Why it could not be evaluated. */
  error?: HaloError
}

export interface TestFailure {
  /**
   * `expect`: a condition does not hold. `mock`: a mock was asked for more answers than it has, or asks for calls that can't be made. `answer`: the run waited for
   * an event that no line answers. `run`: the run failed, and no expectation is about that. `setup`: the test's own lines
   * could not be evaluated.
   */
  kind: 'expect' | 'mock' | 'answer' | 'run' | 'setup'
  /** Says what happened and, where there is one, what to do. */
  message: string
  span?: Span
}

export interface TestOutcome {
  name: string
  pipeline: string
  passed: boolean
  /** It ran once with made-up arguments, since the pipeline has no test of its own. */
  sample: boolean
  expects: ExpectOutcome[]
  failures: TestFailure[]
  /** Absent when the run never started. */
  result?: RunResult
  events: HaloEvent[]
  /** Milliseconds. */
  ms: number
}
