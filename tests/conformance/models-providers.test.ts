/** What is particular to each provider, by its documentation. The contract that all share is in models.test.ts. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { forgetRefusals } from '../../src/lib/halo/models/adjust.ts'
import { collectAnswer } from './servers/collect-answer.ts'
import { acceptsSampling } from '../../src/lib/halo/models/anthropic-messages.ts'
import { modelFault } from '../../src/lib/halo/models/faults.ts'
import { modelAdapter } from '../../src/lib/halo/models/registry.ts'
import type { Message, ModelRequest } from '../../src/lib/halo/models/types.ts'
import { cases } from './servers/adapters.ts'
import { json, serve } from './servers/http.ts'
import type { LocalServer, Received } from './servers/http.ts'
import { replicateProtocol } from './servers/replicate.ts'
import { scripted } from './servers/script.ts'
import type { ScriptedServer } from './servers/script.ts'

let server: (LocalServer & Partial<ScriptedServer>) | undefined
beforeEach(() => forgetRefusals())
afterEach(async () => {
  vi.unstubAllGlobals()
  await server?.close()
})

const tool = { name: 'Files__list', description: 'Lists.', parameters: { type: 'object', properties: {} } }
const png = { type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }

async function ask(prefix: string, given: Partial<ModelRequest>, at = server?.url ?? '', signal = new AbortController().signal) {
  const adapter = await modelAdapter(prefix, { keys: () => ({ apiKey: 'key-0123456789', baseUrl: at }) })
  const request: ModelRequest = { provider: prefix, model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto', maxTokens: 100, agent: 'A', task: 't', step: 1, ...given }
  return collectAnswer(adapter.stream(request, signal))
}
const failure = (work: Promise<unknown>): Promise<HaloError> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => (error instanceof HaloError ? error : expect.fail(String(error))),
  )

async function script(prefix: string, ...answers: ScriptedServer['answers']): Promise<ScriptedServer> {
  const case_ = cases.find((one) => one.prefix === prefix) ?? expect.fail(prefix)
  const made = await scripted(case_.protocol())
  made.answers.push(...answers)
  server = { ...made, url: made.url + case_.base }
  return made
}

/** A server that sends the given text as an event stream. */
async function sends(text: string, type = 'text/event-stream'): Promise<Received[]> {
  server = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(text)
  })
  return server.received
}
const data = (...chunks: unknown[]): string => chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
const delta = (piece: object, finish_reason: string | null = null): object => ({ choices: [{ index: 0, delta: piece, finish_reason }] })

