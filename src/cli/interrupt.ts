/** Ctrl-C: the first stops what is running, a second leaves at once. */
import { CANCELLED } from './exit.ts'

export function interruptible(): { signal: AbortSignal; interrupt: () => void } {
  const controller = new AbortController()
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(CANCELLED)
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return { signal: controller.signal, interrupt }
}
