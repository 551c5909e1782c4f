/** One conversation: its run, what the model is told, and its turns, each on the tool loop that pipelines have. */
import { HaloError, messageOf } from '../errors.ts'
import { admit, checkAnswer } from '../agent/admit.ts'
import { push } from '../agent/conversation.ts'
import { converse, makeCalls } from '../agent/loop.ts'
import { offer } from '../agent/offer.ts'
import type { Conversation } from '../agent/request.ts'
import type { AgentSettings } from '../agent/settings.ts'
import { capabilities } from '../models/registry.ts'
import type { Message, Part } from '../models/types.ts'
import type { PolicySet } from '../policy/index.ts'
import { Cancelled, CancelScope, cancelledError } from '../run/cancel.ts'
import { policiesOf, type Frame } from '../run/frame.ts'
import { Run, type RunWorld } from '../run/run.ts'
import { State } from '../run/state.ts'
import type { ModelRef, Name, PipelineDeclaration } from '../syntax/ast.ts'
import { VERSION } from '../version.ts'
import { Items } from './items.ts'
import type { Toolbox } from './toolbox.ts'
import { closeCalls } from './transcript.ts'
import type { SessionTranscript } from './types.ts'

/** What a conversation is made of; the same for all conversations of a session. */
export interface ChatParts {
  world: RunWorld
  name: string
  system?: string
  settings: AgentSettings
  args: Record<string, unknown>
  /** Names of the program's tools that are offered. */
  equips: readonly string[]
  requires: readonly Name[]
  toolbox: Toolbox
  /** The journal is kept somewhere. */
  recorded: boolean
  onChange(chat: Chat): void
}

/** How a turn came out. */
export type TurnEnd = 'done' | 'stopped' | 'failed'

export type Begin = { type: 'message'; text: string; images: readonly Part[] } | { type: 'tool'; name: string; args: Record<string, unknown> } | { type: 'retry' }

const NOWHERE = { from: 0, to: 0 }
/** Stands where a run has the pipeline that it runs; a chat runs none. */
const CHAT: PipelineDeclaration = { kind: 'Pipeline', name: 'Chat', nameSpan: NOWHERE, params: [], requires: [], body: { kind: 'Chain', stages: [], ...NOWHERE }, ...NOWHERE }

export class Chat {
  readonly run: Run
  readonly items: Items
  readonly messages: Message[]
  readonly #parts: ChatParts
  #turns: number
  /** Messages that the journal has in an earlier request. */
  #sent = 0
  #canRetry: boolean
  /** A message that is shown, and that the model could not be told yet. */
  #unsaid?: Extract<Begin, { type: 'message' }>
  #scope?: CancelScope
  #stopReason = ''
  #created?: Promise<void>

  constructor(parts: ChatParts, id: string, kept?: SessionTranscript) {
    this.#parts = parts
    this.messages = [...(kept?.messages ?? [])]
    this.#turns = kept?.turns ?? 0
    this.#canRetry = kept?.canRetry ?? false
    const from = kept ?? { items: [], usage: { input: 0, output: 0 }, cost: 0 }
    this.items = new Items(from, (name) => parts.toolbox.isUntrusted(name), () => parts.onChange(this))
    const { clock } = parts.world
    this.run = new Run(parts.world, { runId: id, pipeline: parts.name, args: {}, main: '', sources: {}, at: clock.now(), version: VERSION }, undefined, (event) => this.items.follow(event))
    this.run.strands.start()
    if (kept === undefined) return
    const { meta, spend, calls } = this.run
    meta.cost = kept.cost
    meta.steps = kept.steps
    spend.add(kept.cost)
    for (const [target, times] of Object.entries(kept.calls)) calls.set(target, times)
  }

  get working(): boolean {
    return this.#scope !== undefined
  }

  get canRetry(): boolean {
    return this.#canRetry && !this.working
  }

  /** Of the turn that is under way. */
  get signal(): AbortSignal | undefined {
    return this.#scope?.signal
  }

