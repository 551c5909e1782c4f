/** A range in a source text, in UTF-16 code units from its start; `file` is the path it was parsed under. */
export interface Span {
  from: number
  to: number
  file?: string
}

/** Every code a failed run, parse or check can carry. */
export type ErrorCode =
  | 'PARSE_ERROR'
  | 'VALIDATION'
  | 'TOOL_CONFIG'
  | 'APPROVAL_NEEDED'
  | 'REPLAY_MISMATCH'
  | 'SPEND_LIMIT'
  | 'CALL_LIMIT'
  | 'SCHEMA_MISMATCH'
  | 'POLICY_BLOCKED'
  | 'TIMEOUT'
  | 'CANCELLED'
  | 'MODEL_ERROR'
  | 'NETWORK'
  | 'EXPRESSION_ERROR'
  | 'EXPRESSION_LIMIT'
  | 'TOOL_ERROR'
  | 'DECLINED'
  | 'STORAGE_FULL'

export interface HaloErrorDetails {
  /** Where in the run: a journal path such as `3a/step:2/call:0`. */
  path?: string
  span?: Span
  cause?: unknown
  /** Every fault found, where one error stands for several (PARSE_ERROR, VALIDATION). */
  diagnostics?: Diagnostic[]
  /** Anything a handler may want beside the message, as plain data (for example the text a cut answer had). */
  data?: unknown
  /** seq of the journal entry that holds the failure, if one does. */
  seq?: number
}

/** The one error type that leaves the library. `message` says what happened and what to do next. */
export class HaloError extends Error {
  readonly code: ErrorCode
  readonly path?: string
  readonly span?: Span
  readonly diagnostics?: Diagnostic[]
  readonly data?: unknown
  readonly seq?: number

  constructor(code: ErrorCode, message: string, details: HaloErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'HaloError'
    this.code = code
    this.path = details.path
    this.span = details.span
    this.diagnostics = details.diagnostics
    this.data = details.data
    this.seq = details.seq
  }

  /** The same error with some details added; those it has stay. */
  with(details: HaloErrorDetails): HaloError {
    const { code, message, path, span, cause, diagnostics, data, seq } = this
    return new HaloError(code, message, {
      path: path ?? details.path,
      span: span ?? details.span,
      cause: cause ?? details.cause,
      diagnostics: diagnostics ?? details.diagnostics,
      data: data ?? details.data,
      seq: seq ?? details.seq,
    })
  }

  toJSON(): { code: ErrorCode; message: string; path?: string; span?: Span; data?: unknown; diagnostics?: Diagnostic[] } {
    const { code, message, path, span, data, diagnostics } = this
    return { code, message, path, span, data, ...(diagnostics === undefined ? {} : { diagnostics }) }
  }
}

/** A fault or a warning found without running anything. */
export interface Diagnostic extends Span {
  /** A stable kebab-case name of the kind of fault, for example `unknown-name`; parse faults are `syntax`. */
  code: string
  severity: 'error' | 'warning' | 'info'
  message: string
  /** An edit that mends it, where there is an obvious one. */
  fix?: { title: string; from: number; to: number; insert: string }
}

/** The span of a node in the file it stands in. */
export function spanWithin(node: { from: number; to: number }, file: string | undefined): Span {
  return file === undefined ? { from: node.from, to: node.to } : { from: node.from, to: node.to, file }
}

/** The message of whatever was thrown, without a stack. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  return typeof thrown === 'string' ? thrown : String(thrown)
}
