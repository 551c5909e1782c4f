import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, useTool, type InterruptRequest, type MockRequest, type RunResult } from 'halo'
import { ofType, provider, run, runtimeOf, shape, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider(
    'Desk',
    { look: ({ at }) => `at ${String(at)}`, put: ({ what }) => `put ${String(what)}` },
    { put: { effect: 'write', parameters: shape({ what: { type: 'string' } }, ['what']) } },
  )
})
afterEach(() => desk.undo())

const source = `
policy Careful : AllowTools("Desk.*") & ApproveEffects(write) & DenyArgs("Desk.put", "what", "forbidden")
tool Desk : Desk()
agent Clerk [openai/gpt-4o]
  equips Desk
  requires Careful
pipeline Main(task: String = "t") -> Result:
  task |> Clerk.work(tools: [Desk])
pipeline Many(tasks: [String]) -> Result:
  tasks |* each(limit: 2) { |> Clerk.work(tools: [Desk]) }
pipeline Nested() -> Result:
  ["a", "b"] |> Many(tasks: ["a", "b"]) |? { len(input) == 2 => Main(task: "c"), else => System.Fail("x") }
`
const puts = (what = 'x') => ({ 'Clerk.work': ({ step }: MockRequest) => (step === 1 ? useTool('Desk.put', { what }) : 'done') })

async function decided(answer: unknown) {
  const requests: MockRequest[] = []
  const mocks = { 'Clerk.work': (request: MockRequest) => (requests.push(request), request.step === 1 ? useTool('Desk.put', { what: 'x' }) : 'done'), approval: answer }
  const { events } = await run(source, {}, mocks)
  return { told: toldBy(requests)[0], decision: ofType(events, 'agent_tool')[0] }
}

