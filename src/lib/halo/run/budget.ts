/** What one evaluation may use, so that an expression can neither hang a run nor fill the memory. */
import { HaloError } from '../errors.ts'

/** Steps of one evaluation: a node evaluated, an item visited, a few characters read. */
export const OPERATION_LIMIT = 1_000_000
/** What one evaluation may build, in characters of texts; an item of a list or a field counts eight. */
export const SIZE_LIMIT = 10_000_000
/** Deeper values are refused: walking them needs a stack of their own. */
export const DEPTH_LIMIT = 1_000

export interface Budget {
  operations: number
  size: number
}

export function newBudget(): Budget {
  return { operations: 0, size: 0 }
}

/** Counts `count` operations. Throws EXPRESSION_LIMIT when there are too many. */
export function spend(budget: Budget, count = 1): void {
  budget.operations += count
  if (budget.operations > OPERATION_LIMIT) {
    throw new HaloError('EXPRESSION_LIMIT', 'The expression takes more than a million operations. Work on a part of the value, or do this in a tool.')
  }
}

/** Counts `size` before it is built. Throws EXPRESSION_LIMIT when it would be too much. */
export function grow(budget: Budget, size: number): void {
  budget.size += size
  if (budget.size > SIZE_LIMIT) {
    throw new HaloError('EXPRESSION_LIMIT', 'The expression builds more than 10 MB. Work on a part of the value, or do this in a tool.')
  }
}

/** Reading a text costs an operation for every 64 characters: a native scan is that much faster than a step here. */
export function scan(budget: Budget, length: number): void {
  spend(budget, 1 + (length >> 6))
}
