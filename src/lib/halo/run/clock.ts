import { sleep } from '../tools/middleware/time.ts'
import type { Clock } from './types.ts'

/** The longest wait a timer takes: above it, it fires at once. */
const LONGEST = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; ; left -= LONGEST) {
      await sleep(Math.min(left, LONGEST), signal)
      if (left <= LONGEST) return
    }
  },
  uuid: () => crypto.randomUUID(),
}
