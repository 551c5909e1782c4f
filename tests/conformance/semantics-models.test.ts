import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registerModelAdapter, type ModelChunk } from 'halo'
import { model, ofType, provider, run, runtimeOf, toolCall, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider('Desk', { look: ({ at }) => `at ${String(at)}`, picture: () => ({ parts: [{ type: 'text', text: 'a dot' }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] }) })
})
afterEach(() => desk.undo())

const usage = (input: number, output: number): ModelChunk => ({ type: 'usage', usage: { input, output } })
const text = (said: string): ModelChunk => ({ type: 'text', text: said })
const prices = { 'house/m': { input: 1, output: 10 } }

describe('MaxSpend', () => {
  const source = (limit: string, options = '') => `
policy P : MaxSpend(${limit})
agent A [house/m${options}] requires P
pipeline Main() : "hi" |> A.say("a") |> A.say("b")
pipeline Side() : "hi" |* { A.one("a"), A.two("b") }`

  test('lowers max_tokens so that the worst case fits, and the entry says what was used', async () => {
    const { adapter, requests } = model([[text('x'), usage(10, 1), { type: 'stop', reason: 'stop' }]])
    const { result, journal } = await run(source('0.01'), {}, {}, { models: { house: adapter }, prices })
    expect(result.status).toBe('completed')
    expect(requests[0]?.maxTokens).toBeLessThan(1000)
    expect(requests[0]?.maxTokens).toBeGreaterThanOrEqual(64)
    const answers = journal.filter((entry) => entry.kind === 'agent' && entry.state === undefined)
    expect(answers[0]).toMatchObject({ maxTokens: requests[0]?.maxTokens, price: { input: 1, output: 10 } })
    expect(result.context.meta.cost).toBeCloseTo(2 * (10 * 1 + 1 * 10) / 1e6, 12)
    expect(result.context.meta.tokens).toEqual({ input: 20, output: 2 })
  })

  test('ends the run with SPEND_LIMIT when an answer is cut by a lowered max_tokens, its text kept', async () => {
    const { adapter, requests } = model([[text('half an ans'), usage(10, 800), { type: 'stop', reason: 'max_tokens' }]])
    const { result } = await run(source('0.01'), {}, {}, { models: { house: adapter }, prices })
    expect(result.error?.code).toBe('SPEND_LIMIT')
    expect(JSON.stringify(result.error)).toContain('half an ans')
    expect(requests).toHaveLength(1)
  })

  test('stops below 64 tokens before anything is sent', async () => {
    const { adapter, requests } = model(['x'])
    const { result } = await run(source('0.0005'), {}, {}, { models: { house: adapter }, prices })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'SPEND_LIMIT' } })
    expect(requests).toEqual([])
  })

  test('counts what an attempt cost that broke off in the middle', async () => {
    let tries = 0
    const broken = {
      async *stream() {
        yield text('half')
        yield usage(1000, 100)
        if (++tries === 1) throw new Error('connection lost')
      },
    }
    const { result } = await run('agent A [house/m]\npipeline Main() : 1 |> A.t("x") @retry(1)', {}, {}, { models: { house: broken }, prices, clock: { now: () => 0, sleep: () => Promise.resolve(), uuid: () => crypto.randomUUID() } })
    expect(result).toMatchObject({ output: 'half', context: { meta: { cost: 0.004 } } })
  })

  test('refuses a model without a price, and costs nothing for ollama', async () => {
    const { adapter, requests } = model(['x'])
    expect((await run(source('1'), {}, {}, { models: { house: adapter } })).result.error?.code).toBe('SPEND_LIMIT')
    expect(requests).toEqual([])
    const free = await run(source('1').replaceAll('house/m', 'ollama/m'), {}, {}, { models: { ollama: adapter } })
    expect(free.result).toMatchObject({ status: 'completed', context: { meta: { cost: 0 } } })
  })

  test('a request waits while one beside it has the rest reserved, and then goes on', async () => {
    let open = 0
    let most = 0
    const { adapter, requests } = model([
      async () => {
        most = Math.max(most, ++open)
        await new Promise((done) => setTimeout(done, 10))
        open--
        return [text('x'), usage(10, 1)]
      },
    ])
    const made = runtimeOf(source('0.06'), {}, { models: { house: adapter }, prices })
    const result = await made.runtime.run('Side')
    expect(result).toMatchObject({ status: 'completed' })
    expect(requests.map((request) => request.maxTokens)).toEqual([4096, 4096])
    expect(most).toBe(1)
  })

  test('never spends more than its limit, however many ask at once', async () => {
    const many = `
policy P : MaxSpend(0.02)
agent A [house/m, max_tokens: 300] requires P
pipeline Main() : [1,2,3,4,5,6,7,8,9,10] |* each(limit: 10) { |> A.say("x {{item}}") }`
    let spent = 0
    const { adapter } = model([
      (request) => {
        spent += request.maxTokens * 10 / 1e6
        return [text('x'), usage(0, request.maxTokens), { type: 'stop', reason: 'stop' }]
      },
    ])
    const { result } = await run(many, {}, {}, { models: { house: adapter }, prices })
    expect(result.error?.code).toBe('SPEND_LIMIT')
    expect(spent).toBeLessThanOrEqual(0.02)
    expect(spent).toBeGreaterThan(0.015)
  })
})