  /** Ends the turn at once, whatever it waits for. */
  stop(reason: string): void {
    this.#stopReason = reason
    this.#scope?.abort(new HaloError('CANCELLED', reason))
  }

  /** The journal is complete. */
  async end(): Promise<void> {
    if (this.#created === undefined) return
    await this.#created
    await this.run.end({ status: 'completed', output: null, at: this.run.world.clock.now() })
  }

  /** One turn, until the model has answered. Never rejects: what goes wrong is an item of the conversation. */
  async turn(model: ModelRef, begin: Begin): Promise<TurnEnd> {
    const { run, messages, items } = this
    const { requires, recorded, world } = this.#parts
    const path = `turn:${++this.#turns}`
    const scope = (this.#scope = new CancelScope(run.scope))
    let ending: TurnEnd = 'done'
    let talk: Conversation | undefined
    const first = this.#taken(path, begin)
    try {
      if (recorded) await this.#create()
      talk = this.#talk(model, scope)
      await this.#begin(talk, path, first)
      this.#canRetry = true
      const going = talk
      const answer = await converse(going, path, { requires, beforeStep: () => this.#refresh(going) })
      const checked = await checkAnswer(talk, path, answer, `${path}/output`)
      if (checked.fault !== undefined) throw checked.fault
      push(talk, { role: 'assistant', content: answer.text, ...(answer.entry.opaque === undefined ? {} : { opaque: answer.entry.opaque }) })
      this.#sent = messages.length
    } catch (thrown) {
      const error = thrown instanceof Cancelled ? cancelledError(thrown.reason) : thrown instanceof HaloError ? thrown : new HaloError('TOOL_ERROR', messageOf(thrown), { cause: thrown })
      ending = error.code === 'CANCELLED' ? 'stopped' : 'failed'
      this.#canRetry ||= this.#unsaid !== undefined && error.code !== 'POLICY_BLOCKED'
      this.#closeOff(path)
      this.#sent = talk?.sent ?? this.#sent
      if (ending === 'failed') items.fail(path, error, world.clock.now())
    } finally {
      scope.close()
      this.#scope = undefined
    }
    return ending
  }

  kept(): Pick<SessionTranscript, 'items' | 'messages' | 'usage' | 'context' | 'cost' | 'steps' | 'calls' | 'turns' | 'canRetry'> {
    const { items, messages, run } = this
    return {
      items: items.list(), messages: messages.map(({ opaque, ...message }) => (opaque === undefined ? message : { ...message, opaque })), usage: items.usage, ...(items.context === undefined ? {} : { context: items.context }), cost: items.cost,
      steps: run.meta.steps, calls: Object.fromEntries(run.calls), turns: this.#turns, canRetry: this.#canRetry && this.#unsaid === undefined,
    }
  }

  async #create(): Promise<void> {
    this.#created ??= this.run.create({})
    try {
      await this.#created
    } catch (error) {
      this.#created = undefined
      throw error
    }
  }

  /** What the turn begins with: what stopped or failed before the model could be told of it is begun with again. */
  #taken(path: string, begin: Begin): Begin {
    if (begin.type === 'message') this.items.add({ type: 'user', id: path, at: this.run.world.clock.now(), text: begin.text, images: [...begin.images] })
    if (begin.type === 'retry') this.#takeBack()
    const first = begin.type === 'retry' ? (this.#unsaid ?? begin) : begin
    this.#unsaid = first.type === 'message' ? first : undefined
    this.#canRetry = true
    return first
  }

  #talk(model: ModelRef, scope: CancelScope): Conversation {
    const { run } = this
    const { name, settings, args, requires } = this.#parts
    const frame: Frame = { run, scope, pipeline: CHAT, callers: [], args, state: new State(), requires, input: null, inputNames: [], bound: new Map() }
    const policies = policiesOf(run, requires)
    return {
      frame, agent: name, task: 'chat', model, settings, decorators: {}, policies, span: NOWHERE,
      offer: this.#offer(frame, policies), messages: this.messages, size: { bytes: 0, counted: 0 }, asked: 0, sent: this.#sent,
    }
  }

  #offer(frame: Frame, policies: PolicySet) {
    const { toolbox, equips } = this.#parts
    const [host = '', ...others] = toolbox.names()
    return offer(frame, [host, ...equips, ...others], policies, NOWHERE)
  }

  /** The page may publish other tools than before. */
  async #refresh(talk: Conversation): Promise<void> {
    const { frame, policies, model } = talk
    await frame.scope.wait(this.#parts.toolbox.refresh())
    talk.offer = this.#offer(frame, policies)
    // The functions are part of what a request may come to.
    talk.size = { bytes: 0, counted: 0 }
    if (talk.offer.functions.length > 0 && capabilities(model.provider, this.run.world.config.models)?.supportsTools === false) {
      throw new HaloError('TOOL_CONFIG', `There are tools in this session, and models of ${model.provider} can't call any. Use another model, or a session without tools.`)
    }
  }

  async #begin(talk: Conversation, path: string, begin: Begin): Promise<void> {
    const { system } = this.#parts
    const prompt = begin.type === 'message' ? begin.text : ''
    // What policy blocks, or isn't there to be called, is no other the next time.
    this.#canRetry = begin.type === 'retry'
    const admitted = await admit(talk, path, { prompt, system })
    talk.system = admitted.instructions
    if (begin.type === 'message') {
      const { images } = begin
      this.#unsaid = undefined
      push(talk, { role: 'user', content: images.length === 0 ? admitted.prompt : [...(admitted.prompt === '' ? [] : [{ type: 'text' as const, text: admitted.prompt }]), ...images] })
    } else if (begin.type === 'tool') {
      await this.#runChosen(talk, path, begin)
    }
  }

