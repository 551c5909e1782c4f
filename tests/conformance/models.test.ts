import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { forgetRefusals } from '../../src/lib/halo/models/adjust.ts'
import { collectAnswer } from './servers/collect-answer.ts'
import { providerInfo } from '../../src/lib/halo/models/catalogue.ts'
import type { ModelCredentials } from '../../src/lib/halo/models/credentials.ts'
import { modelFault } from '../../src/lib/halo/models/faults.ts'
import { capabilities, modelAdapter } from '../../src/lib/halo/models/registry.ts'
import type { Message, ModelChunk, ModelRequest } from '../../src/lib/halo/models/types.ts'
import { cases } from './servers/adapters.ts'
import type { Case } from './servers/adapters.ts'
import { inPieces } from './servers/http.ts'
import { capabilityTable } from './servers/table.ts'
import { scripted } from './servers/script.ts'
import type { Answer, ScriptedServer } from './servers/script.ts'

const KEY = 'planted-key-0123456789'
/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WORDS = ['Grüße ', 'aus ', '東京', ' — ', '👩‍👩‍👧 ', '"quoted"\n', 'and done.']

const tools = [
  { name: 'Files__read', description: 'Reads a file.', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
  { name: 'Files__list', description: 'Lists files.', parameters: { type: 'object', properties: {} } },
]
const schema = { name: 'Invoice', schema: { type: 'object', properties: { total: { type: 'number' }, currency: { type: 'string' } }, required: ['total', 'currency'] } }

const user = (content: Message['content']): Message => ({ role: 'user', content })

let server: ScriptedServer
beforeEach(() => forgetRefusals())
afterEach(async () => {
  vi.unstubAllGlobals()
  await server?.close()
})

async function start(case_: Case, ...answers: ScriptedServer['answers']): Promise<ScriptedServer> {
  server = await scripted(case_.protocol())
  server.answers.push(...answers)
  return server
}

function request(case_: Case, given: Partial<ModelRequest> = {}): ModelRequest {
  return { provider: case_.prefix, model: case_.model, messages: [user('Hello?')], tools: [], toolChoice: 'auto', maxTokens: 500, agent: 'A', task: 't', step: 1, ...given }
}

const keysFor = (case_: Case): ModelCredentials => () => ({ apiKey: KEY, baseUrl: server.url + case_.base })

async function ask(case_: Case, given: Partial<ModelRequest> = {}, signal = new AbortController().signal) {
  const adapter = await modelAdapter(case_.prefix, { keys: keysFor(case_) })
  const chunks: ModelChunk[] = []
  const answer = await collectAnswer(adapter.stream(request(case_, given), signal), (chunk) => chunks.push(chunk))
  return { ...answer, chunks }
}

async function failure(case_: Case, given: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<HaloError> {
  const error: unknown = await ask(case_, given, signal).then(
    () => expect.fail('it should have failed'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(HaloError)
  return error as HaloError
}

test('the table of the documentation is the one these tests prove', () => {
  const path = 'docs/models.md'
  const text = readFileSync(path, 'utf8')
  const wanted = text.replace(/(<!-- providers -->\n)[^]*(<!-- \/providers -->)/, (_all, from: string, to: string) => `${from}${capabilityTable()}${to}`)
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, wanted)
  expect(text).toContain(capabilityTable())
})

describe.each(cases)('$prefix', (case_) => {
  const can = capabilities(case_.prefix)
  const callTest = test.runIf(can?.supportsTools)

  test.each([1, 2, 3, 7, 64, 100_000])('streams the same text when the answer comes in pieces of %i bytes', async (size) => {
    await start(case_, { text: WORDS, usage: { input: 10, output: 20 } })
    const answer = await ask(case_, { fetch: inPieces(size) })
    expect(answer.text).toBe(WORDS.join(''))
    expect(answer.chunks.filter((chunk) => chunk.type === 'text').length > 1).toBe(can?.streaming)
    expect(answer.stop).toBe('stop')
    expect(answer.usage).toMatchObject({ input: 10, output: 20 })
  })

  test('sends the system prompt, the limit and the temperature, and the key only in its header', async () => {
    await start(case_, { text: ['ok'] })
    const { chunks } = await ask(case_, { system: 'Be brief.', temperature: 0.5 })
    const [read] = server.understood
    expect(read).toMatchObject({ system: 'Be brief.', temperature: 0.5, maxTokens: 500, prompts: ['Hello?'], model: case_.model })
    if (case_.key) expect(read?.key).toBe(KEY)
    expect(JSON.stringify(chunks)).not.toContain(KEY)
    expect(server.received.every(({ path, text }) => !path.includes(KEY) && !text.includes(KEY))).toBe(true)
    // Nothing of an SDK's telemetry goes along: a page's preflight would ask for each.
    expect(Object.keys(server.received[0]?.headers ?? {}).filter((name) => /stainless|organization|project/.test(name))).toEqual([])
  })

  callTest.each([1, 5, 100_000])('holds a whole conversation: two calls in one turn, an image as result, an answer (pieces of %i bytes)', async (size) => {
    const first: Answer = {
      text: ['Let me look. '],
      calls: [
        { id: case_.ids ? 'id_a' : undefined, name: 'Files__read', args: { path: 'ünïcode "quoted" 🎈.png' } },
        { id: case_.ids ? 'id_b' : undefined, name: 'Files__list', args: {} },
      ],
      signature: case_.opaque ? 'signed-1' : undefined,
      reasoning: case_.opaque ? 'I should look.' : undefined,
      usage: { input: 100, output: 30 },
    }
    await start(case_, first, { text: ['One ', 'pixel.'], signature: case_.opaque ? 'signed-2' : undefined })
    const messages: Message[] = [user('What is in the picture?')]
    const given = { system: 'You look at files.', tools, messages, fetch: inPieces(size) }
    const turn = await ask(case_, given)
    expect(turn.text).toBe('Let me look. ')
    expect(turn.stop).toBe('tool_calls')
    expect(turn.toolCalls.map(({ name, args, invalid }) => ({ name, args, invalid }))).toEqual([
      { name: 'Files__read', args: { path: 'ünïcode "quoted" 🎈.png' }, invalid: undefined },
      { name: 'Files__list', args: {}, invalid: undefined },
    ])
    if (case_.ids) expect(turn.toolCalls.map((call) => call.id)).toEqual(['id_a', 'id_b'])
    expect(new Set(turn.toolCalls.map((call) => call.id)).size === 2).toBe(can?.parallelCalls)
    // What was shown while it came is what came.
    for (const call of turn.toolCalls) {
      const shown = turn.chunks.flatMap((chunk) => (chunk.type === 'tool_delta' && chunk.id === call.id ? [chunk.args] : [])).join('')
      expect(JSON.parse(shown || '{}')).toEqual(call.args)
    }

    messages.push(
      { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls, ...(turn.opaque === undefined ? {} : { opaque: { provider: case_.prefix, data: turn.opaque } }) },
      { role: 'tool', toolCallId: turn.toolCalls[0]?.id, name: 'Files__read', content: [{ type: 'text', text: 'A picture:' }, { type: 'image', mimeType: 'image/png', data: PIXEL }] },
      { role: 'tool', toolCallId: turn.toolCalls[1]?.id, name: 'Files__list', content: '["a.png"]' },
    )
    const last = await ask(case_, { ...given, step: 2 })
    expect(last.text).toBe('One pixel.')
    const [, read] = server.understood
    expect(read?.tools).toEqual(['Files__read', 'Files__list'])
    expect(read?.toolsOff).toBe(false)
    expect(read?.system).toBe('You look at files.')
    expect(read?.images).toEqual([PIXEL])
    expect(read?.imagesInResults ? 'in results' : 'after results').toBe(can?.images)
    expect(read?.results.map((result) => result.text)).toEqual([expect.stringContaining('A picture:'), '["a.png"]'])
    expect(read?.calls.map((call) => call.args)).toEqual(turn.toolCalls.map((call) => call.args))
    if (case_.ids) expect(read?.results.map((result) => result.id)).toEqual(['id_a', 'id_b'])
    if (case_.opaque) expect(read?.signatures).toEqual(['signed-1'])
  })

  callTest('begins each request with the text of the one before it, up to the end of its messages', async () => {
    await start(case_, { text: ['1'] }, { text: ['2'] })
    const messages: Message[] = [user('One.')]
    await ask(case_, { system: 'S', tools, messages })
    messages.push({ role: 'assistant', content: '1' }, user('Two.'))
    await ask(case_, { system: 'S', tools, messages })
    const [before, after] = server.received.filter(({ method }) => method === 'POST').map(({ text }) => text.replaceAll(/,"cache_control":\{[^}]*\}/g, ''))
    const end = (before ?? '').indexOf('One.') + 4
    expect(end).toBeGreaterThan(100)
    expect(after?.slice(0, end)).toBe(before?.slice(0, end))
  })

  callTest('has tools off for the last request, and ignores calls that come nevertheless', async () => {
    await start(case_, { text: ['The answer.'], calls: [{ id: case_.ids ? 'x' : undefined, name: 'Files__list' }] })
    const answer = await ask(case_, { tools, toolChoice: 'none' })
    expect(answer).toMatchObject({ text: 'The answer.', toolCalls: [], stop: 'stop' })
    expect(answer.chunks.some((chunk) => chunk.type === 'tool_delta')).toBe(false)
    expect(server.understood[0]?.tools).toHaveLength(2)
    expect(server.understood[0]?.toolsOff).toBe(can?.toolsOff === 'request')
  })

  test('asks for an answer of a given shape', async () => {
    await start(case_, { text: ['{"total":', '3,"currency":"EUR"}'] })
    const answer = await ask(case_, { schema })
    expect(JSON.parse(answer.text)).toEqual({ total: 3, currency: 'EUR' })
    const [read] = server.understood
    if (can?.structuredOutput === 'native') expect(read?.schema).toMatchObject({ type: 'object', required: ['total', 'currency'] })
    else expect(`${read?.system}${read?.prompts.join('')}`).toContain('"currency"')
  })

  test('asks in words for a shape that the provider is not given', async () => {
    await start(case_, { text: ['[1, 2]'] })
    await ask(case_, { schema: { name: 'Numbers', schema: { type: 'array', items: { type: 'number' } } }, system: 'S' })
    const [read] = server.understood
    if (read?.schema === undefined) expect(read?.system).toMatch(/^S[^]*JSON[^]*"array"/)
    else expect(read.schema).toMatchObject({ type: 'array' })
  })

  callTest('asks for a shape beside tools', async () => {
    await start(case_, { text: ['{"total":1,"currency":"EUR"}'] })
    await ask(case_, { schema, tools })
    const [read] = server.understood
    expect(read?.schema !== undefined).toBe(case_.schemaBesideTools ?? false)
    if (!case_.schemaBesideTools) expect(read?.system).toContain('"currency"')
  })

  test.runIf(case_.reasoning)('shows reasoning apart from the text', async () => {
    await start(case_, { reasoning: 'Hm, 東京.', text: ['Tokyo.'], signature: case_.opaque ? 'sig' : undefined, usage: { input: 5, output: 9, reasoning: 4 } })
    const answer = await ask(case_, { fetch: inPieces(1) })
    expect(answer).toMatchObject({ reasoning: 'Hm, 東京.', text: 'Tokyo.' })
  })

  test.runIf(case_.opaque)('sends signed parts back to the same provider only', async () => {
    await start(case_, { reasoning: 'Hm.', text: ['A'], calls: [{ id: 'c1', name: 'Files__list' }], signature: 'mine' }, { text: ['B'] }, { text: ['C'] })
    const turn = await ask(case_, { tools })
    const conversation = (provider: string): Message[] => [
      user('Hello?'),
      { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls, opaque: { provider, data: turn.opaque } },
      { role: 'tool', toolCallId: 'c1', name: 'Files__list', content: '[]' },
    ]
    await ask(case_, { tools, messages: conversation(case_.prefix) })
    await ask(case_, { tools, messages: conversation('another') })
    expect(server.understood[1]?.signatures).toEqual(['mine'])
    expect(server.understood[2]?.signatures).not.toContain('mine')
  })

  test('counts tokens', async () => {
    const usage = { input: 1000, output: 50, ...(case_.cached ? { cacheRead: 600 } : {}), ...(case_.cached === 'read and write' ? { cacheWrite: 300 } : {}), ...(case_.reasoning && case_.key ? { reasoning: 20 } : {}) }
    await start(case_, { text: ['ok'], usage })
    const answer = await ask(case_)
    expect(answer.usage).toEqual(can?.usage ? usage : undefined)
  })

  test('says before it is loaded whether it takes tools, and is of the same mind when it is', async () => {
    expect((await modelAdapter(case_.prefix)).supportsTools).toBe(can?.supportsTools)
  })

  test('says that an answer was cut at max_tokens', async () => {
    if (case_.prefix === 'replicate') return // Its predictions don't say.
    await start(case_, { text: ['half an ans'], stop: 'max_tokens' })
    expect(await ask(case_)).toMatchObject({ text: 'half an ans', stop: 'max_tokens' })
  })

  test('takes an empty answer', async () => {
    await start(case_, { text: [] })
    expect(await ask(case_)).toMatchObject({ text: '', toolCalls: [], stop: 'stop' })
  })

  callTest('makes ids of calls unique in the conversation', async () => {
    const twice = { id: case_.ids ? 'same' : undefined, name: 'Files__list' }
    await start(case_, { calls: [twice, twice] }, { calls: [twice] })
    const turn = await ask(case_, { tools })
    expect(new Set(turn.toolCalls.map((call) => call.id)).size).toBe(2)
    const messages: Message[] = [
      user('Hello?'),
      { role: 'assistant', content: '', toolCalls: turn.toolCalls },
      ...turn.toolCalls.map((call): Message => ({ role: 'tool', toolCallId: call.id, name: call.name, content: '[]' })),
    ]
    const next = await ask(case_, { tools, messages })
    expect(turn.toolCalls.map((call) => call.id)).not.toContain(next.toolCalls[0]?.id)
  })

  test.runIf(case_.textArguments).each(['{"path": "a', '[1]', 'null', 'not JSON', '"text"'])('hands on arguments that are no JSON object as they came: %s', async (raw) => {
    await start(case_, { calls: [{ id: 'c1', name: 'Files__read', raw }] }, { text: ['sorry'] })
    const turn = await ask(case_, { tools })
    expect(turn.toolCalls).toEqual([{ id: 'c1', name: 'Files__read', args: {}, invalid: raw }])
    // And such a call can be sent back, with what the model is told.
    await ask(case_, {
      tools,
      messages: [user('Hello?'), { role: 'assistant', content: '', toolCalls: turn.toolCalls }, { role: 'tool', toolCallId: 'c1', name: 'Files__read', content: 'Error: not JSON' }],
    })
    expect(JSON.stringify(server.understood[1]?.calls[0]?.args)).toContain(JSON.stringify(raw).slice(1, -1))
  })

  describe('when it is refused', () => {
    const refusals: [number, string, string | undefined, object, RegExp][] = [
      [401, 'invalid key', undefined, { kind: 'key', status: 401 }, /refused the key \(401\).*Check the key/],
      [403, 'not yours', undefined, { kind: 'key', status: 403 }, /doesn't allow this.*Check what the key may do/],
      [404, 'no such model', undefined, { kind: 'model', status: 404 }, /has no model.*(Check its name|ollama pull)/],
      [429, 'slow down', undefined, { kind: 'rate_limit', status: 429, retry: '429', retryAfterMs: 7000 }, /Try again in 7 s.*@retry/],
      [500, 'oops', undefined, { kind: 'server', status: 500, retry: '5xx' }, /error of its own.*Try again/],
      [503, 'later', undefined, { kind: 'server', status: 503, retry: '5xx' }, /Try again/],
      [529, 'Overloaded', undefined, { kind: 'server', status: 529, retry: '5xx' }, /is overloaded.*Try again/],
      [400, 'prompt is too long: 250000 tokens > 200000 maximum', undefined, { kind: 'context', status: 400 }, /too long.*longer context/],
      [413, 'Request too large', undefined, { kind: 'context', status: 413 }, /too long/],
      [400, 'the content was flagged', undefined, { kind: 'content_filter', status: 400 }, /content rules.*Change the prompt/],
      [400, 'something odd', undefined, { kind: 'request', status: 400 }, /refused the request.*settings/],
      [402, 'no credit', undefined, { kind: 'quota', status: 402 }, /out of credit.*Add credit/],
    ]
    test.each(refusals)('%i %s: says so in one sentence with the next step', async (status, message, type, data, words) => {
      await start(case_, { refuse: { status, body: case_.protocol().refusal(status, `${message} ${KEY}`, type), headers: status === 429 ? { 'retry-after': '7' } : {} } })
      const error = await failure(case_)
      expect(error.code).toBe('MODEL_ERROR')
      expect(error.data).toEqual(data)
      expect(error.message).toMatch(words)
      expect(error.message).toContain(message)
      expect(error.message).not.toContain(KEY)
      // Retrying is the caller's business: one request, one answer.
      expect(server.understood).toHaveLength(1)
    })

    test('reads a page of HTML as no message', async () => {
      server = await scripted({ ...case_.protocol(), answer: () => undefined })
      server.answers.push({ refuse: { status: 502, body: '<html>Bad gateway</html>' } })
      const error = await failure(case_)
      expect(modelFault(error)).toMatchObject({ kind: 'server', status: 502, retry: '5xx' })
    })
  })

  test('leaves out a temperature that the model refuses, and remembers', async () => {
    if (case_.prefix === 'replicate' || case_.prefix === 'ollama') return // They ignore what they don't know.
    const refusal = { status: 400, body: case_.protocol().refusal(400, "Unsupported value: 'temperature' does not support 0.5 with this model.") }
    await start(case_, { refuse: refusal }, { text: ['ok'] }, { text: ['again'] })
    expect((await ask(case_, { temperature: 0.5 })).text).toBe('ok')
    expect((await ask(case_, { temperature: 0.5 })).text).toBe('again')
    expect(server.understood.map((read) => read.temperature)).toEqual([0.5, undefined, undefined])
  })

  callTest('describes images in words to a model that takes none', async () => {
    await start(case_, { refuse: { status: 400, body: case_.protocol().refusal(400, 'This model does not support image input') } }, { text: ['ok'] })
    await ask(case_, { messages: [user([{ type: 'text', text: 'Look:' }, { type: 'image', mimeType: 'image/png', data: PIXEL }])] })
    expect(server.understood.map((read) => read.images.length)).toEqual([1, 0])
    expect(server.understood[1]?.prompts.join(' ')).toMatch(/Look:.*image\/png/s)
  })

  test('tells a stream that stops half way', async () => {
    await start(case_, { text: ['half'], fault: 'half' })
    const error = await failure(case_)
    expect(error.code).toBe('NETWORK')
    expect(error.data).toEqual({ kind: 'stream', retry: 'network' })
    expect(error.message).toMatch(/stopped half way.*Try again/)
  })

  test('tells a malformed stream', async () => {
    if (case_.prefix === 'replicate') return // Its events are plain text.
    await start(case_, { text: ['x'], fault: 'malformed' })
    const error = await failure(case_)
    expect(error.code).toBe('MODEL_ERROR')
    expect(modelFault(error)).toEqual({ kind: 'protocol' })
    expect(error.message).toMatch(/can't be read.*base URL/)
  })

  test('tells an error within the stream', async () => {
    await start(case_, { text: ['x'], fault: 'error event' })
    expect(modelFault(await failure(case_))).toMatchObject({ kind: 'server', retry: '5xx' })
  })

  test('ends at once when it is stopped in mid stream, and closes the connection', async () => {
    await start(case_, { text: ['first', ' second'], fault: 'hang' })
    const stop = new AbortController()
    const adapter = await modelAdapter(case_.prefix, { keys: keysFor(case_) })
    const seen: string[] = []
    const error: unknown = await collectAnswer(adapter.stream(request(case_), stop.signal), (chunk) => {
      if (chunk.type !== 'text') return
      seen.push(chunk.text)
      if (seen.length === 1) setTimeout(() => stop.abort(), 20)
    }).catch((thrown: unknown) => thrown)
    expect(seen[0]).toBe('first')
    expect(error).toMatchObject({ code: 'CANCELLED' })
    expect(await server.received.at(case_.prefix === 'replicate' ? 1 : 0)?.closedEarly).toBe(true)
    if (case_.prefix === 'replicate') await vi.waitFor(() => expect(server.received.map(({ path }) => path)).toContain('/v1/predictions/p1/cancel'))
  })

  test('ends with the reason of the one who stopped it', async () => {
    await start(case_, { text: ['x'], fault: 'hang' })
    const stop = new AbortController()
    setTimeout(() => stop.abort(new HaloError('TIMEOUT', 'It took longer than 30s.')), 50)
    expect(await failure(case_, {}, stop.signal)).toMatchObject({ code: 'TIMEOUT', message: 'It took longer than 30s.' })
  })

  test('asks nothing when it was stopped before', async () => {
    await start(case_)
    expect((await failure(case_, {}, AbortSignal.abort())).code).toBe('CANCELLED')
    expect(server.received).toEqual([])
  })

  test('tells that nothing answers', async () => {
    await start(case_)
    await server.close()
    const error = await failure(case_)
    expect(error.code).toBe('NETWORK')
    expect(modelFault(error)).toEqual({ kind: 'unreachable', retry: 'network' })
    expect(error.message).toMatch(/can't be reached at http:\/\/127\.0\.0\.1:\d+: nothing listens there\. (Start|Check)/)
    // What a page must do to be let in is of no use where there is none.
    expect(error.message).not.toMatch(/page|extension|CORS/)
  })

  test('in a page, tells CORS from a server that is not there and from being offline', async () => {
    await start(case_)
    vi.stubGlobal('location', { origin: 'https://halo.example' })
    const refusing: typeof fetch = (_input, init) => (init?.mode === 'no-cors' ? Promise.resolve(new Response()) : Promise.reject(new TypeError('Failed to fetch')))
    const cors = await failure(case_, { fetch: refusing })
    expect(modelFault(cors)).toEqual({ kind: 'cors' })
    expect(cors.message).toContain('may not be read from https://halo.example (CORS)')
    expect(cors.message).toContain(providerInfo(case_.prefix)?.reachHint)
    const nothing = await failure(case_, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
    expect(modelFault(nothing)).toMatchObject({ kind: 'unreachable', retry: 'network' })
  })

  test('shows the request and the response as they went, but for the key', async () => {
    await start(case_, { text: ['raw ', 'text ', KEY] })
    const { raw } = await ask(case_)
    expect(raw?.request).toMatchObject({ method: expect.stringMatching(/GET|POST/) as string, url: expect.stringContaining(server.url) as string })
    expect(JSON.stringify(raw?.response)).toContain('text')
    expect(JSON.stringify(raw)).not.toContain(KEY)
  })
})
