/** `|> Agent.task(…)`: one call of an agent, with its tools, its schema and its corrections. */
import { HaloError } from '../errors.ts'
import { callSettings } from '../run/decorators.ts'
import { policiesOf, spanIn, valueOf, type Frame } from '../run/frame.ts'
import type { Place } from '../run/interpreter.ts'
import { toText } from '../run/template.ts'
import { capabilities } from '../models/registry.ts'
import type { AgentDeclaration, CallStage } from '../syntax/ast.ts'
import { admit, checkAnswer } from './admit.ts'
import { push, say } from './conversation.ts'
import { converse } from './loop.ts'
import { offer, offeredTools } from './offer.ts'
import { buildPrompt } from './prompt.ts'
import type { Conversation } from './request.ts'
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
  const { prompt, instructions } = await admit({ frame, agent: agent.name, span, policies }, path, { prompt: written, system })

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
