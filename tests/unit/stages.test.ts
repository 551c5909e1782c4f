import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { parse } from '../../src/lib/halo/parse.ts'
import type { Clock, MockRequest, RunOptions, RuntimeConfig } from '../../src/lib/halo/run/types.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import type { MethodInfo } from '../../src/lib/halo/tools/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'

const sandbox = () => ({ open: () => ({}) }) as unknown as Sandbox
const seen: { method: string; args: Record<string, unknown> }[] = []
const open = { type: 'object', properties: { input: {}, value: {} } } as unknown as MethodInfo['parameters']
let undo = () => {}
let inFlight = 0
let most = 0

beforeEach(() => {
  seen.length = 0
  inFlight = most = 0
  const method = (name: string, give: (args: Record<string, unknown>) => unknown) => async (args: Record<string, unknown>) => {
    seen.push({ method: name, args })
    most = Math.max(most, ++inFlight)
    await new Promise((resolve) => setTimeout(resolve, 1))
    inFlight--
    return give(args)
  }
  undo = registerToolProvider(
    'Box',
    () => ({ echo: method('echo', ({ input, value }) => value ?? input), none: method('none', () => 1), fail: method('fail', ({ input }) => { throw new Error(`cannot ${String(input)}`) }), hang: () => new Promise(() => {}) }),
    { echo: { description: 'Echo.', parameters: open, effect: 'read' }, none: { description: 'None.', parameters: { type: 'object', properties: {} } as unknown as MethodInfo['parameters'], effect: 'write' }, fail: { description: 'Fail.', parameters: open, effect: 'read' }, hang: { description: 'Hang.', parameters: open, effect: 'read' } },
  )
})
afterEach(() => undo())

const head = `
policy NoWrites : DenyTools("Box.none")
policy Ask : ApproveTools("Box.none")
tool Box : Box()
agent A [mock/a]
agent B [mock/b]
`
async function run(body: string, args: object = {}, mocks: Record<string, unknown> = {}, config: RuntimeConfig = {}, options: RunOptions = {}) {
  const runtime = new HaloRuntime({ sandbox, ...config }).load(parse(head + body)).mockAll(mocks)
  return runtime.run('Main', args, options)
}
const prompts = (list: string[], answer: (request: MockRequest) => unknown = () => 'ok') => (request: MockRequest) => {
  list.push(request.prompt)
  return answer(request)
}

describe('what flows', () => {
  test('without a source the first parameter flows, and null without one', async () => {
    expect(await run('pipeline Main(x: Number, y: Number): |> System.Value(input + y)', { x: 1, y: 2 })).toMatchObject({ status: 'completed', output: 3 })
    expect(await run('pipeline Main: |> System.Value(input)')).toMatchObject({ output: null })
  })

  test('goes into a method that has input, and not into one that has not', async () => {
    await run('pipeline Main(x: Any): x |> Box.echo() |> Box.none()', { x: { a: 1 } })
    expect(seen).toEqual([{ method: 'echo', args: { input: { a: 1 } } }, { method: 'none', args: {} }])
  })

  test('fills the first parameter of a pipeline that is called', async () => {
    expect(await run('pipeline Main(x: Number): x |> Twice() |> Twice(n: input + 1)\npipeline Twice(n: Number) -> Number: n |> System.Value(n * 2)', { x: 3 })).toMatchObject({ output: 14 })
  })

  test('ends a prompt, unless a part says it already, by input or by the name it was bound to', async () => {
    const list: string[] = []
    const mocks = { A: prompts(list, ({ task }) => `from ${task}`) }
    await run('pipeline Main(x: String, spec: Any): x |> A.one("Do:", spec) as first |> A.two("Now {{first}}") |> A.three("Then", input) |> A.four("Last")', { x: 'flow', spec: { k: 1 } }, mocks)
    expect(list).toEqual(['Do:\n\n{"k":1}\n\nflow', 'Now from one', 'Then\n\nfrom two', 'Last\n\nfrom three'])
  })

  test('a parameter that is the source is a name of it as well', async () => {
    const list: string[] = []
    await run('pipeline Main(task: String): task |> A.do("Do {{task}}")', { task: 'it' }, { A: prompts(list) })
    expect(list).toEqual(['Do it'])
  })

  test('System logs and passes on, and fails', async () => {
    expect(await run('pipeline Main(x: Any): x |> System.Log("saw {{input}}") |> System.Value([input])', { x: 1 })).toMatchObject({ output: [1] })
    expect((await run('pipeline Main(x: Any): x |> System.Fail("not {{x}}")', { x: 1 })).error).toMatchObject({ message: 'not 1' })
  })
})

