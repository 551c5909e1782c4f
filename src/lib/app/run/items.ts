import type { StopReason, Usage } from '../../halo/models/types.ts'
import type { Effect } from '../../halo/tools/types.ts'
import type { FileChange } from '../../halo/sandbox/types.ts'
import type { ErrorCode, Span } from '../../halo/errors.ts'
import type { RunStatus } from '../../halo/run/types.ts'
import type { Card } from '../cards/gate.svelte.ts'

/** What the transcript is made of: one stage after the other, each with its rows. */
export interface StageView {
  path: string
  /** As a reader counts: `3`, `3a` a branch, `6.1` inside a called pipeline, `3~2` the second time round. */
  number: string
  /** The form of the stage: `Call`, `Loop`, … */
  form: string
  target?: string
  span?: Span
  model?: string
  requests: number
  cost: number
  ms?: number
  error?: { code: ErrorCode; message: string }
  skipped?: boolean
  done: boolean
  rows: Row[]
}
export type Row = SayRow | CallRow | CardRow | NoteRow | ModelRow

interface RowBase {
  key: string
}
export interface SayRow extends RowBase {
  kind: 'say'
  agent: string
  text: string
  reasoning?: string
  streaming: boolean
}
export interface CallRow extends RowBase {
  kind: 'call'
  target: string
  args: Record<string, unknown>
  agent?: string
  effect?: Effect
  state: 'running' | 'ok' | 'error' | 'refused' | 'declined'
  approved?: boolean
  cached?: boolean
  /** The policy that refused it. */
  policy?: string
  /** Why it was refused or declined, or what went wrong. */
  detail?: string
  result?: unknown
  /** Output as it came, while it runs. */
  live?: string
  progress?: { done?: number; total?: number; note?: string }
  ms?: number
  files?: FileChange[]
}
/** What a request to a model came to. */
export interface ModelRow extends RowBase {
  kind: 'model'
  path: string
  model: string
  usage?: Usage
  cost: number
  ms: number
  stop: StopReason
  attempts?: number
}
/** A call as a timeline has it. */
export interface TimedCall {
  key: string
  path: string
  kind: 'model' | 'tool'
  target: string
  /** When it began, milliseconds since the epoch. */
  at: number
  /** undefined: it is under way. */
  ms?: number
  cost: number
  failed: boolean
}
/** A request and its answer as they went over the wire, without credentials. */
export interface RawExchange {
  request: unknown
  response?: unknown
}
export interface CardRow extends RowBase {
  kind: 'card'
  card: Card
}
export interface NoteRow extends RowBase {
  kind: 'note'
  level: 'info' | 'warning' | 'error'
  text: string
  value?: unknown
  parts?: { text: string; score: number; source?: string }[]
}

export interface Ending {
  status: RunStatus
  output: unknown
  error?: { code: ErrorCode; message: string; path?: string; span?: Span }
}

/** `6>Other.1` is `6.1`; what an agent's call runs counts under the agent's stage. */
export const numberOf = (path: string): string => path.replace(/\/[^>]*(?=>)/g, '').replace(/>[A-Za-z_]\w*\./g, '.')

/** The stage of what was asked: `1/step:2/call:0` is of `1`, `1/step:2/call:0>Other.1/step:1` of `1/step:2/call:0>Other.1`. */
export const stageOf = (path: string): string => path.replace(/\/[^>]*$/, '')
