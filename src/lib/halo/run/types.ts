/** Events, results, journal entries and the runtime's configuration: plain serialisable data, defined once. */
import type { HaloError, ErrorCode, Span } from '../errors.ts'
import type { JsonSchema, ModelAdapter, PriceList, Message, Price, StopReason, ToolCall, Usage } from '../models/types.ts'
import type { FileChange, SandboxFactory } from '../sandbox/types.ts'
import type { ModelCredentials } from '../models/credentials.ts'
import type { IdempotencyStore } from '../tools/middleware/idempotency.ts'
import type { RegexRunner } from '../policy/types.ts'
import type { Effect } from '../tools/types.ts'

// -------------------------------------------------------------------- results

export type RunStatus = 'completed' | 'paused' | 'failed' | 'declined' | 'cancelled'

export interface RunResult {
  status: RunStatus
  output: unknown
  runId: string
  context: RunContext
  error?: HaloError
}

export interface RunContext {
  /** Names bound by `as`. */
  data: Record<string, unknown>
  args: Record<string, unknown>
  meta: RunMeta
}

export interface RunMeta {
  runId: string
  /** US dollars of all model requests so far. */
  cost: number
  tokens: { input: number; output: number }
  /** Tool calls that ran, in order. */
  calls: CallRecord[]
  violations: Violation[]
  /** Model requests so far. */
  steps: number
  paused?: Paused
}

export interface CallRecord {
  target: string
  args: Record<string, unknown>
  /** The agent that chose it; absent for a pipeline's own call. */
  agent?: string
  path: string
}

export interface Violation {
  phase: 'tool' | 'input' | 'output'
  policy: string
  message: string
  target?: string
  agent?: string
  path: string
}

export interface Paused {
  /** Of the first question in path order. */
  waitingFor: string
  questions: Question[]
}
export interface Question {
  id: string
  path: string
  /** `approval`, `yield`, `recovery`, `input`, or the event's name for a listen. */
  waitingFor: string
  request: InterruptRequest
}

/** What a person, a handler or a test is asked. Holds the whole card. */
export interface InterruptRequest {
  channel: 'approval' | 'yield' | 'listen' | 'recovery' | 'input'
  message: string
  /** For an approval: target, args, policy, agent. */
  named: {
    target?: string
    args?: Record<string, unknown>
    policy?: string
    agent?: string
    event?: string
    schema?: unknown
    value?: unknown
    [key: string]: unknown
  }
  /** Of the call that waits for approval or recovery. */
  effect?: Effect
  runId: string
  path: string
  span?: Span
  /** Wall-clock milliseconds at which the wait ends, if it does. */
  deadline?: number
}

// --------------------------------------------------------------------- events

interface EventBase {
  runId: string
  path: string
  /** Milliseconds since the epoch. */
  time: number
  span?: Span
  /** Rebuilt from the journal while a run is resumed, not happening now. */
  replayed?: boolean
}
export type HaloEvent = EventBase &
  (
    | { type: 'run_start'; pipeline: string; args: Record<string, unknown>; resumed: boolean }
    | { type: 'stage_start'; stage: string; target?: string }
    | { type: 'stage_end'; stage: string; target?: string; ms: number; output?: unknown; error?: { code: ErrorCode; message: string }; skipped?: boolean }
    | { type: 'llm_start'; agent: string; task: string; model: string; step: number; prompt?: string; system?: string; tools: string[] }
    | { type: 'llm_delta'; agent: string; text?: string; reasoning?: string; toolCall?: { id: string; name?: string; args: string } }
    | {
        type: 'llm'; agent: string; task: string; model: string; step: number; text: string; reasoning?: string; toolCalls: ToolCall[]
        usage?: Usage; cost: number; ms: number; stop: StopReason; attempts?: number; error?: { code: ErrorCode; message: string }
      }
    /** The request and the response as they went over the wire, without credentials; for the eye only. */
    | { type: 'llm_raw'; agent: string; request: unknown; response?: unknown }
    | { type: 'tool'; target: string; args: Record<string, unknown>; result?: unknown; error?: string; effect?: Effect; agent?: string; ms: number; cached?: boolean; files?: FileChange[] }
    | { type: 'tool_progress'; target: string; done?: number; total?: number; note?: string; output?: string; stream?: 'stdout' | 'stderr'; partial?: unknown }
    | {
        type: 'agent_tool'; agent: string; target: string; callId: string; args: Record<string, unknown>
        decision: 'allowed' | 'approved' | 'declined' | 'refused' | 'error'; detail?: string
      }
    | { type: 'approval'; question: Question; state: 'asked' | 'answered'; answer?: unknown; approved?: boolean }
    | { type: 'violation'; violation: Violation }
    | { type: 'yield'; question: Question; state: 'asked' | 'answered'; answer?: unknown }
    | { type: 'listen'; question: Question; state: 'asked' | 'answered'; answer?: unknown }
    | { type: 'human_input'; question: Question; state: 'asked' | 'answered'; answer?: unknown }
    | { type: 'shadow'; agent: string; task: string; model: string; text?: string; same?: boolean; error?: string; usage?: Usage; ms: number }
    | { type: 'context'; agent: string; store: string; matches: { text: string; score: number; source?: string }[] }
    | { type: 'log'; level: 'info' | 'warning'; message: string; value?: unknown }
    | { type: 'run_end'; status: RunStatus; output: unknown; ms: number; cost: number; error?: { code: ErrorCode; message: string; path?: string; span?: Span } }
  )

// -------------------------------------------------------------------- journal

