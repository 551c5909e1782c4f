/**
 * Does a regular expression take linear time, whatever the text, in a matcher that backtracks?
 *
 * Such a matcher's work is the number of ways in which parts of the text can be read from any start: each way is walked once
 * at most. So the ways are counted, by a subset construction that keeps for every step how many ways lead there. When only
 * finitely many such counts can come up, and each stands for few steps, the work for a character is bounded: a proof with its
 * constant, that holds for nested repeats, overlapping alternatives, and the retries of a search at every position alike.
 * Where the counts grow, the work does: then nothing is proven.
 */
import type { RegexProgram, Step } from './regex-program.ts'

/** Steps of the matcher for one character of the text. */
const COST_LIMIT = 300
/** What the proof itself may take. */
const SETS_LIMIT = 1_500
const WORK_LIMIT = 150_000

/** Ways from one step to the next characters, without reading any. */
export interface Reach {
  /** How often each `set` step is come to. */
  sets: ReadonlyMap<number, number>
  cost: number
}

export class Unproven extends Error {}

export function isLinear(program: RegexProgram): boolean {
  try {
    proveLinear(program)
    return true
  } catch (error) {
    if (error instanceof Unproven) return false
    throw error
  }
}

function proveLinear(program: RegexProgram): void {
  const { steps } = program
  const reach = reaches(program, COST_LIMIT)
  const first = reach(program.start, true)
  const again = reach(program.start, false)
  const characters = classesOf(steps)
  let work = 0
  const seen = new Set<string>()
  // From each set of counts, where one more character can lead. A search starts anew at every character.
  const waiting: Map<number, number>[] = []
  const visit = (from: Reach[], counts: readonly number[]): void => {
    const total = from.reduce((sum, { cost }, i) => sum + cost * (counts[i] ?? 1), 0)
    if (total > COST_LIMIT) throw new Unproven()
    const ways = new Map<number, number>()
    for (const [i, { sets }] of from.entries()) {
      for (const [set, count] of sets) ways.set(set, (ways.get(set) ?? 0) + count * (counts[i] ?? 1))
    }
    for (const members of characters.select(ways.keys())) {
      work += ways.size
      if (work > WORK_LIMIT) throw new Unproven()
      const next = new Map([...ways].filter(([set]) => members.has(set)))
      const key = [...next].sort((a, b) => a[0] - b[0]).map(([set, count]) => `${set}:${count}`).join()
      if (seen.has(key)) continue
      seen.add(key)
      if (seen.size > SETS_LIMIT) throw new Unproven()
      waiting.push(next)
    }
  }
  visit([first], [1])
  // After a character that nothing could read, only the search goes on.
  visit([again], [1])
  for (let set = waiting.pop(); set; set = waiting.pop()) {
    const from = [...set.keys()].map((step) => reach(nextOf(steps[step]), false))
    visit([...from, again], [...set.values(), 1])
  }
}

function nextOf(step: Step | undefined): number {
  if (step?.op !== 'set') throw new Unproven()
  return step.next
}

/** Memoised: all ways from a step to characters. `atStart`: nothing was read yet. */
export function reaches(program: RegexProgram, limit: number): (step: number, atStart: boolean) => Reach {
  const known = new Map<number, Reach>()
  return (step, atStart) => {
    const key = step * 2 + (atStart ? 1 : 0)
    let found = known.get(key)
    if (!found) known.set(key, (found = waysFrom(program.steps, step, atStart, limit)))
    return found
  }
}

function waysFrom(steps: readonly Step[], start: number, atStart: boolean, limit: number): Reach {
  const sets = new Map<number, number>()
  let cost = 0
  const inBody = new Set<number>()
  const walk = (at: number): void => {
    cost++
    if (cost > limit) throw new Unproven()
    const step = steps[at]
    switch (step?.op) {
      case 'set':
        sets.set(at, (sets.get(at) ?? 0) + 1)
        return
      case 'split': {
        // Back at a repeat whose body was entered on this way: it read nothing, and such a round is given up.
        if (inBody.has(at)) return
        for (const branch of [step.first, step.second]) {
          if (branch === step.body) inBody.add(at)
          walk(branch)
          inBody.delete(at)
        }
        return
      }
      case 'look':
        walk(step.body)
        walk(step.next)
        return
      case 'start':
        if (atStart) walk(step.next)
        return
      case 'end':
        // Beyond the end there is nothing to read: what stands after it adds no way.
        return
      case 'word': case 'notWord':
        walk(step.next)
        return
      case 'behind':
        cost += step.cost
        walk(step.next)
        return
      case 'match': case 'stop': case undefined:
        return
    }
  }
  walk(start)
  return { sets, cost }
}

/** Characters that are in the same sets are the same to the program. */
function classesOf(steps: readonly Step[]): { select(sets: Iterable<number>): Iterable<ReadonlySet<number>> } {
  const edges = new Map<number, { opens: number[]; closes: number[] }>()
  const edge = (at: number): { opens: number[]; closes: number[] } => {
    let found = edges.get(at)
    if (!found) edges.set(at, (found = { opens: [], closes: [] }))
    return found
  }
  for (const [i, step] of steps.entries()) {
    if (step.op !== 'set') continue
    for (const [from, to] of step.set.ranges) {
      edge(from).opens.push(i)
      edge(to + 1).closes.push(i)
    }
  }
  const classes = new Map<string, ReadonlySet<number>>()
  const open = new Set<number>()
  for (const at of [...edges.keys()].sort((a, b) => a - b)) {
    const { opens, closes } = edge(at)
    for (const i of closes) open.delete(i)
    for (const i of opens) open.add(i)
    if (open.size > 0) classes.set([...open].sort((a, b) => a - b).join(), new Set(open))
  }
  const bySet = new Map<number, ReadonlySet<number>[]>()
  for (const members of classes.values()) for (const i of members) bySet.set(i, [...(bySet.get(i) ?? []), members])
  return {
    select(sets) {
      const found = new Set<ReadonlySet<number>>()
      for (const i of sets) for (const members of bySet.get(i) ?? []) found.add(members)
      return found
    },
  }
}