describe('arguments of a run', () => {
  test('are checked before anything happens, all at once', async () => {
    const result = await run('pipeline Main(a: String, b: Number, c: Boolean = true): a |> Box.none()', { b: 'two', d: 1 })
    expect(result.status).toBe('failed')
    expect(result.error?.code).toBe('VALIDATION')
    for (const name of ['a', 'b', 'd']) expect(result.error?.message).toContain(name)
    expect(seen).toEqual([])
  })

  test('a pipeline that is not there is a failed result too', async () => {
    expect((await new HaloRuntime().load(parse('pipeline Main: |> System.Value(1)')).run('Other')).error).toMatchObject({ code: 'VALIDATION' })
  })

  test('an answer of another type than the pipeline says is SCHEMA_MISMATCH, JSON text is read', async () => {
    expect(await run('pipeline Main -> [Number]: "[1, 2]" |> System.Value(input)')).toMatchObject({ output: [1, 2] })
    expect((await run('pipeline Main -> [Number]: "[1, true]" |> System.Value(input)')).error).toMatchObject({ code: 'SCHEMA_MISMATCH' })
  })
})

describe('parallel', () => {
  test('gives an object by names, and joins the states in written order', async () => {
    const result = await run('pipeline Main(x: Number): x |* { Box.echo(value: 1) as p |> System.Value(input + 1) as q, Box.echo(value: 10) } |> System.Value({ all: input, p: p, q: q })', { x: 0 })
    expect(result.output).toEqual({ all: { q: 2, 'Box.echo': 10 }, p: 1, q: 2 })
  })

  test('two branches of one key are an error', async () => {
    expect((await run('pipeline Main: |* { Box.echo(), Box.echo() }')).error).toMatchObject({ code: 'VALIDATION' })
  })

  test('a failing branch fails the stage and stops the others', async () => {
    const result = await run('pipeline Main(x: String): x |* { Box.fail() as a, Box.hang() as b }', { x: 'go' })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'TOOL_ERROR', message: 'cannot go', path: '1a' } })
  })
})

describe('each', () => {
  test('keeps the order, has item and index, runs at most limit at a time', async () => {
    const result = await run('pipeline Main(list: Any): list |* each(limit: 2) { Box.echo(value: item) |> System.Value("{{index}}:{{item}}") as inner } as all', { list: ['a', 'b', 'c', 'd', 'e'] })
    expect(result.output).toEqual(['0:a', '1:b', '2:c', '3:d', '4:e'])
    expect(most).toBe(2)
    expect(result.context.data).toEqual({ all: result.output })
  })

  test('an empty list gives an empty one; what is no list is EXPRESSION_ERROR; a failing item says which', async () => {
    expect((await run('pipeline Main(x: Any): x |* each Box.echo()', { x: [] })).output).toEqual([])
    expect((await run('pipeline Main(x: Any): x |* each Box.echo()', { x: 'no' })).error).toMatchObject({ code: 'EXPRESSION_ERROR' })
    expect((await run('pipeline Main(x: Any): x |* each(limit: 1) Box.fail()', { x: ['p', 'q'] })).error).toMatchObject({ code: 'TOOL_ERROR', message: 'Item 0: cannot p', path: '1[0]' })
  })
})

describe('branches and loops', () => {
  test('take the first arm that holds, else the else, else the value', async () => {
    const body = 'pipeline Main(n: Number): n |? { "n > 10" => System.Value("big") |> System.Value(input + "!"), n > 5 => System.Value("some") }'
    expect((await run(body, { n: 11 })).output).toBe('big!')
    expect((await run(body, { n: 6 })).output).toBe('some')
    expect((await run(body, { n: 1 })).output).toBe(1)
  })

  test('a loop goes back with what flowed in first, and tells the agent why and what it said', async () => {
    const list: string[] = []
    let n = 0
    const result = await run('pipeline Main(x: String): x |> A.draft("Write.") as d |> Box.echo(value: len(d)) as size |<> loop(A, "size < 3", max: 5) |> System.Value([d, size])', { x: 'topic' }, { A: prompts(list, () => 'x'.repeat(++n)) })
    expect(result.output).toEqual(['xxx', 3])
    expect(list).toHaveLength(3)
    expect(list[0]).toBe('Write.\n\ntopic')
    expect(list[1]).toMatch(/^Write\.\n\ntopic\n\n[^]*size < 3[^]*x$/)
  })

  test('a loop that never ends well gives up after max rounds and lets the value through', async () => {
    const list: string[] = []
    const logs: string[] = []
    const result = await run('pipeline Main: |> A.draft() |<> loop(A, while: true)', {}, { A: prompts(list) }, { onEvent: (event) => event.type === 'log' && logs.push(event.message) })
    expect(list).toHaveLength(3)
    expect(result).toMatchObject({ status: 'completed', output: 'ok' })
    expect(logs.join()).toContain('gave up')
  })

  test('an inner loop counts anew when the outer one goes round', async () => {
    const list: string[] = []
    await run('pipeline Main: |> A.one() |> B.two() |<> loop(B, "true", max: 2) |<> loop(A, "true", max: 3)', {}, { A: prompts(list, () => 'a'), B: prompts(list, () => 'b') })
    expect(list).toHaveLength(3 + 6)
  })
})

