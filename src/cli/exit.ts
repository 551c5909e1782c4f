/** Exit codes, and the one error that means the command was written wrongly. */
import type { RunStatus } from '../lib/halo/run/types.ts'

export const DONE = 0
export const FAILED = 1
export const WRONG_USAGE = 2
export const PAUSED = 3
export const CANCELLED = 130

/** Printed without a code; exit 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

export function exitOf(status: RunStatus): number {
  switch (status) {
    case 'completed':
      return DONE
    case 'failed':
    case 'declined':
      return FAILED
    case 'paused':
      return PAUSED
    case 'cancelled':
      return CANCELLED
  }
}
