/** One model request: from the journal, from a mock, or from the model, within what may be spent. */
import { HaloError, messageOf, type Span } from '../errors.ts'
import { addChunk, emptyAnswer } from '../models/answer.ts'
import { credentialsFromEnv } from '../models/credentials.ts'
import { costOf, loadPrices, priceOf } from '../models/prices.ts'
import { modelAdapter } from '../models/registry.ts'
import type { JsonSchema, Message, ModelAnswer, ModelRequest, Price, ToolCall, Usage, StreamingAdapter } from '../models/types.ts'
import type { PolicySet } from '../policy/index.ts'
import { Cancelled } from '../run/cancel.ts'
import type { CallSettings } from '../run/decorators.ts'
import type { Frame } from '../run/frame.ts'
import { toolUsesOf, uncalledWords } from '../run/mocks.ts'
import { textOf, toPlain } from '../run/plain.ts'
import type { Outcome } from '../run/run.ts'
import { maskSecrets, secretStream, type SecretStream } from '../run/secrets.ts'
import type { JournalEntry, MockRequest } from '../run/types.ts'
import type { ModelRef } from '../syntax/ast.ts'
import { retrying } from '../tools/middleware/retry.ts'
import { withinTime } from '../tools/middleware/time.ts'
import { inputBytes } from './conversation.ts'
import type { Offer } from './offer.ts'
import { startShadows } from './shadow.ts'
import { shownOf, type Shown } from './shown.ts'
import type { AgentSettings } from './settings.ts'

export const FREE: Price = { input: 0, output: 0 }

/** A conversation with one agent, and what stays the same in it from request to request. */
export interface Conversation {
  frame: Frame
  agent: string
  task: string
  model: ModelRef
  system?: string
  settings: AgentSettings
  decorators: CallSettings
  policies: PolicySet
  offer: Offer
  /** Append-only. */
  messages: Message[]
  /** The adapter and the price, once a request has needed them. */
  connection?: { adapter: StreamingAdapter; price?: Price }
  /** See `inputBytes`. */
  size: { bytes: number; counted: number }
  /** Requests of this call so far, those before a correction included. */
  asked: number
  /** Messages that were part of an earlier request, or are an answer the journal has. */
  sent: number
  span: Span
}

export interface Answer extends ModelAnswer {
  /** What the answer is: the text, or the value that a mock gave in its place. */
  value: unknown
  entry: JournalEntry
}

/** Asks the model for the next step of the conversation. `last`: with tools off. */
export async function askModel(talk: Conversation, path: string, last: boolean): Promise<Answer> {
  const { frame, settings, policies, offer, span } = talk
  const step = ++talk.asked
  const { run } = frame
  const { meta } = run
  const { maxSteps } = policies
  if (maxSteps !== undefined && meta.steps >= maxSteps.limit) {
    throw new HaloError('CALL_LIMIT', `Policy ${maxSteps.policy} allows ${maxSteps.limit} model ${maxSteps.limit === 1 ? 'request' : 'requests'} in a run.`, { path, span })
  }
  meta.steps++
  const model = `${talk.model.provider}/${talk.model.id}`
  const tools = last ? [] : offer.targets
  if (run.listening) {
    const prompt = step === 1 && talk.sent === 0 ? textIn(talk.messages[0]) : undefined
    run.emit({ type: 'llm_start', path, span, agent: talk.agent, task: talk.task, model, step, prompt, system: prompt === undefined ? undefined : talk.system, tools: [...tools] })
  }
  const fresh = talk.messages.slice(talk.sent)
  const entry = await run.ask({
    scope: frame.scope,
    path,
    kind: 'agent',
    target: `${talk.agent}.${talk.task}`,
    request: talk.sent === 0 ? { model, system: talk.system, messages: fresh, tools, schema: settings.schema?.name } : { messages: fresh, ...(last ? { tools } : {}) },
    span,
    begun: true,
    perform: () => perform(talk, path, step, last),
  })
  talk.sent = talk.messages.length
  return settle(talk, path, step, entry, await shownOf(talk, entry))
}

