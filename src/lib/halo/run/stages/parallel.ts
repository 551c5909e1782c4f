import { HaloError } from '../../errors.ts'
import type { Chain, ParallelStage } from '../../syntax/ast.ts'
import { spanIn, type Frame } from '../frame.ts'
import { bodyPlace, calleeOf, runChain, stepsOf, type Place } from '../interpreter.ts'
import { together } from './group.ts'

/** Branches beside each other; an object of their values, by each one's last name. */
export async function runParallel(frame: Frame, stage: ParallelStage, { path }: Place): Promise<unknown> {
  const { branches } = stage
  const keys = branches.map(branchKey)
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)
  if (twice !== undefined) throw new HaloError('VALIDATION', `Two branches are both called ${twice}. Give one another name with "as".`, { path, span: spanIn(frame, stage) })
  const states = branches.map(() => frame.state.fork())
  const values = await together(frame, branches.length, branches.length, async (i, scope) => {
    const [branch, state] = [branches[i], states[i]]
    if (branch === undefined || state === undefined) return null
    return runChain({ ...frame, scope, state }, branch, bodyPlace(`${path}${branchLetters(i)}`, branch))
  })
  for (const state of states) frame.state.join(state)
  return Object.fromEntries(keys.map((key, i) => [key, values[i] ?? null]))
}

/** What a branch's value is filed under: its last `as`, else what its last call calls. */
export function branchKey(branch: Chain, index: number): string {
  const steps = stepsOf(branch)
  for (const step of steps.toReversed()) if (step.as !== undefined) return step.as.name
  for (const step of steps.toReversed()) if (step.kind === 'Call') return calleeOf(step)
  return branchLetters(index)
}

/** a, b, … z, aa, ab, … */
export function branchLetters(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26))
  return index < 26 ? letter : branchLetters(Math.floor(index / 26) - 1) + letter
}