describe('Anthropic', () => {
  test.each([
    ['claude-3-5-haiku-20241022', true],
    ['claude-3-opus-latest', true],
    ['claude-sonnet-4-20250514', true],
    ['claude-sonnet-4-5', true],
    ['claude-opus-4-6', true],
    ['claude-opus-4-7', false],
    ['claude-opus-5', false],
    ['claude-opus-5-20260501', false],
    ['claude-haiku-5-5', false],
    ['claude-fable-5-1', false],
    ['claude-mythos-preview', false],
  ])('%s takes sampling parameters: %s', (model, takes) => {
    expect(acceptsSampling(model)).toBe(takes)
  })

  test('is asked by the version that has sampling parameters only where a model takes them', async () => {
    const { received } = await script('anthropic', { text: ['1'] }, { text: ['2'] }, { text: ['3'] })
    await ask('anthropic', { model: 'claude-sonnet-4-5', temperature: 0, topP: 0.9 })
    await ask('anthropic', { model: 'claude-opus-5', temperature: 0, topP: 0.9, seed: 1 })
    await ask('anthropic', { model: 'claude-sonnet-4-5' })
    expect(received.map(({ headers, body }) => [headers['anthropic-version'], body.temperature, body.top_p])).toEqual([
      ['2023-06-01', 0, 0.9],
      ['2026-10-21', undefined, undefined],
      ['2026-10-21', undefined, undefined],
    ])
  })

  test('gets cache breakpoints after tools, system, the turn before and the last turn, and the messages stay as they are', async () => {
    const { received } = await script('anthropic', { text: ['1'] })
    const messages: Message[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'Files__list', args: {} }, { id: 'b', name: 'Files__list', args: {} }] },
      { role: 'tool', toolCallId: 'a', name: 'Files__list', content: '[]' },
      { role: 'tool', toolCallId: 'b', name: 'Files__list', content: '' },
    ]
    const before = JSON.stringify(messages)
    await ask('anthropic', { model: 'claude-sonnet-4-5', system: 'S', tools: [tool, { ...tool, name: 'Files__read' }], messages })
    const body = received[0]?.body as { tools: object[]; system: object[]; messages: { role: string; content: object[] }[] }
    const marked = [body.tools, body.system, ...body.messages.map(({ content }) => content)].map((blocks) => blocks.map((block) => 'cache_control' in block))
    expect(marked).toEqual([[false, true], [true], [true], [false, false], [false, true]])
    expect(JSON.stringify(messages)).toBe(before)
  })

  test('keeps thinking in its place, and from other models', async () => {
    await script('anthropic', { reasoning: 'Hm.', text: ['Look: '], calls: [{ id: 'a', name: 'Files__list' }], signature: 's1' }, { text: ['ok'] }, { text: ['ok'] })
    const turn = await ask('anthropic', { model: 'claude-sonnet-4-5', tools: [tool] })
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      // A person has edited the call since.
      { role: 'assistant', content: turn.text, toolCalls: [{ id: 'a', name: 'Files__list', args: { path: 'edited' } }], opaque: { provider: 'anthropic', data: JSON.parse(JSON.stringify(turn.opaque)) as unknown } },
      { role: 'tool', toolCallId: 'a', name: 'Files__list', content: '[]' },
    ]
    await ask('anthropic', { model: 'claude-sonnet-4-5', tools: [tool], messages })
    await ask('anthropic', { model: 'claude-opus-5', tools: [tool], messages })
    const contents = server?.received.slice(1).map(({ body }) => (body.messages as { content: { type: string }[] }[])[1]?.content)
    expect(contents?.[0]).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 's1' },
      { type: 'text', text: 'Look: ' },
      { type: 'tool_use', id: 'a', name: 'Files__list', input: { path: 'edited' } },
    ])
    expect(contents?.[1]?.map(({ type }) => type)).toEqual(['text', 'tool_use'])
  })

  test('is sent ids of other providers in a form it takes', async () => {
    const { understood } = await script('anthropic', { text: ['ok'] })
    await ask('anthropic', {
      model: 'claude-opus-5',
      tools: [tool],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'functions.Files__list:0', name: 'Files__list', args: {} }] },
        { role: 'tool', toolCallId: 'functions.Files__list:0', name: 'Files__list', content: '[]' },
      ],
    })
    expect(understood[0]?.results).toHaveLength(1)
  })

  test('a refusal is told as a stop, with the text so far', async () => {
    await script('anthropic', { text: ['I'], stop: 'content_filter' })
    expect(await ask('anthropic', { model: 'claude-opus-5' })).toMatchObject({ text: 'I', stop: 'content_filter' })
  })

  test('writes nothing to the console about old models', async () => {
    const warn = vi.spyOn(console, 'warn')
    await script('anthropic', { text: ['1'] })
    await ask('anthropic', { model: 'claude-3-opus-20240229' })
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
  })
})

describe('OpenAI', () => {
  test('asks reasoning models for no temperature in the first place', async () => {
    const { understood } = await script('openai', { text: ['1'] }, { text: ['2'] })
    await ask('openai', { model: 'o3', temperature: 0 })
    await ask('openai', { model: 'gpt-4.1', temperature: 0 })
    expect(understood.map(({ temperature }) => temperature)).toEqual([undefined, 0])
  })

  test('gives a value that is out of range back to its author', async () => {
    await script('openai', { refuse: { status: 400, body: { error: { message: "Invalid 'temperature': must be at most 2.", type: 'invalid_request_error', code: 'decimal_above_max_value' } } } })
    expect((await failure(ask('openai', { temperature: 5 }))).message).toContain('must be at most 2')
  })

  test('an account without credit is not a rate limit', async () => {
    await script('openai', { refuse: { status: 429, body: { error: { message: 'You exceeded your current quota, please check your plan and billing details.', type: 'insufficient_quota', code: 'insufficient_quota' } } } })
    const error = await failure(ask('openai', {}))
    expect(modelFault(error)).toEqual({ kind: 'quota', status: 429 })
  })

  test('a refusal in words is text and a stop', async () => {
    await sends(data(delta({ role: 'assistant', refusal: "I can't " }), delta({ refusal: 'help.' }), delta({}, 'stop'), '[DONE]'))
    expect(await ask('openai', {})).toMatchObject({ text: "I can't help.", stop: 'content_filter' })
  })

  test('makes an optional field that may be null a required one, for strict answers', async () => {
    const { received } = await script('openai', { text: ['{}'] })
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { anyOf: [{ type: 'number' }, { type: 'null' }] } }, required: ['a'], additionalProperties: false }
    await ask('openai', { schema: { name: 'Two words', schema } })
    expect(received[0]?.body.response_format).toEqual({ type: 'json_schema', json_schema: { name: 'Two_words', strict: true, schema: { ...schema, required: ['a', 'b'] } } })
  })
})

