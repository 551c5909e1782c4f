/** Embeddings, from servers that answer as each provider documents. */
import { afterEach, expect, test } from 'vitest'
import type { HaloError } from '../../src/lib/halo/errors.ts'
import { canEmbed, embed } from '../../src/lib/halo/models/embed.ts'
import { modelFault } from '../../src/lib/halo/models/faults.ts'
import { json, serve } from './servers/http.ts'
import type { LocalServer, Received } from './servers/http.ts'

let server: LocalServer
afterEach(() => server?.close())

const KEY = 'key-0123456789'
const texts = Array.from({ length: 200 }, (_, at) => `text ${at}`)
const vectorOf = (text: string): number[] => [Number(text.split(' ')[1]), 0.5]
const vectors = (provider: string, path = '', given: readonly string[] = texts) =>
  embed({ provider, model: 'm', texts: given }, { keys: () => ({ apiKey: KEY, baseUrl: server.url + path }) })

async function answers(reply: (request: Received) => unknown): Promise<void> {
  server = await serve((request, response) => json(response, 200, reply(request)))
}

test.each(['openai', 'openrouter', 'together', 'openai-compatible'])('%s gives a vector for each text, in order, whatever order it answers in', async (provider) => {
  await answers(({ body }) => ({
    data: (body.input as string[]).map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse(),
    usage: { prompt_tokens: (body.input as string[]).length * 2 },
  }))
  const out = await vectors(provider, '/v1')
  expect(out).toEqual({ vectors: texts.map(vectorOf), tokens: 400 })
  expect(server.received[0]).toMatchObject({ path: '/v1/embeddings', headers: { authorization: `Bearer ${KEY}` }, body: { model: 'm', encoding_format: 'float' } })
  expect(server.received).toHaveLength(3)
})

test('google gives a vector for each text, at most 100 in a request', async () => {
  await answers(({ body }) => ({ embeddings: (body.requests as { content: { parts: { text: string }[] } }[]).map(({ content }) => ({ values: vectorOf(content.parts[0]?.text ?? '') })) }))
  expect((await vectors('google')).vectors).toEqual(texts.map(vectorOf))
  expect(server.received[0]).toMatchObject({ path: '/v1beta/models/m:batchEmbedContents', headers: { 'x-goog-api-key': KEY } })
  expect(server.received.every(({ body }) => (body.requests as unknown[]).length <= 100)).toBe(true)
})

test('ollama gives a vector for each text', async () => {
  await answers(({ body }) => ({ model: 'm', embeddings: (body.input as string[]).map(vectorOf), prompt_eval_count: 7 }))
  expect(await vectors('ollama', '', ['text 1', 'text 2'])).toEqual({ vectors: [[1, 0.5], [2, 0.5]], tokens: 7 })
  expect(server.received[0]?.path).toBe('/api/embed')
})

test('nothing is asked for no texts', async () => {
  await answers(() => expect.fail('asked'))
  expect(await vectors('openai', '/v1', [])).toEqual({ vectors: [] })
})

test.each([
  [{ data: [{ index: 0, embedding: [1] }] }, /1 vectors for 2 texts/],
  [{ data: [{ embedding: [1] }, { embedding: 'AAAA' }] }, /2 vectors/],
  [{ data: [{ embedding: [1] }, { embedding: [1, 2] }] }, /different lengths/],
])('an answer that does not fit is told: %j', async (answer, words) => {
  await answers(() => answer)
  await expect(vectors('openai', '/v1', ['text 1', 'text 2'])).rejects.toThrow(words)
})

test('refusals are those of a model request', async () => {
  server = await serve((_request, response) => json(response, 404, { error: 'model "m" not found, try pulling it first' }))
  const error = (await vectors('ollama', '', ['text 1']).catch((thrown: unknown) => thrown)) as HaloError
  expect(modelFault(error)).toEqual({ kind: 'model', status: 404 })
  expect(error.message).toContain('ollama pull m')
})

test('a provider that does not embed says which do', async () => {
  expect(canEmbed('anthropic')).toBe(false)
  expect(canEmbed('toString')).toBe(false)
  await expect(vectors('anthropic')).rejects.toThrow(/can't embed.*openai/)
})