export type EntryKind =
  | 'agent' | 'tool' | 'approval' | 'yield' | 'listen' | 'input' | 'clock' | 'methods' | 'store' | 'verdict' | 'recovery'

/**
 * One thing that came from outside, or (with `state`) that was about to. Appended before it is used; never changed.
 * `request` of a model call holds what is new since the step before it, so that an entry's size doesn't grow with the run.
 */
export interface JournalEntry {
  /** 0, 1, 2 … in the order of appending. */
  seq: number
  /** Milliseconds since the epoch. */
  at: number
  path: string
  kind: EntryKind
  target: string
  /** Absent on an answer whose `begun` or `asked` entry (`ref`) holds it. */
  request?: unknown
  value?: unknown
  /** `begun`: about to call the world. `asked`: a question to a person. `late`: a result that came after Stop. Absent: the answer. */
  state?: 'begun' | 'asked' | 'late'
  /** seq of the `begun` or `asked` entry that this answers. */
  ref?: number
  toolCalls?: ToolCall[]
  usage?: Usage
  stop?: StopReason
  /** What was reserved and used for a model request. */
  maxTokens?: number
  price?: Price
  cost?: number
  opaque?: Message['opaque']
  /** Of a model, where it gives any: shown, never sent on. */
  reasoning?: string
  ms?: number
  attempts?: number
  cached?: boolean
  files?: FileChange[]
  error?: { code: ErrorCode; message: string; data?: unknown }
}

export interface JournalStart {
  runId: string
  pipeline: string
  args: Record<string, unknown>
  /** The program's own text and every imported file's, by path; the main file's path first in `main`. */
  main: string
  sources: Record<string, string>
  at: number
  version: string
  /** Answers of the time limit of the run, in ms, if it has one. */
  timeoutMs?: number
  priceDate?: string
  /** Marks runs of scenarios and forks. */
  scenario?: string
  forkOf?: {
    runId: string
    /** The entry it was forked at. */
    seq: number
    /** The highest seq among the entries it was given; its own come after it. */
    kept?: number
    /** Files that were changed for it: content hash by path, null for one that was removed. */
    files?: Record<string, string | null>
  }
}
export interface JournalEnd {
  status: RunStatus
  output: unknown
  error?: { code: ErrorCode; message: string; path?: string; span?: Span }
  at: number
}
export interface JournalRecord {
  start: JournalStart
  entries: JournalEntry[]
  end?: JournalEnd
}

/** Where journals live. Appending must cost O(1) and be durable before the returned promise resolves. */
export interface JournalStore {
  create(start: JournalStart): void | Promise<void>
  append(runId: string, entry: JournalEntry): void | Promise<void>
  end(runId: string, end: JournalEnd): void | Promise<void>
  load(runId: string): JournalRecord | undefined | Promise<JournalRecord | undefined>
  remove(runId: string): void | Promise<void>
  list(): JournalSummary[] | Promise<JournalSummary[]>
}
export interface JournalSummary {
  runId: string
  pipeline: string
  at: number
  status: RunStatus | 'running'
  entries: number
}

// -------------------------------------------------------------- configuration

export interface Clock {
  now(): number
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  uuid(): string
}

/** Contents by hash, that journal entries refer to. */
export interface WorkspaceStore {
  put(hash: string, content: Uint8Array): void | Promise<void>
  get(hash: string): Uint8Array | undefined | Promise<Uint8Array | undefined>
}

export interface RecordedCall {
  kind: 'agent' | 'tool' | 'approval' | 'yield' | 'listen' | EntryKind
  target: string
  value: unknown
  toolCalls?: ToolCall[]
  path: string
  /** What was asked; the entry has it only where it didn't stand in an earlier one. */
  request?: unknown
  entry: JournalEntry
}

export interface RuntimeConfig {
  /** Absent: the run pauses. */
  onInterrupt?(request: InterruptRequest): unknown
  /** A throw in it never reaches the run. */
  onEvent?(event: HaloEvent): void
  recorder?(call: RecordedCall): void
  journal?: JournalStore
  env?: Record<string, string>
  prices?: PriceList
  sandbox?: SandboxFactory
  fetch?: typeof fetch
  /** By prefix; before those of `registerModelAdapter`. */
  models?: Record<string, ModelAdapter>
  regexRunner?: RegexRunner
  files?: WorkspaceStore
  clock?: Clock
  /** Where results of `@idempotent(scope: global)` are kept; in memory by default. */
  idempotency?: IdempotencyStore
  /** Keys and addresses of model providers. */
  keys?: ModelCredentials
  /** What answers where `mockAll` has nothing: test blocks and mock mode, in which no model is called. */
  mockDefaults?: MockDefaults
}

export interface MockDefaults {
  agent?(request: MockRequest, schema?: JsonSchema): unknown
  /** undefined: the tool runs for real. A throw is a tool error. */
  tool?(call: { target: string; effect?: Effect; args: Record<string, unknown>; resultSchema?: JsonSchema }): unknown
  interrupt?(request: InterruptRequest): unknown
}

export interface RunOptions {
  runId?: string
  signal?: AbortSignal
  timeoutMs?: number
  /** What else the journal's start says: marks of scenarios and forks. */
  about?: Pick<JournalStart, 'scenario' | 'forkOf' | 'priceDate'>
}

/** What a mock of an agent is called with. */
export interface MockRequest {
  prompt: string
  system?: string
  /** The "Tool.method" names offered. */
  tools: string[]
  messages: Message[]
  step: number
  agent: string
  task: string
}
/** A value, a function of the request (or of a tool's arguments), or a promise of one. */
export type Mock = unknown
