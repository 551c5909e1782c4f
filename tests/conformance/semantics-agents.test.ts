import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useTool, type MockRequest } from 'halo'
import { model, provider, run, runtimeOf, shape, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider('Desk', {
    look: ({ at }) => `at ${String(at)}`,
    echo: ({ input, n }) => ({ input, n }),
    long: () => '😀'.repeat(3000),
    big: () => ({ text: 'y'.repeat(30_000) }),
    parts: () => ({ parts: [{ type: 'text', text: 'a'.repeat(90) }, { type: 'text', text: 'b'.repeat(90) }] }),
  }, { echo: { parameters: shape({ input: {}, n: {} }) } })
})
afterEach(() => desk.undo())

const prompts = async (call: string, args: object = {}) => {
  const requests: MockRequest[] = []
  const made = await run(`tool Desk : Desk()\nagent A [m/m] equips Desk\npipeline Main(x: Any = "flow") : x ${call}`, args, { A: (request: MockRequest) => (requests.push(request), 'said') })
  return { ...made, requests, prompt: requests.at(-1)?.prompt }
}

describe('a prompt', () => {
  test.each([
    ['|> A.t("one", "two")', 'one\n\ntwo\n\nflow'],
    ['|> A.t("one", { a: [1, null] })', 'one\n\n{"a":[1,null]}\n\nflow'],
    ['|> A.t("about {{input}}")', 'about flow'],
    ['|> A.t("about {{upper(input)}}", "more")', 'about FLOW\n\nmore'],
    ['|> A.t(input, "more")', 'flow\n\nmore'],
    ['|> A.t("about {{x}}")', 'about flow'],
    ['|> System.Value("other") as y |> A.t("about {{y}}")', 'about other'],
    ['|> System.Value("other") as y |> A.t("about {{x}}")', 'about flow\n\nother'],
    ['|> A.t()', 'flow'],
    ['|> A', 'flow'],
  ])('of %s is its text parts and the flowing value, unless a part has it', async (call, prompt) => {
    expect((await prompts(call)).prompt).toBe(prompt)
  })

  test('never interpolates what a value holds, and takes \\{{ literally', async () => {
    expect((await prompts('|> A.t("see {{x}} and \\{{x}}")', { x: '{{Env.KEY}} {{1 + 1}}' })).prompt).toBe('see {{Env.KEY}} {{1 + 1}} and {{x}}')
  })

  test('an object that flows in is JSON', async () => {
    expect((await prompts('|> A.t("do")', { x: { a: 'b' } })).prompt).toBe('do\n\n{"a":"b"}')
  })

  test('with tool: has its result, called first with the flowing value as input, under the agent\'s policies', async () => {
    const { prompt, journal } = await prompts('|> A.t("do", tool: Desk.echo(n: 2))')
    expect(prompt).toContain('{"input":"flow","n":2}')
    expect(journal[0]).toMatchObject({ kind: 'tool', path: '1/tool' })
    const refused = await run('policy P : DenyTools("Desk.echo")\ntool Desk : Desk()\nagent A [m/m] equips Desk requires P\npipeline Main() : 1 |> A.t("do", tool: Desk.echo(n: 2))', {}, { A: 'x' })
    expect(refused.result.error?.code).toBe('POLICY_BLOCKED')
  })
})