describe('servers that speak Chat Completions in their own way', () => {
  test('one that does not stream', async () => {
    await sends(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'whole', tool_calls: [{ id: 'a', type: 'function', function: { name: 'Files__list', arguments: '{"x":1}' } }] }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 3, completion_tokens: 4 } }), 'application/json')
    expect(await ask('openai-compatible', {})).toMatchObject({ text: 'whole', stop: 'tool_calls', toolCalls: [{ args: { x: 1 } }], usage: { input: 3, output: 4 } })
  })

  test('one that answers with an error and status 200', async () => {
    await sends(JSON.stringify({ error: { message: 'Model is loading', code: 503 } }), 'application/json')
    expect(modelFault(await failure(ask('openai-compatible', {})))).toMatchObject({ kind: 'server', status: 503, retry: '5xx' })
  })

  test('one that numbers every call 0', async () => {
    const call = (id: string, args: string): object => delta({ tool_calls: [{ index: 0, id, type: 'function', function: { name: 'Files__list', arguments: args } }] })
    await sends(data(call('a', '{"n":1}'), call('b', '{"n":2}'), delta({}, 'tool_calls'), '[DONE]'))
    expect((await ask('openai-compatible', {})).toolCalls).toMatchObject([{ id: 'a', args: { n: 1 } }, { id: 'b', args: { n: 2 } }])
  })

  test('one that repeats the id and the name in every piece', async () => {
    const call = (args: string): object => delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'Files__list', arguments: args } }] })
    await sends(data(call('{"n"'), call(':1}'), delta({}, 'stop'), '[DONE]'))
    expect(await ask('openai-compatible', {})).toMatchObject({ toolCalls: [{ id: 'a', name: 'Files__list', args: { n: 1 } }], stop: 'tool_calls' })
  })

  test('one that gives calls no id', async () => {
    await sends(data(delta({ tool_calls: [{ index: 0, function: { name: 'Files__list', arguments: '{}' } }, { index: 1, function: { name: 'Files__list', arguments: '{}' } }] }), delta({}, 'tool_calls')))
    const { toolCalls } = await ask('openai-compatible', {})
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2)
  })

  test('one that says that it is done, but not why', async () => {
    await sends(data(delta({ content: 'x' }), '[DONE]'))
    expect(await ask('openai-compatible', {})).toMatchObject({ text: 'x', stop: 'stop' })
  })

  test('one that sends a web page', async () => {
    await sends('<!doctype html><p>Welcome</p>', 'text/html')
    expect(await failure(ask('openai-compatible', {}))).toMatchObject({ code: 'MODEL_ERROR', message: expect.stringMatching(/a web page.*base URL/) as string })
  })

  test('one that knows no stream_options, or only the older name of the limit', async () => {
    const bodies: Record<string, unknown>[] = []
    server = await serve(({ body }, response) => {
      bodies.push(body)
      if (body.stream_options) json(response, 400, { error: { message: 'Unrecognized request argument supplied: stream_options' } })
      else if (body.max_completion_tokens) json(response, 400, { error: { message: "Unsupported parameter: 'max_completion_tokens' is not supported with this model." } })
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(data(delta({ content: 'ok' }, 'stop'), '[DONE]'))
    })
    expect((await ask('openai', { model: 'old' })).text).toBe('ok')
    expect(bodies).toHaveLength(3)
    expect(bodies[2]).toMatchObject({ max_tokens: 100 })
  })

  test('one that cannot bind answers beside tools', async () => {
    const bodies: Record<string, unknown>[] = []
    server = await serve(({ body }, response) => {
      bodies.push(body)
      if (body.response_format) json(response, 400, { error: { message: 'Cannot use custom grammar constraints with tools.', type: 'invalid_request_error' } })
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(data(delta({ content: '{}' }, 'stop'), '[DONE]'))
    })
    await ask('openai-compatible', { tools: [tool], schema: { name: 'S', schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } } })
    expect(JSON.stringify(bodies[1]?.messages)).toContain('JSON Schema (S)')
  })

  test('one that wants the reasoning of a tool conversation back, and one that does not', async () => {
    const bodies: { messages: Record<string, unknown>[] }[] = []
    server = await serve(({ body }, response) => {
      const { messages } = body as { messages: Record<string, unknown>[] }
      bodies.push({ messages })
      const call = messages.find(({ role }) => role === 'assistant')
      if (call && call.reasoning_content === undefined && body.model === 'wants') json(response, 400, { error: { message: 'Missing `reasoning_content` field in the assistant message at message index 1' } })
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(data(delta({ reasoning_content: 'Hm.' }), delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'Files__list', arguments: '{}' } }] }, 'tool_calls'), '[DONE]'))
    })
    for (const model of ['wants', 'wants not']) {
      bodies.length = 0
      const turn = await ask('openai-compatible', { model, tools: [tool] })
      const messages: Message[] = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', toolCalls: turn.toolCalls, opaque: { provider: 'openai-compatible', data: turn.opaque } },
        { role: 'tool', toolCallId: 'a', name: 'Files__list', content: '[]' },
      ]
      await ask('openai-compatible', { model, tools: [tool], messages })
      expect(bodies.map((body) => body.messages[1]?.reasoning_content)).toEqual(model === 'wants' ? [undefined, undefined, 'Hm.'] : [undefined, undefined])
    }
  })

  test('one that signs calls', async () => {
    const signed = { google: { thought_signature: 'sig-a' } }
    await sends(data(delta({ tool_calls: [{ index: 0, id: 'a', extra_content: signed, function: { name: 'Files__list', arguments: '{}' } }, { index: 1, id: 'b', function: { name: 'Files__list', arguments: '{}' } }] }, 'tool_calls'), '[DONE]'))
    const turn = await ask('openai-compatible', { tools: [tool] })
    await ask('openai-compatible', {
      tools: [tool],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', toolCalls: turn.toolCalls, opaque: { provider: 'openai-compatible', data: turn.opaque } },
        ...turn.toolCalls.map((call): Message => ({ role: 'tool', toolCallId: call.id, name: call.name, content: '[]' })),
      ],
    })
    const [, message] = server?.received[1]?.body.messages as { tool_calls: object[] }[]
    expect(message?.tool_calls).toMatchObject([{ id: 'a', extra_content: signed }, { id: 'b' }])
    expect(message?.tool_calls[1]).not.toHaveProperty('extra_content')
  })

  test('an address without a version gets one, an address with a path is left', async () => {
    await sends(data(delta({ content: 'x' }, 'stop'), '[DONE]'))
    const url = server?.url ?? ''
    await ask('openai-compatible', {}, url)
    await ask('openai-compatible', {}, `${url}/`)
    await ask('openai-compatible', {}, `${url}/openai/v1`)
    expect(server?.received.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions', '/openai/v1/chat/completions'])
  })

  test('a model that cannot call tools is told', async () => {
    await script('openai-compatible', { refuse: { status: 400, body: { error: { message: 'm does not support tools' } } } })
    const error = await failure(ask('openai-compatible', { tools: [tool] }))
    expect(modelFault(error)).toEqual({ kind: 'tools', status: 400 })
    expect(error.message).toMatch(/can't call tools.*leave out tools:/)
  })
})

