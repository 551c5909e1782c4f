/** What a run could do and cost, as plain data. Money is US dollars. */
import type { Span } from '../errors.ts'
import type { Effect } from '../tools/types.ts'

export interface Plan {
  /** The day of the price data that was used; absent: none was loaded, only given prices count. */
  priceDate?: string
  pipelines: PipelinePlan[]
}

export interface PipelinePlan {
  pipeline: string
  span: Span
  /** Every stage that does something, called pipelines unfolded, in the order they are written. */
  stages: PlannedStage[]
  summary: PlanSummary
}

export interface PlannedStage {
  /** As a reader counts: `3`, `3a` a branch, `3?1` an arm, `3.1` inside what 3 holds or calls. */
  number: string
  /** Its place in a journal; `*` where a run has an index or a step: `4[*]`, `6>Other.1`. */
  path: string
  span: Span
  kind: 'agent' | 'tool' | 'pipeline' | 'system' | 'yield' | 'listen' | 'loop'
  /** `Clerk.work`, `Chat.post`, `Other`, `System.Fail`, `yield`, `listen`, `loop`. */
  target: string
  times: Times
  /** Conditions of the arms it stands in, outermost first. */
  conditions: string[]
  /** Calls of tools: the pipeline's own, and those the agent may choose. */
  calls: PlannedCall[]
  /** Of a tool call: the provider's name. */
  provider?: string
  /** What a yield says, what a listen waits for, what a loop checks. */
  note?: string
  agent?: PlannedAgent
}

/** How often a stage runs at most. */
export interface Times {
  /** undefined: no bound. */
  max?: number
  /** What makes it so, outermost first; none: once. */
  factors: TimesFactor[]
}
export type TimesFactor =
  | { by: 'loop'; max: number }
  /** Without `max`: as often as the list has items. */
  | { by: 'each'; max?: number }
  /** A pipeline that an agent may call: as often as it asks, unless MaxCalls says. `assumed` counts for the second figure. */
  | { by: 'agent'; max?: number; assumed: number }

export interface PlannedCall {
  /** `Tool.method`; `Tool.*` where the methods aren't known before a run. */
  target: string
  /** `calls`: made by the pipeline. `may call`: chosen by the agent. */
  how: 'calls' | 'may call'
  /** undefined: not described. */
  effect?: Effect
  categories: string[]
  /** The policy that sends it to a person. */
  approval?: string
  /** A policy hides it: the pipeline's own call would be refused. */
  refused?: boolean
  /** A `Pipeline(Name)` tool: the pipeline it runs; its stages follow. */
  pipeline?: string
  span: Span
}

export interface PlannedAgent {
  name: string
  /** `provider/id`. */
  model: string
  shadows: string[]
  /** Tools are offered: it chooses its own calls. */
  choosesCalls: boolean
  maxSteps: number
  maxTokens: number
  /** Model requests of one call at most, corrections and retries included, shadows not. */
  requests: number
  /** Stores that add to its prompt. */
  stores: string[]
  /** The limit of its policies, if any. */
  maxSpend?: SpendLimit
  /** Worst case of one call; undefined where a price isn't known. */
  costOnce?: number
  /** The same with tool results, schemas and feedback counted: see `BOUND_ASSUMPTIONS`. */
  boundOnce?: number
  /** The worst case with what is sent again read from the provider's cache. */
  cachedOnce?: number
}

export interface SpendLimit {
  dollars: number
  policy: string
}

export interface PlanSummary {
  /** External calls that no one is asked about. */
  actsWithoutAsking: string[]
  needsApproval: string[]
  /** Calls of which the provider doesn't say what they do. */
  notDescribed: string[]
  callsModels: boolean
  /** Worst-case model cost; undefined: no bound, or the plan is cut (`unknown` says so). Models without a price are left out. */
  cost?: number
  /** The second figure: an upper bound under `assumptions`; undefined: no bound. */
  bound?: number
  assumptions: string[]
  /** The worst case with what is sent again read from the provider's cache: likely where it caches, no bound. */
  cached?: number
  /** Stages that make the cost unbounded, by number. */
  unbounded: string[]
  /** Models that have no known price. */
  unpriced: string[]
  /** The highest MaxSpend, where every agent that calls a model has one. */
  stopsAt?: number
  limits: (SpendLimit & { agent: string })[]
  /** What could not be known, in sentences. */
  unknown: { about: 'methods' | 'figures' | 'policies'; message: string; span?: Span }[]
}

