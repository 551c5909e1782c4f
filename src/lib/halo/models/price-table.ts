/** The only module that knows @pydantic/genai-prices. Loaded on first use, through prices.ts. */
import { calcPrice, findProvider } from '@pydantic/genai-prices'
import type { ModelPrice, ModelInfo as PricedModel, TieredPrices } from '@pydantic/genai-prices'
import type { ModelInfo, PriceTable } from './prices.ts'
import type { Price, PriceTier } from './types.ts'

export function createPriceTable(date: string, version: string): PriceTable {
  return {
    date,
    version,
    price: (provider, model) => lookUp(provider, model)?.price,
    info: (provider, model) => lookUp(provider, model),
    models(provider) {
      const found = findProvider({ providerId: provider })
      return (found?.models ?? []).flatMap(({ id }) => {
        const info = lookUp(provider, id)
        return info?.price ? [info] : []
      })
    },
  }
}

function lookUp(provider: string, model: string): ModelInfo | undefined {
  if (!findProvider({ providerId: provider })) return undefined
  // calcPrice picks the price in force today where a model has several with dates.
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: provider })
  return found ? describe(model, found.model, found.model_price) : undefined
}

function describe(id: string, model: PricedModel, price: ModelPrice): ModelInfo {
  return {
    id,
    name: model.name,
    description: model.description,
    contextWindow: model.context_window,
    deprecated: model.deprecated,
    price: toPrice(id, price),
  }
}

/** The four rates of text. Models without an output price answer with something else than text; those that embed have no output. */
function toPrice(id: string, price: ModelPrice): Price | undefined {
  // Without any rate: free where the id says so; else the library only knows that the model exists.
  if (Object.keys(price).length === 0) return id.endsWith(':free') ? { input: 0, output: 0 } : undefined
  if (price.input_mtok === undefined || (price.output_mtok === undefined && !/embed/.test(id))) return undefined
  const tiers = thresholds(price).map((above): PriceTier => ({ above, ...rates(price, above) }))
  return { ...rates(price, 0), ...(tiers.length > 0 ? { tiers } : {}) }
}

function rates(price: ModelPrice, above: number): { input: number; output: number; cacheRead?: number; cacheWrite?: number } {
  const cacheRead = rateAt(price.cache_read_mtok, above)
  const cacheWrite = rateAt(price.cache_write_mtok, above)
  return {
    input: rateAt(price.input_mtok, above) ?? 0,
    output: rateAt(price.output_mtok, above) ?? 0,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  }
}

function rateAt(rate: number | TieredPrices | undefined, above: number): number | undefined {
  if (rate === undefined || typeof rate === 'number') return rate
  return rate.tiers.findLast((tier) => tier.start <= above)?.price ?? rate.base
}

function thresholds(price: ModelPrice): number[] {
  const text = [price.input_mtok, price.output_mtok, price.cache_read_mtok, price.cache_write_mtok]
  const starts = text.flatMap((rate) => (typeof rate === 'object' ? rate.tiers.map((tier) => tier.start) : []))
  return [...new Set(starts)].sort((a, b) => a - b)
}
