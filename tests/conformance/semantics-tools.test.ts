import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, TransientError, useTool, type JournalRecord, type MockRequest, type RuntimeConfig } from 'halo'
import { ofType, provider, run, runtimeOf, shape, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
let failures: unknown[] = []
const failing = (value: string) => () => {
  const next = failures.shift()
  if (next !== undefined) throw next
  return value
}
beforeEach(() => {
  failures = []
  desk = provider(
    'Desk',
    {
      look: failing('looked'),
      put: failing('put'),
      number: () => '{"n": 1}',
      slow: () => new Promise((done) => setTimeout(() => done('slow'), 200)),
      echo: ({ input }) => input,
      ask: async (_, context) => {
        const name = await context.requestHumanInput({ prompt: 'Your name?', schema: shape({}) })
        const sure = await context.interrupt({ about: name })
        return `${String(name)} is ${String(sure)}`
      },
      loud: async function* () {
        yield 'first'
        yield 'last'
      },
    },
    { put: { effect: 'write' }, echo: { parameters: shape({ input: {}, other: {} }) }, ask: { effect: 'write' } },
  )
})
afterEach(() => desk.undo())

const instant = (): RuntimeConfig => ({ clock: { now: () => Date.now(), sleep: (ms, signal) => new Promise((done, stop) => { const timer = setTimeout(done, ms > 60_000 ? ms : 0); signal?.addEventListener('abort', () => (clearTimeout(timer), stop(new Error('aborted')))) }), uuid: () => crypto.randomUUID() } })
const own = (call: string, decorators = '') => `schema N { n: Number }\ntool Desk : Desk() ${decorators}\npipeline Main(x: Any = 1) : x |> ${call}`

describe('a pipeline\'s own call', () => {
  test('gets the flowing value as input where it has that argument and it isn\'t given', async () => {
    expect((await run(own('Desk.echo()'), { x: [1] })).result.output).toEqual([1])
    expect((await run(own('Desk.echo(input: 2)'), { x: [1] })).result.output).toBe(2)
    expect((await run(own('Desk.look()'), { x: [1] })).result.output).toBe('looked')
    expect(desk.calls.at(-1)?.args).toEqual({})
  })

  test('that throws ends the run with TOOL_ERROR, its message, path, span and cause', async () => {
    failures = [new Error('the drawer is stuck')]
    const { result } = await run(own('Desk.look()'))
    expect(result).toMatchObject({ status: 'failed', output: null, error: { code: 'TOOL_ERROR', message: 'the drawer is stuck', path: '1' } })
    expect(result.error?.span).toBeDefined()
  })

  test('that gives what JSON has no form for is TOOL_ERROR', async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    for (const value of [circle, { n: 10n }, Symbol('s')]) {
      expect((await run(own('Desk.echo(other: 1)'), {}, { 'Desk.echo': () => value })).result.error?.code).toBe('TOOL_ERROR')
    }
  })

  test('of a pipeline that calls itself is VALIDATION, checked or not', async () => {
    expect((await run('pipeline Main() : 1 |> Other()\npipeline Other(x: Any) : 1 |> Main()')).result.error?.code).toBe('VALIDATION')
  })

  test('gives undefined as null, and the last of what it yields', async () => {
    expect((await run(own('Desk.echo(other: 1)'), {}, { 'Desk.echo': undefined })).result.output).toBeNull()
    const loud = await run(own('Desk.loud()'))
    expect(loud.result.output).toBe('last')
    expect(ofType(loud.events, 'tool_progress').map((event) => event.partial)).toContain('first')
  })
})

