/** The tool loop: ask the model, run the calls it asks for, tell it what came of them, until it answers. */
import { callTool } from '../run/calls.ts'
import type { Message, Part, ToolCall } from '../models/types.ts'
import { isPartsResult } from '../tools/types.ts'
import { refusalText } from '../policy/index.ts'
import { textOf } from '../run/plain.ts'
import { toolEvents } from '../run/tool-events.ts'
import type { HaloEvent } from '../run/types.ts'
import type { Name } from '../syntax/ast.ts'
import { journaled } from './journaled.ts'
import { askModel, type Answer, type Conversation } from './request.ts'
import { push, say } from './conversation.ts'

const STEPS_USED = 'You have used all the steps you have. Tools are turned off now: answer with what you know.'

export interface LoopOptions {
  /** The agent's own policies, for pipelines that it calls. */
  requires: readonly Name[]
  /** Before each request: what is offered may be exchanged here. */
  beforeStep?(): Promise<void>
  /** A person chose the calls. */
  chosen?: boolean
}

/** An answer that asks for calls. */
export type Turn = Pick<Message, 'opaque'> & { text: string; toolCalls: readonly ToolCall[] }

/** Goes on until the model answers without asking for a tool. `base` is where the steps stand. */
export async function converse(talk: Conversation, base: string, options: LoopOptions): Promise<Answer> {
  const { settings } = talk
  for (let step = 1; ; step++) {
    if (options.beforeStep !== undefined) await options.beforeStep()
    const last = step > settings.maxSteps && talk.offer.targets.length > 0
    if (last) say(talk, STEPS_USED)
    const path = `${base}/step:${step}`
    const answer = await askModel(talk, path, last)
    if (answer.toolCalls.length === 0 || last || talk.offer.targets.length === 0) return { ...answer, toolCalls: [] }
    await makeCalls(talk, path, { text: answer.text, toolCalls: answer.toolCalls, opaque: answer.entry.opaque }, options)
  }
}

/** The calls of one turn, in order; each answered by a tool message. */
export async function makeCalls(talk: Conversation, path: string, { text, toolCalls, opaque }: Turn, options: LoopOptions): Promise<void> {
  let calls = [...toolCalls]
  const turn = push(talk, { role: 'assistant', content: text, toolCalls: calls, opaque })
  // The journal has the answer: the next request's own part begins after it.
  talk.sent = talk.messages.length
  for (const [i, call] of toolCalls.entries()) {
    const told = await runCall(talk, `${path}/call:${i}`, call, options)
    push(talk, { role: 'tool', content: told.content, toolCallId: call.id, name: call.name })
    const { args } = told
    if (args === undefined) continue
    // The model sees each call as it ran.
    calls = calls.map((each, at) => (at === i ? { ...each, args } : each))
    talk.messages[turn] = { role: 'assistant', content: text, toolCalls: calls, opaque }
  }
}

type Decision = Extract<HaloEvent, { type: 'agent_tool' }>['decision']

interface Told {
  content: string | Part[]
  /** Set when a person changed them. */
  args?: Record<string, unknown>
}

/** Makes one call, tells of it, and gives what the model is told. */
async function runCall(talk: Conversation, path: string, call: ToolCall, options: LoopOptions): Promise<Told> {
  const { frame, agent, span, policies, offer } = talk
  const { run } = frame
  const offered = offer.resolve(call.name)
  const target = offered === undefined ? call.name : `${offered.tool}.${offered.method}`
  const tell = async (decision: Decision, args: Record<string, unknown>, detail?: string): Promise<void> => {
    if (!run.listening) return
    const seen = { args: await policies.redactArgs(args), detail: detail === undefined ? undefined : ((await policies.redactValue(detail)) as string) }
    run.emit({ type: 'agent_tool', path, span, agent, target, callId: call.id, decision, ...seen })
  }
  if (offered === undefined) {
    const message = `there is no tool named "${call.name}". You can call: ${offer.functions.map((fn) => fn.name).join(', ')}`
    await tell('error', call.args, message)
    return { content: `Error: ${message}` }
  }
  if (call.invalid !== undefined) {
    const message = `the arguments of ${call.name} are no JSON object: ${call.invalid.slice(0, 200)}`
    await tell('error', {}, message)
    return { content: `Error: ${message}` }
  }
  const request = { frame, path, tool: offered.tool, method: offered.method, args: call.args, policies, requires: options.requires, agent, span, chosen: options.chosen, retries: talk.settings.toolRetries }
  const outcome = await callTool(request)
  await toolEvents(request, outcome)
  const edited = outcome.decision === 'approved' && !sameArgs(outcome.args, call.args) ? { args: outcome.args } : {}
  switch (outcome.decision) {
    case 'refused':
      await tell('refused', outcome.args, outcome.reason)
      return { content: refusalText(outcome.policy, outcome.reason) }
    case 'declined':
      await tell('declined', outcome.args, outcome.reason)
      return { content: `A person declined this call${outcome.reason === undefined ? '' : `: ${outcome.reason}`}. Don't try it again; find another way, or answer without it.` }
    case 'error':
      await tell('error', outcome.args, outcome.error.message)
      return { content: `Error: ${await shown(talk, path, outcome.error.message)}`, ...edited }
    case 'allowed':
    case 'approved':
      await tell(outcome.decision, outcome.args)
      return { content: await resultContent(talk, path, outcome.value), ...edited }
  }
}

/** A result as the model gets it: as text, cut, and through the policies for what comes in. */
async function resultContent(talk: Conversation, path: string, value: unknown): Promise<string | Part[]> {
  if (!isPartsResult(value)) return shown(talk, path, textOf(value))
  const parts: Part[] = []
  // The limit is one of the whole result.
  let left = talk.settings.resultChars
  for (const [i, part] of value.parts.entries()) {
    parts.push(part.type === 'text' ? { ...part, text: await shown(talk, `${path}/part:${i}`, part.text, left) } : part)
    if (part.type === 'text') left = Math.max(0, left - part.text.length)
  }
  return parts
}

async function shown(talk: Conversation, path: string, text: string, limit = talk.settings.resultChars): Promise<string> {
  // What is withheld is a note that says so.
  return (await journaled(talk, `${path}/input`, talk.policies.inputText(cut(text, limit)))).text
}

/** The beginning of a text, never half of a surrogate pair; how much is left out is said on top of the limit. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const code = text.charCodeAt(limit - 1)
  const end = code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit
  return `${text.slice(0, end)}\n[cut: the first ${end} of ${text.length} characters are shown]`
}

function sameArgs(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
