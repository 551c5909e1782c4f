/**
 * Where a place of one version of a program was in an earlier one. A stage that is put in moves the numbers of all that
 * follow it; a replay finds the recorded answers by the stage, not by its number.
 */
import type { Program } from '../check/program.ts'
import type { Chain, Node, PipelineDeclaration } from '../syntax/ast.ts'
import { branchKey, branchLetters } from './stages/parallel.ts'
import { calleeOf, stepsOf, type Step } from './interpreter.ts'

/** The path that the same place had; undefined: the earlier program has no such place. */
export type Translate = (path: string) => string | undefined

/** Beyond this many pairs of stages they are taken in order: no program that people write is near it. */
const PAIRS = 1_000_000

export function alignedPaths(current: Program, earlier: Program, pipeline: string): Translate {
  if (sameSources(current, earlier)) return (path) => path
  const pairs = new Map<Chain, (number | undefined)[]>()
  const text = (program: Program, file: string | undefined, { from, to }: Node): string =>
    (program.files.find((each) => each.path === file) ?? program.file).source.slice(from, to).replaceAll(/\s+/g, ' ')

  /** For each step of the current chain the index of the step that it was. */
  const aligned = (now: Body, then: Body): (number | undefined)[] => {
    const known = pairs.get(now.chain)
    if (known !== undefined) return known
    const mine = stepsOf(now.chain).map((step) => ({ step, text: text(current, now.file, step) }))
    const theirs = stepsOf(then.chain).map((step) => ({ step, text: text(earlier, then.file, step) }))
    const found = alignment(mine, theirs, likeness)
    pairs.set(now.chain, found)
    return found
  }

  const inPipeline = (name: string, base: string, rest: string): string | undefined => {
    const now = current.pipelines.get(name)
    const then = earlier.pipelines.get(name)
    return now === undefined || then === undefined ? undefined : inChain(wholeBody(now), wholeBody(then), base, rest)
  }

  /** `rest`: what follows the chain's own path. */
  const inChain = (now: Body, then: Body, base: string, rest: string): string | undefined => {
    // What an arm needs for its condition stands beside its stages.
    if (rest.startsWith('/')) return base + rest
    let at = 0
    let after = rest
    if (!now.alone) {
      const number = /^\.?(\d+)/.exec(rest)
      if (number === null) return rest === '' ? base : undefined
      at = Number(number[1]) - now.first
      after = rest.slice(number[0].length)
    }
    const step = stepsOf(now.chain)[at]
    const before = aligned(now, then)[at]
    const was = before === undefined ? undefined : stepsOf(then.chain)[before]
    if (before === undefined || step === undefined || was === undefined) return undefined
    const visit = /^~\d+/.exec(after)?.[0] ?? ''
    const own = (then.alone ? base : base === '' ? `${then.first + before}` : `${base}.${then.first + before}`) + visit
    return inStep({ step, file: now.file }, { step: was, file: then.file }, own, after.slice(visit.length))
  }

  const inStep = (now: { step: Step; file?: string }, then: { step: Step; file?: string }, own: string, rest: string): string | undefined => {
    const { step } = now
    const was = then.step
    // A pipeline is called, by the stage or by an agent's tool.
    const nested = /^([^>]*)>([A-Za-z_]\w*)/.exec(rest)
    if (nested !== null && step.kind === 'Call') return inPipeline(nested[2] ?? '', `${own}${nested[0]}`, rest.slice(nested[0].length))
    if (rest === '' || rest.startsWith('/')) return own + rest
    if (step.kind === 'Parallel' && was.kind === 'Parallel') {
      const letters = /^[a-z]+/.exec(rest)?.[0] ?? ''
      const index = step.branches.findIndex((_, i) => branchLetters(i) === letters)
      const key = step.branches[index] === undefined ? undefined : branchKey(step.branches[index], index)
      const named = was.branches.findIndex((branch, i) => branchKey(branch, i) === key)
      const before = named === -1 ? index : named
      return inBody(step.branches[index], was.branches[before], `${own}${branchLetters(before)}`, rest.slice(letters.length))
    }
    if (step.kind === 'Branch' && was.kind === 'Branch') {
      const number = /^\?(\d+)/.exec(rest)
      const arms = (stage: typeof step, program: Program, file: string | undefined) => stage.arms.map(({ condition }) => (condition === undefined ? 'else' : text(program, file, condition)))
      const index = Number(number?.[1] ?? 0) - 1
      const named = arms(was, earlier, then.file).indexOf(arms(step, current, now.file)[index] ?? '')
      const before = named === -1 ? index : named
      return inBody(step.arms[index]?.body, was.arms[before]?.body, `${own}?${before + 1}`, rest.slice(number?.[0].length ?? 0))
    }
    if (step.kind === 'Each' && was.kind === 'Each') {
      const item = /^\[\d+\]/.exec(rest)?.[0] ?? ''
      return inBody(step.body, was.body, own + item, rest.slice(item.length))
    }
    if (step.kind === 'Block' && was.kind === 'Block') return inBody(step.body, was.body, own, rest)
    return undefined

    function inBody(mine: Chain | undefined, theirs: Chain | undefined, base: string, after: string): string | undefined {
      return mine === undefined || theirs === undefined ? undefined : inChain(innerBody(mine, now.file), innerBody(theirs, then.file), base, after)
    }
  }

  return (path) => inPipeline(pipeline, '', path)
}

interface Body {
  chain: Chain
  alone: boolean
  first: number
  file?: string
}

function wholeBody({ body, file }: PipelineDeclaration): Body {
  return { chain: body, alone: false, first: body.source === undefined ? 1 : 0, file }
}

function innerBody(chain: Chain, file: string | undefined): Body {
  const steps = stepsOf(chain)
  return { chain, alone: steps.length === 1 && steps[0]?.kind === 'Call', first: 1, file }
}

function sameSources(a: Program, b: Program): boolean {
  return a.files.length === b.files.length && a.files.every((file, i) => file.source === b.files[i]?.source)
}

interface Written {
  step: Step
  text: string
}

/** 0: not the same stage; the more, the more alike. */
function likeness(a: Written, b: Written): number {
  if (a.step.kind !== b.step.kind) return 0
  if (a.step.kind === 'Call' && b.step.kind === 'Call' && calleeOf(a.step) !== calleeOf(b.step)) return 0
  return a.text === b.text ? 2 : 1
}

/** The pairs, in order, that are most alike in all: for each of `mine` the index in `theirs`. */
function alignment<T>(mine: readonly T[], theirs: readonly T[], score: (a: T, b: T) => number): (number | undefined)[] {
  const [rows, columns] = [mine.length, theirs.length]
  if (rows * columns > PAIRS) return mine.map((_, i) => (i < columns ? i : undefined))
  // best[i][j]: of what follows mine[i] and theirs[j], themselves included.
  const best = Array.from({ length: rows + 1 }, () => new Array<number>(columns + 1).fill(0))
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0
  const like = (i: number, j: number): number => {
    const [a, b] = [mine[i], theirs[j]]
    return a === undefined || b === undefined ? 0 : score(a, b)
  }
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const here = like(i, j)
      const row = best[i]
      if (row !== undefined) row[j] = Math.max(at(i + 1, j), at(i, j + 1), here === 0 ? 0 : here + at(i + 1, j + 1))
    }
  }
  const found = new Array<number | undefined>(rows).fill(undefined)
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    const here = like(i, j)
    if (here > 0 && at(i, j) === here + at(i + 1, j + 1)) found[i++] = j++
    else if (at(i, j) === at(i + 1, j)) i++
    else j++
  }
  return found
}
