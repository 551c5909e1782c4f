import type { TSchema } from 'typebox'
import type { Part } from '../models/types.ts'
import type { SandboxHandle } from '../sandbox/types.ts'

/** What a call does to the world, as its provider says. */
export type Effect = 'read' | 'write' | 'external'

export interface MethodInfo {
  description: string
  /** TypeBox, or any JSON Schema of an object. `format: "path"` marks a path argument. */
  parameters: TSchema
  /** The most that a call does; plans show it. */
  effect: Effect
  /** What a call does where that depends on an argument: by its value; for any other value it is `effect`. Read with `effectOf`. */
  effectBy?: { argument: string; effects: Record<string, Effect> }
  categories?: string[]
  /** Reaches beyond the sandbox even where it only reads: tests and mock mode, which have no network, stand in for it. */
  network?: boolean
  result?: TSchema
  /** May be run again after a crash without a second effect; reads are. */
  repeatable?: boolean
}
export type ProviderInfo = Record<string, MethodInfo>

/** What a call has at hand. */
export interface ToolContext {
  signal: AbortSignal
  runId: string
  sessionId?: string
  /** Unique per call of the run; stable across resume. */
  callId: string
  /** Journal path of the call. */
  path: string
  fetch: typeof fetch
  env: Readonly<Record<string, string>>
  /** Opened per call: what it changes is noted with the call. */
  sandbox: SandboxHandle
  /** The clock of the run, in milliseconds since the epoch; absent outside of one. */
  now?(): number
  log(message: string): void
  progress(done: number, total?: number, note?: string): void
  /** Output of a command as it comes. */
  output?(stream: 'stdout' | 'stderr', text: string): void
  /** A value on the way to the result, shown as it comes. Called for a method that gives an async iterable. */
  partial?(value: unknown): void
  /** A form for the person; journaled. The tool is entered again from its start after a reload, so act after the last question only. */
  requestHumanInput(request: { prompt: string; schema?: TSchema }): Promise<unknown>
  /** Pause the run until someone answers; gives the answer. Same rule as `requestHumanInput`. */
  interrupt(info: unknown): Promise<unknown>
}

/** What a method may give: a plain value, content parts, or partial values of which the last is the result. */
export type ToolOutput = unknown
export type Method = (args: Record<string, unknown>, context: ToolContext) => ToolOutput | Promise<ToolOutput> | AsyncIterable<ToolOutput>

/** What a provider has when it is bound by a declaration. Called at first use in each pipeline call, per distinct configuration. */
export interface ProviderContext {
  /** The declaration's name. */
  tool: string
  fetch: typeof fetch
  env: Readonly<Record<string, string>>
  runId: string
}

/** `config` holds the named arguments of the declaration; positional ones by `config` order in the definition, else in `config.args`. */
export type Provider = (config: Record<string, unknown>, context: ProviderContext) => Record<string, Method> | Promise<Record<string, Method>>

/** A provider of the catalogue, or a registered one, as one record: `halo tools`, plans, completion and docs read this. */
export interface ProviderDefinition {
  name: string
  description?: string
  /** JSON Schema (TypeBox object) of the configuration; the order of its properties is the order of positional arguments. */
  config?: TSchema
  /** Absent: registered without a description; can't be offered to agents. */
  info?: ProviderInfo
  /** Methods that this configuration has, where it doesn't have all (a workspace without `write: true`). Configuration values that are not literal are left out. */
  methods?(config: Record<string, unknown>): string[]
  /** The normal form of a path argument as policies and the tool get it, where paths are relative to a folder of the configuration; absent: `sandbox.realpath`. */
  paths?(config: Record<string, unknown>, sandbox: SandboxHandle): (path: string) => Promise<string>
  /** Files that this configuration keeps every tool of the program from changing, as globs relative to the sandbox's base. */
  protects?(config: Record<string, unknown>): string[]
  provider: Provider
  /** A store: declared with `store`, adds context to an equipped agent's prompt, never offered as a tool. */
  store?: boolean
  /**
   * For stores: the best matches for what an agent is about to be asked, best first. `config` is evaluated; `topK` limits
   * the number, by default as configured. Reads only.
   */
  matches?(config: Record<string, unknown>, query: string, context: Pick<ToolContext, 'sandbox' | 'signal'>, topK?: number): Promise<StoreMatch[]>
  /** For stores: the most characters that `matches` puts into a prompt with this configuration. For plans. */
  contextChars?(config: Record<string, unknown>): number
}

/** A piece of a store's content that goes into a prompt. */
export interface StoreMatch {
  text: string
  /** Higher is better; comparable within one answer only. 1 where the store doesn't rank. */
  score: number
  /** Where it comes from, as given when it was added or a workspace path. */
  source?: string
  /** Offset of its first character in its source, in UTF-16 code units. */
  position?: number
}

/** `{ text }`, images, files: content a model that takes parts gets as parts. */
export interface PartsResult {
  parts: Part[]
}
export function isPartsResult(value: unknown): value is PartsResult {
  return (
    typeof value === 'object' && value !== null && Array.isArray((value as PartsResult).parts) &&
    (value as PartsResult).parts.every((p) => typeof p === 'object' && p !== null && ['text', 'image', 'file'].includes(p.type))
  )
}

/** Thrown by a tool: try again, at the earliest after `afterMs`. Retried only by an explicit retry. */
export class TransientError extends Error {
  readonly afterMs?: number
  readonly status?: number
  constructor(message: string, details: { afterMs?: number; status?: number; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'TransientError'
    this.afterMs = details.afterMs
    this.status = details.status
  }
}
