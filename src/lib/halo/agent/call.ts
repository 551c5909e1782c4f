/** `|> Agent.task(…)`: one call of an agent, with its tools, its schema and its corrections. */
import { HaloError } from '../errors.ts'
import { conform } from '../run/arguments.ts'
import { callSettings } from '../run/decorators.ts'
import { policiesOf, spanIn, valueOf, type Frame } from '../run/frame.ts'
import type { Place } from '../run/interpreter.ts'
import { textOf } from '../run/plain.ts'
import { faultsText } from '../run/schema.ts'
import { toText } from '../run/template.ts'
import { capabilities } from '../models/registry.ts'
import type { AgentDeclaration, CallStage } from '../syntax/ast.ts'
import { push, say } from './conversation.ts'
import { journaled } from './journaled.ts'
import { converse } from './loop.ts'
import { offer, offeredTools } from './offer.ts'
import { buildPrompt } from './prompt.ts'
import type { Answer, Conversation } from './request.ts'
import { agentSettings, writtenSetting } from './settings.ts'

/** What an agent call without a task is called in transcripts and mocks. */
const UNNAMED = 'run'

export async function callAgent(frame: Frame, agent: AgentDeclaration, call: CallStage, place: Place): Promise<unknown> {
  const { run } = frame
  const { path } = place
  const span = spanIn(frame, call)
  const requires = [...frame.requires, ...agent.requires]
  const policies = policiesOf(run, requires)
  const settings = await agentSettings(frame, agent, call, path)
  const decorators = await callSettings(frame, call.decorators, path)
  const offered = offer(frame, offeredTools(frame, agent, writtenSetting(call, 'tools')), policies, span)
  const { provider, id } = agent.model
  if (offered.functions.length > 0 && capabilities(provider, run.world.config.models)?.supportsTools === false) {
    throw new HaloError('TOOL_CONFIG', `${agent.name} is offered tools, and models of ${provider} can't call any. Use another model, or leave out tools:.`, { path, span })
  }

  const system = agent.system === undefined ? undefined : toText(await valueOf(frame, agent.system, path, 'template'))
  const written = await buildPrompt(frame, agent, call, place)
  const here = { frame, agent: agent.name, span }
  const blocked =
    (await journaled(here, `${path}/prompt:blocked`, policies.promptBlocked(written))) ??
    (system === undefined ? undefined : await journaled(here, `${path}/system:blocked`, policies.promptBlocked(system)))
  if (blocked !== undefined) {
    const violation = { phase: 'input' as const, policy: blocked.policy, message: blocked.reason, agent: agent.name, path }
    run.meta.violations.push(violation)
    run.emit({ type: 'violation', path, span, violation })
    throw new HaloError('POLICY_BLOCKED', `Policy ${blocked.policy} blocks the prompt of ${agent.name}: ${blocked.reason}. Nothing was sent.`, { path, span })
  }
  const prompt = (await journaled(here, `${path}/prompt`, policies.inputText(written))).text
  const instructions = system === undefined ? undefined : (await journaled(here, `${path}/system`, policies.inputText(system))).text

  const talk: Conversation = {
    frame,
    agent: agent.name,
    task: call.member?.name ?? UNNAMED,
    model: { ...agent.model, provider, id },
    system: instructions,
    settings,
    decorators,
    policies,
    offer: offered,
    messages: [],
    size: { bytes: 0, counted: 0 },
    asked: 0,
    sent: 0,
    span,
  }
  push(talk, { role: 'user', content: settings.images.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...settings.images] })

  const corrections = decorators.correct ?? 0
  for (let round = 0; ; round++) {
    const base = round === 0 ? path : `${path}/correct:${round}`
    const answer = await converse(talk, base, { requires })
    const checked = await checkAnswer(talk, path, answer, `${base}/output`)
    if (checked.fault === undefined) return checked.value
    if (round >= corrections) throw checked.fault
    push(talk, { role: 'assistant', content: answer.text, opaque: answer.entry.opaque })
    talk.sent = talk.messages.length
    say(talk, `${checked.why} Answer again.`)
  }
}

type Checked = { value: unknown; fault?: undefined } | { fault: HaloError; why: string }

/** The final answer through the policies for what goes out, and the schema. */
async function checkAnswer(talk: Conversation, path: string, answer: Answer, verdict: string): Promise<Checked> {
  const { policies, settings, frame, agent, span } = talk
  const { run } = frame
  const checked = await journaled(talk, verdict, policies.outputText(answer.text))
  const { blocked } = checked
  if (blocked !== undefined) {
    const violation = { phase: 'output' as const, policy: blocked.policy, message: blocked.reason, agent, path }
    run.meta.violations.push(violation)
    run.emit({ type: 'violation', path, span, violation })
    return {
      fault: new HaloError('POLICY_BLOCKED', `Policy ${blocked.policy} blocks the answer of ${agent}: ${blocked.reason}.`, { path, span }),
      why: `Policy "${blocked.policy}" rejects your answer: it holds something that must not be said.`,
    }
  }
  // A value that a mock gave stays the value it is, unless policy changed its text.
  const value = checked.text === answer.text ? answer.value : typeof answer.value === 'string' ? checked.text : parsed(checked.text)
  if (settings.schema === undefined) return { value }
  const fit = conform(settings.schema.schema, value)
  if (fit.faults.length === 0) return { value: fit.value }
  const faults = faultsText(fit.faults, 'the answer')
  const cut = answer.stop === 'max_tokens' ? ' The answer was cut at max_tokens.' : ''
  return {
    fault: new HaloError('SCHEMA_MISMATCH', `The answer of ${agent} is no ${settings.schema.name}:\n${faults}${cut}`, { path, span, data: { faults: fit.faults, text: textOf(answer.value) } }),
    why: `Your answer is no ${settings.schema.name}:\n${faults}\n${cut.trim()}`.trimEnd(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

