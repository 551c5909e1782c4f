/** What other policies would have said in a recorded run: each call, each text, each limit; nothing runs. */
import { functionNames } from '../agent/offer.ts'
import { link, type Program } from '../check/program.ts'
import { plannedTool } from '../plan/tools.ts'
import { compilePolicies, normaliseArgs, type PolicySet } from '../policy/index.ts'
import type { RegexRunner } from '../policy/types.ts'
import { comparePaths } from '../run/journal.ts'
import { textOf } from '../run/plain.ts'
import { readApproval } from '../run/questions.ts'
import { applyDefaults } from '../run/schema.ts'
import type { JournalEntry, JournalRecord } from '../run/types.ts'
import type { HaloFile } from '../syntax/ast.ts'
import { effectOf } from '../tools/effect.ts'
import type { MethodInfo } from '../tools/types.ts'
import { recordingOf } from './recording.ts'

export interface CallUnderPolicies {
  /** Of the journal entry that says what became of it: the call's own, else the answer that asked for it. */
  seq: number
  path: string
  target: string
  /** The agent that chose it; absent for a pipeline's own call. */
  agent?: string
  args: Record<string, unknown>
  /** What became of it in the recorded run; `approved`: a person was asked, and it ran. */
  was: 'ran' | 'approved' | 'declined' | 'not made'
  /** What the policies say now. */
  would: 'allow' | 'approve' | 'refuse'
  policy?: string
  reason?: string
}

export interface TextUnderPolicies {
  seq: number
  path: string
  target: string
  what: 'prompt' | 'answer' | 'result'
  /** `blocked`: nothing would be sent, or the answer not be taken. `withheld`: the model would get a note instead. */
  would: 'blocked' | 'withheld' | 'redacted'
  policy?: string
}

export interface LimitUnderPolicies {
  seq: number
  path: string
  target: string
  policy: string
  reason: string
}

export interface PolicyReplay {
  /** In path order. */
  calls: CallUnderPolicies[]
  texts: TextUnderPolicies[]
  /** Model requests that MaxSteps or MaxSpend would have stopped, by what the recorded run cost. */
  spend: LimitUnderPolicies[]
}

/**
 * What the policies of the file as it is now would have refused, asked or withheld in the recorded run. The recorded calls are
 * taken as they were: what a model would have done after a refusal nobody knows.
 * @param options.breathe asked before each call and text; what it gives is waited for
 * @param policies names of policies that hold everywhere in place of what the file's agents and pipelines require
 * @throws HaloError VALIDATION when a named policy isn't there
 */
export async function replayPolicies(file: HaloFile, record: JournalRecord, policies?: readonly string[], options: { regexRunner?: RegexRunner; breathe?(): Promise<void> | undefined } = {}): Promise<PolicyReplay> {
  const program = link(file)
  const { calls, pipeline } = recordingOf(record)
  const agents = agentsByPath(calls)
  const sets = new Map<string, PolicySet>()
  const policiesAt = (path: string): PolicySet => {
    const names = policies ?? requiredAt(program, pipeline, agents, path)
    const key = names.join(' ')
    const known = sets.get(key) ?? compilePolicies(names, program, options)
    sets.set(key, known)
    return known
  }

  const result: PolicyReplay = { calls: [], texts: [], spend: [] }
  const made = new Map<string, number>()
  const resolved = resolvedPaths(calls)
  for (const call of recordedCalls(program, calls, agents)) {
    await options.breathe?.()
    const set = policiesAt(call.path)
    const said = await decide(program, set, call, resolved.get(call.path))
    const over = said.would === 'refuse' ? undefined : set.maxCalls.find(({ matches, limit }) => sum(made, matches) >= limit)
    const whole: CallUnderPolicies = over === undefined ? { ...call, ...said } : { ...call, would: 'refuse', policy: over.policy, reason: `at most ${over.limit} calls of ${over.glob} in a run` }
    if ((call.was === 'ran' || call.was === 'approved') && whole.would !== 'refuse') made.set(call.target, (made.get(call.target) ?? 0) + 1)
    result.calls.push(whole)
  }
  result.calls.sort((a, b) => comparePaths(a.path, b.path))
  for (const entry of calls) {
    await options.breathe?.()
    result.texts.push(...(await textsOf(entry, policiesAt(entry.path))))
  }
  result.spend.push(...limits(calls, policiesAt))
  return result
}

/** Would it go another way than it went? */
export function goesOtherwise({ was, would }: Pick<CallUnderPolicies, 'was' | 'would'>): boolean {
  return would !== (was === 'ran' ? 'allow' : was === 'not made' ? 'refuse' : 'approve')
}

type RecordedCall = Omit<CallUnderPolicies, 'would' | 'policy' | 'reason'>

