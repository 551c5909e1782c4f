import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { collectAnswer } from '../conformance/servers/collect-answer.ts'
import { providers } from '../../src/lib/halo/models/catalogue.ts'
import { connectionFor, credentialsFromEnv } from '../../src/lib/halo/models/credentials.ts'
import type { Credentials } from '../../src/lib/halo/models/credentials.ts'
import { modelFault, retryAfter, scrub } from '../../src/lib/halo/models/faults.ts'
import { capabilities, modelAdapter, modelPrefixes, registerModelAdapter, setModelCredentials } from '../../src/lib/halo/models/registry.ts'
import type { ModelAdapter, ModelChunk, ModelRequest, StreamingAdapter, TwoCallAdapter } from '../../src/lib/halo/models/types.ts'

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  provider: 'own', model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto', maxTokens: 10, agent: 'A', task: 't', step: 1, ...given,
})
const never = new AbortController().signal

async function ask(adapter: ModelAdapter, given: Partial<ModelRequest> = {}, signal = never) {
  const ready = await modelAdapter('own', { models: { own: adapter } })
  return collectAnswer(ready.stream(request(given), signal))
}
const failure = (work: Promise<unknown>): Promise<HaloError> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => (error instanceof HaloError ? error : expect.fail(`not a HaloError: ${String(error)}`)),
  )

const streaming = (chunks: ModelChunk[] | ((asked: ModelRequest, signal: AbortSignal) => Iterable<ModelChunk> | AsyncIterable<ModelChunk>), more: Partial<StreamingAdapter> = {}): StreamingAdapter => ({
  ...more,
  stream: typeof chunks === 'function' ? chunks : () => chunks,
})

let takeBack: (() => void) | undefined
afterEach(() => {
  takeBack?.()
  vi.unstubAllGlobals()
})

