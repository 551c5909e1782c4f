/**
 * A chat with a model that may use tools, on the loop, the policies and the approvals of pipelines.
 *
 * - A conversation is one run (`chat.ts`): its requests and calls go through `run.ask`, its limits are those of a run. A turn is
 *   a call of the tool loop on messages that stay; it ends with an answer, an error, which is an item like any other, or a stop.
 * - The loop knows tools by declarations. The host's and the page's stand beside them as `Host` and `Page` (`toolbox.ts`), so
 *   that policies, redaction and validation hold for them without a word about them.
 * - There is one way to a person (`asking.ts`): a call that a policy or the gate has someone asked about is a question of the
 *   run, and the gate (`gate.ts`) is where it waits. What a policy requires, no setting of the gate lets through.
 * - What is seen (`items.ts`) is built from the run's events, so it is redacted as events are. What the model is told is kept
 *   beside it, in the transcript (`transcript.ts`).
 * - Messages queue while a turn is under way. The queue is taken up after a turn that ended well, never after an error or a stop.
 */
import { link, type Program } from '../check/program.ts'
import { functionNames } from '../agent/offer.ts'
import type { AgentSettings } from '../agent/settings.ts'
import { parse } from '../parse.ts'
import { describeTool } from '../run/binding.ts'
import { policiesOf } from '../run/frame.ts'
import { sandboxOf } from '../run/box.ts'
import { systemClock } from '../run/clock.ts'
import { Mocks } from '../run/mocks.ts'
import { toPlain } from '../run/plain.ts'
import type { RunWorld } from '../run/run.ts'
import type { JournalStore } from '../run/types.ts'
import type { Name, PolicyDeclaration } from '../syntax/ast.ts'
import { Asking } from './asking.ts'
import { Chat, type Begin, type ChatParts } from './chat.ts'
import { createApprovalGate, type GateCall } from './gate.ts'
import { listeners } from './listeners.ts'
import { messageParts, modelOf, refuse } from './given.ts'
import { HOST, PAGE, Toolbox } from './toolbox.ts'
import { readTranscript } from './transcript.ts'
import type { Queued, Session, SessionOptions, SessionSnapshot, SessionTool } from './types.ts'

const STOPPED = 'The conversation was stopped.'
const RESET = 'The conversation was reset.'

/** A chat's journal goes nowhere unless it is asked for: the transcript is what is kept of it. */
const NOWHERE: JournalStore = { create: () => undefined, append: () => undefined, end: () => undefined, load: () => undefined, remove: () => undefined, list: () => [] }

interface Job {
  item: Queued
  done(): void
}

/**
 * A chat session.
 * @throws HaloError VALIDATION for a model, tools, names of a program or a transcript that can't be used.
 */