describe('decorators of tool calls', () => {
  const busy = () => Object.assign(new Error('busy'), { status: 429 })
  const down = () => Object.assign(new Error('down'), { status: 502 })
  const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

  test('@retry tries a read again, of the declaration or of the call', async () => {
    failures = [down(), lost()]
    expect((await run(own('Desk.look() @retry(2)'), {}, {}, instant())).result.output).toBe('looked')
    failures = [new TransientError('soon')]
    expect((await run(own('Desk.look()', '@retry(1)'), {}, {}, instant())).result.output).toBe('looked')
    failures = [down(), down()]
    expect((await run(own('Desk.look() @retry(1)'), {}, {}, instant())).result.error?.code).toBe('TOOL_ERROR')
  })

  test('@retry repeats a write only after an answer that proves nothing happened', async () => {
    failures = [busy()]
    expect((await run(own('Desk.put() @retry(2)'), {}, {}, instant())).result.output).toBe('put')
    for (const error of [lost(), down()]) {
      failures = [error]
      expect((await run(own('Desk.put() @retry(2)'), {}, {}, instant())).result.status).toBe('failed')
      failures = []
    }
    expect(desk.calls).toHaveLength(4)
  })

  test('@retry(on:) tries again only after what it names', async () => {
    failures = [down()]
    expect((await run(own('Desk.look() @retry(2, on: ["429"])'), {}, {}, instant())).result.status).toBe('failed')
    failures = [busy()]
    expect((await run(own('Desk.look() @retry(2, backoff: exponential, on: ["429", "5xx", "network"])'), {}, {}, instant())).result.status).toBe('completed')
  })

  test('@timeout is TIMEOUT', async () => {
    expect((await run(own('Desk.slow() @timeout(20ms)'))).result.error?.code).toBe('TIMEOUT')
  })

  test('@cache and @idempotent run equal calls once, and say that a hit is one', async () => {
    const twice = (decorator: string) => `tool Desk : Desk() ${decorator}\npipeline Main() : [1, 1, 2] |* each(limit: 3) { |> Desk.echo(input: item) } |> Desk.echo(input: 1)`
    for (const decorator of ['@cache', '@idempotent(scope: run)']) {
      desk.calls.length = 0
      const { result, events } = await run(twice(decorator))
      expect(result.output).toBe(1)
      expect(desk.calls.map(({ args }) => args.input).sort()).toEqual([1, 2])
      expect(ofType(events, 'tool').filter((event) => event.cached)).toHaveLength(2)
    }
    desk.calls.length = 0
    await run('tool Desk : Desk()\npipeline Main() : 1 |> Desk.echo(input: 1) @idempotent(key: "k") |> Desk.echo(input: 2) @idempotent(key: "k")')
    expect(desk.calls).toHaveLength(1)
  })

  test('failures aren\'t kept by @cache', async () => {
    failures = [new Error('once')]
    const { result } = await run('tool Desk : Desk() @cache\nagent A [m/m] equips Desk\npipeline Main() : 1 |> A.x(tools: auto)', {}, { A: ({ step }: MockRequest) => (step < 3 ? useTool('Desk.look') : 'end') })
    expect(result.output).toBe('end')
    expect(desk.calls).toHaveLength(2)
  })

  test('@result validates, reads JSON text, and names each fault', async () => {
    expect((await run(own('Desk.number()', '@result(N)'))).result.output).toEqual({ n: 1 })
    const { result } = await run(own('Desk.look()', '@result(N)'))
    expect(result.error?.code).toBe('SCHEMA_MISMATCH')
  })

  test('tool_retry gives an agent\'s reads further attempts', async () => {
    failures = [down(), down()]
    const requests: MockRequest[] = []
    await run('tool Desk : Desk()\nagent A [m/m, tool_retry: 2] equips Desk\npipeline Main() : 1 |> A.x(tools: auto)', {}, { A: (request: MockRequest) => (requests.push(request), request.step === 1 ? useTool('Desk.look') : 'end') }, instant())
    expect(toldBy(requests)).toEqual(['looked'])
    expect(desk.calls).toHaveLength(3)
  })
})

