/** May a call be made? Defaults, schema, policy, a place among those that MaxCalls allows, a person's approval. */
import { HaloError, messageOf } from '../errors.ts'
import { normaliseArgs, pathArguments } from '../policy/index.ts'
import type { CallFacts, Decision } from '../policy/types.ts'
import { effectOf } from '../tools/effect.ts'
import type { MethodInfo } from '../tools/types.ts'
import { bindTool, describeTool, type DescribedTool } from './binding.ts'
import type { CallOutcome, ToolCallRequest } from './calls.ts'
import { samePlain, toPlain } from './plain.ts'
import { readApproval } from './questions.ts'
import { applyDefaults, validate, type Fault } from './schema.ts'

/** A call that may be made, as it is to be made: with defaults, normal paths, and what a person changed. */
export interface Permitted {
  decision: 'allowed' | 'approved'
  args: Record<string, unknown>
  about: DescribedTool
  info?: MethodInfo
}
export type NotMade = Exclude<CallOutcome, { value: unknown }>

/** A place among the calls that MaxCalls allows: taken before a person is asked, given back if the call isn't made. */
export interface Slot {
  taken: boolean
  used?: boolean
}

export function count({ frame, tool, method }: ToolCallRequest, by: 1 | -1): void {
  const target = `${tool}.${method}`
  const { calls } = frame.run
  calls.set(target, (calls.get(target) ?? 0) + by)
}

/** What the rules and, where they say so, a person say of a call. Throws only for what ends the run. */
export async function permit(call: ToolCallRequest, slot: Slot): Promise<Permitted | NotMade> {
  const { frame, tool, method, policies, path } = call
  const { run } = frame
  const target = `${tool}.${method}`
  let about: DescribedTool
  try {
    about = describeTool(run, tool)
  } catch (error) {
    return { decision: 'error', error: asHaloError(error, call), args: call.args }
  }
  let info = about.info?.[method]

  let { args } = call
  let approvedBy: string | undefined
  let asked = 0
  for (;;) {
    const fit = fitted(info, args)
    args = fit.args
    if (fit.faults.length > 0) return { decision: 'error', error: misfit(target, fit.faults, call), args }

    const normalForms = normalForm(call, about, info, args, asked)
    const categories = [...(info?.categories ?? []), ...about.categories]
    const normalised = normalForms instanceof Promise ? await normalForms : normalForms
    const decided = decide(call, { target, args, normalised, effect: info && effectOf(info, args), categories }, asked)
    const decision = decided instanceof Promise ? await decided : decided
    if (decision.decision === 'refuse') return { decision: 'refused', policy: decision.policy, reason: decision.reason, args }
    const over = policies.maxCalls.length === 0 ? undefined : await takeSlot(call, target, slot)
    if (over !== undefined) return { decision: 'refused', ...over, args }
    args = normalised
    if (call.chosen === true) break
    const asker = decision.decision === 'approve' ? decision.policy : approvedBy === undefined ? gateOf(call, target, info) : undefined
    // An answer holds for the policy that asked; edited arguments that another one asks about are put again.
    if (asker === undefined || asker === approvedBy) break

    asked++
    const answer = await run.questions.put({
      scope: frame.scope,
      kind: 'approval',
      path: asked === 1 ? path : `${path}/approval:${asked}`,
      target,
      waitingFor: 'approval',
      span: call.span,
      card: approvalCard(call, target, args, asker, info),
    })
    const approval = readApproval(answer)
    if (!approval.approved) return { decision: 'declined', reason: approval.reason, args }
    approvedBy = asker
    // What was approved is this tool: one that was exchanged meanwhile is asked about as any other.
    const now = describeTool(run, tool)
    if (!sameTool(info, now.info?.[method])) {
      about = now
      info = now.info?.[method]
      if (info === undefined) return { decision: 'error', error: new HaloError('TOOL_ERROR', `${target} is not there any more.`, { path, span: call.span }), args }
      approvedBy = undefined
    } else if (approval.args === undefined) break
    args = approval.args ?? args
  }
  return { decision: approvedBy === undefined ? 'allowed' : 'approved', args, about, info }
}

/** Stands in a question for the policy where none asks but a chat's gate. No policy can have this name. */
export const GATE = 'the approval gate'

/** The gate of a chat is about what models choose; a pipeline's own calls were written by someone. */
function gateOf(call: ToolCallRequest, target: string, info: MethodInfo | undefined): string | undefined {
  const { chat } = call.frame.run.world
  if (chat === undefined || call.agent === undefined) return undefined
  return chat.asks({ target, tool: call.tool, method: call.method, info }) ? GATE : undefined
}

function sameTool(before: MethodInfo | undefined, now: MethodInfo | undefined): boolean {
  if (before === now) return true
  return before !== undefined && now !== undefined && before.description === now.description && before.effect === now.effect && samePlain(before.parameters, now.parameters)
}

export const LIMIT_REASON = 'at most '

interface Over {
  policy: string
  reason: string
}

