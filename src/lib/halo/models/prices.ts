/**
 * What models cost, from @pydantic/genai-prices. Its data (about 90 KB compressed) is fetched by `loadPrices`, once;
 * the look-ups here are synchronous and before that know only price lists given to them and the providers that are free.
 */
import type { Price, PriceList, PriceTier, Usage } from './types.ts'

/** Release of the price data: its day of publication, and the package's version (a test compares it with the one installed). */
export const PRICE_DATE = '2026-09-23'
export const PRICE_VERSION = '0.1.8'

/** What is known of a model beside its price. */
export interface ModelInfo {
  /** As written after the provider's prefix. */
  id: string
  name?: string
  description?: string
  /** Tokens. */
  contextWindow?: number
  deprecated?: boolean
  price?: Price
}

/** The loaded price data. */
export interface PriceTable {
  /** ISO day the prices were published. */
  date: string
  version: string
  price(provider: string, model: string): Price | undefined
  info(provider: string, model: string): ModelInfo | undefined
  /** Every model of the provider that has a price for text or for embedding it. */
  models(provider: string): ModelInfo[]
}

/** Providers whose models run on the person's own machine, or nowhere. */
const free = new Set(['mock', 'ollama', 'browser'])
const nothing: Price = Object.freeze({ input: 0, output: 0 })

let table: PriceTable | undefined
let loading: Promise<PriceTable> | undefined

/** Fetch the price data; afterwards `priceOf` and `modelInfo` know it. Rejects when its chunk can't be fetched; call again then. */
export function loadPrices(): Promise<PriceTable> {
  loading ??= import('./price-table.ts').then(
    ({ createPriceTable }) => (table = createPriceTable(PRICE_DATE, PRICE_VERSION)),
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** The price data, if it has been loaded. */
export const loadedPrices = (): PriceTable | undefined => table

/**
 * The price of a model in US dollars per million tokens; `undefined` when there is none (or, before `loadPrices`, none yet).
 * `overrides` wins over everything, its keys are `provider/model`.
 */
export function priceOf(provider: string, model: string, overrides?: PriceList): Price | undefined {
  const key = `${provider}/${model}`
  if (overrides && Object.hasOwn(overrides, key)) return overrides[key]
  return free.has(provider) ? nothing : table?.price(provider, model)
}

/** Name, context window and price of a model, as far as they are known. */
export function modelInfo(provider: string, model: string): ModelInfo | undefined {
  return table?.info(provider, model)
}

/** US dollars for what a request used. Cached tokens are part of `usage.input`; each has its own price where the provider has one. */
export function costOf(usage: Usage, price: Price): number {
  const rate = rateFor(price, usage.input)
  const read = Math.min(usage.cacheRead ?? 0, usage.input)
  const write = Math.min(usage.cacheWrite ?? 0, usage.input - read)
  const plain = usage.input - read - write
  return (
    (plain * rate.input + read * (rate.cacheRead ?? rate.input) + write * (rate.cacheWrite ?? rate.input) + usage.output * rate.output) / 1e6
  )
}

/**
 * The most that a request of at most so many tokens can cost, in US dollars: the dearest tier it can reach, every input
 * token written to the cache where that costs more.
 */
export function worstCost(inputTokens: number, outputTokens: number, price: Price): number {
  const reachable = [price, ...(price.tiers ?? []).filter((tier) => inputTokens > tier.above)]
  const input = Math.max(...reachable.map((rate) => Math.max(rate.input, rate.cacheWrite ?? 0, rate.cacheRead ?? 0)))
  const output = Math.max(...reachable.map((rate) => rate.output))
  return (inputTokens * input + outputTokens * output) / 1e6
}

function rateFor(price: Price, input: number): Price | PriceTier {
  return price.tiers?.findLast((tier) => input > tier.above) ?? price
}
