import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { analyse, HaloRuntime, memoryJournal, parse, useTool, type HaloEvent, type MockRequest, type RecordedCall } from 'halo'
import { ofType, provider, run, runtimeOf, slowJournal } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
let release: () => void = () => {}
beforeEach(() => {
  desk = provider(
    'Desk',
    { look: ({ at }) => `at ${String(at)}`, hang: () => new Promise((done) => (release = () => done('late'))), put: () => 'put' },
    { put: { effect: 'write' }, hang: { effect: 'write' } },
  )
})
afterEach(() => desk.undo())

const source = `
tool Desk : Desk()
agent A [house/m] equips Desk
pipeline Main(n: Any = 1) : n |> Desk.look(at: n) |! yield("Go on?") |> A.say("x")
pipeline Hang() : 1 |> Desk.hang()
pipeline Waits() : 1 |> Desk.look(at: 1) ~> listen("paid", timeout: 1h) as event
pipeline Typed(a: Number, b: "x" | "y", c: [String], d: Boolean?) -> Result: a`
const mocks = { A: 'said' }

describe('the arguments of a run', () => {
  test('are one VALIDATION with every fault in it, before anything happens; text is not coerced', async () => {
    const { runtime, events } = runtimeOf(source)
    const result = await runtime.run('Typed', { a: '1', b: 'z', e: 1 })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'VALIDATION' } })
    for (const name of ['a', 'b', 'c', 'e']) expect(result.error?.message).toMatch(new RegExp(`\\b${name}\\b`))
    expect(result.error?.message).not.toMatch(/\bd (is missing|should)/)
    expect(ofType(events, 'stage_start')).toEqual([])
    expect(ofType(events, 'log')).toEqual([])
  })

  test('may be huge', async () => {
    const { result } = await run('pipeline Main(x: Any) : len(x)', { x: 'y'.repeat(5_000_000) })
    expect(result.output).toBe(5_000_000)
  })
})

describe('run ids', () => {
  test('are used once, also by two that start in the same moment, and over a slow store', async () => {
    for (const journal of [memoryJournal(), slowJournal()]) {
      const { runtime } = runtimeOf(source, mocks, { journal })
      const both = await Promise.allSettled([runtime.run('Main', {}, { runId: 'one' }), runtime.run('Main', {}, { runId: 'one' })])
      expect(both.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected'])
      await expect(new HaloRuntime({ journal }).load(parse(source)).run('Main', {}, { runId: 'one' })).rejects.toThrow(/one/)
    }
  })
})

describe('two runs at once in one runtime', () => {
  test('pause and end each by itself', async () => {
    const { runtime } = runtimeOf(source, mocks)
    const [a, b] = await Promise.all([runtime.run('Main', { n: 1 }), runtime.run('Main', { n: 2 })])
    const second = await runtime.signal(b?.runId ?? '', 'yield', { approved: true, value: 'mine' })
    const first = await runtime.signal(a?.runId ?? '', 'yield', false)
    expect([first.status, second.status]).toEqual(['declined', 'completed'])
    expect(first.context.args).toEqual({ n: 1 })
    expect(second.context.args).toEqual({ n: 2 })
  })
})

describe('Stop', () => {
  const stopped = async (pipeline: string, after: number, options: { mocks?: Record<string, unknown>; journal?: ReturnType<typeof slowJournal> } = {}) => {
    const stop = new AbortController()
    const { runtime, events } = runtimeOf(source, { ...mocks, ...options.mocks }, options.journal === undefined ? {} : { journal: options.journal })
    const going = runtime.run(pipeline, {}, { signal: stop.signal, runId: 'r' })
    if (after < 0) stop.abort()
    else setTimeout(() => stop.abort(), after)
    const result = await going
    return { result, runtime, events, stop }
  }

  test('ends a run before it has begun, in a tool that doesn\'t listen, in a model, and while a slow store writes', async () => {
    expect((await stopped('Main', -1)).result.status).toBe('cancelled')
    const hanging = await stopped('Hang', 10)
    expect(hanging.result).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } })
    release()
    expect((await stopped('Main', 10, { mocks: { yield: true, A: () => new Promise(() => {}) } })).result.status).toBe('cancelled')
    expect((await stopped('Hang', 3, { journal: slowJournal(5) })).result.status).toBe('cancelled')
  })

  test('of a run that waits for a person ends it: no answer is taken any more', async () => {
    const stop = new AbortController()
    const { runtime, events } = runtimeOf(source, mocks)
    const paused = await runtime.run('Main', {}, { signal: stop.signal })
    expect(paused.status).toBe('paused')
    stop.abort()
    await new Promise((done) => setTimeout(done, 5))
    expect(ofType(events, 'run_end').map((event) => event.status)).toEqual(['paused', 'cancelled'])
    await expect(runtime.signal(paused.runId, 'yield', true)).rejects.toThrow(/ended/)
  })
})