describe('a custom adapter', () => {
  const source = `
tool Desk : Desk()
agent A [house/m, temp: 0.5, max_steps: 2] equips Desk system "Be brief."
pipeline Main(task: String = "go") : task |> A.say(tools: auto)`

  test('gets the conversation in neutral form, and the last request with tools off', async () => {
    const { adapter, requests } = model([[text('hm'), toolCall('Desk__look', { at: 1 })], [toolCall('Desk__look', { at: 2 })], [text('end'), toolCall('Desk__look', { at: 3 })]])
    const { result } = await run(source, {}, {}, { models: { house: adapter } })
    expect(result.output).toBe('end')
    expect(requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'none'])
    expect(requests.map((request) => request.step)).toEqual([1, 2, 3])
    expect(requests[1]).toMatchObject({ system: 'Be brief.', temperature: 0.5, maxTokens: 4096 })
    expect(requests[1]?.messages).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'hm', toolCalls: [{ id: 'c1', name: 'Desk__look', args: { at: 1 } }] },
      { role: 'tool', content: 'at 1', toolCallId: 'c1', name: 'Desk__look' },
    ])
    expect(desk.calls).toHaveLength(2)
  })

  test('that only asks for tools gives an empty answer at the end, no error', async () => {
    const { adapter } = model([[toolCall('Desk__look')]])
    expect((await run(source, {}, {}, { models: { house: adapter } })).result).toMatchObject({ status: 'completed', output: '' })
  })

  test('whose function is unknown, or whose arguments are no object, is told so', async () => {
    const bad: ModelChunk = { type: 'tool_call', call: { id: 'b', name: 'Desk__look', args: {}, invalid: '{"at":' } }
    const { adapter, requests } = model([[toolCall('Desk__nuke', {}, 'a'), bad], 'done'])
    await run(source, {}, {}, { models: { house: adapter } })
    const told = toldBy(requests) as string[]
    expect(told[0]).toBe('Error: there is no tool named "Desk__nuke". You can call: Desk__look, Desk__picture')
    expect(told[1]).toMatch(/^Error: /)
    expect(desk.calls).toEqual([])
  })

  test('gets images that a tool gives as parts', async () => {
    const { adapter, requests } = model([[toolCall('Desk__picture')], 'seen'])
    await run(source, {}, {}, { models: { house: adapter } })
    expect(toldBy(requests)).toEqual([[{ type: 'text', text: 'a dot' }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }]])
  })

  test('that says supportsTools: false fails with TOOL_CONFIG, and only where tools are offered', async () => {
    const { adapter } = model(['x'], { supportsTools: false })
    expect((await run(source, {}, {}, { models: { house: adapter } })).result.error?.code).toBe('TOOL_CONFIG')
    expect((await run(source.replace('tools: auto', 'tools: none'), {}, {}, { models: { house: adapter } })).result.output).toBe('x')
  })

  test('in the two-call form is sent by the runtime', async () => {
    const sent: unknown[] = []
    const undo = registerModelAdapter('twocall', {
      supportsTools: true,
      buildRequest: (request) => ({ url: 'https://model.example/v1', headers: { 'x-key': 'k' }, body: { prompt: request.messages.at(-1)?.content, names: request.tools.map((tool) => tool.name) } }),
      parseResponse: (json) => ({ text: (json as { said: string }).said, usage: { input: 1, output: 2 } }),
    })
    const fetcher = (async (url: string | URL | Request, init?: RequestInit) => {
      sent.push([String(url), init?.method, JSON.parse(String(init?.body))])
      return Response.json({ said: 'hello' })
    }) as typeof fetch
    const { result } = await run(source.replace('house/m', 'twocall/m'), {}, {}, { fetch: fetcher })
    undo()
    expect(result).toMatchObject({ output: 'hello', context: { meta: { tokens: { input: 1, output: 2 } } } })
    expect(sent).toEqual([['https://model.example/v1', 'POST', { prompt: 'go', names: ['Desk__look', 'Desk__picture'] }]])
  })

  test('that throws ends the run with MODEL_ERROR and its words', async () => {
    const { adapter } = model([() => Promise.reject(new Error('the model is on holiday'))])
    const { result } = await run(source, {}, {}, { models: { house: adapter } })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_ERROR', path: '1/step:1' } })
    expect(result.error?.message).toContain('the model is on holiday')
    expect(result.error?.span).toBeDefined()
  })
})

