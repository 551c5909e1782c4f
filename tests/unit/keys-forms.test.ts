import { describe, expect, test } from 'vitest'
import { connectionFor } from '../../src/lib/halo/models/credentials.ts'
import { applyDraft, credentialsOf, viewOf, type ProviderDraft } from '../../src/lib/app/settings/provider-form.ts'
import { parsePrices } from '../../src/lib/app/settings/price-list.ts'
import { priceText, tokens } from '../../src/lib/app/settings/model-facts.ts'
import type { ProviderKeys } from '../../src/lib/storage/keys-record.ts'

const KEY = 'sk-planted-0123456789abcdefWXYZ'
const draft = (given: Partial<ProviderDraft> = {}): ProviderDraft => ({ apiKey: '', baseUrl: '', headers: [], models: '', ...given })
const saved = applyDraft('openai', undefined, draft({ apiKey: `  ${KEY}\n` }))
const request = (provider: string, baseUrl?: string) => ({ provider, model: 'm', messages: [], tools: [], toolChoice: 'none' as const, maxTokens: 1, agent: '', task: '', step: 1, baseUrl })

describe('a provider’s form', () => {
  test('keeps a key with the origin it is for, without the blanks around it', () => {
    expect(saved).toEqual({ apiKey: KEY, origin: 'https://api.openai.com' })
  })

  test('shows no more of a key than its last four characters', () => {
    expect(JSON.stringify(viewOf('openai', { ...saved, headers: { 'x-org': 'secret-of-the-header-ABCD' } }))).not.toMatch(/planted|secret-of/)
    expect(viewOf('openai', saved).keyEnd).toBe('WXYZ')
    expect(viewOf('openai', { apiKey: 'short-key', origin: 'https://api.openai.com' }).keyEnd).toBe('')
  })

  test('left empty keeps the key, and removes it when told', () => {
    expect(applyDraft('openai', saved, draft())).toEqual(saved)
    expect(applyDraft('openai', saved, draft({ removeKey: true }))).toEqual({})
  })

  test('moved to another address doesn’t take the key along', async () => {
    const moved = applyDraft('openai', saved, draft({ baseUrl: 'https://gateway.example/v1' }))
    expect(moved).toMatchObject({ apiKey: KEY, origin: 'https://api.openai.com', baseUrl: 'https://gateway.example/v1' })
    expect(viewOf('openai', moved).elsewhere).toBe(true)
    expect(() => credentialsOf('openai', moved)).toThrow('belongs to https://api.openai.com')
    await expect(connectionFor(request('openai'), (provider) => credentialsOf(provider, moved))).rejects.toThrow('Enter the key again in Settings')
    // Back again it is as before.
    expect(credentialsOf('openai', applyDraft('openai', moved, draft()))).toEqual({ apiKey: KEY })
  })

  test('a key typed for the new address is bound to that one', async () => {
    const moved = applyDraft('openai', saved, draft({ apiKey: 'sk-of-the-gateway', baseUrl: 'https://gateway.example/v1' }))
    const keys = (provider: string) => credentialsOf(provider, moved)
    expect(moved.origin).toBe('https://gateway.example')
    expect(await connectionFor(request('openai'), keys)).toMatchObject({ baseUrl: 'https://gateway.example/v1', apiKey: 'sk-of-the-gateway' })
    // A program's own address gets nothing.
    const other = await connectionFor(request('openai', 'https://evil.example/v1'), keys)
    expect(JSON.stringify(other)).not.toContain('sk-of')
    expect(await connectionFor(request('openai', 'http://localhost:1234/v1'), keys)).not.toHaveProperty('apiKey')
  })

  test('headers move only with everything else', () => {
    const kept: ProviderKeys = { ...saved, headers: { 'x-team': 'secret-team' } }
    const headers = [{ name: 'x-team' }]
    expect(applyDraft('openai', kept, draft({ headers }))).toEqual(kept)
    expect(() => applyDraft('openai', kept, draft({ apiKey: 'sk-new', baseUrl: 'https://gateway.example', headers }))).toThrow('enter the key and every header anew')
    expect(applyDraft('openai', kept, draft({ apiKey: 'sk-new', baseUrl: 'https://gateway.example' }))).toEqual({
      apiKey: 'sk-new', origin: 'https://gateway.example', baseUrl: 'https://gateway.example',
    })
  })

  test('a server without an address of its own needs one before it gets a key', () => {
    expect(() => applyDraft('openai-compatible', undefined, draft({ apiKey: 'sk-x' }))).toThrow('give the base URL first')
    expect(applyDraft('openai-compatible', undefined, draft({ apiKey: 'sk-x', baseUrl: 'http://localhost:1234/v1' })).origin).toBe('http://localhost:1234')
  })

  test.each([
    ['localhost:1234', 'must begin with https'],
    ['file:///etc', 'must begin with https'],
    ['https://user:word@x.example', 'user name or password'],
    ['https://x.example/v1?key=1', 'leave out ? and #'],
  ])('refuses the address %s', (baseUrl, words) => {
    expect(() => applyDraft('openai', undefined, draft({ baseUrl }))).toThrow(words)
  })

  test('refuses keys that were copied wrongly, without repeating them', () => {
    for (const apiKey of ['sk-a b', 'sk-…', 'sk-\u200b0123456789']) {
      expect(() => applyDraft('openai', undefined, draft({ apiKey }))).toThrow(/^(?!.*sk-).*Copy it again/)
    }
  })

  test('refuses headers that can’t be sent, or stand there twice', () => {
    expect(() => applyDraft('openai', undefined, draft({ headers: [{ name: 'a b', value: 'x' }] }))).toThrow('can’t be sent')
    expect(() => applyDraft('openai', undefined, draft({ headers: [{ name: 'x', value: 'a\nb' }] }))).toThrow('can’t be sent')
    expect(() => applyDraft('openai', undefined, draft({ headers: [{ name: 'x', value: '1' }, { name: 'X', value: '2' }] }))).toThrow('twice')
    expect(() => applyDraft('openai', undefined, draft({ headers: [{ name: 'x', value: '' }] }))).toThrow('no value')
  })

  test('takes models one in each line, with or without the provider’s prefix', () => {
    expect(applyDraft('openai', undefined, draft({ models: 'gpt-x\n openai/gpt-y , gpt-x\n' })).models).toEqual(['gpt-x', 'gpt-y'])
    expect(() => applyDraft('openai', undefined, draft({ models: 'my model' }))).toThrow('can’t be the name of a model')
  })
})

