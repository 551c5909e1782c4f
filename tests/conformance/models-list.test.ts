/** Lists of models, from servers that answer as each provider documents. */
import { afterEach, describe, expect, test } from 'vitest'
import type { HaloError } from '../../src/lib/halo/errors.ts'
import { modelFault } from '../../src/lib/halo/models/faults.ts'
import { canListModels, listModels } from '../../src/lib/halo/models/list.ts'
import { json, serve } from './servers/http.ts'
import type { LocalServer, Received } from './servers/http.ts'

let server: LocalServer
afterEach(() => server?.close())

const KEY = 'key-0123456789'
const list = (provider: string, path = '') => listModels(provider, { keys: () => ({ apiKey: KEY, baseUrl: server.url + path }) })

async function answers(reply: (request: Received) => unknown): Promise<void> {
  server = await serve((request, response) => json(response, 200, reply(request)))
}

describe('models are listed', () => {
  test('by OpenAI', async () => {
    await answers(() => ({ object: 'list', data: [{ id: 'gpt-b', object: 'model', created: 1, owned_by: 'openai' }, { id: 'gpt-a', object: 'model' }] }))
    expect(await list('openai', '/v1')).toEqual([{ id: 'gpt-a' }, { id: 'gpt-b' }])
    expect(server.received[0]).toMatchObject({ path: '/v1/models', headers: { authorization: `Bearer ${KEY}` } })
  })

  test('by OpenRouter, with names and context windows', async () => {
    await answers(() => ({ data: [{ id: 'meta-llama/llama-3.1-8b-instruct:free', name: 'Llama 3.1 8B', context_length: 131_072 }] }))
    expect(await list('openrouter', '/api/v1')).toEqual([{ id: 'meta-llama/llama-3.1-8b-instruct:free', name: 'Llama 3.1 8B', contextWindow: 131_072 }])
  })

  test('by Together, which has image models in the same list', async () => {
    await answers(() => [
      { id: 'b/chat', object: 'model', type: 'chat', display_name: 'B', context_length: 8192 },
      { id: 'a/flux', object: 'model', type: 'image', display_name: 'Flux' },
    ])
    expect(await list('together', '/v1')).toEqual([{ id: 'b/chat', name: 'B', contextWindow: 8192 }])
  })

  test('by vLLM, at an address without a version', async () => {
    await answers(() => ({ object: 'list', data: [{ id: 'qwen3', object: 'model', max_model_len: 32_768 }] }))
    expect(await list('openai-compatible')).toEqual([{ id: 'qwen3', contextWindow: 32_768 }])
    expect(server.received[0]?.path).toBe('/v1/models')
  })

  test('by Anthropic, page after page', async () => {
    await answers(({ path }) =>
      path.includes('after_id=claude-b')
        ? { data: [{ type: 'model', id: 'claude-a', display_name: 'Claude A' }], has_more: false, last_id: 'claude-a' }
        : { data: [{ type: 'model', id: 'claude-b', display_name: 'Claude B', max_input_tokens: 200_000 }], has_more: true, last_id: 'claude-b' },
    )
    expect(await list('anthropic')).toEqual([{ id: 'claude-a', name: 'Claude A' }, { id: 'claude-b', name: 'Claude B', contextWindow: 200_000 }])
    expect(server.received[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2026-10-21' })
  })

  test('by Google, those that answer with text', async () => {
    await answers(({ path }) =>
      path.includes('pageToken=next')
        ? { models: [{ name: 'models/gemini-a', displayName: 'Gemini A', inputTokenLimit: 1_048_576, supportedGenerationMethods: ['generateContent', 'countTokens'] }] }
        : { models: [{ name: 'models/embedding-1', supportedGenerationMethods: ['embedContent'] }], nextPageToken: 'next' },
    )
    expect(await list('google')).toEqual([{ id: 'gemini-a', name: 'Gemini A', contextWindow: 1_048_576 }])
    expect(server.received.every(({ path, headers }) => !path.includes(KEY) && headers['x-goog-api-key'] === KEY)).toBe(true)
  })

  test('by Ollama', async () => {
    await answers(() => ({ models: [{ name: 'qwen3:latest', model: 'qwen3:latest', size: 1 }] }))
    expect(await list('ollama')).toEqual([{ id: 'qwen3:latest' }])
    expect(server.received[0]?.path).toBe('/api/tags')
  })
})

test('a list that is refused has the faults of a request', async () => {
  server = await serve((_request, response) => json(response, 401, { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } }))
  const error = (await list('openai', '/v1').catch((thrown: unknown) => thrown)) as HaloError
  expect(modelFault(error)).toEqual({ kind: 'key', status: 401 })
  expect(error.message).not.toContain(KEY)
})

test('what is no list is told', async () => {
  await answers(() => ({ hello: 'world' }))
  await expect(list('openai', '/v1')).rejects.toThrow(/no list of models/)
})

test('a provider without a list says so', async () => {
  expect(canListModels('replicate')).toBe(false)
  expect(canListModels('constructor')).toBe(false)
  await expect(listModels('replicate', { keys: () => ({ apiKey: KEY }) })).rejects.toThrow(/no list of its models/)
})
