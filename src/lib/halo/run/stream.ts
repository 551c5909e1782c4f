import type { HaloEvent, RunResult } from './types.ts'

export type HaloStream = AsyncIterable<HaloEvent> & { result: Promise<RunResult> }

/** Events of a run, kept until they are read; ends with the run's result. */
export class EventStream {
  readonly #events: HaloEvent[] = []
  #wake: () => void = () => {}
  #over = false

  push(event: HaloEvent): void {
    this.#events.push(event)
    this.#wake()
  }

  until(result: Promise<RunResult>): HaloStream {
    const over = () => {
      this.#over = true
      this.#wake()
    }
    result.then(over, over)
    return { result, [Symbol.asyncIterator]: () => this.#read() }
  }

  async *#read(): AsyncGenerator<HaloEvent> {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event
      if (this.#over) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