describe('registered adapters', () => {
  test('are used under their prefix, in place of a provider of that name, until they are taken back', async () => {
    takeBack = registerModelAdapter('mock', streaming([{ type: 'text', text: 'mine' }]))
    expect((await collectAnswer((await modelAdapter('mock')).stream(request(), never))).text).toBe('mine')
    takeBack()
    expect((await collectAnswer((await modelAdapter('mock')).stream(request(), never))).text).toBe('[mock A.t]')
  })

  test('have the capabilities they say', () => {
    takeBack = registerModelAdapter('own', streaming([], { supportsTools: false }))
    expect(capabilities('own')?.supportsTools).toBe(false)
    expect(capabilities('own', { own: streaming([]) })?.supportsTools).toBe(true)
    expect(capabilities('nobody')).toBeUndefined()
    expect(modelPrefixes()).toContain('own')
    expect(capabilities('replicate')?.supportsTools).toBe(false)
  })

  test('can have no prefix with a slash', () => {
    expect(() => registerModelAdapter('a/b', streaming([]))).toThrow(/can't be the prefix/)
  })

  test('nothing under a prefix is a fault that names what there is', async () => {
    const error = await failure(modelAdapter('opnai'))
    expect(error.message).toMatch(/no model provider "opnai".*openai.*registerModelAdapter/)
    await failure(modelAdapter('constructor'))
    await failure(modelAdapter('toString', { models: {} }))
  })

  test('an adapter is loaded once for the same keys', async () => {
    const keys = (): undefined => undefined
    expect(await modelAdapter('openai', { keys })).toBe(await modelAdapter('openai', { keys }))
    expect(await modelAdapter('openai')).toBe(await modelAdapter('openai'))
    expect(await modelAdapter('openai')).not.toBe(await modelAdapter('openai', { keys }))
  })
})

describe('whatever an adapter does', () => {
  const call = (id: string): ModelChunk => ({ type: 'tool_call', call: { id, name: 'T__m', args: {} } })

  test('ids of calls are unique, and the stop chunk comes once, last', async () => {
    const ready = await modelAdapter('own', { models: { own: streaming([{ type: 'stop', reason: 'stop' }, call('x'), call('x'), call(''), { type: 'text', text: 't' }, { type: 'stop', reason: 'max_tokens' }]) } })
    const chunks: ModelChunk[] = []
    const answer = await collectAnswer(ready.stream(request(), never), (chunk) => chunks.push(chunk))
    expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(3)
    expect(chunks.filter(({ type }) => type === 'stop')).toEqual([{ type: 'stop', reason: 'max_tokens' }])
    expect(chunks.at(-1)?.type).toBe('stop')
  })

  test('the reason fits what came', async () => {
    expect((await ask(streaming([call('x')]))).stop).toBe('tool_calls')
    expect((await ask(streaming([call('x'), { type: 'stop', reason: 'stop' }]))).stop).toBe('tool_calls')
    expect((await ask(streaming([{ type: 'stop', reason: 'tool_calls' }]))).stop).toBe('stop')
  })

  test('calls are dropped when tools are off', async () => {
    const answer = await ask(streaming([{ type: 'tool_delta', id: 'x', args: '{' }, call('x'), { type: 'text', text: 'ok' }]), { toolChoice: 'none' })
    expect(answer).toMatchObject({ toolCalls: [], text: 'ok', stop: 'stop' })
  })

  test('a schema is put in words, unless the adapter sees to it', async () => {
    const seen: (string | undefined)[] = []
    const look = (asked: ModelRequest): ModelChunk[] => (seen.push(asked.system, asked.schema?.name), [])
    const schema = { name: 'S', schema: { type: 'object', properties: {} } }
    await ask(streaming(look), { schema, system: 'Sys.' })
    await ask(streaming(look, { supportsSchema: true }), { schema, system: 'Sys.' })
    expect(seen[0]).toMatch(/^Sys\.\n\n.*JSON/s)
    expect(seen.slice(1)).toEqual([undefined, 'Sys.', 'S'])
  })

  test('one that ignores the signal is left behind at once, and told to end', async () => {
    const stop = new AbortController()
    let ended = false
    const hang = streaming(async function* () {
      try {
        yield { type: 'text', text: 'x' } as const
        await new Promise(() => undefined)
      } finally {
        ended = true
      }
    })
    setTimeout(() => stop.abort(), 20)
    expect((await failure(ask(hang, {}, stop.signal))).code).toBe('CANCELLED')
    expect(ended).toBe(false) // It never comes back from its wait; nobody waits for it.
  })

  test('one that was stopped while nobody waited for it ends all the same', async () => {
    const stop = new AbortController()
    const ready = await modelAdapter('own', { models: { own: streaming(async function* () {
      yield { type: 'text', text: 'x' } as const
      await new Promise(() => undefined)
    }) } })
    const reading = ready.stream(request(), stop.signal)
    expect((await failure((async () => { for await (const _ of reading) stop.abort() })())).code).toBe('CANCELLED')
  })

  test('arguments may be given as text', async () => {
    const given = (args: unknown): ModelChunk => ({ type: 'tool_call', call: { id: 'x', name: 'T__m', args: args as Record<string, unknown> } })
    const { toolCalls } = await ask(streaming([given('{"a":1}'), given(undefined), given('{"a'), given([1])]))
    expect(toolCalls.map(({ args, invalid }) => invalid ?? args)).toEqual([{ a: 1 }, {}, '{"a', '[1]'])
  })

  test('what it throws is a HaloError with the next step', async () => {
    const throwing = (error: unknown): StreamingAdapter =>
      streaming(() => {
        throw error
      })
    expect(await failure(ask(throwing(new Error('boom.'))))).toMatchObject({ code: 'MODEL_ERROR', message: expect.stringMatching(/"own" failed: boom\. Look/) as string })
    expect(await failure(ask(throwing(new TypeError('fetch failed'))))).toMatchObject({ code: 'NETWORK', data: { retry: 'network' } })
    const own = new HaloError('SPEND_LIMIT', 'Too dear.')
    expect(await failure(ask(throwing(own)))).toBe(own)
    expect(await failure(ask(throwing(new Error('wrapped', { cause: own }))))).toBe(own)
  })

  test('reading no further ends it', async () => {
    let ended = false
    const endless = streaming(async function* () {
      try {
        for (;;) yield { type: 'text', text: 'x' } as const
      } finally {
        ended = true
      }
    })
    for await (const _ of (await modelAdapter('own', { models: { own: endless } })).stream(request(), never)) break
    await vi.waitFor(() => expect(ended).toBe(true))
  })
})

describe('the two-call form', () => {
  const adapter = (more: Partial<TwoCallAdapter> = {}): TwoCallAdapter => ({
    buildRequest: ({ messages }) => ({ url: 'https://api.example/v1', headers: { authorization: 'Bearer secret-token-1' }, body: { prompt: messages[0]?.content } }),
    parseResponse: (json) => ({ text: (json as { answer: string }).answer, usage: { input: 1, output: 2 }, toolCalls: [{ id: 'a', name: 'T__m', args: { x: 1 } }] }),
    ...more,
  })
  const answering = (response: () => Response) => vi.fn<typeof fetch>(() => Promise.resolve(response()))

  test('is sent here, by the fetch of the request', async () => {
    const fetcher = answering(() => Response.json({ answer: 'yes' }))
    const answer = await ask(adapter(), { fetch: fetcher })
    expect(answer).toMatchObject({ text: 'yes', usage: { input: 1, output: 2 }, stop: 'tool_calls', toolCalls: [{ id: 'a', name: 'T__m', args: { x: 1 } }] })
    const [url, init] = fetcher.mock.calls[0] ?? []
    expect(url).toBe('https://api.example/v1')
    expect(init).toMatchObject({ method: 'POST', body: '{"prompt":"Hi"}' })
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret-token-1')
    expect(new Headers(init?.headers).get('content-type')).toBe('application/json')
    expect(JSON.stringify(answer.raw)).not.toContain('secret-token-1')
  })

  test('has the faults of any other provider', async () => {
    const slow = await failure(ask(adapter(), { fetch: answering(() => new Response('{"error":{"message":"slow down, secret-token-1"}}', { status: 429, headers: { 'retry-after': '2' } })) }))
    expect(slow.data).toEqual({ kind: 'rate_limit', status: 429, retryAfterMs: 2000, retry: '429' })
    expect(slow.message).not.toContain('secret-token-1')
    expect((await failure(ask(adapter(), { fetch: answering(() => new Response('<html>')) }))).data).toMatchObject({ kind: 'protocol' })
    const odd = adapter({ parseResponse: () => { throw new Error('no answer in it') } })
    expect((await failure(ask(odd, { fetch: answering(() => Response.json({})) }))).message).toMatch(/no answer in it.*base URL/)
    expect((await failure(ask(adapter({ buildRequest: () => ({ url: '/relative' }) })))).data).toEqual({ kind: 'address' })
  })
})

describe('credentials', () => {
  const connect = (given: Partial<ModelRequest>, saved: Credentials | undefined) => connectionFor(request({ provider: 'openai', ...given }), () => saved)

  test('go to the provider, or to the address they were saved for', async () => {
    expect(await connect({}, { apiKey: 'k' })).toEqual({ provider: 'openai', baseUrl: 'https://api.openai.com/v1', apiKey: 'k', headers: {} })
    expect(await connect({}, { apiKey: 'k', baseUrl: 'https://gateway.example/openai/', headers: { 'x-team': 't' } })).toEqual({ provider: 'openai', baseUrl: 'https://gateway.example/openai', apiKey: 'k', headers: { 'x-team': 't' } })
    expect(await connect({ baseUrl: 'https://api.openai.com/v2' }, { apiKey: 'k' })).toMatchObject({ apiKey: 'k' })
  })

  test.each(['https://evil.example/v1', 'http://api.openai.com/v1', 'https://api.openai.com.evil.example', 'https://api.openai.com:8443/v1', 'https://api.openai.com@evil.example/', 'http://localhost:1234/v1'])(
    'do not go to another origin that a program names: %s',
    async (baseUrl) => {
      expect(await connect({ baseUrl }, { apiKey: 'k', headers: { 'x-secret': 's' } })).toEqual({ provider: 'openai', baseUrl: baseUrl.replace(/\/$/, ''), headers: {}, withheld: true })
    },
  )

  test('of the environment also go to servers on this machine', async () => {
    const keys = credentialsFromEnv({ OPENAI_API_KEY: 'k' })
    for (const baseUrl of ['http://localhost:1234/v1', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
      expect(await connectionFor(request({ provider: 'openai', baseUrl }), keys)).toMatchObject({ baseUrl, apiKey: 'k' })
    }
    for (const baseUrl of ['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example']) {
      expect(await connectionFor(request({ provider: 'openai', baseUrl }), keys)).toMatchObject({ withheld: true })
    }
  })

  test('a hosted provider without a key is a fault before anything is sent', async () => {
    for (const info of providers.filter(({ needsKey }) => needsKey)) {
      const error = await failure(connectionFor(request({ provider: info.prefix }), () => undefined))
      expect(error.message).toContain(`There is no key for ${info.title}`)
      expect(error.message).toContain(info.keyVariable)
    }
    expect(await connectionFor(request({ provider: 'ollama' }), () => undefined)).toMatchObject({ baseUrl: 'http://127.0.0.1:11434' })
  })

  test('an OpenAI-compatible server needs an address', async () => {
    expect((await failure(connectionFor(request({ provider: 'openai-compatible' }), () => undefined))).message).toMatch(/needs an address.*base_url/)
    expect(await connectionFor(request({ provider: 'openai-compatible', baseUrl: 'http://localhost:1234/v1' }), () => undefined)).toMatchObject({ headers: {} })
    for (const baseUrl of ['ftp://x', 'not an address', 'javascript:alert(1)']) {
      expect((await failure(connectionFor(request({ provider: 'openai-compatible', baseUrl }), () => undefined))).message).toMatch(/isn't a web address/)
    }
  })

  test.each([
    ['example.org', 'http://example.org:11434'],
    ['example.org:8080', 'http://example.org:8080'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:9999', 'http://127.0.0.1:9999'],
    [':9999', 'http://127.0.0.1:9999'],
    ['https://example.org', 'https://example.org'],
    ['http://example.org:80/sub', 'http://example.org/sub'],
  ])('OLLAMA_HOST=%s is %s', async (host, baseUrl) => {
    expect(await connectionFor(request({ provider: 'ollama' }), credentialsFromEnv({ OLLAMA_HOST: host }))).toMatchObject({ baseUrl })
  })

  test('come from each variable of the environment', async () => {
    const env = { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b', OPENROUTER_API_KEY: 'c', TOGETHER_API_KEY: 'd', GEMINI_API_KEY: 'e', REPLICATE_API_TOKEN: 'f' }
    const keys = credentialsFromEnv(env)
    expect(credentialsFromEnv(env)).toBe(keys)
    const got = await Promise.all(['openai', 'anthropic', 'openrouter', 'together', 'google', 'replicate'].map(async (provider) => (await connectionFor(request({ provider }), keys)).apiKey))
    expect(got).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  test('can be set for every adapter', async () => {
    setModelCredentials(() => ({ apiKey: 'default-key-123' }))
    const fetcher = vi.fn<typeof fetch>(() => Promise.resolve(new Response('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })))
    const answer = await collectAnswer((await modelAdapter('openai')).stream(request({ provider: 'openai', fetch: fetcher }), never))
    setModelCredentials(() => undefined)
    expect(answer.text).toBe('hi')
    expect(new Headers(fetcher.mock.calls[0]?.[1]?.headers).get('authorization')).toBe('Bearer default-key-123')
  })
})

describe('waiting times', () => {
  test.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:10 GMT' }, 10_000],
    [{ 'retry-after': 'Wed, 21 Oct 2020 07:28:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j is %s ms', (headers, ms) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), Date.parse('Wed, 21 Oct 2026 07:28:00 GMT'))).toBe(ms)
  })

  test('only faults of model requests have a class for @retry', () => {
    expect(modelFault(new HaloError('MODEL_ERROR', 'x', { data: { kind: 'server', retry: '5xx' } }))?.retry).toBe('5xx')
    expect(modelFault(new HaloError('MODEL_ERROR', 'x'))).toBeUndefined()
    expect(modelFault(new Error('429'))).toBeUndefined()
  })
})

test('no secret stays in a text, whatever stands around it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.stringMatching(/^[\w-]{8,20}$/), fc.stringMatching(/^[\w-]{8,20}$/), (before, after, apiKey, header) => {
      const text = scrub(`${before}${apiKey}${after}${header}`, { provider: 'openai', baseUrl: '', apiKey, headers: { 'x-gateway': header, accept: 'application/json' } })
      expect(text.includes(apiKey) || text.includes(header)).toBe(false)
    }),
  )
})
