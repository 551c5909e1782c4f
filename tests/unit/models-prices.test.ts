import { readFileSync } from 'node:fs'
import { calcPrice } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { costOf, loadPrices, loadedPrices, modelInfo, PRICE_DATE, PRICE_VERSION, priceOf, worstCost } from '../../src/lib/halo/models/prices.ts'
import type { Price, Usage } from '../../src/lib/halo/models/types.ts'

test('before the price list is loaded, given prices and free providers are known', () => {
  expect(loadedPrices()).toBeUndefined()
  expect(priceOf('openai', 'gpt-4o')).toBeUndefined()
  expect(priceOf('openai', 'gpt-4o', { 'openai/gpt-4o': { input: 5, output: 15 } })).toEqual({ input: 5, output: 15 })
  for (const free of ['mock', 'ollama', 'browser']) expect(priceOf(free, 'anything')).toEqual({ input: 0, output: 0 })
})

describe('with the price list', () => {
  beforeAll(() => loadPrices())

  test('its date and version are those of the package that is installed', () => {
    const installed = JSON.parse(readFileSync('node_modules/@pydantic/genai-prices/package.json', 'utf8')) as { version: string }
    expect(PRICE_VERSION).toBe(installed.version)
    expect(PRICE_DATE).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(loadedPrices()).toMatchObject({ date: PRICE_DATE, version: PRICE_VERSION })
  })

  test('knows the prices of models, in dollars per million tokens', () => {
    expect(priceOf('openai', 'gpt-4o')).toEqual({ input: 2.5, output: 10, cacheRead: 1.25 })
    expect(priceOf('anthropic', 'claude-sonnet-4-5')).toMatchObject({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, tiers: [{ above: 200_000, input: 6, output: 22.5 }] })
    expect(priceOf('openrouter', 'meta-llama/llama-3.1-8b-instruct:free')).toEqual({ input: 0, output: 0 })
    expect(priceOf('openai', 'text-embedding-3-small')).toEqual({ input: 0.02, output: 0 })
    expect(priceOf('together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo')).toEqual({ input: 0.88, output: 0.88 })
  })

  test('knows no price of models and providers it has not heard of, or that answer with no text', () => {
    for (const [provider, model] of [['openai', 'gpt-none'], ['replicate', 'meta/llama'], ['openai-compatible', 'qwen'], ['openai', 'gpt-transcribe'], ['__proto__', 'x']] as const) {
      expect(priceOf(provider, model)).toBeUndefined()
    }
  })

  test('a given price goes before the known one, also of a free provider', () => {
    expect(priceOf('openai', 'gpt-4o', { 'openai/gpt-4o': { input: 1, output: 2 } })).toEqual({ input: 1, output: 2 })
    expect(priceOf('ollama', 'qwen3', { 'ollama/qwen3': { input: 1, output: 2 } })).toEqual({ input: 1, output: 2 })
    expect(priceOf('openai', 'gpt-4o', { 'openai/gpt-4': { input: 1, output: 2 } })?.input).toBe(2.5)
  })

  test('knows context windows, and lists the models of a provider', () => {
    expect(modelInfo('openai', 'gpt-4o')).toMatchObject({ id: 'gpt-4o', contextWindow: 128_000 })
    const models = loadedPrices()?.models('anthropic') ?? []
    expect(models.length).toBeGreaterThan(10)
    expect(models.every(({ price }) => price && price.output > 0)).toBe(true)
  })

  test.each([
    ['openai', 'gpt-4o'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['google', 'gemini-2.5-pro'],
  ])('counts the cost of any usage of %s/%s as the library does', (provider, model) => {
    const price = priceOf(provider, model) ?? expect.fail()
    const usage = fc.record({ read: fc.nat(300_000), write: fc.nat(100_000), plain: fc.nat(300_000), output: fc.nat(100_000) })
    fc.assert(
      fc.property(usage, ({ read, write, plain, output }) => {
        // OpenAI and Google have no price of writing, and so report none.
        const cacheWrite = price.cacheWrite === undefined ? 0 : write
        const input = read + cacheWrite + plain
        const theirs = calcPrice({ input_tokens: input, cache_read_tokens: read, cache_write_tokens: cacheWrite, output_tokens: output }, model, { providerId: provider })
        expect(costOf({ input, output, cacheRead: read, cacheWrite }, price)).toBeCloseTo(theirs?.total_price ?? -1, 9)
      }),
    )
  })
})

test('cached tokens cost what others do where no other price is known', () => {
  expect(costOf({ input: 1_000_000, output: 0, cacheRead: 400_000, cacheWrite: 100_000 }, { input: 2, output: 8 })).toBe(2)
})

test('counts that contradict themselves never make a cost negative', () => {
  expect(costOf({ input: 10, output: 0, cacheRead: 50, cacheWrite: 50 }, { input: 1, output: 1, cacheRead: 0.1 })).toBeCloseTo(1e-6)
})

test('no usage within the counted tokens costs more than the worst case', () => {
  const rate = fc.double({ min: 0, max: 100, noNaN: true })
  const tier = fc.record({ above: fc.nat(1000), input: rate, output: rate, cacheRead: fc.option(rate, { nil: undefined }), cacheWrite: fc.option(rate, { nil: undefined }) })
  const price = fc.record({ input: rate, output: rate, cacheRead: fc.option(rate, { nil: undefined }), cacheWrite: fc.option(rate, { nil: undefined }), tiers: fc.option(fc.array(tier).map((tiers) => tiers.sort((a, b) => a.above - b.above)), { nil: undefined }) })
  const usage = fc.record({ input: fc.nat(2000), output: fc.nat(2000), cacheRead: fc.nat(2000), cacheWrite: fc.nat(2000) })
  fc.assert(
    fc.property(price as fc.Arbitrary<Price>, usage as fc.Arbitrary<Usage>, fc.nat(100), (rates, used, more) => {
      expect(costOf(used, rates)).toBeLessThanOrEqual(worstCost(used.input + more, used.output + more, rates) + 1e-12)
    }),
  )
})
