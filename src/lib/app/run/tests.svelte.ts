import type { TestOutcome } from '../../halo/testing/index.ts'

/** Results of a file's test blocks, as they come. */
export class TestResults {
  #outcomes = $state.raw<TestOutcome[]>([])
  #running = $state(false)
  #fault = $state('')
  #total: number
  #abort = new AbortController()

  constructor(total: number) {
    this.#total = total
  }
  get outcomes(): readonly TestOutcome[] {
    return this.#outcomes
  }
  get running(): boolean {
    return this.#running
  }
  get total(): number {
    return Math.max(this.#total, this.#outcomes.length)
  }
  get fault(): string {
    return this.#fault
  }
  get failed(): number {
    return this.#outcomes.filter((outcome) => !outcome.passed).length
  }

  async play(run: (signal: AbortSignal) => AsyncIterable<TestOutcome>): Promise<void> {
    this.#running = true
    try {
      for await (const outcome of run(this.#abort.signal)) {
        if (this.#abort.signal.aborted) break
        this.#outcomes = [...this.#outcomes, outcome]
      }
    } catch (thrown) {
      this.#fault = thrown instanceof Error ? thrown.message : String(thrown)
    }
    this.#running = false
  }
  stop(): void {
    this.#abort.abort()
    this.#running = false
  }
}
