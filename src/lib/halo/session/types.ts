/** The shapes of a session: what it is made of, what is seen of it, and what is kept. All of it but the session itself is JSON. */
import type { ErrorCode } from '../errors.ts'
import type { Message, Part, Usage } from '../models/types.ts'
import type { Fault } from '../run/schema.ts'
import type { InterruptRequest, RuntimeConfig } from '../run/types.ts'
import type { FileChange } from '../sandbox/types.ts'
import type { HaloFile } from '../syntax/ast.ts'
import type { Tool } from '../tools/define.ts'
import type { Effect } from '../tools/types.ts'
import type { ApprovalGate, ApprovalPolicy, PendingCall, Responded } from './gate.ts'
import type { PageTools } from './page.ts'

/** What of a runtime's configuration a session takes too, each with the same meaning. `journal` keeps nothing if it isn't given. */
type FromRuntime = Pick<
  RuntimeConfig,
  'onEvent' | 'recorder' | 'journal' | 'env' | 'prices' | 'sandbox' | 'fetch' | 'models' | 'regexRunner' | 'files' | 'clock' | 'idempotency' | 'keys'
>

export interface SessionOptions extends FromRuntime {
  /** `provider/id`, as in the brackets of an agent. May be left out where `transcript` has one. */
  model?: string
  system?: string
  /** The host's own tools, from `defineTool`. Policies know them as `Host.name`. */
  tools?: readonly Tool[]
  /** A program whose tools are offered and whose policies hold. Its imports have to be loaded. */
  program?: HaloFile
  /** Names of the program's tools that are offered; all of them if left out. */
  equips?: readonly string[]
  /** Names of the program's policies that hold; all of them if left out. */
  requires?: readonly string[]
  /** What templates in the program's declarations see as a pipeline's arguments. */
  args?: Record<string, unknown>
  /** `never` if left out: no call waits but for those that a policy has a person asked about. */
  approvals?: ApprovalPolicy
  /** The policy of one tool; undefined for that of the session. Not asked for tools of the page, nor while the gate is `never`. */
  approvalFor?(name: string): ApprovalPolicy | undefined
  /** Tools that the page publishes. Policies know them as `Page.name`. */
  page?: PageTools
  /** Requests that may ask for tools, for each message; 10 if left out. */
  maxSteps?: number
  /** Tokens of one answer; 4096 if left out. */
  maxTokens?: number
  /** US dollars that all of the conversation may cost: the same limit as `MaxSpend`, and as hard. */
  maxSpend?: number
  /** Characters of a tool's result that the model gets; 16000 if left out. */
  toolResultChars?: number
  temperature?: number
  topP?: number
  seed?: number
  baseUrl?: string
  /** Who the model is in questions and events; `assistant` if left out. */
  name?: string
  /** A conversation to go on with, as `transcript` gave it. */
  transcript?: unknown
}

// ------------------------------------------------------------------ the items of a conversation

interface ItemBase {
  /** Unique in the conversation. */
  id: string
  /** Milliseconds since the epoch. */
  at: number
}
export interface UserItem extends ItemBase {
  type: 'user'
  text: string
  images: Part[]
}
/** One request of the model and what it answered; its text may be empty where it asked for calls. */
export interface AssistantItem extends ItemBase {
  type: 'assistant'
  text: string
  reasoning?: string
  status: 'streaming' | 'done' | 'failed' | 'stopped'
  model: string
  usage?: Usage
  /** US dollars. */
  cost?: number
}
/** `queued`: a call before it has not ended. `waiting`: for a person. `stopped`: cut off, and what it did is not known. */
export type CallStatus = 'queued' | 'waiting' | 'running' | 'done' | 'error' | 'declined' | 'refused' | 'stopped'
/** A call of a tool. Arguments and results as policies let them be seen. */
export interface CallItem extends ItemBase {
  type: 'call'
  /** The function's name as the model knows it. */
  name: string
  /** `Tool.method`, once it is known. */
  target?: string
  args: Record<string, unknown>
  by: 'model' | 'person'
  status: CallStatus
  /** A person allowed it. */
  approved?: true
  result?: unknown
  error?: string
  /** Why it was declined or refused. */
  reason?: string
  effect?: Effect
  ms?: number
  files?: FileChange[]
  /** The last value on the way to the result. */
  partial?: unknown
  progress?: { done: number; total?: number; note?: string }
  /** The end of what a command has printed. */
  output?: string
  /** The result comes from a page that says so itself: it is somebody's content, and no instruction. */
  untrusted?: true
}
/** A turn that came to nothing. */
export interface ErrorItem extends ItemBase {
  type: 'error'
  code: ErrorCode
  message: string
}
export type SessionItem = UserItem | AssistantItem | CallItem | ErrorItem

