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
    under = turn().then(() => {
      since = performance.now()
      under = undefined
    })
    return under
  }
}

/** A task of its own: what waits to be drawn or handled comes first. Timers are no use, they are slowed down to 4 ms. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