/** Every call of the run, made or not, in the order in which it came to them. */
function recordedCalls(program: Program, entries: readonly JournalEntry[], agents: ReadonlyMap<string, string>): RecordedCall[] {
  const ran = new Map(entries.filter(({ kind }) => kind === 'tool').map((entry) => [entry.path, entry]))
  const nested = new Set(entries.flatMap(({ path }) => [...path.matchAll(/>/g)].map(({ index }) => path.slice(0, index))))
  const asked = new Map(entries.filter(({ kind }) => kind === 'approval').map(({ path, value }) => [path.replace(/\/approval:\d+$/, ''), readApproval(value).approved]))
  const calls: RecordedCall[] = []
  /** Of the conversation that is under way at a place: what its functions' names stood for. */
  const tables = new Map<string, ReadonlyMap<string, string>>()
  for (const entry of entries) {
    const { path, target } = entry
    if (entry.kind === 'tool' && !isChosen(path)) calls.push({ seq: entry.seq, path, target, args: objectOf(entry.request), was: asked.has(path) ? 'approved' : 'ran' })
    if (entry.kind !== 'agent') continue
    const table = offered(program, entry) ?? tables.get(stepsOf(path))
    if (table !== undefined) tables.set(stepsOf(path), table)
    for (const [i, call] of (entry.toolCalls ?? []).entries()) {
      const at = `${path}/call:${i}`
      const own = ran.get(at)
      const known = own?.target ?? table?.get(call.name) ?? targetOf(program, call.name)
      if (known === undefined) continue
      const was = own === undefined && !nested.has(at) ? (asked.get(at) === false ? 'declined' : 'not made') : asked.has(at) ? 'approved' : 'ran'
      calls.push({ seq: own?.seq ?? entry.seq, path: at, target: known, agent: agents.get(stepsOf(path)), args: own === undefined ? call.args : objectOf(own.request), was })
    }
  }
  return calls.sort((a, b) => a.seq - b.seq)
}

/** `Tool.method` by the name of its function, from what a conversation's first request says was offered. */
function offered(program: Program, { request }: JournalEntry): ReadonlyMap<string, string> | undefined {
  const { tools, system, messages } = objectOf(request)
  // A last request says that tools are off.
  if (!Array.isArray(tools) || tools.length === 0 || (system === undefined && !Array.isArray(messages))) return undefined
  const targets = tools.filter((target) => typeof target === 'string')
  const names = [...new Set(targets.map((target) => target.split('.')[0] ?? ''))]
  // What policy hid has a name all the same: where two would be one, it counts.
  const all = names.flatMap((tool) => {
    const described = [...(plannedTool(program, tool)?.methods?.keys() ?? [])].map((method) => `${tool}.${method}`)
    return [...described, ...targets.filter((target) => target.startsWith(`${tool}.`))]
  })
  return new Map([...functionNames(all)].map(([target, name]) => [name, target]))
}

async function decide(program: Program, set: PolicySet, { target, args: given }: RecordedCall, resolved: Record<string, unknown> | undefined): Promise<Pick<CallUnderPolicies, 'would' | 'policy' | 'reason'>> {
  const [tool = '', method = ''] = target.split('.')
  const about = plannedTool(program, tool)
  const info: MethodInfo | undefined = about?.methods?.get(method)
  const args = info === undefined ? given : (applyDefaults(info.parameters, given) as Record<string, unknown>)
  const normalised = resolved ?? (info === undefined ? args : await normaliseArgs(args, info.parameters))
  const decision = await set.decide({ target, args, normalised, effect: info && effectOf(info, args), categories: [...(info?.categories ?? []), ...(about?.categories ?? [])] })
  switch (decision.decision) {
    case 'allow':
      return { would: 'allow' }
    case 'approve':
      return { would: 'approve', policy: decision.policy }
    case 'refuse':
      return { would: 'refuse', policy: decision.policy, reason: decision.reason }
  }
}

async function textsOf(entry: JournalEntry, set: PolicySet): Promise<TextUnderPolicies[]> {
  const { seq, path, target, kind } = entry
  const found: TextUnderPolicies[] = []
  if (kind === 'agent') {
    for (const text of promptOf(entry)) {
      const blocked = await set.promptBlocked(text)
      if (blocked !== undefined) found.push({ seq, path, target, what: 'prompt', would: 'blocked', policy: blocked.policy })
      else if ((await set.inputText(text)).text !== text) found.push({ seq, path, target, what: 'prompt', would: 'redacted' })
    }
    if (entry.error !== undefined || (entry.toolCalls ?? []).length > 0) return found
    const answer = textOf(entry.value ?? '')
    const checked = await set.outputText(answer)
    if (checked.blocked !== undefined) found.push({ seq, path, target, what: 'answer', would: 'blocked', policy: checked.blocked.policy })
    else if (checked.text !== answer) found.push({ seq, path, target, what: 'answer', would: 'redacted' })
  } else if (kind === 'tool' && isChosen(path)) {
    const text = entry.error === undefined ? textOf(entry.value) : entry.error.message
    const filtered = await set.inputText(text)
    if (filtered.blocked !== undefined) found.push({ seq, path, target, what: 'result', would: 'withheld', policy: filtered.blocked.policy })
    else if (filtered.text !== text) found.push({ seq, path, target, what: 'result', would: 'redacted' })
  }
  return found
}

