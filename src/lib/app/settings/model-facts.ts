import { providerInfo } from '../../halo/models/catalogue.ts'
import type { ListedModel } from '../../halo/models/list.ts'
import { modelInfo, priceOf } from '../../halo/models/prices.ts'
import type { Price, PriceList } from '../../halo/models/types.ts'

/** 128,000 as `128k`, 1,048,576 as `1M`. */
export function tokens(n: number): string {
  if (n >= 1_000_000) return `${trim(n / 1_000_000)}M`
  return n >= 1000 ? `${trim(n / 1000)}k` : String(n)
}
const trim = (n: number): string => (n >= 10 ? String(Math.round(n)) : n.toFixed(1).replace(/\.0$/, ''))

const amount = (n: number): string => `$${n >= 1 || n === 0 ? String(Number(n.toFixed(2))) : String(Number(n.toPrecision(3)))}`

/** What a million tokens cost, in words. */
export function priceText(price: Price): string {
  if (price.input === 0 && price.output === 0) return 'free'
  const cached = price.cacheRead === undefined ? '' : `, ${amount(price.cacheRead)} cached`
  return `${amount(price.input)} in${cached}, ${amount(price.output)} out per 1M`
}

/** Context window, price and what the provider's interface can't do with a model, as far as they are known. */
export function modelFacts(provider: string, id: string, listed?: ListedModel, prices?: PriceList): string[] {
  const info = modelInfo(provider, id)
  const window = info?.contextWindow ?? listed?.contextWindow
  const price = priceOf(provider, id, prices)
  return [
    ...(window === undefined ? [] : [`${tokens(window)} tokens`]),
    ...(price === undefined ? [] : [priceText(price)]),
    ...(info?.deprecated ? ['deprecated'] : []),
    ...(providerInfo(provider)?.capabilities.supportsTools === false ? ['no tools'] : []),
  ]
}

/** What can be done with models of a provider, for a hover text. */
export function abilities(provider: string): string[] {
  const can = providerInfo(provider)?.capabilities
  if (!can) return []
  const images = { 'in results': 'images', 'after results': 'images', 'prompt only': 'images in prompts only', no: 'no images' }[can.images]
  return [
    can.streaming ? 'streams' : 'no streaming',
    can.supportsTools ? (can.parallelCalls ? 'tools, several at once' : 'tools, one at a time') : 'no tools',
    images,
    can.structuredOutput === 'native' ? 'typed answers by the provider' : 'typed answers asked for in words',
    ...(can.cors === 'no' ? ['takes no calls from web pages'] : []),
  ]
}
