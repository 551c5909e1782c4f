/** The approval gate: which calls of tools wait for a person, and their answers. For a session, and for loops of one's own. */
import { HaloError, messageOf } from '../errors.ts'
import { samePlain, toPlain } from '../run/plain.ts'
import { readApproval } from '../run/questions.ts'
import { applyDefaults, validate, type Fault } from '../run/schema.ts'
import { canonicalJson } from '../tools/canonical.ts'
import type { Effect } from '../tools/types.ts'
import { listeners } from './listeners.ts'

/** `always`: each call is asked about. `once`: the first of each tool. `never`: none, the gate is off. */
export type ApprovalPolicy = 'always' | 'once' | 'never'
const POLICIES: readonly unknown[] = ['always', 'once', 'never'] satisfies ApprovalPolicy[]

/** A call that is about to be made. */
export interface GateCall {
  /** Names it in `pending` and `answers`; the model's id of the call will do. */
  id: string
  /** The tool's name: what `approvalFor` is asked for and `once` remembers. */
  name: string
  args: Record<string, unknown>
  /** What the model was told of the tool. Edited arguments are held to its schema, and `once` holds for this very tool. */
  tool?: { description?: string; parameters?: object }
  /** Shown to the person. */
  effect?: Effect
  /** A rule that has a person asked whatever the gate's own policy is. Neither `never` nor `once` lets such a call through. */
  required?: string
}

/** The same as the loop of Pi hands it to its hook. */
export interface LoopCall {
  toolCall: { id: string; name: string }
  args: unknown
}

/** A call that waits, as it is shown: a copy, which answers are bound to. */
export interface PendingCall extends Readonly<GateCall> {
  /** What `respond` takes: the call's own id, with a number where one of that id was asked about before. */
  readonly id: string
  /** The id it came with. */
  readonly callId: string
}

/** How a call that was asked about came out. */
export interface GateAnswer {
  name: string
  approved: boolean
  /** Why not, in the words of whoever denied it. */
  reason?: string
  /** The arguments as the person changed them. */
  args?: Record<string, unknown>
  /** `gate`: it was turned off while the call waited. `stop`: the call was stopped, or the conversation was. */
  by: 'person' | 'gate' | 'stop'
}

/** What becomes of an answer: the first one counts, and no other does. */
export type Responded = { taken: true } | { taken: false; why: string; faults?: Fault[] }

/** What a loop does with the call: `block` doesn't make it and gives the model `reason`; `args` are to be used in place of its own. */
export type GateVerdict = { block: true; reason: string } | { block?: undefined; args: Record<string, unknown> }

export interface ApprovalGate {
  policy(): ApprovalPolicy
  /** `never` lets what waits through, but for calls that a rule requires an answer to. Any change forgets what `once` remembered. */
  setPolicy(policy: ApprovalPolicy): void
  /** The calls that wait, oldest first. The same list until something changes. */
  pending(): readonly PendingCall[]
  /** How those that were asked about came out, by the id they were pending under. The same object until something changes. */
  answers(): Readonly<Record<string, GateAnswer>>
  /**
   * Answers a call. `true`, `"approve"`, `{ approved: true }` and the other ways to say yes allow it, with `args` as changed;
   * everything else denies it, a text or `reason` being why. Arguments that don't fit leave it waiting. Never throws.
   */
  respond(id: string, answer: unknown, reason?: string): Responded
  /** Told when a call begins or ends to wait and when the policy changes. What it throws is its own. Gives the way out. */
  subscribe(listener: () => void): () => void
  /** Would such a call be asked about? @throws what `approvalFor` throws. */
  asks(call: Pick<GateCall, 'name' | 'tool' | 'required'>): boolean
  /**
   * For a loop, before each call: waits until the call may be made. Nothing given: make it as it is. A signal that aborts
   * denies it. @throws HaloError VALIDATION for arguments that aren't JSON, and what `approvalFor` throws; the call isn't made.
   */
  beforeToolCall(call: GateCall | LoopCall, signal?: AbortSignal): Promise<GateVerdict | undefined>
  /** Denies what waits. */
  deny(reason: string): void
  /** Another conversation: denies what waits, forgets the answers and what `once` remembered. */
  clear(reason?: string): void
}