describe('a tool that asks a person', () => {
  test('is asked by the handler, in order', async () => {
    const asked: string[] = []
    const { result } = await run(own('Desk.ask()'), {}, {}, { onInterrupt: (request) => (asked.push(`${request.channel}: ${request.message}`), asked.length === 1 ? 'Ann' : 'sure') })
    expect(result.output).toBe('Ann is sure')
    expect(asked[0]).toBe('input: Your name?')
    expect(asked).toHaveLength(2)
  })

  test('is entered again from its start after a reload, recorded answers given in order', async () => {
    const journal = memoryJournal()
    const fresh = () => new HaloRuntime({ journal }).load(parse(own('Desk.ask()')))
    const first = await fresh().run('Main')
    expect(first.context.meta.paused?.questions).toMatchObject([{ waitingFor: 'input', request: { message: 'Your name?' } }])
    const second = await fresh().signal(first.runId, 'input', 'Ann')
    expect(second).toMatchObject({ status: 'paused', context: { meta: { paused: { waitingFor: 'input' } } } })
    const done = await fresh().signal(first.runId, 'input', 'sure')
    expect(done).toMatchObject({ status: 'completed', output: 'Ann is sure' })
  })
})

describe('recovery', () => {
  const cut = async (method: string) => {
    const journal = memoryJournal()
    const { result, entries, store } = await run(own(`Desk.${method}()`))
    const begun = entries(result.runId).filter((entry) => entry.kind === 'tool' && entry.state === 'begun')
    const start = (store?.records.get(result.runId) as JournalRecord).start
    journal.records.set(result.runId, { start, entries: begun })
    desk.calls.length = 0
    return { runtime: new HaloRuntime({ journal }).load(parse(own(`Desk.${method}()`))), runId: result.runId }
  }

  test('asks about a write that was cut off: retry, done, fail', async () => {
    for (const [answer, expected, calls] of [['retry', { status: 'completed', output: 'put' }, 1], [{ done: 'it was' }, { status: 'completed', output: 'it was' }, 0], ['fail', { status: 'failed', error: { code: 'TOOL_ERROR' } }, 0]] as const) {
      const { runtime, runId } = await cut('put')
      const paused = await runtime.resume(runId)
      expect(paused.context.meta.paused).toMatchObject({ waitingFor: 'recovery', questions: [{ request: { channel: 'recovery', named: { target: 'Desk.put' } } }] })
      expect(await runtime.signal(runId, 'recovery', answer)).toMatchObject(expected)
      expect(desk.calls).toHaveLength(calls)
    }
  })

  test('asks nobody about a read', async () => {
    const { runtime, runId } = await cut('look')
    expect(await runtime.resume(runId)).toMatchObject({ status: 'completed', output: 'looked' })
  })
})

describe('tools that can\'t be used', () => {
  test.each([
    ['tools: [Nope]', ''],
    ['tools: [Other]', 'tool Other : Desk()'],
  ])('an agent call with %s is TOOL_CONFIG', async (tools, extra) => {
    const { runtime } = runtimeOf(`tool Desk : Desk()\n${extra}\nagent A [m/m] equips Desk\npipeline Main() : 1 |> A.x(${tools})`, { A: 'x' })
    expect((await runtime.run('Main')).error?.code).toBe('TOOL_CONFIG')
  })

  test('a tool that needs a value of Env which is not set is TOOL_CONFIG at its first use, unless it has another', async () => {
    const text = (argument: string) => `tool Desk : Desk(${argument})\npipeline Main() : 1 |> Desk.look()`
    const { result } = await run(text('Env.NOT_THERE'))
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TOOL_CONFIG' } })
    expect(result.error?.message).toContain('Env.NOT_THERE')
    expect((await run(text('Env.NOT_THERE ?? "x"'))).result.output).toBe('looked')
    expect((await run(text('Env.NOT_THERE'), {}, { Desk: 'mocked' })).result.output).toBe('mocked')
  })
})
