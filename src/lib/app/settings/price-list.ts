import { HaloError } from '../../halo/errors.ts'
import type { Price, PriceList, PriceTier } from '../../halo/models/types.ts'

const RATES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

/** Checks a price list: what is right in it, and a sentence for each thing that isn't. */
export function readPrices(value: unknown): { prices: PriceList | undefined; faults: string[] } {
  if (value === undefined) return { prices: undefined, faults: [] }
  if (!isObject(value)) return { prices: undefined, faults: ['A price list is an object: { "openai/gpt-4o": { "input": 5, "output": 15 } }.'] }
  const faults: string[] = []
  const prices: PriceList = {}
  for (const [model, price] of Object.entries(value)) {
    const wrong = [...(/^[^/\s]+\/\S+$/.test(model) ? [] : [`“${model}” is no model: write provider/id.`]), ...priceFaults(model, price)]
    faults.push(...wrong)
    if (wrong.length === 0) prices[model] = price as Price
  }
  return { prices, faults }
}

/** @throws HaloError VALIDATION with every fault */
export function parsePrices(text: string): PriceList | undefined {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw new HaloError('VALIDATION', `This isn’t JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}.`)
  }
  const { prices, faults } = readPrices(value)
  if (faults.length > 0) throw new HaloError('VALIDATION', faults.join('\n'))
  return prices
}

function priceFaults(model: string, price: unknown): string[] {
  if (!isObject(price)) return [`“${model}” needs { "input": …, "output": … } in US dollars per million tokens.`]
  const known = new Set<string>([...RATES, 'tiers'])
  return [
    ...Object.keys(price).filter((name) => !known.has(name)).map((name) => `“${model}” has “${name}”, which is no price. There are ${[...known].join(', ')}.`),
    ...rateFaults(model, price),
    ...(price.tiers === undefined ? [] : tierFaults(model, price.tiers)),
  ]
}

function rateFaults(where: string, price: Record<string, unknown>): string[] {
  return RATES.filter((rate) => (price[rate] === undefined ? rate === 'input' || rate === 'output' : !isAmount(price[rate]))).map(
    (rate) => `“${where}” needs a number of at least 0 as “${rate}”.`,
  )
}

function tierFaults(model: string, tiers: unknown): string[] {
  if (!Array.isArray(tiers)) return [`“${model}”: tiers are a list.`]
  const faults = tiers.flatMap((tier: unknown, at) => (isObject(tier) && isAmount(tier.above) ? rateFaults(`${model}, tier ${at + 1}`, tier) : [`“${model}”, tier ${at + 1} needs “above” in tokens.`]))
  if (faults.length > 0) return faults
  const steps = tiers as PriceTier[]
  return steps.some((tier, at) => at > 0 && tier.above <= (steps[at - 1]?.above ?? 0)) ? [`“${model}”: tiers must rise.`] : []
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0
