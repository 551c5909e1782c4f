/**
 * For patterns without look-arounds that a backtracking matcher may take quadratic time for, such as `rm .*-rf`: all ways
 * are followed at once, so a text takes time in its length whatever it holds.
 */
import type { RegexProgram, Step } from './regex-program.ts'
import { reaches, Unproven } from './regex-proof.ts'

/** Larger programs take too long for each character. */
const STEPS_LIMIT = 600

export function canSimulate(program: RegexProgram): boolean {
  return !program.looks && program.steps.length <= STEPS_LIMIT
}

/**
 * Can matches be found by simulation just as the engine finds them? Not where a round of a repeat may be empty: which rounds the
 * engine gives up then depends on more than the step it is at.
 */
export function canSimulateReplace(program: RegexProgram): boolean {
  return canSimulate(program) && !program.emptyRounds
}

/**
 * Nested repeats such as `(a+)+$`, for which a matcher that backtracks takes exponential time. Some of them could be matched
 * fast all the same; they are mistakes that are better said than hidden. True also where it can't be known.
 */
export function mayBeExponential(program: RegexProgram): boolean {
  try {
    return isExponential(program)
  } catch (error) {
    if (error instanceof Unproven) return true
    throw error
  }
}

/** Does the program match somewhere in the text? */
export function simulate(program: RegexProgram, text: string): boolean {
  const { steps, start, unicode } = program
  // Marks of the position at which a step was added last: a list with its own membership test.
  const added = new Int32Array(steps.length).fill(-1)
  let now: number[] = []
  const stack: number[] = []
  const length = text.length
  for (let at = 0, size = 0; ; at += size) {
    const reading = now
    now = []
    const code = unicode ? text.codePointAt(at - size) : text.charCodeAt(at - size)
    for (const step of reading) {
      const set = steps[step]
      if (set?.op === 'set' && code !== undefined && set.set.has(code)) stack.push(set.next)
    }
    stack.push(start)
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      if (added[step] === at) continue
      added[step] = at
      const found: Step | undefined = steps[step]
      switch (found?.op) {
        case 'match': return true
        case 'set': now.push(step); break
        case 'split': stack.push(found.second, found.first); break
        case 'start': case 'end': case 'word': case 'notWord':
          if (holds(found.op, text, at)) stack.push(found.next)
          break
        default: break
      }
    }
    if (at >= length) return false
    size = sizeAt(program, text, at)
  }
}

/** Steps for each character and step of the program, of all searches of one text together. */
const REPLACE_EFFORT = 40

/**
 * Every match replaced, the same ones as the engine's: the leftmost, and of those that start there the first in the order of
 * the pattern. Throws when the searches overlap so much that the text would take more than time in its length.
 */
export function simulateReplace(program: RegexProgram, text: string, replacement: string): string {
  const search: Search = { program, text, added: new Int32Array(program.steps.length), mark: 0, effort: REPLACE_EFFORT * (text.length + 10) * program.steps.length }
  let result = ''
  let done = 0
  let at = 0
  while (at <= text.length) {
    const match = findFrom(search, at)
    if (!match) break
    result += text.slice(done, match.from) + replacement
    done = match.to
    at = match.to > match.from ? match.to : match.to + sizeAt(program, text, match.to)
  }
  return result + text.slice(done)
}

interface Search {
  program: RegexProgram
  text: string
  added: Int32Array
  mark: number
  effort: number
}

function findFrom(search: Search, start: number): { from: number; to: number } | undefined {
  const { program, text, added } = search
  const { steps } = program
  let match: { from: number; to: number } | undefined
  // Ways in the order in which the engine would try them, each with where it began.
  let waiting: { step: number; from: number }[] = []
  for (let at = start; at <= text.length; ) {
    if (!match) waiting.push({ step: program.start, from: at })
    const mark = ++search.mark
    const reading: { set: Step & { op: 'set' }; from: number }[] = []
    for (const { step: first, from } of waiting) {
      const stack = [first]
      let matched = false
      for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
        if (added[step] === mark) continue
        added[step] = mark
        if (--search.effort < 0) throw new Error('the text takes too long')
        const found = steps[step]
        if (found?.op === 'match') {
          // What comes after it in the order is never tried; what comes before it may still give another end.
          match = { from, to: at }
          matched = true
          break
        }
        if (found?.op === 'set') reading.push({ set: found, from })
        else if (found?.op === 'split') stack.push(found.second, found.first)
        else if (found && 'next' in found && holds(found.op, text, at)) stack.push(found.next)
      }
      if (matched) break
    }
    const code = program.unicode ? text.codePointAt(at) : text.charCodeAt(at)
    waiting = []
    if (at < text.length && code !== undefined) for (const { set, from } of reading) if (set.set.has(code)) waiting.push({ step: set.next, from })
    if (waiting.length === 0 && match) return match
    at += sizeAt(program, text, at)
  }
  return match
}

