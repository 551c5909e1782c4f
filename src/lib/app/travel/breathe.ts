import { macrotask } from '../../halo/models/slices.ts'

/** Milliseconds of work after which the page gets its turn: of a task that people don't feel. */
const SLICE = 12

/** Long work asks it now and then whether to wait; what it gives resolves once the page has had its turn. */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now()
  // Parallel work that asks meanwhile waits for the same turn.
  let under: Promise<void> | undefined
  return () => {
    if (under !== undefined) return under
    if (performance.now() - since < SLICE) return undefined
    under = macrotask().then(() => {
      since = performance.now()
      under = undefined
    })
    return under
  }
}
