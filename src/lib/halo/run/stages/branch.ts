import type { BranchStage } from '../../syntax/ast.ts'
import { truthy } from '../expression.ts'
import { valueOf, type Frame } from '../frame.ts'
import { bodyPlace, runChain, type Place } from '../interpreter.ts'
import { conditionOf } from './loop.ts'

/** The first arm whose condition holds; none: the value flows on. */
export async function runBranch(frame: Frame, stage: BranchStage, { path }: Place): Promise<unknown> {
  for (const [i, arm] of stage.arms.entries()) {
    const here = `${path}?${i + 1}`
    if (arm.condition !== undefined) {
      const { condition } = conditionOf(frame, arm.condition, here)
      if (!truthy(await valueOf(frame, condition, here, 'condition'))) continue
    }
    return runChain(frame, arm.body, bodyPlace(here, arm.body))
  }
  return frame.input
}