describe('waiting', () => {
  test.each([[false, 'declined'], ['no', 'declined'], [{ approved: false }, 'declined'], [true, 'completed'], ['yes', 'completed']])('a yield answered %j: %s', async (answer, status) => {
    const result = await run('pipeline Main(x: Any): x |! yield("Send it?") |> System.Value([input])', { x: 7 }, { yield: answer })
    expect(result.status).toBe(status)
    if (status === 'completed') expect(result.output).toEqual([7])
  })

  test.each([['use this', 'use this'], [{ approved: true, value: 5 }, 5], [{ other: 1 }, { other: 1 }]])('a yield answered %j lets %j flow on; as names the whole answer', async (answer, flows) => {
    const result = await run('pipeline Main(x: Any): x |! yield("?") as said', { x: 7 }, { yield: answer })
    expect(result.output).toEqual(flows)
    expect(result.context.data.said).toEqual(answer)
  })

  test('a listen takes an event that came early, one at a time, and times out', async () => {
    const runtime = new HaloRuntime({ sandbox }).load(parse(head + 'pipeline Main: |! yield("?") ~> listen("paid") as p ~> listen("sent")'))
    const paused = await runtime.run('Main')
    const still = await runtime.signal(paused.runId, 'paid', { amount: 3 })
    expect(still.context.meta.paused?.waitingFor).toBe('yield')
    const next = await runtime.signal(paused.runId, 'yield', true)
    expect(next.context.meta.paused?.waitingFor).toBe('sent')
    const done = await runtime.signal(paused.runId, 'sent', 'post')
    expect(done).toMatchObject({ status: 'completed', output: 'post', context: { data: { p: { amount: 3 } } } })
    expect((await run('pipeline Main: ~> listen("never", timeout: 5ms)', {}, {}, { onInterrupt: () => new Promise(() => {}) })).error).toMatchObject({ code: 'TIMEOUT' })
  })

  test('a deadline runs on while the run is paused', async () => {
    const runtime = new HaloRuntime({ sandbox }).load(parse(head + 'pipeline Main: ~> listen("never", timeout: 20ms)'))
    const paused = await runtime.run('Main')
    expect(paused.status).toBe('paused')
    await new Promise((resolve) => setTimeout(resolve, 60))
    await expect(runtime.signal(paused.runId, 'never', 1)).rejects.toThrow(/ended/)
  })

  test('a run pauses at any depth: in each, in parallel, in a pipeline that is called', async () => {
    const source = 'pipeline Main(list: Any) requires Ask: list |* each(limit: 5) { Inner() } |* { Box.none() as a, System.Value(1) as b }\npipeline Inner: |> Box.none()'
    const runtime = new HaloRuntime({ sandbox }).load(parse(head + source))
    let result = await runtime.run('Main', { list: [1, 2] })
    expect(result.context.meta.paused?.questions.map(({ path }) => path)).toEqual(['1[0]>Inner.1', '1[1]>Inner.1'])
    for (const rounds of [1, 2, 3]) {
      expect(result.status, `before answer ${rounds}`).toBe('paused')
      result = await runtime.signal(result.runId, 'approval', true)
    }
    expect(result).toMatchObject({ status: 'completed' })
    expect(seen.filter(({ method }) => method === 'none')).toHaveLength(3)
  })
})

describe('policies of pipelines', () => {
  test('hold for every call inside, nested ones included', async () => {
    const result = await run('pipeline Main requires NoWrites: |> Inner()\npipeline Inner: |> Box.none()')
    expect(result.error).toMatchObject({ code: 'POLICY_BLOCKED' })
  })

  test('a declined call ends the run as declined', async () => {
    expect(await run('pipeline Main requires Ask: |> Box.none()', {}, { approval: 'not today' })).toMatchObject({ status: 'declined', error: { code: 'DECLINED' } })
  })
})

