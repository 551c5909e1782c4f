/** One tool call, whoever makes it: checked, and then made. */
import { HaloError, type Span } from '../errors.ts'
import type { PolicySet } from '../policy/index.ts'
import { effectOf } from '../tools/effect.ts'
import type { Decorator, Name, PipelineDeclaration } from '../syntax/ast.ts'
import { argumentsError, checkArguments } from './arguments.ts'
import type { Frame } from './frame.ts'
import { runPipeline } from './interpreter.ts'
import { keepRecorded, performTool, recoverTool, type MadeCall } from './perform.ts'
import { count, LIMIT_REASON, permit, type NotMade, type Permitted, type Slot } from './permit.ts'
import type { JournalEntry } from './types.ts'

export interface ToolCallRequest {
  frame: Frame
  path: string
  tool: string
  method: string
  args: Record<string, unknown>
  /** What holds for this call. */
  policies: PolicySet
  /** The names of these policies: they hold for what a pipeline that is called does, too. */
  requires: readonly Name[]
  /** The agent that chose it; absent for a pipeline's own call. */
  agent?: string
  /** Decorators of the call itself; those of the declaration come on top. */
  decorators?: readonly Decorator[]
  /** A person chose this very call: nobody is asked about it. What policies refuse is refused. */
  chosen?: boolean
  /** Further attempts for an agent's calls (`tool_retry:`). */
  retries?: number
  span?: Span
}

export type CallOutcome =
  | { decision: 'allowed' | 'approved'; value: unknown; args: Record<string, unknown>; entry?: JournalEntry }
  | { decision: 'refused'; policy: string; reason: string; args: Record<string, unknown> }
  | { decision: 'declined'; reason?: string; args: Record<string, unknown> }
  | { decision: 'error'; error: HaloError; args: Record<string, unknown> }

/** Checks a call and, if it may, makes it. Throws only for what ends the run: Stop, a pause that was stopped, storage. */
export async function callTool(call: ToolCallRequest): Promise<CallOutcome> {
  const slot: Slot = { taken: false }
  try {
    const permitted = await permit(call, slot)
    if (!('about' in permitted)) return permitted
    if (!slot.taken) count(call, 1)
    slot.used = true
    const { pipeline } = permitted.about
    const { mocks } = call.frame.run.world
    return pipeline === undefined || mocks.hasPipeline(`${call.tool}.${call.method}`, call.tool) ? await makeCall(call, permitted) : await callPipeline(call, permitted, pipeline)
  } catch (error) {
    // What an agent chose and the recording doesn't have goes to the model, like any call that fails.
    const missing = error instanceof HaloError && error.code === 'REPLAY_MISMATCH' && call.agent !== undefined && call.frame.run.replay !== undefined
    if (!missing) throw error
    return { decision: 'error', error, args: call.args }
  } finally {
    // MaxCalls counts calls that ran.
    if (slot.taken && !slot.used) count(call, -1)
  }
}

function isMocked({ frame, tool, method }: ToolCallRequest): boolean {
  return frame.run.world.mocks.hasTool(`${tool}.${method}`, tool)
}

async function makeCall(call: ToolCallRequest, { about, info, args, decision }: Permitted): Promise<CallOutcome> {
  const { frame, tool, method, path, span } = call
  const { run } = frame
  const target = `${tool}.${method}`
  const effect = info && effectOf(info, args)
  const { policies, requires, agent, decorators, retries } = call
  const made: MadeCall = { frame, path, tool, method, span, policies, requires, agent, decorators, retries, about, info, effect, target, args }
  const entry = await run.ask({
    scope: frame.scope,
    path,
    kind: 'tool',
    target,
    request: args,
    span,
    begun: effect !== 'read' && !isMocked(call),
    perform: () => performTool(made),
    recover: (begun) => recoverTool(made, begun),
  })
  noteRan(call, args)
  if (entry.error !== undefined) {
    return { decision: 'error', error: new HaloError(entry.error.code, entry.error.message, { path, span, data: entry.error.data, seq: entry.seq }), args }
  }
  // A call that was taken over from the journal leaves for later `@idempotent` ones what it would have left.
  if (run.index !== undefined) await keepRecorded(made, entry.value)
  return { decision, value: entry.value, args, entry }
}

/** `Pipeline(Name)`: what it does is asked and recorded call by call, under what holds here as well. */
async function callPipeline(call: ToolCallRequest, { args: given, decision }: Permitted, pipeline: PipelineDeclaration): Promise<CallOutcome> {
  const { frame, path, requires } = call
  const { args, faults } = checkArguments(pipeline, given, frame.run.world.program)
  if (faults.length > 0) return { decision: 'error', error: argumentsError(pipeline.name, faults), args: given }
  try {
    const value = await runPipeline(frame, { pipeline, args, base: `${path}>${pipeline.name}`, requires })
    return { decision, value, args: given }
  } catch (error) {
    if (!(error instanceof HaloError) || ENDS_RUN.has(error.code)) throw error
    if (error.code !== 'DECLINED') return { decision: 'error', error, args: given }
    // An agent is told; what a pipeline does itself ends with it.
    if (call.agent === undefined) throw error
    return { decision: 'declined', reason: error.message, args: given }
  } finally {
    noteRan(call, given)
  }
}

/** Faults of the run itself, which no agent is told of. */
const ENDS_RUN: ReadonlySet<string> = new Set(['STORAGE_FULL', 'REPLAY_MISMATCH'])

function noteRan({ frame, tool, method, path, agent }: ToolCallRequest, args: Record<string, unknown>): void {
  frame.run.meta.calls.push({ target: `${tool}.${method}`, args, path, ...(agent === undefined ? {} : { agent }) })
}

/** The error that a pipeline's own call ends with when it wasn't made. */
export function ownCallError(call: ToolCallRequest, outcome: NotMade): HaloError {
  const details = { path: call.path, span: call.span }
  switch (outcome.decision) {
    case 'refused':
      return outcome.reason.startsWith(LIMIT_REASON)
        ? new HaloError('CALL_LIMIT', `Policy ${outcome.policy} stops ${call.tool}.${call.method}: ${outcome.reason}.`, details)
        : new HaloError('POLICY_BLOCKED', `Policy ${outcome.policy} refuses ${call.tool}.${call.method}: ${outcome.reason}.`, details)
    case 'declined':
      return new HaloError('DECLINED', `A person declined ${call.tool}.${call.method}${outcome.reason === undefined ? '' : `: ${outcome.reason}`}`, details)
    case 'error':
      return outcome.error
  }
}