/** Counts and tells of what came back, and throws what failed. */
function settle(talk: Conversation, path: string, step: number, entry: JournalEntry, shown: Shown): Answer {
  const { frame, span, agent, task } = talk
  const { run } = frame
  const { meta } = run
  const cost = entry.cost ?? 0
  meta.cost += cost
  if (entry.usage !== undefined) {
    meta.tokens.input += entry.usage.input
    meta.tokens.output += entry.usage.output
  }
  const text = entry.error === undefined && entry.value !== null && entry.value !== undefined ? textOf(entry.value) : ''
  const toolCalls = entry.toolCalls ?? []
  if (run.listening) {
    run.emit({
      type: 'llm', path, span, agent, task, step,
      model: `${talk.model.provider}/${talk.model.id}`,
      text,
      reasoning: entry.reasoning,
      toolCalls,
      ...shown,
      usage: entry.usage, cost, ms: entry.ms ?? 0, stop: entry.stop ?? 'stop', attempts: entry.attempts,
      error: entry.error === undefined ? undefined : { code: entry.error.code, message: entry.error.message },
    })
  }
  if (entry.error !== undefined) throw new HaloError(entry.error.code, entry.error.message, { path, span, data: entry.error.data, seq: entry.seq })
  return { text, value: entry.value === undefined ? '' : entry.value, toolCalls, usage: entry.usage, stop: entry.stop ?? 'stop', opaque: entry.opaque?.data, entry }
}

async function perform(talk: Conversation, path: string, step: number, last: boolean): Promise<Outcome> {
  const { frame, agent, task } = talk
  const { run } = frame
  const mock = run.world.mocks.agent(agent, task)
  const lost = { cost: 0 }
  try {
    if (mock !== undefined) return await mocked(talk, path, mock, step, last)
    return await live(talk, path, step, last, lost)
  } catch (error) {
    if (error instanceof Cancelled || frame.scope.aborted) throw error instanceof Cancelled ? error : new Cancelled(error)
    const known = error instanceof HaloError ? error : undefined
    const { message, data } = maskSecrets({ message: messageOf(error), data: known?.data }, run.world.config.env) as { message: string; data?: unknown }
    return { error: { code: known?.code ?? 'MODEL_ERROR', message, ...(data === undefined ? {} : { data }) }, ...(lost.cost === 0 ? {} : { cost: lost.cost }) }
  }
}

async function mocked(talk: Conversation, path: string, mock: (request: MockRequest, schema?: JsonSchema) => unknown, step: number, last: boolean): Promise<Outcome> {
  const { messages, offer, settings } = talk
  const count = messages.length
  const { decorators } = talk
  const request: MockRequest = {
    prompt: textIn(messages[0]),
    system: talk.system,
    tools: last ? [] : [...offer.targets],
    // A mock may keep its request; what it sees later is still what was sent.
    get messages() {
      return messages.slice(0, count)
    },
    step,
    agent: talk.agent,
    task: talk.task,
  }
  let attempts = 0
  const attempt = async (): Promise<unknown> => {
    attempts++
    const answer = mock(request, settings.schema?.schema)
    return answer instanceof Promise ? await (answer as Promise<unknown>) : answer
  }
  const { clock } = talk.frame.run.world
  const { env } = talk.frame.run.world.config
  const { signal } = talk.frame.scope
  const timed = () => (decorators.timeoutMs === undefined ? attempt() : withinTime(attempt, decorators.timeoutMs, { signal, sleep: (ms, stop) => clock.sleep(ms, stop), what: `${talk.agent}.${talk.task}` }))
  const answer = decorators.retry === undefined ? await timed() : await retrying(timed, decorators.retry, { signal, sleep: (ms, stop) => clock.sleep(ms, stop), now: () => clock.now() })
  const uses = toolUsesOf(answer)
  const tried = attempts > 1 ? { attempts } : {}
  if (uses === undefined) return { value: maskSecrets(toPlain(answer), env), stop: 'stop', ...tried }
  if (request.tools.length === 0) {
    talk.frame.run.emit({ type: 'log', level: 'warning', path, span: talk.span, message: uncalledWords(request, uses, last) })
  }
  const toolCalls = uses.map(({ target, args }, i): ToolCall => ({ id: `call_${count}_${i}`, name: offer.nameOf(target) ?? target, args: maskSecrets(toPlain(args), env) as Record<string, unknown> }))
  return { value: '', toolCalls, stop: 'tool_calls', ...tried }
}

