/**
 * A regular expression as a program of single steps, in the order in which a backtracking matcher tries them. The proof of
 * linear time walks it, and so does the matcher for patterns that backtrack too much. Parsed by @eslint-community/regexpp.
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp'
import { setOf, Unsupported, type CharacterSet } from './regex-sets.ts'

export type Step =
  /** One character of a set, then `next`. */
  | { op: 'set'; set: CharacterSet; next: number }
  /** `first`, and when that fails `second`; of a repeat without a last time, `body` says which goes round again. */
  | { op: 'split'; first: number; second: number; body?: number }
  | { op: 'start' | 'end' | 'word' | 'notWord'; next: number }
  /** A look-ahead: `body` is tried on the way, then `next`. */
  | { op: 'look'; body: number; next: number }
  /** A look-behind of at most `cost` steps. */
  | { op: 'behind'; cost: number; next: number }
  | { op: 'match' }
  /** The end of a look-ahead's body: what comes after it isn't tried from there. */
  | { op: 'stop' }

export interface RegexProgram {
  steps: Step[]
  start: number
  unicode: boolean
  /** Has a look-around, which the set matcher can't follow. */
  looks: boolean
  /** Has a repeat whose rounds may read nothing: such a round is given up once the repeat has its least number of rounds. */
  emptyRounds: boolean
}

/** More steps than this are neither proven nor simulated. */
const STEP_LIMIT = 1_500
const SOURCE_LIMIT = 4_000
const BEHIND_LIMIT = 64

export type Purpose =
  /** Does it match somewhere? */
  | 'search'
  /** Every match is replaced. */
  | 'replace'
  /** As it is written, for what is said about it. */
  | 'written'

/**
 * The pattern without what can't change its answer, so that it doesn't cost either: `.*\.env$` is found exactly where
 * `\.env$` is. Undefined where there is no program for it.
 */
export function programOf(source: string, unicode: boolean, purpose: Purpose): { program: RegexProgram; source: string } | undefined {
  if (source.length > SOURCE_LIMIT) return undefined
  try {
    const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode })
    const alternatives = pattern.alternatives.map((alternative) => trimmed(alternative, purpose))
    const writer = new Writer(unicode)
    const match = writer.add({ op: 'match' })
    const start = writer.choice(alternatives.map((parts) => writer.sequence(parts, match)))
    const program = { steps: writer.steps, start, unicode, looks: writer.looks, emptyRounds: writer.emptyRounds }
    return { program, source: purpose !== 'search' ? source : alternatives.map((parts) => parts.map(written).join('')).join('|') }
  } catch {
    // Unsupported, or too deep for the parser: then nothing is proven about it.
    return undefined
  }
}

interface Part {
  element: AST.Element
  /** Of a quantifier: as often, and no more. */
  times?: number
}

function written({ element, times }: Part): string {
  if (times === undefined || element.type !== 'Quantifier') return element.raw
  return times === 1 ? element.element.raw : `${element.element.raw}{${times}}`
}

function trimmed(alternative: AST.Alternative, purpose: Purpose): Part[] {
  const parts: Part[] = alternative.elements.map((element) => ({ element }))
  const least = (part: Part | undefined): boolean => {
    const element = part?.element
    return element?.type === 'Quantifier' && part?.times === undefined && element.max > element.min
  }
  const cut = (index: number): void => {
    const element = parts[index]?.element
    if (element?.type !== 'Quantifier') return
    if (element.min === 0) parts.splice(index, 1)
    else parts[index] = { element, times: element.min }
  }
  if (purpose === 'search') {
    // A match with more repeats at either end holds one with the least; what stands between is tried all the same.
    while (least(parts[0])) cut(0)
    while (least(parts.at(-1))) cut(parts.length - 1)
  } else if (purpose === 'replace' && least(parts.at(-1)) && isSingle(parts.at(-1)?.element)) {
    // A repeat of one set at the end never fails once it is reached: it costs the length of the match, no more.
    cut(parts.length - 1)
  }
  return parts
}

function isSingle(element: AST.Element | undefined): boolean {
  return element?.type === 'Quantifier' && ['Character', 'CharacterSet', 'CharacterClass'].includes(element.element.type)
}

class Writer {
  readonly steps: Step[] = []
  readonly unicode: boolean
  looks = false
  emptyRounds = false

  constructor(unicode: boolean) {
    this.unicode = unicode
  }

  add(step: Step): number {
    if (this.steps.length >= STEP_LIMIT) throw new Unsupported()
    return this.steps.push(step) - 1
  }

