import { HaloError } from '../errors.ts'
import { worstCost } from '../models/prices.ts'
import type { Price } from '../models/types.ts'
import type { CancelScope } from './cancel.ts'

/** Below this many tokens an answer is not worth asking for. */
const LEAST_TOKENS = 64

/** What one request may come to at the most: input in tokens, at the dearest rate it can be billed at. */
export interface Worst {
  inputTokens: number
  price: Price
}

export interface Reservation {
  maxTokens: number
  /** `max_tokens` was lowered so that the request fits into what is left. */
  lowered: boolean
  /** The request is over: gives back what it didn't use. */
  settle(cost: number): void
}

/**
 * What a run has spent and what its open requests may still come to, in US dollars. MaxSpend is hard because a request is
 * only sent when its worst case fits, parallel ones included.
 */
export class Spend {
  #spent = 0
  #reserved = 0
  #open = 0
  #waiting: (() => void)[] = []

  /** Does any policy of the program limit spending? Where none does, what a request may come to needn't be known. */
  readonly matters: boolean

  constructor(matters: boolean) {
    this.matters = matters
  }

  get spent(): number {
    return this.#spent
  }

  /** Money that went another way: an answer from the journal, a request whose outcome got lost. */
  add(cost: number): void {
    this.#spent += cost
  }

  async reserve(worst: Worst, maxTokens: number, limit: { dollars: number; policy: string } | undefined, scope: CancelScope): Promise<Reservation> {
    const { price } = worst
    const input = worstCost(worst.inputTokens, 0, price)
    const perToken = worstCost(worst.inputTokens, 1, price) - input
    let tokens = maxTokens
    if (limit !== undefined) {
      for (;;) {
        const left = limit.dollars - this.#spent - this.#reserved
        if (input + maxTokens * perToken <= left) break
        if (this.#open > 0) {
          await scope.wait(new Promise<void>((resolve) => this.#waiting.push(resolve)))
          continue
        }
        tokens = input > left ? 0 : perToken === 0 ? maxTokens : Math.floor((left - input) / perToken)
        if (tokens >= LEAST_TOKENS) break
        throw new HaloError(
          'SPEND_LIMIT',
          `MaxSpend of policy ${limit.policy} leaves $${Math.max(0, limit.dollars - this.#spent).toFixed(4)} of $${limit.dollars}: too little for the next request. Raise the limit, or lower max_tokens or max_steps.`,
        )
      }
    }
    tokens = Math.min(tokens, maxTokens)
    const amount = input + tokens * perToken
    this.#reserved += amount
    this.#open++
    let settled = false
    return {
      maxTokens: tokens,
      lowered: tokens < maxTokens,
      settle: (cost) => {
        if (settled) return
        settled = true
        this.#reserved -= amount
        this.#open--
        if (this.#open === 0) this.#reserved = 0
        this.#spent += cost
        const waiting = this.#waiting
        this.#waiting = []
        for (const go of waiting) go()
      },
    }
  }
}
