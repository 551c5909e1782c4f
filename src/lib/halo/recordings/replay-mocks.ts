/** A recording as mocks: for replays with nothing but `mockAll`. `replay` is exact where these go by target and order. */
import { HaloError } from '../errors.ts'
import { EARLY } from '../run/journal.ts'
import { EVERY_AGENT, insteadOfProvider, useTool } from '../run/mocks.ts'
import { samePlain } from '../run/plain.ts'
import type { InterruptRequest, JournalEntry, Mock, MockRequest } from '../run/types.ts'
import type { ReplayOptions } from '../run/replay-source.ts'
import type { Recording } from './recording.ts'

export interface ReplayMockOptions extends ReplayOptions {
  /** The declared tools and stores: calls of those that the recording never called are refused instead of made. */
  tools?: readonly string[]
}

/**
 * Mocks that give each target its recorded answers in order, one with the same request before others. What the recording has
 * no answer for is REPLAY_MISMATCH; where an agent chose the call, the model is told.
 */
export function replayMocks(recording: Pick<Recording, 'calls'>, options: ReplayMockOptions = {}): Record<string, Mock> {
  const { liveModels = false, liveTools = false, tools = [] } = options
  const calls = recording.calls.filter((entry) => entry.path !== EARLY)
  const mocks: Record<string, Mock> = {}

  if (!liveModels) {
    for (const [target, answers] of byTarget(calls, 'agent')) {
      const take = inTurn(answers)
      mocks[target] = (request: MockRequest) => modelAnswer(outcome(take((recorded) => samePlain(lastMessage(recorded), request.messages.at(-1))), target))
    }
    mocks[EVERY_AGENT] = ({ agent, task }: MockRequest) => outcome(undefined, `${agent}.${task}`)
  }
  if (!liveTools) {
    const answers = byTarget(calls, 'tool')
    // A store's matches are asked for as its search.
    for (const [store, searches] of byTarget(calls, 'store')) answers.set(`${store}.search`, [...(answers.get(`${store}.search`) ?? []), ...searches])
    for (const [target, recorded] of answers) {
      const take = inTurn(recorded)
      mocks[target] = insteadOfProvider((args) => outcome(take((request) => samePlain(request, args)), target)?.value ?? null)
    }
    for (const tool of tools) mocks[tool] = insteadOfProvider((_, target) => outcome(undefined, target))
  }
  mocks.approval = approvals(calls)
  const yields = calls.filter((entry) => entry.kind === 'yield')
  if (yields.length > 0) mocks.yield = asked(inTurn(yields), () => 'yield')
  const events = new Map([...byTarget(calls, 'listen')].map(([event, answers]) => [event, inTurn(answers)]))
  mocks.listen = asked((fits, { named }) => events.get(named.event ?? '')?.(fits), ({ named }) => named.event ?? 'listen')
  return mocks
}

type Take = (fits: (request: unknown) => boolean) => JournalEntry | undefined

function inTurn(answers: readonly JournalEntry[]): Take {
  const left = [...answers]
  return (fits) => {
    const same = left.findIndex((entry) => fits(entry.request))
    return left.splice(same === -1 ? 0 : same, 1)[0]
  }
}

function byTarget(calls: readonly JournalEntry[], kind: JournalEntry['kind']): Map<string, JournalEntry[]> {
  const found = new Map<string, JournalEntry[]>()
  for (const entry of calls) if (entry.kind === kind) found.set(entry.target, [...(found.get(entry.target) ?? []), entry])
  return found
}

/** The recorded outcome; an error is thrown as it was. */
function outcome(entry: JournalEntry | undefined, target: string): JournalEntry {
  if (entry === undefined) throw new HaloError('REPLAY_MISMATCH', `The recording has no answer for ${target}: the pipeline or its input changed.`)
  if (entry.error !== undefined) throw new HaloError(entry.error.code, entry.error.message, { data: entry.error.data })
  return entry
}

function modelAnswer({ toolCalls = [], value }: JournalEntry): unknown {
  return toolCalls.length === 0 ? (value ?? '') : toolCalls.map(({ name, args }) => useTool(name, args))
}

function lastMessage(request: unknown): unknown {
  const messages = typeof request === 'object' && request !== null && 'messages' in request ? request.messages : undefined
  return Array.isArray(messages) ? messages.at(-1) : undefined
}

function asked(take: (fits: () => boolean, request: InterruptRequest) => JournalEntry | undefined, name: (request: InterruptRequest) => string): Mock {
  return (request: InterruptRequest) => outcome(take(() => false, request), name(request)).value
}

/** An approval answers the call it was given for, and no other. */
function approvals(calls: readonly JournalEntry[]): Mock {
  const left = calls.filter((entry) => entry.kind === 'approval')
  return ({ named }: InterruptRequest) => {
    const at = left.findIndex((entry) => entry.target === named.target && samePlain(argsOf(entry.request), named.args))
    const [entry] = at === -1 ? [] : left.splice(at, 1)
    if (entry === undefined && named.agent !== undefined) return { approved: false, reason: `The recording has no answer to whether ${named.target ?? 'it'} may be called so: the pipeline or its input changed.` }
    return outcome(entry, `the approval of ${named.target ?? ''}`).value
  }
}

function argsOf(request: unknown): unknown {
  return (request as Partial<InterruptRequest> | undefined)?.named?.args
}