describe('OpenRouter', () => {
  test('joins reasoning details that come in pieces and keeps encrypted ones apart', async () => {
    const detail = (piece: object): object => delta({ reasoning_details: [piece] })
    await sends(data(
      detail({ type: 'reasoning.text', index: 0, text: 'a' }), detail({ type: 'reasoning.text', index: 0, text: 'b', signature: 's' }),
      detail({ type: 'reasoning.encrypted', index: 1, id: 'e', data: 'xyz' }), delta({ content: 'ok' }, 'stop'), '[DONE]',
    ))
    expect((await ask('openrouter', {})).opaque).toEqual([{ type: 'reasoning.text', index: 0, text: 'ab', signature: 's' }, { type: 'reasoning.encrypted', index: 1, id: 'e', data: 'xyz' }])
  })

  test('an error in mid stream has its own status', async () => {
    await sends(data(delta({ content: 'x' }), { error: { code: 429, message: 'Rate limit exceeded' }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] }))
    expect(modelFault(await failure(ask('openrouter', {})))).toMatchObject({ kind: 'rate_limit', status: 429, retry: '429' })
  })

  test('a provider behind it is quoted', async () => {
    await script('openrouter', { refuse: { status: 400, body: { error: { code: 400, message: 'Provider returned error', metadata: { raw: 'context length exceeded', provider_name: 'X' } } } } })
    expect(modelFault(await failure(ask('openrouter', {})))?.kind).toBe('context')
  })
})

