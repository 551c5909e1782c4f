/** The most that an agent's call can cost, by the formula of the reference and under the stated assumptions of the second figure. */
import { worstCost } from '../models/prices.ts'
import type { Price } from '../models/types.ts'

/** Tokens counted for what a prompt holds beside what is written: its inputs. */
export const INPUT_TOKENS = 2000
export const CHARS_PER_TOKEN = 4
export const MAX_TOKENS = 4096
export const MAX_STEPS = 10
export const TOOL_RESULT_CHARS = 16_000
/** Calls that an agent is taken to ask for in one step at most, for the second figure. */
export const CALLS_PER_STEP = 8
/** Tokens around each message, call and cut result that no text accounts for. */
const OVERHEAD_TOKENS = 100

export const BOUND_ASSUMPTIONS: readonly string[] = [
  'a token for each UTF-8 byte of written text, schemas and feedback',
  `at most ${INPUT_TOKENS} tokens for inputs of a prompt`,
  `at most ${CALLS_PER_STEP} tool calls a step, each with a result of tool_result_chars tokens`,
  'the dearest tier, every input token at the price of a cache write where that is dearer',
]

export interface AgentCallSize {
  /** Characters of the written prompt and the system prompt. */
  chars: number
  /** The same in UTF-8 bytes, with the schemas sent with each request. */
  bytes: number
  /** Tokens that stores and a loop's feedback may add to the prompt. */
  added: number
  /** Are tools offered? */
  tools: boolean
  maxSteps: number
  maxTokens: number
  toolResultChars: number
  /** `@correct`: further answers in the same conversation. */
  corrections: number
  /** `@retry`: further attempts of each request. */
  retries: number
}

/** Requests of one conversation, retries not counted. */
export function requestsOf({ tools, maxSteps, corrections }: Pick<AgentCallSize, 'tools' | 'maxSteps' | 'corrections'>): number {
  return (corrections + 1) * (tools ? maxSteps + 1 : 1)
}

/**
 * US dollars: `r` requests, each with the written text and 2,000 tokens and all replies before it, and a full reply.
 * Input `r·b + m·(0 + … + (r-1))`, output `r·m`.
 */
export function formulaCost(size: AgentCallSize, price: Price): number {
  const r = requestsOf(size)
  const b = Math.ceil(size.chars / CHARS_PER_TOKEN) + INPUT_TOKENS
  const m = size.maxTokens
  const input = r * b + (m * r * (r - 1)) / 2
  return ((input * price.input + r * m * price.output) * (size.retries + 1)) / 1e6
}

/**
 * US dollars of the same conversation where the provider reads from its cache what it was sent before: of each request only
 * what is new in it is paid in full (as a cache write where that has a price of its own). What is likely, not a bound.
 */
export function cachedCost(size: AgentCallSize, price: Price): number {
  const r = requestsOf(size)
  const b = Math.ceil(size.chars / CHARS_PER_TOKEN) + INPUT_TOKENS
  const m = size.maxTokens
  const fresh = b + m * (r - 1)
  const again = r * b + (m * r * (r - 1)) / 2 - fresh
  const input = r === 1 ? fresh * price.input : fresh * (price.cacheWrite ?? price.input) + again * (price.cacheRead ?? price.input)
  return ((input + r * m * price.output) * (size.retries + 1)) / 1e6
}

/** Requests summed one by one; of a longer conversation each counts as its last and dearest. */
const SUMMED_REQUESTS = 10_000

/** US dollars, under `BOUND_ASSUMPTIONS`. */
export function boundCost(size: AgentCallSize, price: Price): number {
  const r = requestsOf(size)
  const first = size.bytes + INPUT_TOKENS + size.added + OVERHEAD_TOKENS
  const results = size.tools ? CALLS_PER_STEP * (size.toolResultChars + OVERHEAD_TOKENS) : 0
  const growth = size.maxTokens + results + OVERHEAD_TOKENS
  if (r > SUMMED_REQUESTS) return r * worstCost(first + (r - 1) * growth, size.maxTokens, price) * (size.retries + 1)
  let dollars = 0
  for (let request = 0; request < r; request++) dollars += worstCost(first + request * growth, size.maxTokens, price)
  return dollars * (size.retries + 1)
}