describe('listeners', () => {
  test('that throw, at once or later, never reach the run, nor does a recorder', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    const thrown = await run(source, {}, { ...mocks, yield: true }, { onEvent: () => { throw new Error('at once') }, recorder: () => { throw new Error('at once') } })
    const later = await run(source, {}, { ...mocks, yield: true }, { onEvent: (() => Promise.reject(new Error('later'))) as () => void, recorder: (() => Promise.reject(new Error('later'))) as () => void })
    await new Promise((done) => setTimeout(done, 5))
    process.off('unhandledRejection', note)
    expect([thrown.result.output, later.result.output]).toEqual(['said', 'said'])
    expect(unhandled).toEqual([])
  })

  test('a recorder gets each answer as it happens, with its kind, target, value and path', async () => {
    const recorded: RecordedCall[] = []
    const text = source.replace('A.say("x")', 'A.say("x", tools: [Desk])')
    await run(text, {}, { A: ({ step }: MockRequest) => (step === 1 ? useTool('Desk.put', { what: 1 }) : 'end'), yield: { approved: true } }, { recorder: (call) => recorded.push(call) })
    expect(recorded.map(({ kind, target }) => `${kind} ${target}`)).toEqual(['tool Desk.look', 'yield yield', 'agent A.say', 'tool Desk.put', 'agent A.say'])
    expect(recorded[2]?.toolCalls).toMatchObject([{ name: 'Desk__put', args: { what: 1 } }])
    expect(recorded[1]).toMatchObject({ value: { approved: true }, path: '2' })
  })

  test('events come in order, each with run id, path, time and span', async () => {
    const { events, result } = await run(source, {}, { ...mocks, yield: true })
    expect(events.map((event) => event.type)).toEqual([
      'run_start', 'stage_start', 'stage_end', 'stage_start', 'tool', 'stage_end', 'stage_start', 'yield', 'stage_end', 'stage_start', 'llm_start', 'llm', 'stage_end', 'run_end',
    ])
    for (const event of events) {
      expect(event).toMatchObject({ runId: result.runId, path: expect.any(String) as string, time: expect.any(Number) as number })
      if (event.type !== 'run_end') expect(event.span, event.type).toBeDefined()
    }
  })

  test('stream gives the same events, and its result', async () => {
    const { runtime } = runtimeOf(source, { ...mocks, yield: true })
    const seen: HaloEvent[] = []
    const stream = runtime.stream('Main')
    for await (const event of stream) seen.push(event)
    expect(seen.at(-1)?.type).toBe('run_end')
    expect((await stream.result).output).toBe('said')
  })
})

describe('an event', () => {
  test('that came early waits in the journal, in another runtime too', async () => {
    const journal = slowJournal(1)
    const text = 'pipeline Main() : 1 |! yield("first?") ~> listen("paid") as event'
    const paused = await new HaloRuntime({ journal }).load(parse(text)).run('Main')
    const still = await new HaloRuntime({ journal }).load(parse(text)).signal(paused.runId, 'paid', { amount: 5 })
    expect(still).toMatchObject({ status: 'paused', context: { meta: { paused: { waitingFor: 'yield' } } } })
    const done = await new HaloRuntime({ journal }).load(parse(text)).signal(paused.runId, 'yield', true)
    expect(done).toMatchObject({ status: 'completed', output: { amount: 5 }, context: { data: { event: { amount: 5 } } } })
  })

  test('that doesn\'t come in time is TIMEOUT, though the page was closed in between', async () => {
    const journal = memoryJournal()
    let now = 1_000_000
    const wake: (() => void)[] = []
    const clock = { now: () => now, sleep: (ms: number) => new Promise<void>((done) => (ms <= 0 ? done() : wake.push(done))), uuid: () => crypto.randomUUID() }
    const paused = await new HaloRuntime({ journal, clock }).load(parse(source)).run('Waits')
    expect(paused.context.meta.paused?.questions[0]?.request.deadline).toBe(1_000_000 + 3_600_000)
    now += 3_600_001
    const runtime = new HaloRuntime({ journal, clock }).load(parse(source))
    let last = await runtime.resume(paused.runId)
    if (last.status === 'paused') last = await runtime.resume(paused.runId)
    expect(last).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } })
  })

  test('answers what waits for it only; unknown runs and kinds are errors that say so', async () => {
    const { runtime } = runtimeOf(source, mocks)
    await expect(runtime.signal('nobody', 'yield', true)).rejects.toThrow(/nobody/)
    const paused = await runtime.run('Main')
    await expect(runtime.signal(paused.runId, 'approval', true)).rejects.toThrow(/approval.*yield/s)
    await expect(runtime.signal(paused.runId, 'yield', { id: 'yield@99', approved: true })).rejects.toThrow(/yield@99/)
    expect((await runtime.signal(paused.runId, 'yield', true)).output).toBe('said')
    await expect(runtime.signal(paused.runId, 'yield', true)).rejects.toThrow(/ended/)
  })
})

describe('imports', () => {
  test('bring in another file\'s declarations, which a run and its journal have', async () => {
    const main = 'import "./tools.halo"\npipeline Main() : 3 |> Shared(x: input)'
    const { file, diagnostics } = analyse(main, { path: 'main.halo', resolve: (path) => (path.endsWith('tools.halo') ? 'pipeline Shared(x: Any) : x |! yield("ok?") |> System.Value(x + 1)' : undefined) })
    expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([])
    const journal = memoryJournal()
    const paused = await new HaloRuntime({ journal }).load(file).run('Main')
    const elsewhere = new HaloRuntime({ journal })
    expect((await elsewhere.signal(paused.runId, 'yield', true)).output).toBe(4)
  })
})