describe('Google Gemini', () => {
  test('a key that is not one comes as 400', async () => {
    await script('google', { refuse: { status: 400, body: { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT', details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }] } } } })
    const error = await failure(ask('google', {}))
    expect(modelFault(error)?.kind).toBe('key')
    expect(error.message).toContain('GEMINI_API_KEY')
  })

  test('says in the body how long to wait', async () => {
    await script('google', { refuse: { status: 429, body: { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }] } } } })
    expect(modelFault(await failure(ask('google', {})))).toMatchObject({ kind: 'rate_limit', retryAfterMs: 34_070 })
  })

  test('a blocked prompt is told', async () => {
    await sends(data({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 3 } }))
    const error = await failure(ask('google', {}))
    expect(error.message).toMatch(/blocked the prompt \(PROHIBITED_CONTENT\)/)
  })

  test('signatures go back on the part they came on, empty ones too', async () => {
    await sends(data(
      { candidates: [{ content: { parts: [{ text: 'A ' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'B' }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'Files__list', args: { n: 1 } }, thoughtSignature: 'call-sig' }, { functionCall: { name: 'Files__list', args: { n: 2 } } }] } }] },
      { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 'end-sig' }] }, finishReason: 'STOP' }] },
    ))
    const turn = await ask('google', { model: 'gemini-3-pro', tools: [tool] })
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls, opaque: { provider: 'google', data: turn.opaque } },
      ...turn.toolCalls.map((call): Message => ({ role: 'tool', toolCallId: call.id, name: call.name, content: [{ type: 'text', text: 'r' }, png] })),
    ]
    await ask('google', { model: 'gemini-3-pro', tools: [tool], messages })
    const [, model, results] = server?.received[1]?.body.contents as { parts: object[] }[]
    expect(model?.parts).toEqual([
      { text: 'A B' },
      { functionCall: { name: 'Files__list', args: { n: 1 } }, thoughtSignature: 'call-sig' },
      { functionCall: { name: 'Files__list', args: { n: 2 } } },
      { text: '', thoughtSignature: 'end-sig' },
    ])
    expect(results?.parts.map((part) => Object.keys(part)[0])).toEqual(['functionResponse', 'functionResponse', 'inlineData', 'inlineData'])
  })

  test('before Gemini 3 an answer of a given shape is asked for in words beside tools', async () => {
    const { understood } = await script('google', { text: ['{}'] }, { text: ['{}'] })
    const schema = { name: 'S', schema: { type: 'object', properties: { a: { type: 'string' } } } }
    await ask('google', { model: 'gemini-2.5-flash', tools: [tool], schema })
    await ask('google', { model: 'gemini-2.5-flash', schema })
    expect(understood.map((read) => [read.schema !== undefined, read.system?.includes('JSON Schema (S)') ?? false])).toEqual([[false, true], [true, false]])
  })

  test('without server-sent events the chunks come as a list', async () => {
    await sends(JSON.stringify([{ candidates: [{ content: { parts: [{ text: 'a' }] } }] }, { candidates: [{ content: { parts: [{ text: 'b' }] }, finishReason: 'STOP' }] }]), 'application/json')
    expect((await ask('google', {})).text).toBe('ab')
  })

  test('a call it could not finish can be tried again', async () => {
    await sends(data({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }))
    expect(modelFault(await failure(ask('google', { tools: [tool] })))).toMatchObject({ kind: 'protocol', retry: '5xx' })
  })
})