/** What waits until the session has time for it. */
export type Queued = { id: string } & ({ type: 'message'; text: string; images: Part[] } | { type: 'tool'; name: string; args: Record<string, unknown> })

/** A question of a tool, or of a pipeline that was called as one. */
export interface SessionQuestion extends Pick<InterruptRequest, 'channel' | 'message' | 'named'> {
  id: string
  /** The call that asks, as the item of that id. */
  callId: string
}

export interface SessionTool {
  /** What `runTool` takes. */
  name: string
  target: string
  description: string
  parameters: object
  effect: Effect
  from: 'host' | 'program' | 'page'
}

/** What there is to be shown. The same object until something changes, and unchanged items stay the same objects. */
export interface SessionSnapshot {
  /** `waiting`: at work, and a person is asked. */
  status: 'idle' | 'working' | 'waiting'
  model: string
  items: readonly SessionItem[]
  queue: readonly Queued[]
  policy: ApprovalPolicy
  /** Calls that wait at the gate; `callId` is the id of the call's item. */
  pending: readonly PendingCall[]
  questions: readonly SessionQuestion[]
  /** Why the last turn came to nothing. */
  error?: { code: ErrorCode; message: string }
  canRetry: boolean
  /** Why the page's tools can't be listed, where they can't. */
  pageError?: string
  /** Tokens of all requests so far. */
  usage: Usage
  /** Tokens of the conversation as the last request had it, its answer included. */
  context?: number
  /** US dollars of all requests so far. */
  cost: number
}

/** A conversation as it is kept: JSON, unredacted, with images. */
export interface SessionTranscript {
  version: 1
  id: string
  model: string
  items: readonly SessionItem[]
  /** What the model is told. */
  messages: readonly Message[]
  queue: readonly Queued[]
  usage: Usage
  context?: number
  cost: number
  /** Model requests so far; for MaxSteps. */
  steps: number
  /** Calls that ran, by target; for MaxCalls. */
  calls: Record<string, number>
  turns: number
  canRetry: boolean
}

export type Answered = { taken: true } | { taken: false; why: string; faults?: Fault[] }

/** A conversation with a model that may use tools. */
export interface Session {
  /** The same after `transcript` and back; another one after `reset`. */
  readonly id: string
  /** Asked before each call that a model chooses. */
  readonly gate: ApprovalGate
  snapshot(): SessionSnapshot
  /** Told after each change. What it throws is its own. Gives the way out. */
  subscribe(listener: () => void): () => void
  /**
   * Says something. While the session is at work it is queued, and taken after the turn. Settles when the turn has ended,
   * however it did (see `snapshot().error`), or when it was taken out of the queue. Images are data URLs or parts.
   * @throws HaloError VALIDATION when there is nothing to send or an image is none.
   */
  send(text: string, options?: { images?: readonly (string | Part)[] }): Promise<void>
  /** Runs a tool that a person chose: nobody is asked about it, policies hold. The model reads the result and goes on. Queued as messages are. */
  runTool(name: string, args?: Record<string, unknown>): Promise<void>
  /** Takes a message out of the queue; false when it isn't there any more. */
  dequeue(id: string): boolean
  /** Answers a call that waits at the gate. */
  respond(id: string, answer: unknown, reason?: string): Responded
  /** Answers a question of a tool. What doesn't fit its schema leaves it open. */
  answer(id: string, value: unknown): Answered
  setPolicy(policy: ApprovalPolicy): void
  /** Ends the turn, whatever it waits for, and denies what waits at the gate. What is queued stays so until the next turn has ended. */
  stop(): Promise<void>
  /**
   * Makes the last request again: after an error, a stop, or for another answer. Calls that ran stay, and aren't made again.
   * @throws HaloError VALIDATION while the session is at work, and when there is nothing to make again.
   */
  retry(): Promise<void>
  /** Begins another conversation. What waits is denied, what is queued is gone, what `once` remembered is forgotten. */
  reset(): Promise<void>
  /** Takes the error out of the conversation. */
  dismissError(): void
  /** From the next turn on. @throws HaloError VALIDATION when it is no model's name. */
  setModel(model: string): void
  /** From the next request on. @throws HaloError VALIDATION for two of one name. */
  setTools(tools: readonly Tool[]): void
  /** What the model is offered, those of the page as last listed. */
  tools(): SessionTool[]
  /** When nothing is under way and nothing is queued that would be. */
  idle(): Promise<void>
  transcript(): SessionTranscript
  /** Ends it for good: stops what is under way, drops what is queued and lets go of the page. What is to be kept is to be taken before. */
  dispose(): Promise<void>
}