describe('a price list', () => {
  test('is taken as it is written', () => {
    expect(parsePrices('{ "openai/gpt-4o": { "input": 5, "output": 15, "cacheRead": 2.5, "tiers": [{ "above": 1000, "input": 6, "output": 20 }] } }')).toEqual({
      'openai/gpt-4o': { input: 5, output: 15, cacheRead: 2.5, tiers: [{ above: 1000, input: 6, output: 20 }] },
    })
    expect(parsePrices('  ')).toBeUndefined()
  })

  test.each([
    ['{', 'isn’t JSON'],
    ['[]', 'is an object'],
    ['{ "gpt-4o": { "input": 5, "output": 15 } }', 'write provider/id'],
    ['{ "openai/x": { "input": 5 } }', 'as “output”'],
    ['{ "openai/x": { "input": -1, "output": 1 } }', 'as “input”'],
    ['{ "openai/x": { "input": "5", "output": 1 } }', 'as “input”'],
    ['{ "openai/x": { "input": 5, "output": 1, "cached": 1 } }', 'has “cached”'],
    ['{ "openai/x": { "input": 5, "output": 1, "tiers": [{ "above": 2, "input": 1, "output": 1 }, { "above": 1, "input": 1, "output": 1 }] } }', 'tiers must rise'],
    ['{ "openai/x": { "input": 5, "output": 1, "tiers": [{ "input": 1, "output": 1 }] } }', 'needs “above”'],
  ])('that is wrong says where: %s', (text, words) => {
    expect(() => parsePrices(text)).toThrow(words)
  })
})

test('facts of models are short', () => {
  expect([200_000, 131_072, 1_048_576, 8192, 512].map(tokens)).toEqual(['200k', '131k', '1M', '8.2k', '512'])
  expect(priceText({ input: 3, output: 15, cacheRead: 0.3 })).toBe('$3 in, $0.3 cached, $15 out per 1M')
  expect(priceText({ input: 0, output: 0 })).toBe('free')
})