/** `lost`: what attempts cost that came to nothing, as far as their answers had come. */
async function live(talk: Conversation, path: string, step: number, last: boolean, lost: { cost: number }): Promise<Outcome> {
  const { frame, model, settings, decorators, policies } = talk
  const { run } = frame
  const { config, clock } = run.world
  const { adapter, price } = (talk.connection ??= await connect(talk))
  const name = `${model.provider}/${model.id}`
  const limit = policies.maxSpend
  if (limit !== undefined && price === undefined) {
    throw new HaloError('SPEND_LIMIT', `The price of ${name} is not known, so MaxSpend of policy ${limit.policy} can't hold. Give a price for it, or use another model.`)
  }
  let attempts = 0
  const attempt = async (signal: AbortSignal): Promise<Outcome> => {
    attempts++
    const worst = { inputTokens: run.spend.matters ? inputBytes(talk) : 0, price: price ?? FREE }
    const reservation = await run.spend.reserve(worst, settings.maxTokens, limit, frame.scope)
    const received = emptyAnswer()
    const costSoFar = () => (price === undefined || isFree(price) ? 0 : costOf(received.usage ?? estimated(talk, received), price))
    let cost = 0
    try {
      const request = requestOf(talk, step, last, reservation.maxTokens)
      await collect(talk, path, adapter.stream(request, signal), received)
      cost = costSoFar()
      // What a provider wants back unchanged is opaque here as well.
      const answer = config.env === undefined ? received : { ...(maskSecrets({ ...received, opaque: undefined }, config.env) as ModelAnswer), opaque: received.opaque }
      const outcome: Outcome = {
        value: answer.text,
        toolCalls: last || answer.toolCalls.length === 0 ? undefined : answer.toolCalls,
        usage: answer.usage,
        stop: answer.stop,
        cost: cost + lost.cost,
        maxTokens: reservation.maxTokens,
        price,
        ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
        ...(answer.opaque === undefined ? {} : { opaque: { provider: model.provider, data: answer.opaque } }),
      }
      if (reservation.lowered && answer.stop === 'max_tokens') {
        return { ...outcome, error: { code: 'SPEND_LIMIT', message: `MaxSpend of policy ${limit?.policy ?? ''} left room for ${reservation.maxTokens} tokens only, and the answer was cut there.`, data: { text: answer.text } } }
      }
      return outcome
    } catch (error) {
      // What has been answered is paid for, though nothing came of it.
      if (received.usage !== undefined || received.text !== '' || received.reasoning !== undefined || received.toolCalls.length > 0) cost = costSoFar()
      lost.cost += cost
      throw error
    } finally {
      reservation.settle(cost)
    }
  }
  const { signal } = frame.scope
  const sleep = (ms: number, stop?: AbortSignal) => clock.sleep(ms, stop)
  const timed = () => (decorators.timeoutMs === undefined ? attempt(signal) : withinTime(attempt, decorators.timeoutMs, { signal, sleep, what: `The request to ${name}` }))
  if (decorators.shadows !== undefined) startShadows(talk, path, step, last)
  if (decorators.retry === undefined && decorators.timeoutMs === undefined) return attempt(signal)
  const outcome = decorators.retry === undefined ? await timed() : await retrying(timed, decorators.retry, { signal, sleep, now: () => clock.now() })
  return attempts > 1 ? { ...outcome, attempts } : outcome
}

function isFree({ input, output }: Price): boolean {
  return input === 0 && output === 0
}