function holds(op: Step['op'], text: string, at: number): boolean {
  switch (op) {
    case 'start': return at === 0
    case 'end': return at === text.length
    case 'word': return isBoundary(text, at)
    case 'notWord': return !isBoundary(text, at)
    default: return false
  }
}

function sizeAt(program: RegexProgram, text: string, at: number): number {
  return program.unicode && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function isBoundary(text: string, at: number): boolean {
  return isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))
}
function isWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
}

// ----------------------------------------------------------------- exponential

/** Larger loops, and programs with more ways between their steps, aren't looked into. */
const LOOP_LIMIT = 60
const EDGES_LIMIT = 10_000

/**
 * Can one text lead from a step back to it in two ways? Then each repeat of that text doubles the ways. (EDA in Weber and
 * Seidl, On the degree of ambiguity of finite automata, 1991.)
 */
function isExponential(program: RegexProgram): boolean {
  const { steps } = program
  const reach = reaches(program, 5_000)
  const edges = new Map<number, ReadonlyMap<number, number>>()
  let count = 0
  for (const [i, step] of steps.entries()) {
    if (step.op !== 'set') continue
    const { sets } = reach(step.next, false)
    edges.set(i, sets)
    count += sets.size
    if (count > EDGES_LIMIT) throw new Unproven()
  }
  for (const loop of loopsOf(edges)) {
    if (loop.size > LOOP_LIMIT) throw new Unproven()
    const inside = [...loop]
    for (const from of inside) for (const [to, ways] of edges.get(from) ?? []) if (loop.has(to) && ways > 1) return true
    for (const step of inside) if (splitsAndMeets(step, loop, edges, steps)) return true
  }
  return false
}

/** From the pair (step, step), can two ways that read the same part and meet again? */
function splitsAndMeets(step: number, loop: ReadonlySet<number>, edges: ReadonlyMap<number, ReadonlyMap<number, number>>, steps: readonly Step[]): boolean {
  const key = (a: number, b: number): number => a * steps.length + b
  const home = key(step, step)
  const next = (pair: number): number[] => {
    const a = Math.floor(pair / steps.length)
    const b = pair % steps.length
    const found: number[] = []
    for (const [x] of edges.get(a) ?? []) {
      if (!loop.has(x)) continue
      for (const [y] of edges.get(b) ?? []) if (loop.has(y) && overlap(steps[x], steps[y])) found.push(key(x, y))
    }
    return found
  }
  // Every pair that can be reached, with who leads to it; then back from home over those.
  const before = new Map<number, number[]>([[home, []]])
  const waiting = [home]
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    for (const to of next(pair)) {
      const known = before.get(to)
      if (known) known.push(pair)
      else {
        before.set(to, [pair])
        waiting.push(to)
      }
    }
  }
  const back = new Set<number>([home])
  for (const pair of back) {
    for (const from of before.get(pair) ?? []) {
      if (Math.floor(from / steps.length) !== from % steps.length) return true
      back.add(from)
    }
  }
  return false
}

function overlap(a: Step | undefined, b: Step | undefined): boolean {
  if (a?.op !== 'set' || b?.op !== 'set') return false
  if (a === b) return true
  return a.set.ranges.some(([from, to]) => b.set.ranges.some(([start, end]) => from <= end && start <= to))
}

/** Groups of steps that lead to each other (strongly connected components with an edge inside). */
function loopsOf(edges: ReadonlyMap<number, ReadonlyMap<number, number>>): Set<number>[] {
  const reachable = (from: number): Set<number> => {
    const found = new Set<number>()
    const waiting = [...(edges.get(from)?.keys() ?? [])]
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (found.has(at)) continue
      found.add(at)
      waiting.push(...(edges.get(at)?.keys() ?? []))
    }
    return found
  }
  const all = new Map([...edges.keys()].map((step) => [step, reachable(step)]))
  const done = new Set<number>()
  const loops: Set<number>[] = []
  for (const [step, found] of all) {
    if (done.has(step) || !found.has(step)) continue
    const loop = new Set([...found].filter((other) => all.get(other)?.has(step)))
    for (const other of loop) done.add(other)
    loops.push(loop)
  }
  return loops
}