function limits(calls: readonly JournalEntry[], policiesAt: (path: string) => PolicySet): LimitUnderPolicies[] {
  const found: LimitUnderPolicies[] = []
  let [steps, spent] = [0, 0]
  for (const { kind, seq, path, target, cost = 0 } of calls) {
    if (kind !== 'agent') continue
    const { maxSteps, maxSpend } = policiesAt(path)
    steps++
    spent += cost
    if (maxSteps !== undefined && steps > maxSteps.limit) found.push({ seq, path, target, policy: maxSteps.policy, reason: `${maxSteps.limit} model requests in a run` })
    else if (maxSpend !== undefined && spent > maxSpend.dollars) found.push({ seq, path, target, policy: maxSpend.policy, reason: `the run had spent $${spent.toFixed(4)} of $${maxSpend.dollars.toFixed(2)}` })
  }
  return found
}

/** The agent of a conversation, by where its steps stand. */
function agentsByPath(calls: readonly JournalEntry[]): Map<string, string> {
  return new Map(calls.filter(({ kind }) => kind === 'agent').map(({ path, target }) => [stepsOf(path), target.split('.')[0] ?? target]))
}

/** `3a/step:2` → `3a`, corrections included. */
function stepsOf(path: string): string {
  return path.replace(/(\/correct:\d+)?\/step:\d+$/, '')
}

/** What is required at a path: by the pipelines around it, and the agents on the way. */
function requiredAt(program: Program, pipeline: string, agents: ReadonlyMap<string, string>, path: string): string[] {
  const names = (program.pipelines.get(pipeline)?.requires ?? []).map(({ name }) => name)
  const parts = path.split('>')
  let at = ''
  for (const [i, part] of parts.entries()) {
    at = i === 0 ? part : `${at}>${part}`
    const called = i === 0 ? undefined : /^[A-Za-z_]\w*/.exec(part)?.[0]
    names.push(...(called === undefined ? [] : (program.pipelines.get(called)?.requires ?? []).map(({ name }) => name)))
    const conversation = /^(.*?)(\/correct:\d+)?\/(step:\d+|tool\b).*$/.exec(part)
    if (conversation === null) continue
    const agent = agents.get(at.slice(0, at.length - part.length) + (conversation[1] ?? ''))
    names.push(...(program.agents.get(agent ?? '')?.requires ?? []).map(({ name }) => name))
  }
  return [...new Set(names)].filter((name) => program.policies.has(name))
}

/** Paths with links resolved, as the recorded run found them, by the call's own path. */
function resolvedPaths(calls: readonly JournalEntry[]): Map<string, Record<string, unknown>> {
  const found = new Map<string, Record<string, unknown>>()
  for (const { kind, path, error, value } of calls) if (kind === 'verdict' && error === undefined && path.endsWith('/paths')) found.set(path.slice(0, -'/paths'.length), objectOf(value))
  return found
}

function isChosen(path: string): boolean {
  return /\/call:\d+$/.test(path)
}

/** The `Tool.method` of a function's name. */
function targetOf(program: Program, name: string): string | undefined {
  const tools = [...program.tools.keys()].filter((tool) => name.startsWith(`${tool}__`) || name.startsWith(`${tool}.`))
  const tool = tools.sort((a, b) => b.length - a.length)[0]
  return tool === undefined ? undefined : `${tool}.${name.slice(tool.length).replace(/^(__|\.)/, '')}`
}

function promptOf({ request }: JournalEntry): string[] {
  const { system, messages } = objectOf(request)
  if (system === undefined && !Array.isArray(messages)) return []
  const first = (Array.isArray(messages) ? (messages as { role?: string; content?: unknown }[]) : []).filter(({ role }) => role === 'user')
  return [system, ...first.map(({ content }) => content)].filter((text) => typeof text === 'string')
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function sum(made: ReadonlyMap<string, number>, matches: (target: string) => boolean): number {
  let total = 0
  for (const [target, times] of made) if (matches(target)) total += times
  return total
}
