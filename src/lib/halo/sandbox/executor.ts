import type { Layer } from './rules.ts'
import type { RawChange, TrackedFiles } from './tracking.ts'
import type { ExecResult } from './types.ts'

/** One command, as plain data. */
export interface ExecRequest {
  command: string
  /** The sandbox's base; absolute. */
  base: string
  /** Absolute. */
  cwd: string
  env: Record<string, string>
  stdin: string
  timeoutMs: number
  allow?: string[]
  deny?: string[]
  network?: string[]
  layers: Layer[]
}

export interface Executed {
  exitCode: number
  stdout: string
  stderr: string
  limit?: ExecResult['limit']
  /** Changes that were made elsewhere than on `files`. */
  changes?: RawChange[]
}

export interface ExecHooks {
  /** Changes made on (or brought to) these files are the command's. */
  files: TrackedFiles
  signal?: AbortSignal
  onOutput?(stream: 'stdout' | 'stderr', text: string): void
}

/** Runs commands one at a time. */
export interface Executor {
  run(request: ExecRequest, hooks: ExecHooks): Promise<Executed>
  /** Paths that were changed by others; a copy elsewhere is out of date there. */
  changed?(paths: string[]): void
  dispose(): void | Promise<void>
}

/** Exit codes as `timeout` and shells give them. */
export const EXIT_TIMEOUT = 124
export const EXIT_CANCELLED = 130

export const DEFAULT_TIMEOUT_MS = 120_000

/** Bytes of each stream that a result holds; what is more is cut with words. */
export const MAX_RESULT_CHARS = 1 << 20

export function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

export function timeoutWords(timeoutMs: number): string {
  return `The command was stopped: it ran longer than its ${seconds(timeoutMs)}.`
}
export const CANCELLED_WORDS = 'The command was stopped.'

/** Text with a line at the end, on a line of its own. */
export function withLine(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
}

/** Keeps the start and, mostly, the end: that is where commands say what went wrong. */
export function cut(text: string, max = MAX_RESULT_CHARS): string {
  if (text.length <= max) return text
  const head = Math.floor(max / 4)
  const dropped = text.length - max
  return `${whole(text.slice(0, head))}\n[… ${dropped} characters were cut here …]\n${text.slice(text.length - (max - head)).replace(/^[\uDC00-\uDFFF]/, '')}`
}

function whole(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '')
}