  async #runChosen(talk: Conversation, path: string, { name, args }: Extract<Begin, { type: 'tool' }>): Promise<void> {
    await this.#refresh(talk)
    const offered = talk.offer.resolve(name)
    if (offered === undefined) throw new HaloError('VALIDATION', `There is no tool ${name} in this session. There is ${talk.offer.functions.map((fn) => fn.name).join(', ') || 'none'}.`)
    const known = talk.offer.nameOf(`${offered.tool}.${offered.method}`) ?? name
    // A conversation begins with a person, whatever provider it goes to.
    push(talk, { role: 'user', content: `(The person ran ${known}.)` })
    this.#canRetry = true
    this.items.chosen(`${path}/call:0`, this.run.world.clock.now(), { name: known, args: await talk.policies.redactArgs(args) })
    const { sent } = talk
    const call = { id: `run_${path.slice('turn:'.length)}`, name: known, args }
    await makeCalls(talk, path, { text: '', toolCalls: [call] }, { requires: this.#parts.requires, chosen: true })
    // No answer of a model is behind it: the journal has it with the next request.
    talk.sent = sent
  }

  /** For another answer: the last one is taken back. Calls and what they gave stay. */
  #takeBack(): void {
    const last = this.messages.at(-1)
    if (last?.role === 'assistant' && (last.toolCalls ?? []).length === 0) this.messages.pop()
    this.#sent = Math.min(this.#sent, this.messages.length)
    this.items.trim()
  }

  /** What was under way when the turn ended: the model reads of each of its calls how it ended, and keeps what it had said. */
  #closeOff(path: string): void {
    const { messages, items } = this
    const step = `${path}/step:${this.#lastStep(path)}`
    closeCalls(messages, (i) => items.statusOf(`${step}/call:${i}`) ?? items.statusOf(`${path}/call:${i}`), this.#stopReason)
    const said = items.cutOff()
    if (said !== undefined && said.text !== '') messages.push({ role: 'assistant', content: said.text })
    items.halt(this.#stopReason)
  }

  #lastStep(path: string): number {
    return this.items.list().reduce((last, { id, type }) => (type === 'assistant' && id.startsWith(`${path}/step:`) ? Number(id.slice(path.length + '/step:'.length)) : last), 0)
  }
}