/** Does MaxCalls stop this call? Beside parallel work that depends on who came first, so the answer is the journal's. */
async function takeSlot(call: ToolCallRequest, target: string, slot: Slot): Promise<Over | undefined> {
  const { frame, policies, path } = call
  const limits = policies.maxCalls.filter(({ matches }) => matches(target))
  if (limits.length === 0 || slot.taken) return undefined
  const { run } = frame
  const take = () => {
    if (!slot.taken) count(call, 1)
    slot.taken = true
  }
  const entry = await run.ask({
    scope: frame.scope,
    path: `${path}/limit`,
    kind: 'verdict',
    target,
    span: call.span,
    perform: () => {
      for (const { policy, glob, limit, matches } of limits) {
        let calls = 0
        for (const [name, times] of run.calls) if (matches(name)) calls += times
        if (calls >= limit) return { value: { policy, reason: `${LIMIT_REASON}${limit} ${limit === 1 ? 'call' : 'calls'} of ${glob} in a run` } }
      }
      take()
      return { value: null }
    },
  })
  if (entry.value !== null) return entry.value as Over
  // What the journal says was taken, too.
  take()
  return undefined
}

function fitted(info: MethodInfo | undefined, args: Record<string, unknown>): { args: Record<string, unknown>; faults: Fault[] } {
  if (info === undefined) return { args, faults: [] }
  const whole = applyDefaults(info.parameters, args) as Record<string, unknown>
  return { args: whole, faults: validate(info.parameters, whole) }
}

function misfit(target: string, faults: Fault[], call: ToolCallRequest): HaloError {
  const list = faults.map((fault) => (fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`)).join('; ')
  return new HaloError('VALIDATION', `The arguments of ${target} don't fit: ${list}`, { path: call.path, span: call.span, data: faults })
}

const withPaths = new WeakMap<object, boolean>()

function hasPaths(schema: object): boolean {
  const known = withPaths.get(schema)
  if (known !== undefined) return known
  const found = pathArguments(schema)
  withPaths.set(schema, found)
  return found
}

/** Arguments with every path in its normal form. Where that depends on links, the answer is the journal's. */
function normalForm(call: ToolCallRequest, about: DescribedTool, info: MethodInfo | undefined, args: Record<string, unknown>, round: number): Record<string, unknown> | Promise<Record<string, unknown>> {
  if (info === undefined || !hasPaths(info.parameters)) return args
  const { frame, path } = call
  const target = `${call.tool}.${call.method}`
  if (about.definition?.paths === undefined || frame.run.world.mocks.hasTool(target, call.tool)) return normaliseArgs(args, info.parameters)
  return resolvedForm(call, info, args, `${path}/paths${round === 0 ? '' : `:${round + 1}`}`)
}

async function resolvedForm(call: ToolCallRequest, info: MethodInfo, args: Record<string, unknown>, path: string): Promise<Record<string, unknown>> {
  const { frame } = call
  const target = `${call.tool}.${call.method}`
  const entry = await frame.run.ask({
    scope: frame.scope,
    path,
    kind: 'verdict',
    target,
    request: args,
    span: call.span,
    perform: async () => {
      // No world in a replay: the path as it is written.
      if (frame.run.replay?.liveTools === false) return { value: await normaliseArgs(args, info.parameters) }
      try {
        const bound = await bindTool(frame, call.tool)
        return { value: toPlain(await normaliseArgs(args, info.parameters, bound.realpath)) }
      } catch (error) {
        const { code, message } = asHaloError(error, call)
        return { error: { code, message } }
      }
    },
  })
  // What is wrong with the path the tool says itself, in its own words.
  return entry.error === undefined ? (entry.value as Record<string, unknown>) : await normaliseArgs(args, info.parameters)
}

/** What the policies say; where that took a worker with a time limit, the answer is the journal's. */
function decide(call: ToolCallRequest, facts: CallFacts, round: number): Decision | Promise<Decision> {
  const decision = call.policies.decide(facts)
  return decision instanceof Promise ? journaledDecision(call, facts, decision, round) : decision
}

async function journaledDecision(call: ToolCallRequest, facts: CallFacts, decision: Promise<Decision>, round: number): Promise<Decision> {
  decision.catch(() => undefined)
  const entry = await call.frame.run.ask({
    scope: call.frame.scope,
    path: `${call.path}/policy${round === 0 ? '' : `:${round + 1}`}`,
    kind: 'verdict',
    target: facts.target,
    request: facts.args,
    span: call.span,
    perform: async () => ({ value: await decision }),
  })
  return entry.value as Decision
}

function approvalCard(call: ToolCallRequest, target: string, args: Record<string, unknown>, policy: string, info: MethodInfo | undefined) {
  const who = call.agent ?? call.frame.pipeline.name
  return {
    channel: 'approval' as const,
    message: `Allow ${who} to call ${target} with ${shown(args)}? (policy ${policy})`,
    named: { target, args, policy, ...(call.agent === undefined ? {} : { agent: call.agent }) },
    effect: info && effectOf(info, args),
  }
}

/** Arguments in a question: whole when short; a long text is told by its beginning, the card shows all of it. */
function shown(args: Record<string, unknown>): string {
  const text = JSON.stringify(args)
  return text.length <= 1000 ? text : `${text.slice(0, 1000)}… (${text.length} characters)`
}

export function asHaloError(error: unknown, call: Pick<ToolCallRequest, 'path' | 'span'>): HaloError {
  if (error instanceof HaloError) return error
  return new HaloError('TOOL_ERROR', messageOf(error), { path: call.path, span: call.span, cause: error })
}