describe('decorators of an agent call', () => {
  const source = (decorators: string) => `agent A [house/m]\npipeline Main() : "hi" |> A.say("x") ${decorators} as a`

  test('@retry asks again after what may pass, n further times, and not after what won\'t', async () => {
    const failing = (error: unknown) => model([() => Promise.reject(error)])
    const busy = failing(Object.assign(new Error('busy'), { status: 429 }))
    const instant = { now: () => 0, sleep: () => Promise.resolve(), uuid: () => crypto.randomUUID() }
    await run(source('@retry(2)'), {}, {}, { models: { house: busy.adapter }, clock: instant })
    expect(busy.requests).toHaveLength(3)
    const hopeless = failing(Object.assign(new Error('no such key'), { status: 401 }))
    await run(source('@retry(2)'), {}, {}, { models: { house: hopeless.adapter }, clock: instant })
    expect(hopeless.requests).toHaveLength(1)
  })

  test('@timeout ends a request that takes too long with TIMEOUT', async () => {
    const { adapter } = model([() => new Promise<ModelChunk[]>(() => {})])
    expect((await run(source('@timeout(20ms)'), {}, {}, { models: { house: adapter } })).result.error?.code).toBe('TIMEOUT')
  })

  test('@shadow asks a second model, and can neither fail the run nor be recorded', async () => {
    const main = model(['main'])
    const other = model([() => Promise.reject(new Error('shadow down'))])
    const { result, events, journal } = await run(source('@shadow(other/m)'), {}, {}, { models: { house: main.adapter, other: other.adapter } })
    await new Promise((done) => setTimeout(done, 20))
    expect(result.output).toBe('main')
    expect(other.requests).toHaveLength(1)
    expect(journal.filter((entry) => entry.kind === 'agent' && entry.state === undefined)).toHaveLength(1)
    expect(ofType(events, 'shadow')).toMatchObject([{ error: expect.stringContaining('shadow down') as string }])
    expect(JSON.stringify(journal)).not.toContain('shadow')
  })
})

test('@retry tries a mock and an adapter again after an error that doesn\'t say what it is', async () => {
  const source = 'agent A [house/m]\npipeline Main() : "hi" |> A.say("x") @retry(1)'
  const clock = { now: () => 0, sleep: () => Promise.resolve(), uuid: () => crypto.randomUUID() }
  let tries = 0
  const { adapter } = model([() => (++tries === 1 ? Promise.reject(new Error('hiccup')) : [text('well')])])
  expect((await run(source, {}, {}, { models: { house: adapter }, clock })).result.output).toBe('well')
  tries = 0
  const mocked = await run(source, {}, { 'A.say': () => { if (++tries === 1) throw new Error('hiccup'); return 'well' } }, { clock })
  expect(mocked.result.output).toBe('well')
})