/** What a model is told of a denial that nobody gave a reason for. */
export const DENIED = 'The person denied this call.'
const STOPPED = 'The run was stopped.'

interface Waiting {
  shown: PendingCall
  /** As it came: the loop that waits may still change it. */
  given: unknown
  rule: ApprovalPolicy
  settle(verdict: GateVerdict | undefined): void
}

/**
 * A gate for calls of tools. `approvalFor` gives the policy of one tool, or undefined for the gate's own; a gate that is
 * `never` is off and asks for none.
 * @throws HaloError VALIDATION when the policy is none.
 */
export function createApprovalGate(first: ApprovalPolicy = 'once', approvalFor?: (name: string) => ApprovalPolicy | undefined): ApprovalGate {
  let policy = known(first, 'approvals')
  let pending: readonly PendingCall[] | undefined
  let answers: Readonly<Record<string, GateAnswer>> | undefined
  const waiting = new Map<string, Waiting>()
  const answered = new Map<string, GateAnswer>()
  /** How often each id came; kept for good, since an answer to an old card must not hit a new one. */
  const used = new Map<string, number>()
  /** The tools that `once` has an approval of, as they were then. */
  const remembered = new Map<string, string>()
  const told = listeners()

  function ruleFor(name: string): ApprovalPolicy {
    if (policy === 'never') return 'never'
    const own = approvalFor?.(name)
    return own === undefined ? policy : known(own, `approvalFor(${JSON.stringify(name)})`)
  }

  function ruleOf({ name, tool, required }: Pick<GateCall, 'name' | 'tool' | 'required'>): ApprovalPolicy | undefined {
    if (required !== undefined) return 'always'
    const rule = ruleFor(name)
    if (rule === 'never') return undefined
    const form = remembered.get(name)
    return rule === 'once' && form !== undefined && form === formOf(tool) ? undefined : rule
  }

  function settle(entry: Waiting, answer: Omit<GateAnswer, 'name'>): void {
    const { id, name } = entry.shown
    waiting.delete(id)
    answered.set(id, Object.freeze({ name, ...answer }))
    pending = answers = undefined
    if (!answer.approved) entry.settle({ block: true, reason: answer.reason ?? DENIED })
    else entry.settle(answer.args === undefined ? undefined : { args: answer.args })
  }

  function deny(reason: string): void {
    if (waiting.size === 0) return
    for (const entry of [...waiting.values()]) settle(entry, { approved: false, reason, by: 'stop' })
    told.tell()
  }

  function freshId(id: string): string {
    const times = (used.get(id) ?? 0) + 1
    used.set(id, times)
    if (times === 1) return id
    const other = `${id}#${times}`
    return used.has(other) ? freshId(id) : (used.set(other, 1), other)
  }

  function wait(call: GateCall, given: unknown, rule: ApprovalPolicy, signal: AbortSignal | undefined): Promise<GateVerdict | undefined> {
    return new Promise((resolve) => {
      const id = freshId(call.id)
      const stop = (): void => {
        const entry = waiting.get(id)
        if (entry === undefined) return
        settle(entry, { approved: false, reason: STOPPED, by: 'stop' })
        told.tell()
      }
      signal?.addEventListener('abort', stop, { once: true })
      waiting.set(id, {
        shown: Object.freeze({ ...call, id, callId: call.id }),
        given,
        rule,
        settle: (verdict) => {
          signal?.removeEventListener('abort', stop)
          resolve(verdict)
        },
      })
      pending = undefined
      told.tell()
    })
  }

  function respond(id: string, answer: unknown, reason?: string): Responded {
    const entry = waiting.get(id)
    if (entry === undefined) {
      const before = answered.get(id)
      return { taken: false, why: before === undefined ? `No call ${id} waits for an answer.` : `The call ${id} was ${before.approved ? 'allowed' : 'denied'} already.` }
    }
    const { shown } = entry
    const read = readApproval(answer)
    if (!read.approved) {
      const why = reason ?? read.reason
      settle(entry, { approved: false, by: 'person', ...(why === undefined || why.trim() === '' ? {} : { reason: why.trim() }) })
      told.tell()
      return { taken: true }
    }
    if (!unchanged(entry)) {
      const why = `The arguments of ${shown.name} changed after they were shown.`
      settle(entry, { approved: false, reason: why, by: 'stop' })
      told.tell()
      return { taken: false, why }
    }
    let args: Record<string, unknown> | undefined
    if (read.args !== undefined) {
      const fit = fitted(read.args, shown.tool?.parameters)
      if ('why' in fit) return { taken: false, why: `The arguments of ${shown.name} don't fit: ${fit.why}`, faults: fit.faults }
      args = fit.args
    }
    // Who changes a call has approved that call, not the tool.
    if (entry.rule === 'once' && args === undefined && policy !== 'never') {
      const form = formOf(shown.tool)
      if (form !== undefined) remembered.set(shown.name, form)
    }
    settle(entry, { approved: true, by: 'person', ...(args === undefined ? {} : { args }) })
    told.tell()
    return { taken: true }
  }

  return {
    policy: () => policy,
    setPolicy(next) {
      if (known(next, 'The policy') === policy) return
      policy = next
      remembered.clear()
      for (const entry of [...waiting.values()]) {
        if (next === 'never') {
          if (entry.shown.required === undefined) settle(entry, { approved: true, by: 'gate' })
        }
        // An answer to what was asked under another policy is one for that call alone.
        else if (entry.rule === 'once') entry.rule = 'always'
      }
      told.tell()
    },
    pending: () => (pending ??= Object.freeze([...waiting.values()].map(({ shown }) => shown))),
    answers: () => (answers ??= Object.freeze(Object.fromEntries(answered))),
    respond,
    subscribe: told.subscribe,
    asks: (call) => ruleOf(call) !== undefined,
    async beforeToolCall(given, signal) {
      const call = asked(given)
      if (signal?.aborted === true) return { block: true, reason: STOPPED }
      const rule = ruleOf(call)
      if (rule === undefined) return undefined
      return wait(call, given.args, rule, signal)
    },
    deny,
    clear(reason = 'The conversation was reset.') {
      for (const entry of [...waiting.values()]) settle(entry, { approved: false, reason, by: 'stop' })
      answered.clear()
      remembered.clear()
      answers = undefined
      told.tell()
    },
  }
}

