/** What a run has done at each stage so far, by the places that the picture knows. */
import type { JournalEntry } from '../../halo/run/types.ts'
import { stageOf, type StageView } from '../run/items.ts'
import { placeOf } from './shape.ts'

export type StageState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped'

export interface StageFacts {
  state: StageState
  /** How often it has begun. */
  times: number
  /** Milliseconds, of all its times together. */
  ms: number
  /** US dollars. */
  cost: number
  requests: number
  calls: number
  /** Its first place in the transcript. */
  first: string
}
export type Facts = ReadonlyMap<string, StageFacts>

const none = (first: string): StageFacts => ({ state: 'done', times: 0, ms: 0, cost: 0, requests: 0, calls: 0, first })

function factsAt(facts: Map<string, StageFacts>, path: string): StageFacts {
  const place = placeOf(path)
  let found = facts.get(place)
  if (found === undefined) facts.set(place, (found = none(path)))
  return found
}

/** From the stages of a transcript. */
export function factsOf(stages: readonly StageView[], over: boolean): Facts {
  const facts = new Map<string, StageFacts>()
  const ranking: StageState[] = ['done', 'skipped', 'failed', 'running']
  for (const stage of stages) {
    // Rows without a stage of their own have no form.
    if (stage.path === '' || stage.form === '') continue
    const found = factsAt(facts, stage.path)
    const state: StageState = stage.error ? 'failed' : stage.skipped ? 'skipped' : stage.done ? 'done' : over ? 'failed' : 'running'
    found.state = found.times === 0 || ranking.indexOf(state) > ranking.indexOf(found.state) ? state : found.state
    found.times++
    found.ms += stage.ms ?? 0
    found.cost += stage.cost
    found.requests += stage.requests
    for (const row of stage.rows) if (row.kind === 'call') found.calls++
  }
  return facts
}

/** From a journal up to and with the entry at `upTo`; what stands last is what was being done. */
export function factsUntil(entries: readonly JournalEntry[], upTo: number, over: boolean): Facts {
  const facts = new Map<string, StageFacts>()
  const begun = new Map<string, Set<string>>()
  const current = entries[upTo]
  for (const entry of entries.slice(0, upTo + 1)) {
    for (const path of stagesAround(entry.path)) {
      const found = factsAt(facts, path)
      const times = begun.get(placeOf(path)) ?? new Set()
      begun.set(placeOf(path), times.add(path))
      found.times = times.size
    }
    if (entry.state !== undefined) continue
    const found = factsAt(facts, entry.path)
    found.ms += entry.ms ?? 0
    found.cost += entry.cost ?? 0
    if (entry.kind === 'agent') found.requests++
    if (entry.kind === 'tool') found.calls++
    if (entry.error) found.state = 'failed'
    else if (found.state === 'failed') found.state = 'done'
  }
  const ended = over && upTo === entries.length - 1
  if (current && !ended) for (const path of stagesAround(current.path)) factsAt(facts, path).state = 'running'
  return facts
}

/** `6>Other.1/step:2` → `6`, `6>Other.1`; `1/step:2/call:0>Other.1` → `1`, `1/step:2/call:0>Other.1`. */
function stagesAround(path: string): string[] {
  const found: string[] = []
  for (let end = path.indexOf('>'); end >= 0; end = path.indexOf('>', end + 1)) found.push(stageOf(path.slice(0, end)))
  return [...found, stageOf(path)]
}
