import { sleep } from '../tools/middleware/time.ts'
import type { Clock } from './types.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep,
  uuid: () => crypto.randomUUID(),
}