function known(policy: unknown, what: string): ApprovalPolicy {
  if (POLICIES.includes(policy)) return policy as ApprovalPolicy
  throw new HaloError('VALIDATION', `${what} is always, once or never, not ${JSON.stringify(policy) ?? typeof policy}.`)
}

/** The call in the gate's own form, with arguments that nobody can change any more. */
function asked(given: GateCall | LoopCall): GateCall {
  const call = 'toolCall' in given ? { id: given.toolCall.id, name: given.toolCall.name } : given
  try {
    return { ...call, args: frozen(toPlain(given.args ?? {})) as Record<string, unknown> }
  } catch (error) {
    throw new HaloError('VALIDATION', `The arguments of ${call.name} can't be shown to anyone, so the call isn't made: ${messageOf(error)}`, { cause: error })
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(Object.freeze(value))) frozen(inner)
  return value
}

/** An approval is one of what was shown: are the arguments that would be used still the same? */
function unchanged({ given, shown }: Waiting): boolean {
  try {
    return samePlain(toPlain(given ?? {}), shown.args)
  } catch {
    return false
  }
}

function fitted(edited: Record<string, unknown>, parameters: object | undefined): { args: Record<string, unknown> } | { why: string; faults: Fault[] } {
  try {
    const args = toPlain(applyDefaults(parameters, edited)) as Record<string, unknown>
    const faults = parameters === undefined ? [] : validate(parameters, args)
    if (faults.length === 0) return { args: frozen(args) }
    return { why: faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '), faults }
  } catch (error) {
    return { why: messageOf(error), faults: [] }
  }
}

/** What makes a tool the one that was approved; undefined where that can't be told, so that it is asked about again. */
function formOf(tool: GateCall['tool']): string | undefined {
  try {
    return canonicalJson({ description: tool?.description, parameters: tool?.parameters })
  } catch {
    return undefined
  }
}