export function createSession(options: SessionOptions): Session {
  const { program, requires, equips } = programFor(options)
  const told = listeners()
  const queue: Job[] = []
  const kept = options.transcript === undefined ? undefined : readTranscript(options.transcript)
  let model = modelOf(options.model ?? kept?.model)
  let numbers = 0
  let chat: Chat
  let under: Promise<void> | undefined
  let seen: SessionSnapshot | undefined
  let disposed = false

  const changed = (): void => {
    seen = undefined
    told.tell()
  }

  const { clock = systemClock } = options
  const toolbox = new Toolbox({ tools: options.tools ?? [], page: options.page, clock, reserved: () => namesOf(equips).values(), onChange: changed })
  const gate = createApprovalGate(options.approvals ?? 'never', (name) => (toolbox.isPage(name) ? toolbox.approvalFor(name) : options.approvalFor?.(name)))
  gate.subscribe(changed)

  /** What the gate knows a call by: the names of the host and the page, `Tool.method` of what is declared. */
  const callOf = (target: string): Pick<GateCall, 'name'> & { info?: ReturnType<typeof infoOf> } => {
    const [tool = '', method = ''] = target.split('.')
    return { name: tool === HOST || tool === PAGE ? method : target, info: infoOf(tool, method) }
  }
  const infoOf = (tool: string, method: string) => (toolbox.tool(tool) ?? (program.tools.has(tool) ? describeTool(chat.run, tool) : undefined))?.info?.[method]

  const asking = new Asking({ gate, about: callOf, signal: () => chat.signal, onChange: changed })
  const world: RunWorld = {
    program,
    config: { ...runtimeOptions(options), onInterrupt: (request) => asking.put(request) },
    mocks: new Mocks({}),
    journal: options.journal ?? NOWHERE,
    clock,
    sandbox: sandboxOf(options),
  }
  const parts: ChatParts = {
    world,
    name: options.name ?? 'assistant',
    system: options.system,
    settings: settingsOf(options),
    args: options.args ?? {},
    equips,
    requires,
    toolbox,
    recorded: options.journal !== undefined,
    onChange: (from) => {
      if (from === chat) changed()
    },
  }

  function begin(id: string, from?: typeof kept): Chat {
    const own = { ...world }
    own.chat = {
      sessionId: id,
      tool: (name) => toolbox.tool(name),
      asks: ({ target, info }) => gate.asks({ name: callOf(target).name, tool: info && { description: info.description, parameters: info.parameters } }),
    }
    return new Chat({ ...parts, world: own }, id, from)
  }

  /** The functions' names of declared tools, by `Tool.method`. */
  function namesOf(tools: readonly string[]): Map<string, string> {
    return functionNames(tools.flatMap((tool) => Object.keys(describeTool(chat.run, tool).info ?? {}).map((method) => `${tool}.${method}`)))
  }

  chat = begin(kept?.id ?? clock.uuid(), kept)
  for (const item of kept?.queue ?? []) queue.push({ item: { ...item, id: `queued:${++numbers}` }, done: () => undefined })
  void toolbox.refresh()

  /** Works off the queue, beginning with `first`, until it is empty or a turn comes to nothing. */
  async function work(own: Chat, first: Begin, done: () => void): Promise<void> {
    for (let next: Begin = first, settle = done; ; ) {
      const end = await own.turn(model, next)
      const current = own === chat
      const job = current && end === 'done' ? queue.shift() : undefined
      // Before anyone is told, and may send the next: it would be queued behind nothing.
      if (current && job === undefined) under = undefined
      settle()
      if (current) changed()
      if (job === undefined) return
      next = job.item
      settle = job.done
    }
  }

  function start(first: Begin): Promise<void> {
    return new Promise((done) => {
      let over = (): void => undefined
      under = new Promise((resolve) => (over = resolve))
      void work(chat, first, done).finally(over)
    })
  }

  /** At once when nothing is under way and nothing is before it, else in its turn. */
  function take(item: Queued): Promise<void> {
    if (disposed) throw refuse('The session has ended.')
    if (under === undefined && queue.length === 0) return start(item)
    return new Promise((done) => {
      queue.push({ item, done })
      if (under === undefined) {
        const head = queue.shift()
        if (head !== undefined) void start(head.item).then(head.done)
      }
      changed()
    })
  }

  function snapshot(): SessionSnapshot {
    if (seen !== undefined) return seen
    const items = chat.items.list()
    const last = items.at(-1)
    const waits = gate.pending().length > 0 || asking.list().length > 0
    return (seen = Object.freeze({
      status: under === undefined ? 'idle' : waits ? 'waiting' : 'working',
      model: `${model.provider}/${model.id}`,
      items,
      queue: Object.freeze(queue.map(({ item }) => item)),
      policy: gate.policy(),
      pending: gate.pending(),
      questions: asking.list(),
      ...(last?.type === 'error' ? { error: { code: last.code, message: last.message } } : {}),
      canRetry: under === undefined && chat.canRetry,
      ...(toolbox.fault === undefined ? {} : { pageError: toolbox.fault }),
      usage: chat.items.usage,
      ...(chat.items.context === undefined ? {} : { context: chat.items.context }),
      cost: chat.items.cost,
    } satisfies SessionSnapshot))
  }

  async function halt(reason: string): Promise<void> {
    gate.deny(reason)
    chat.stop(reason)
    await under
  }

  return {
    get id() {
      return chat.run.id
    },
    gate,
    snapshot,
    subscribe: told.subscribe,
    async send(text, { images = [] } = {}) {
      const shown = messageParts(images)
      if (text.trim() === '' && shown.length === 0) throw refuse('There is nothing to send.')
      return take({ id: `queued:${++numbers}`, type: 'message', text, images: shown })
    },
    async runTool(name, args = {}) {
      return take({ id: `queued:${++numbers}`, type: 'tool', name, args: toPlain(args) as Record<string, unknown> })
    },
    dequeue(id) {
      const at = queue.findIndex(({ item }) => item.id === id)
      if (at === -1) return false
      for (const { done } of queue.splice(at, 1)) done()
      changed()
      return true
    },
    respond: (id, answer, reason) => gate.respond(id, answer, reason),
    answer: (id, value) => asking.answer(id, value),
    setPolicy: (policy) => gate.setPolicy(policy),
    stop: () => halt(STOPPED),
    async retry() {
      if (disposed) throw refuse('The session has ended.')
      if (under !== undefined) throw refuse('The session is at work: there is nothing to make again yet.')
      if (!chat.canRetry) throw refuse('There is no request to make again.')
      return start({ type: 'retry' })
    },
    async reset() {
      if (disposed) throw refuse('The session has ended.')
      const old = chat
      const ending = under
      for (const { done } of queue.splice(0)) done()
      // The new conversation stands before anyone is told: none of the old one's waits is seen in it.
      chat = begin(clock.uuid())
      under = undefined
      gate.clear(RESET)
      old.stop(RESET)
      changed()
      await ending
      await old.end()
    },
    dismissError: () => chat.items.dismiss(),
    setModel(name) {
      model = modelOf(name)
      changed()
    },
    setTools(tools) {
      toolbox.set(tools)
      changed()
    },
    tools(): SessionTool[] {
      const names = namesOf(equips)
      const { hides } = policiesOf(chat.run, requires)
      return [HOST, ...equips, PAGE].flatMap((tool): SessionTool[] => {
        const { info = {} } = toolbox.tool(tool) ?? (program.tools.has(tool) ? describeTool(chat.run, tool) : {})
        return Object.entries(info).flatMap(([method, { description, parameters, effect }]) => {
          const target = `${tool}.${method}`
          if (hides(target)) return []
          return [{ name: names.get(target) ?? method, target, description, parameters, effect, from: tool === HOST ? 'host' : tool === PAGE ? 'page' : 'program' }]
        })
      })
    },
    async idle() {
      while (under !== undefined) await under
    },
    transcript: () => ({ version: 1, id: chat.run.id, model: `${model.provider}/${model.id}`, ...chat.kept(), queue: queue.map(({ item }) => item) }),
    async dispose() {
      if (disposed) return
      disposed = true
      for (const { done } of queue.splice(0)) done()
      toolbox.dispose()
      changed()
      await halt('The session has ended.')
      await chat.end()
    },
  }
}