describe('an answer', () => {
  test.each([true, 'y', 'YES', ' Approve ', 'approved', 'allow', 'Ok', 'okay', { approved: true }, { action: 'approve' }, { status: 'approved' }])('%j approves', async (answer) => {
    const { told, decision } = await decided(answer)
    expect(told).toBe('put x')
    expect(decision?.decision).toBe('approved')
  })

  test.each([false, null, 0, 1, 'n', 'No', ' REJECT ', 'deny', 'decline', '', {}, [], { approved: false }, { approved: 'true' }, { action: 'reject' }])('%j declines without a reason', async (answer) => {
    const { told, decision } = await decided(answer)
    expect(told).toMatch(/^A person declined this call\. Don't try it again; /)
    expect(decision).toMatchObject({ decision: 'declined' })
    expect(decision?.detail).toBeUndefined()
  })

  test.each([
    ['no, write to drafts/ instead', 'no, write to drafts/ instead'],
    [{ reason: 'too early' }, 'too early'],
    [{ approved: false, comment: 'ask Ann' }, 'ask Ann'],
    [{ text: 'later' }, 'later'],
  ])('%j declines with its reason', async (answer, reason) => {
    const { told, decision } = await decided(answer)
    expect(told).toMatch(new RegExp(`^A person declined this call: ${reason}\\. Don't try it again; `))
    expect(decision?.detail).toBe(reason)
    expect(desk.calls).toEqual([])
  })
})

describe('the question', () => {
  test('reaches the handler with its channel, message and names', async () => {
    const asked: InterruptRequest[] = []
    await run(source, {}, puts(), { onInterrupt: (request) => (asked.push(request), 'yes') })
    expect(asked).toMatchObject([{ channel: 'approval', message: 'Allow Clerk to call Desk.put with {"what":"x"}? (policy Careful)', named: { target: 'Desk.put', args: { what: 'x' }, policy: 'Careful', agent: 'Clerk' } }])
  })

  test('is answered by the mock of its target before the general one', async () => {
    await run(source, {}, { ...puts(), 'Desk.put?': false, approval: true })
    expect(desk.calls).toEqual([])
  })

  test('edited arguments pass schema and policies again', async () => {
    const asked: unknown[] = []
    const edit = (to: unknown) => async () => {
      const requests: MockRequest[] = []
      const mocks = { 'Clerk.work': (request: MockRequest) => (requests.push(request), request.step === 1 ? useTool('Desk.put', { what: 'x' }) : 'done') }
      await run(source, {}, mocks, { onInterrupt: (request) => (asked.push(request.named.args), { approved: true, args: to }) })
      return toldBy(requests)[0]
    }
    expect(await edit({ what: 'forbidden' })()).toMatch(/^Refused by policy "Careful": /)
    expect(await edit({ what: 3 })()).toMatch(/^Error: /)
    expect(await edit({ what: 'better' })()).toBe('put better')
    expect(desk.calls).toEqual([{ method: 'put', args: { what: 'better' } }])
  })

  test('answered by a handler that rejects doesn\'t run the call; one that never answers can be stopped', async () => {
    const { result } = await run(source, {}, puts(), { onInterrupt: () => Promise.reject(new Error('window gone')) })
    expect(result.status).toBe('failed')
    expect(result.error?.message).toContain('window gone')
    const stop = new AbortController()
    const { runtime } = runtimeOf(source, puts(), { onInterrupt: () => new Promise(() => {}) })
    const going = runtime.run('Main', {}, { signal: stop.signal })
    setTimeout(() => stop.abort(), 10)
    expect((await going).status).toBe('cancelled')
    const { runtime: timed } = runtimeOf(source, puts(), { onInterrupt: () => new Promise(() => {}) })
    expect((await timed.run('Main', {}, { timeoutMs: 20 })).error?.code).toBe('TIMEOUT')
    expect(desk.calls).toEqual([])
  })
})

describe('a handler that has nothing to say', () => {
  test('leaves yields and events to a signal, and declines approvals', async () => {
    const text = 'pipeline Main() : 1 |! yield("ok?") ~> listen("paid")'
    const { runtime } = runtimeOf(text, {}, { onInterrupt: () => undefined })
    const paused = await runtime.run('Main')
    expect(paused).toMatchObject({ status: 'paused', context: { meta: { paused: { waitingFor: 'yield' } } } })
    const next = await runtime.signal(paused.runId, 'yield', true)
    expect(next.context.meta.paused?.waitingFor).toBe('paid')
    expect((await runtime.signal(paused.runId, 'paid', 5)).output).toBe(5)
    const { result } = await run(source, {}, puts(), { onInterrupt: () => undefined })
    expect(result.status).toBe('completed')
    expect(desk.calls).toEqual([])
  })
})

describe('approvals at any depth', () => {
  async function answered(pipeline: string, args: object, answer: (id: string) => unknown): Promise<{ results: RunResult[]; last: RunResult }> {
    const { runtime } = runtimeOf(source, puts())
    const results = [await runtime.run(pipeline, args)]
    for (let last = results[0]; last?.status === 'paused'; last = results.at(-1)) {
      const id = last.context.meta.paused?.questions[0]?.id ?? ''
      results.push(await runtime.signal(last.runId, 'approval', answer(id)))
    }
    return { results, last: results.at(-1) as RunResult }
  }

  test('inside each: every item has its own question, in path order', async () => {
    const { results, last } = await answered('Many', { tasks: ['a', 'b', 'c'] }, () => true)
    expect(results[0]?.context.meta.paused?.questions.map(({ path }) => path)).toEqual(['1[0]/step:1/call:0', '1[1]/step:1/call:0'])
    expect(last).toMatchObject({ status: 'completed', output: ['done', 'done', 'done'] })
    expect(desk.calls).toHaveLength(3)
  })

  test('by id, in any order', async () => {
    const { runtime } = runtimeOf(source, puts())
    const paused = await runtime.run('Many', { tasks: ['a', 'b'] })
    const [first, second] = paused.context.meta.paused?.questions ?? []
    await runtime.signal(paused.runId, 'approval', { id: second?.id, approved: true })
    const done = await runtime.signal(paused.runId, 'approval', { id: first?.id, answer: 'no' })
    expect(done.output).toEqual(['done', 'done'])
    expect(done.context.meta.calls.map((call) => call.path)).toEqual(['1[1]/step:1/call:0'])
    await expect(runtime.signal(paused.runId, 'approval', true)).rejects.toThrow(/ended/)
  })

  test('one that ends the run takes the others with it, and whoever answered is told of the end', async () => {
    const text = `${source}pipeline Ask() : [1, 2, 3] |* each { |> System.Value(item) |! yield("ok {{item}}") }
pipeline Own() requires Careful : 1 |* { Desk.put(what: "a") as a, Desk.put(what: "b") as b }`
    const { runtime } = runtimeOf(text)
    for (const [pipeline, kind] of [['Ask', 'yield'], ['Own', 'approval']] as const) {
      const paused = await runtime.run(pipeline)
      expect(await runtime.signal(paused.runId, kind, 'no')).toMatchObject({ status: 'declined' })
    }
  })

  test('in nested pipelines and arms', async () => {
    const { results, last } = await answered('Nested', {}, () => 'ok')
    expect(results[0]?.context.meta.paused?.questions[0]?.path).toBe('1>Many.1[0]/step:1/call:0')
    expect(last.output).toBe('done')
  })

  test('in another runtime over the same journal, once each', async () => {
    const journal = memoryJournal()
    let result = await new HaloRuntime({ journal }).load(parse(source)).mockAll(puts()).run('Nested')
    while (result.status === 'paused') {
      result = await new HaloRuntime({ journal }).load(parse(source)).mockAll(puts()).signal(result.runId, 'approval', true)
    }
    expect(result).toMatchObject({ status: 'completed', output: 'done' })
    expect(desk.calls).toHaveLength(3)
  })
})