  choice(starts: readonly number[]): number {
    return starts.slice(0, -1).reduceRight((second, first) => this.add({ op: 'split', first, second }), starts.at(-1) ?? this.add({ op: 'stop' }))
  }

  alternatives(alternatives: readonly AST.Alternative[], next: number): number {
    return this.choice(alternatives.map(({ elements }) => this.sequence(elements.map((element) => ({ element })), next)))
  }

  sequence(parts: readonly Part[], next: number): number {
    return parts.reduceRight((after, { element, times }) => this.element(element, after, times), next)
  }

  element(node: AST.Element, next: number, times?: number): number {
    switch (node.type) {
      case 'Character': case 'CharacterSet': case 'CharacterClass':
        return this.add({ op: 'set', set: setOf(node, this.unicode), next })
      case 'CapturingGroup':
        return this.alternatives(node.alternatives, next)
      case 'Group':
        if (node.modifiers) throw new Unsupported()
        return this.alternatives(node.alternatives, next)
      case 'Quantifier':
        return this.repeat(node, times ?? node.min, times ?? node.max, next)
      case 'Assertion':
        return this.assertion(node, next)
      default:
        throw new Unsupported()
    }
  }

  repeat(node: AST.Quantifier, min: number, max: number, next: number): number {
    let after = next
    const branch = (body: number, exit: number): Step => (node.greedy ? { op: 'split', first: body, second: exit } : { op: 'split', first: exit, second: body })
    if (max === Infinity) {
      const loop = this.add({ op: 'split', first: next, second: next })
      const body = this.element(node.element, loop)
      if (readsNothing(this.steps, body, loop)) this.emptyRounds = true
      this.steps[loop] = { op: 'split', ...(node.greedy ? { first: body, second: next } : { first: next, second: body }), body }
      after = loop
    } else {
      if (max > STEP_LIMIT) throw new Unsupported()
      for (let i = min; i < max; i++) {
        const body = this.element(node.element, after)
        if (i === min && readsNothing(this.steps, body, after)) this.emptyRounds = true
        after = this.add(branch(body, next))
      }
    }
    if (min > STEP_LIMIT) throw new Unsupported()
    for (let i = 0; i < min; i++) after = this.element(node.element, after)
    return after
  }

  assertion(node: AST.Assertion, next: number): number {
    switch (node.kind) {
      case 'start': case 'end':
        return this.add({ op: node.kind, next })
      case 'word':
        return this.add({ op: node.negate ? 'notWord' : 'word', next })
      case 'lookahead': {
        this.looks = true
        const stop = this.add({ op: 'stop' })
        return this.add({ op: 'look', body: this.alternatives(node.alternatives, stop), next })
      }
      case 'lookbehind': {
        this.looks = true
        const { paths, length } = waysOf(node.alternatives)
        if (paths * (length + 1) > BEHIND_LIMIT) throw new Unsupported()
        return this.add({ op: 'behind', cost: paths * (length + 1), next })
      }
    }
  }
}

/** Is there a way from one step to another that reads no character? */
function readsNothing(steps: readonly Step[], start: number, end: number): boolean {
  const seen = new Set([start])
  for (const at of seen) {
    if (at === end) return true
    const step = steps[at]
    if (step?.op === 'split') seen.add(step.first).add(step.second)
    else if (step && step.op !== 'set' && 'next' in step) seen.add(step.next)
  }
  return false
}

/** In how many ways, and over how many characters at most, a look-behind can be tried. */
function waysOf(alternatives: readonly AST.Alternative[]): { paths: number; length: number } {
  let paths = 0
  let length = 0
  for (const { elements } of alternatives) {
    let own = 1
    let size = 0
    for (const element of elements) {
      const part = waysOfElement(element)
      own *= part.paths
      size += part.length
    }
    paths += own
    length = Math.max(length, size)
  }
  return { paths, length }
}

function waysOfElement(node: AST.Element): { paths: number; length: number } {
  switch (node.type) {
    case 'Character': case 'CharacterSet': case 'CharacterClass': return { paths: 1, length: 1 }
    case 'CapturingGroup': return waysOf(node.alternatives)
    case 'Group': return waysOf(node.alternatives)
    case 'Quantifier': {
      if (node.max > BEHIND_LIMIT) return { paths: Infinity, length: Infinity }
      const one = waysOfElement(node.element)
      let paths = 0
      for (let times = node.min; times <= node.max; times++) paths += one.paths ** times
      return { paths, length: one.length * node.max }
    }
    case 'Assertion': return node.kind === 'lookahead' || node.kind === 'lookbehind' ? { paths: Infinity, length: Infinity } : { paths: 1, length: 0 }
    default: return { paths: Infinity, length: Infinity }
  }
}