describe('stopping', () => {
  test('ends at once whatever a tool does, and a late result changes nothing', async () => {
    const stop = new AbortController()
    const journal = memoryJournal()
    let release: (value: unknown) => void = () => {}
    const back = registerToolProvider('Slow', () => ({ go: () => new Promise((resolve) => (release = resolve)) }))
    const running = new HaloRuntime({ sandbox, journal }).load(parse('tool Slow : Slow()\npipeline Main: |> Slow.go()')).run('Main', {}, { signal: stop.signal, runId: 'r' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    expect(await running).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } })
    release('late')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(journal.records.get('r')?.entries.at(-1)).toMatchObject({ state: 'late', value: 'late' })
    back()
  })

  test('a time limit of the run fails it, and stands still while it waits for a person', async () => {
    expect((await run('pipeline Main: |> Box.hang()', {}, {}, {}, { timeoutMs: 10 })).error).toMatchObject({ code: 'TIMEOUT' })
    const runtime = new HaloRuntime({ sandbox }).load(parse(head + 'pipeline Main: |! yield("?")'))
    const paused = await runtime.run('Main', {}, { timeoutMs: 30 })
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(await runtime.signal(paused.runId, 'yield', true)).toMatchObject({ status: 'completed' })
  })
})

describe('the journal', () => {
  test('answers in another process: now and new ids stay the same', async () => {
    const journal = memoryJournal()
    const clock: Clock = { now: () => Date.now(), sleep: () => new Promise(() => {}), uuid: () => crypto.randomUUID() }
    const file = parse(head + 'pipeline Main: |> System.Value([now(), uuid(), uuid()]) as first |! yield("?") |> System.Value(first)')
    const paused = await new HaloRuntime({ sandbox, journal, clock }).load(file).run('Main')
    const done = await new HaloRuntime({ sandbox, journal, clock }).signal(paused.runId, 'yield', true)
    expect(done.output).toEqual(paused.context.data.first)
    expect(new Set(done.output as string[]).size).toBe(3)
  })

  test('a failing store ends the run with words', async () => {
    const journal = { ...memoryJournal(), append: () => Promise.reject(new Error('quota')) }
    expect((await run('pipeline Main: |> Box.none()', {}, {}, { journal })).error).toMatchObject({ code: 'STORAGE_FULL' })
  })
})

describe('protected files', () => {
  test('stay as they are by any route: the shell of another tool is kept from them too', async () => {
    const files = memorySandbox({ files: { '/shop/a.test.js': 'test', '/shop/a.js': 'code' } })
    const source = `
tool Code : Workspace("{{folder}}", write: true, protect: ["**/*.test.*"])
tool Shell : Bash(cwd: "{{folder}}")
pipeline Main(folder: String): |> Shell.run(command: "echo x > a.js; echo x > a.test.js; rm a.test.js; mv a.test.js b") as out`
    const result = await new HaloRuntime({ sandbox: () => files }).load(parse(source)).run('Main', { folder: './shop' })
    expect(result.status).toBe('completed')
    const text = async (path: string) => new TextDecoder().decode(await files.read(path))
    expect(await text('/shop/a.test.js')).toBe('test')
    expect(await text('/shop/a.js')).toBe('x\n')
  })
})

describe('the arguments of a run', () => {
  test('that are no object fail the run in words', async () => {
    for (const [args, kind] of [[null, 'null'], ['Bonn', 'a text'], [['Bonn'], 'a list'], [7, 'a number']] as const) {
      const result = await new HaloRuntime().load(parse('pipeline P(city: String) : city')).run('P', args as unknown as object)
      expect(result).toMatchObject({ status: 'failed', error: { code: 'VALIDATION', message: `The arguments of P are an object by name, not ${kind}.` } })
    }
  })
})

test('a handler that fails where a person is asked ends the run with APPROVAL_NEEDED and its cause', async () => {
  const cause = new Error('the form is gone')
  const { status, error } = await new HaloRuntime({ onInterrupt: () => Promise.reject(cause) }).load(parse('pipeline P() : 1 |! yield("Go on?")')).run('P')
  expect(status).toBe('failed')
  expect(error).toMatchObject({ code: 'APPROVAL_NEEDED', path: '1', cause })
})