describe('Ollama', () => {
  test('a model that is not there is fetched by a command', async () => {
    await script('ollama', { refuse: { status: 404, body: { error: 'model "qwen3" not found, try pulling it first' } } })
    expect((await failure(ask('ollama', { model: 'qwen3' }))).message).toContain('ollama pull qwen3')
  })

  test('binds the form of an answer when no tool can be called', async () => {
    const { received } = await script('ollama', { text: ['{}'] }, { text: ['{}'] })
    const schema = { name: 'S', schema: { type: 'object', properties: {} } }
    await ask('ollama', { tools: [tool], schema })
    await ask('ollama', { tools: [tool], schema, toolChoice: 'none' })
    expect(received.map(({ body }) => body.format)).toEqual([undefined, schema.schema])
  })

  test('goes on from its thoughts within a tool conversation', async () => {
    const { understood } = await script('ollama', { reasoning: 'Hm.', calls: [{ name: 'Files__list' }] }, { text: ['ok'] })
    const turn = await ask('ollama', { tools: [tool] })
    await ask('ollama', {
      tools: [tool],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', toolCalls: turn.toolCalls, opaque: { provider: 'ollama', data: turn.opaque } },
        { role: 'tool', toolCallId: turn.toolCalls[0]?.id, name: 'Files__list', content: '[]' },
      ],
    })
    expect(understood[1]?.signatures).toEqual(['Hm.'])
  })
})

describe('Replicate', () => {
  test('is asked until it is done where a model cannot stream', async () => {
    const made = await scripted(replicateProtocol(false))
    server = made
    made.answers.push({ text: ['one ', 'two'], usage: { input: 4, output: 2 } })
    expect(await ask('replicate', { model: 'o/n' })).toMatchObject({ text: 'one two', usage: { input: 4, output: 2 } })
  })

  test('says why a prediction failed', async () => {
    const made = await scripted(replicateProtocol(false))
    server = made
    made.answers.push({ text: [], fault: 'error event' })
    expect((await failure(ask('replicate', { model: 'o/n' }))).message).toContain('CUDA out of memory')
  })

  test('a version is asked for by its number', async () => {
    const { understood } = await script('replicate', { text: ['x'] })
    await ask('replicate', { model: 'o/n:abc123', messages: [{ role: 'user', content: 'Q' }, { role: 'assistant', content: 'A' }, { role: 'user', content: 'R' }] })
    expect(understood[0]).toMatchObject({ model: 'abc123', prompts: ['User: Q\n\nAssistant: A\n\nUser: R\n\nAssistant:'] })
  })
})

