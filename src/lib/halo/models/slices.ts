/** An answer's bytes in small slices, with breaks between them, so that a page can draw and be clicked while much arrives at once. */

/** Bytes handed on at a time: what one takes to read, some 50 events, is about a millisecond's work. */
const SLICE = 16 * 1024
/** Milliseconds of work after which others get a turn. */
const TURN = 8

/**
 * The same bytes. Readers of a stream wait by microtasks only, so whatever has arrived is read without a break: a megabyte in one
 * piece would hold the page for seconds. `note` is told the text as it goes by.
 */
export function inSlices(body: ReadableStream<Uint8Array>, note: (text: string) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest: Uint8Array | undefined
  let turnBegan = performance.now()
  return new ReadableStream(
    {
      async pull(controller) {
        if (performance.now() - turnBegan > TURN) {
          await macrotask()
          turnBegan = performance.now()
        }
        while (rest === undefined || rest.length === 0) {
          const { done, value } = await reader.read()
          if (done) {
            controller.close()
            return
          }
          rest = value
        }
        const slice = rest.subarray(0, SLICE)
        rest = rest.subarray(SLICE)
        note(decoder.decode(slice, { stream: true }))
        controller.enqueue(slice)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Resolves in a task of its own. A message, since timers are held back in a page that isn't seen. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