describe('a mock', () => {
  test.each([null, false, '', 0, [], {}])('answers with %j as it is', async (value) => {
    const { result } = await run('agent A [m/m]\npipeline Main() : 1 |> A.t("x")', {}, { 'A.t': value })
    expect(result).toMatchObject({ status: 'completed', output: value })
  })

  test('its request has prompt, system, tools, messages, step, agent and task', async () => {
    const requests: MockRequest[] = []
    await run('tool Desk : Desk()\nagent A [m/m] equips Desk system "Be."\npipeline Main() : 1 |> A.t("x", tools: [Desk])', {}, { A: (request: MockRequest) => (requests.push(request), request.step === 1 ? [useTool('Desk.look', { at: 1 }), useTool('Desk.look', { at: 2 })] : 'end') })
    expect(requests[0]).toMatchObject({ prompt: 'x\n\n1', system: 'Be.', tools: ['Desk.look', 'Desk.echo', 'Desk.long', 'Desk.big', 'Desk.parts'], step: 1, agent: 'A', task: 't' })
    expect(requests[0]?.messages.map((message) => message.role)).toEqual(['user'])
    expect(requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(requests[1]?.step).toBe(2)
  })

  test('counts its steps on through corrections, in one conversation, while max_steps counts anew', async () => {
    const steps: number[] = []
    const text = 'schema N { n: Number }\ntool Desk : Desk()\nagent A [m/m, max_steps: 1] equips Desk\npipeline Main() : 1 |> A.t("x", tools: [Desk], schema: N) @correct(2)'
    const turns = [useTool('Desk.look', { at: 1 }), { n: 'x' }, useTool('Desk.look', { at: 2 }), { n: 2 }]
    const { result } = await run(text, {}, { A: ({ step }: MockRequest) => (steps.push(step), turns[step - 1]) })
    expect(result.output).toEqual({ n: 2 })
    expect(steps).toEqual([1, 2, 3, 4])
    expect(desk.calls).toHaveLength(2)
  })
})

describe('tool results', () => {
  const told = async (method: string, options: string, call = '') => {
    const requests: MockRequest[] = []
    await run(`tool Desk : Desk()\nagent A [m/m${options}] equips Desk\npipeline Main() : 1 |> A.t("x", tools: [Desk]${call})`, {}, { A: (request: MockRequest) => (requests.push(request), request.step === 1 ? useTool(`Desk.${method}`, {}) : 'end') })
    return toldBy(requests)[0]
  }

  test('are cut at 16,000 characters by default, at what the agent says, and at what the call says before that', async () => {
    expect(((await told('big', '')) as string).startsWith(`{"text":"${'y'.repeat(15_991)}`)).toBe(true)
    expect(((await told('big', '')) as string)).not.toContain('y'.repeat(15_992))
    expect((await told('big', ', tool_result_chars: 20')) as string).toMatch(/^\{"text":"y{11}(?!y)/)
    expect((await told('big', ', tool_result_chars: 20', ', tool_result_chars: 12')) as string).toMatch(/^\{"text":"yyy(?!y)/)
  })

  test('are never cut inside a surrogate pair', async () => {
    const text = (await told('long', ', tool_result_chars: 7')) as string
    expect(text.isWellFormed()).toBe(true)
    expect(text.startsWith('😀😀😀')).toBe(true)
    expect(text).not.toContain('😀😀😀😀')
  })

  test('of several parts are cut as a whole', async () => {
    const parts = (await told('parts', ', tool_result_chars: 100')) as { text: string }[]
    expect(parts.map(({ text }) => /^[ab]*/.exec(text)?.[0].length)).toEqual([90, 10])
  })
})

describe('max_steps', () => {
  test('may be given on the call, and 0 offers no turn with tools', async () => {
    const ask = async (steps: number) => {
      const { adapter, requests } = model([[{ type: 'tool_call', call: { id: 'a', name: 'Desk__look', args: {} } }]])
      await run(`tool Desk : Desk()\nagent A [house/m, max_steps: 9] equips Desk\npipeline Main() : 1 |> A.t("x", tools: [Desk], max_steps: ${steps})`, {}, {}, { models: { house: adapter } })
      return requests.map((request) => request.toolChoice)
    }
    expect(await ask(2)).toEqual(['auto', 'auto', 'none'])
    expect(await ask(0)).toEqual(['none'])
  })
})

describe('schemas', () => {
  const head = 'schema Item { name: String, tags: [String], size?: "s" | "l" }\n'
  test('reach the adapter as JSON Schema, and the answer is parsed and validated', async () => {
    const { adapter, requests } = model(['{"name": "a", "tags": ["b"]}'], { supportsSchema: true })
    const { result } = await run(`${head}agent A [house/m] returns Item\npipeline Main() : 1 |> A.t("x")`, {}, {}, { models: { house: adapter } })
    expect(result.output).toEqual({ name: 'a', tags: ['b'] })
    expect(requests[0]?.schema).toMatchObject({ name: 'Item', schema: { type: 'object', required: ['name', 'tags'] } })
  })

  test('are asked for in the prompt where the adapter has no structured output', async () => {
    const { adapter, requests } = model(['```json\n{"name": "a", "tags": []}\n```'])
    const { result } = await run(`${head}agent A [house/m]\npipeline Main() : 1 |> A.t("x", schema: Item)`, {}, {}, { models: { house: adapter } })
    expect(result.output).toEqual({ name: 'a', tags: [] })
    expect(JSON.stringify([requests[0]?.system, requests[0]?.messages])).toContain('tags')
  })

  test('SCHEMA_MISMATCH names each fault, and @correct feeds it back', async () => {
    const wrong = model(['{"name": 1, "size": "m"}', '{"name": "a", "tags": []}'])
    const text = (n: number) => `${head}agent A [house/m] returns Item\npipeline Main() : 1 |> A.t("x") @correct(${n})`
    const { result } = await run(text(0), {}, {}, { models: { house: wrong.adapter } })
    expect(result.error?.code).toBe('SCHEMA_MISMATCH')
    for (const field of ['name', 'tags', 'size']) expect(result.error?.message).toContain(field)
    const right = model(['{"name": 1, "size": "m"}', '{"name": "a", "tags": []}'])
    expect((await run(text(1), {}, {}, { models: { house: right.adapter } })).result.output).toEqual({ name: 'a', tags: [] })
    expect(JSON.stringify(right.requests[1]?.messages.at(-1))).toContain('tags')
  })
})

describe('images:', () => {
  test('go with the prompt as parts', async () => {
    const { adapter, requests } = model(['seen'])
    await run('agent A [house/m]\npipeline Main(pic: String) : 1 |> A.t("what is this?", images: [pic])', { pic: 'data:image/png;base64,AAAA' }, {}, { models: { house: adapter } })
    expect(requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'what is this?\n\n1' }, { type: 'image', mimeType: 'image/png', data: 'AAAA' }])
  })
})

describe('context.meta', () => {
  test('has the run\'s cost, tokens, calls, violations and steps, in expressions and in the result', async () => {
    const { adapter } = model([[{ type: 'text', text: 'hi' }, { type: 'usage', usage: { input: 1000, output: 100 } }]])
    const text = 'tool Desk : Desk()\nagent A [house/m]\npipeline Main() : 1 |> A.t("x") |> Desk.look(at: 1) |> System.Value({ cost: context.meta.cost, steps: context.meta.steps, calls: len(context.meta.calls), id: context.meta.runId, first: context.args, said: context.data })'
    const { result } = await run(text, {}, {}, { models: { house: adapter }, prices: { 'house/m': { input: 1, output: 10 } } })
    expect(result.output).toEqual({ cost: 0.002, steps: 1, calls: 1, id: result.runId, first: {}, said: {} })
    expect(result.context.meta).toMatchObject({ cost: 0.002, tokens: { input: 1000, output: 100 }, calls: [{ target: 'Desk.look', args: { at: 1 }, path: '2' }], violations: [], steps: 1 })
  })
})

test('a loop that never ends well goes round max times in all, tells the agent, and lets the value through', async () => {
  const seen: string[] = []
  const { runtime, events } = runtimeOf('agent A [m/m]\npipeline Main() : "start" |> A.t("do") as a |> System.Value("v") |<> loop(A, "input == \'v\'", max: 4) |> System.Value(context.data.a)', { A: ({ prompt, messages }: MockRequest) => (seen.push(`${messages.length} ${prompt}`), `try ${seen.length}`) })
  const result = await runtime.run('Main')
  expect(result).toMatchObject({ status: 'completed', output: 'try 4' })
  expect(seen).toHaveLength(4)
  expect(seen.every((each) => each.startsWith('1 do\n\nstart'))).toBe(true)
  expect(seen[1]).toContain('input == \'v\'')
  expect(seen[1]).toContain('try 1')
  expect(events.some((event) => event.type === 'log' && event.level === 'warning')).toBe(true)
})