describe("the browser's built-in model", () => {
  interface Options { initialPrompts?: { role: string; content: unknown }[]; expectedInputs?: unknown }
  function stub(answers: (string[] | Error)[], availability = 'available') {
    const log: { created: Options[]; prompted: { input: unknown; constraint: unknown }[]; destroyed: number } = { created: [], prompted: [], destroyed: 0 }
    vi.stubGlobal('LanguageModel', {
      availability: () => Promise.resolve(availability),
      create: (options: Options) => {
        log.created.push(options)
        return Promise.resolve({
          contextUsage: 30,
          measureContextUsage: () => Promise.resolve(10),
          destroy: () => void log.destroyed++,
          promptStreaming(input: unknown, { responseConstraint }: { responseConstraint?: unknown }) {
            log.prompted.push({ input, constraint: responseConstraint })
            const answer = answers.shift() ?? []
            return new ReadableStream({
              start(controller) {
                if (answer instanceof Error) return controller.error(answer)
                for (const piece of answer) controller.enqueue(piece)
                controller.close()
              },
            })
          },
        })
      },
    })
    return log
  }

  test('streams; all but the last turn is how its session begins', async () => {
    const log = stub([['Hel', 'lo']])
    const answer = await ask('browser', { system: 'S', messages: [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'user', content: [{ type: 'text', text: 'c' }, png] }] })
    expect(answer).toMatchObject({ text: 'Hello', stop: 'stop', usage: { input: 20, output: 10 } })
    expect(log.created[0]).toMatchObject({ initialPrompts: [{ role: 'system', content: 'S' }, { role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }], expectedInputs: [{ type: 'image' }] })
    expect(log.prompted[0]?.input).toMatchObject([{ role: 'user', content: [{ type: 'text', value: 'c' }, { type: 'image', value: expect.any(Blob) as Blob }] }])
    expect(log.destroyed).toBe(1)
  })

  test('is bound to a schema, and asked in words where it does not know the keywords', async () => {
    const log = stub([Object.assign(new Error('pattern'), { name: 'NotSupportedError' }), ['{}']])
    const schema = { name: 'S', schema: { type: 'object', properties: {} } }
    expect((await ask('browser', { schema })).text).toBe('{}')
    expect(log.prompted.map(({ constraint }) => constraint)).toEqual([schema.schema, undefined])
    expect(JSON.stringify(log.created[1])).toContain('JSON Schema (S)')
    expect(log.destroyed).toBe(2)
  })

  test.each([
    ['QuotaExceededError', 'context', /too long/],
    ['NotAllowedError', 'unavailable', /Click Run again/],
    ['NotReadableError', 'content_filter', /withheld/],
    ['UnknownError', 'server', /failed: why/],
  ])('%s is told as %s', async (name, kind, words) => {
    stub([Object.assign(new Error('why'), { name })])
    const error = await failure(ask('browser', {}))
    expect(modelFault(error)?.kind).toBe(kind)
    expect(error.message).toMatch(words)
  })

  test('says where there is none', async () => {
    expect((await failure(ask('browser', {}))).message).toMatch(/no built-in model/)
    stub([], 'unavailable')
    expect((await failure(ask('browser', {}))).message).toMatch(/can't run on this device/)
  })
})

describe('the mock model', () => {
  test('answers with the name of the call, or the smallest instance of the schema', async () => {
    expect((await ask('mock', { agent: 'Clerk', task: 'work' })).text).toBe('[mock Clerk.work]')
    const schema = { type: 'object', properties: { n: { type: 'number' }, words: { type: 'array', items: { type: 'string' } } }, required: ['n', 'words'] }
    expect(JSON.parse((await ask('mock', { schema: { name: 'S', schema } })).text)).toEqual({ n: 0, words: [] })
  })
})

test('offline is told, but a server on this machine may still be there', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  const down: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'))
  const far = await failure(ask('openai', { fetch: down }, 'https://gateway.example'))
  expect(far.message).toMatch(/device is offline/)
  expect(modelFault(far)).toEqual({ kind: 'offline', retry: 'network' })
  const near = await failure(ask('ollama', { fetch: down }, 'http://127.0.0.1:11434'))
  expect(near.message).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:11434.*ollama serve/)
})

test('a page on https is told that it may not call http addresses', async () => {
  vi.stubGlobal('location', { origin: 'https://halo.example' })
  const down: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'))
  const error = await failure(ask('openai-compatible', { fetch: down }, 'http://192.168.1.5:1234'))
  expect(error.message).toMatch(/doesn't let this page \(https\) call http:\/\/192\.168\.1\.5:1234.*https address/)
  expect(modelFault(error)).toEqual({ kind: 'unreachable' })
})

test('a fetch that refuses a request by a policy has the last word', async () => {
  const own = new HaloError('POLICY_BLOCKED', 'Not this host.')
  for (const prefix of ['openai', 'anthropic', 'google', 'ollama', 'replicate']) {
    expect(await failure(ask(prefix, { fetch: () => Promise.reject(own) }, 'https://x.example'))).toBe(own)
  }
})

test.each(['openai', 'anthropic', 'google', 'ollama'])('streams a megabyte of text through %s without holding the thread', async (prefix) => {
  const piece = 'word '.repeat(50)
  await script(prefix, { text: Array.from({ length: 4_000 }, () => piece) })
  let worst = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - last)
    last = now
  }, 1)
  const answer = await ask(prefix, { model: 'claude-opus-5' })
  clearInterval(timer)
  expect(answer.text.length).toBe(4_000 * 250)
  expect(worst).toBeLessThan(500) // Server and client share the thread here; the page's own limit is measured in Chromium.
}, 60_000)