function runtimeOptions({ onEvent, recorder, env, prices, sandbox, fetch, models, regexRunner, files, clock, idempotency, keys }: SessionOptions) {
  return { onEvent, recorder, env, prices, sandbox, fetch, models, regexRunner, files, clock, idempotency, keys }
}

function settingsOf({ temperature, topP, seed, maxTokens = 4096, maxSteps = 10, toolResultChars = 16_000, baseUrl }: SessionOptions): AgentSettings {
  for (const [name, value, least] of [['maxTokens', maxTokens, 1], ['maxSteps', maxSteps, 0], ['toolResultChars', toolResultChars, 1]] as const) {
    if (!Number.isInteger(value) || value < least) throw refuse(`${name} is a whole number from ${least} up, not ${value}.`)
  }
  return { temperature, topP, seed, maxTokens, maxSteps, resultChars: toolResultChars, ...(baseUrl === undefined ? {} : { baseUrl }), images: [] }
}

/** The program with the session's own limit among its policies, and what of it is offered and holds. */
function programFor({ program: file, equips, requires, maxSpend, tools = [], page }: SessionOptions): { program: Program; requires: Name[]; equips: string[] } {
  const linked = link(file ?? parse(''))
  for (const name of [...(tools.length > 0 ? [HOST] : []), ...(page === undefined ? [] : [PAGE])]) {
    if (linked.tools.has(name) || linked.stores.has(name)) throw refuse(`The program declares ${name}, which stands for the session's own tools. Give it another name.`)
  }
  const unknown = (equips ?? []).find((name) => !linked.tools.has(name))
  if (unknown !== undefined) throw refuse(`The program has no tool ${unknown} that could be offered.`)
  const missing = (requires ?? []).find((name) => !linked.policies.has(name))
  if (missing !== undefined) throw refuse(`The program has no policy ${missing}.`)
  const names = [...(requires ?? linked.policies.keys())]
  const policies = new Map(linked.policies)
  if (maxSpend !== undefined) {
    if (!Number.isFinite(maxSpend) || maxSpend < 0) throw refuse(`maxSpend is a number of US dollars from 0 up, not ${maxSpend}.`)
    const limit = spendLimit(maxSpend, policies)
    policies.set(limit.name, limit)
    names.push(limit.name)
  }
  return { program: { ...linked, policies }, requires: names.map((name) => ({ name, from: 0, to: 0 })), equips: [...(equips ?? linked.tools.keys())] }
}

function spendLimit(dollars: number, taken: ReadonlyMap<string, unknown>): PolicyDeclaration {
  const place = { from: 0, to: 0 }
  let name = 'SessionLimit'
  while (taken.has(name)) name += '_'
  const rule = { kind: 'Rule' as const, name: 'MaxSpend', nameSpan: place, args: [{ value: { kind: 'Number' as const, value: dollars, ...place }, ...place }], ...place }
  return { kind: 'Policy', name, nameSpan: place, rules: [rule], ...place }
}