/** What the requests of a conversation go through; found out once, with the first. */
async function connect(talk: Conversation): Promise<NonNullable<Conversation['connection']>> {
  const { config } = talk.frame.run.world
  const adapter = await modelAdapter(talk.model.provider, { keys: config.keys ?? credentialsFromEnv(config.env ?? {}), models: config.models })
  return { adapter, price: await priceFor(talk) }
}

export async function priceFor({ frame, model }: Conversation): Promise<Price | undefined> {
  const { prices } = frame.run.world.config
  const known = priceOf(model.provider, model.id, prices)
  if (known !== undefined) return known
  // That the price list can't be loaded makes a price unknown; it doesn't keep a run from going on.
  await loadPrices().catch(() => undefined)
  return priceOf(model.provider, model.id, prices)
}

export function requestOf(talk: Conversation, step: number, last: boolean, maxTokens: number): ModelRequest {
  const { model, settings, offer, frame } = talk
  return {
    provider: model.provider,
    model: model.id,
    system: talk.system,
    messages: talk.messages,
    tools: offer.functions,
    toolChoice: last ? 'none' : 'auto',
    schema: settings.schema,
    maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    seed: settings.seed,
    baseUrl: settings.baseUrl,
    agent: talk.agent,
    task: talk.task,
    step,
    fetch: frame.run.world.config.fetch,
  }
}

/** Gathers the answer of a stream, told of as it comes. */
async function collect(talk: Conversation, path: string, stream: ReturnType<Awaited<ReturnType<typeof modelAdapter>>['stream']>, answer: ModelAnswer): Promise<void> {
  const { frame, agent, span, policies } = talk
  const { run } = frame
  const { env } = run.world.config
  const masked = <T>(value: T): T => maskSecrets(value, env) as T
  const text = secretStream(env)
  const reasoning = secretStream(env)
  const calls = new Map<string, { name: string | undefined; args: SecretStream }>()
  const tell = (delta: { text: string } | { reasoning: string } | { toolCall: { id: string; name?: string; args: string } }): void => run.emit({ type: 'llm_delta', path, span, agent, ...delta })
  // Where the answer is checked before anyone may see it, it isn't shown as it comes.
  const shows = !policies.filtersOutput
  for await (const chunk of stream) {
    addChunk(answer, chunk)
    if (!run.listening) continue
    switch (chunk.type) {
      case 'text': {
        const shown = shows ? text.push(chunk.text) : ''
        if (shown !== '') tell({ text: shown })
        break
      }
      case 'reasoning': {
        const shown = shows ? reasoning.push(chunk.text) : ''
        if (shown !== '') tell({ reasoning: shown })
        break
      }
      case 'tool_delta': {
        if (policies.filters) break
        const call = calls.get(chunk.id) ?? { name: chunk.name, args: secretStream(env) }
        calls.set(chunk.id, call)
        tell({ toolCall: { id: chunk.id, name: chunk.name, args: call.args.push(chunk.args) } })
        break
      }
      case 'raw':
        run.emit({ type: 'llm_raw', path, span, agent, request: await policies.redactValue(masked(chunk.request)), response: await policies.redactValue(masked(chunk.response)) })
        break
    }
  }
  const thought = reasoning.end()
  if (thought !== '') tell({ reasoning: thought })
  const said = text.end()
  if (said !== '') tell({ text: said })
  for (const [id, { name, args }] of calls) {
    const asked = args.end()
    if (asked !== '') tell({ toolCall: { id, name, args: asked } })
  }
}

/** For a provider that doesn't count: no more tokens than bytes. */
function estimated(talk: Conversation, answer: ModelAnswer): Usage {
  const written = answer.text.length + (answer.reasoning?.length ?? 0) + answer.toolCalls.reduce((sum, call) => sum + JSON.stringify(call.args).length, 0)
  return { input: inputBytes(talk), output: written }
}

/** The text of a message. */
export function textIn(message: Message | undefined): string {
  if (message === undefined) return ''
  const { content } = message
  return typeof content === 'string' ? content : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
