import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, memorySandbox, parse, registerToolProvider, useTool, type HaloEvent, type MockRequest, type RecordedCall } from 'halo'
import { maskSecrets, secretStream } from '../../src/lib/halo/run/secrets.ts'
import { everything, model, ofType, provider, run, shape, toldBy } from './semantics-kit.ts'

const SECRET = 'sk-0123456789'
let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider(
    'Desk',
    {
      give: () => ({ deep: [`token ${SECRET}`], [SECRET]: 1 }),
      fail: () => {
        throw new Error(`401 for ${SECRET}`)
      },
      mail: () => 'write to ann@example.org, or pay 5',
      chatter: async (_, context) => {
        context.log(`using ${SECRET}`)
        context.progress(1, 2, `at ${SECRET}`)
        context.output?.('stdout', `printed ${SECRET}`)
        context.partial?.({ so: SECRET })
        const answer = await context.requestHumanInput({ prompt: `May I use ${SECRET}?` })
        return `${String(answer)} ${SECRET}`
      },
      stream: async function* () {
        yield `half ${SECRET}`
        yield `whole ${SECRET}`
      },
    },
    { give: { parameters: shape({ n: {} }) } },
  )
})
afterEach(() => desk.undo())

describe('values of Env', () => {
  test('are masked in results, errors, questions, progress and logs before anyone sees them', async () => {
    const source = `
tool Desk : Desk(Env.TOKEN)
agent A [house/m] equips Desk
pipeline Main() : "go" |> A.say(tools: [Desk]) |> Desk.give() |> Desk.chatter() |> Desk.stream()`
    const journal = memoryJournal()
    const events: HaloEvent[] = []
    const recorded: RecordedCall[] = []
    const turns = [useTool('Desk.give'), useTool('Desk.fail'), 'done']
    const requests: MockRequest[] = []
    const runtime = new HaloRuntime({ journal, onEvent: (event) => events.push(event), recorder: (call) => recorded.push(call), env: { TOKEN: SECRET, SHORT: '5' } }).load(parse(source)).mockAll({
      A: (request: MockRequest) => (requests.push(request), turns[request.step - 1]),
    })
    const paused = await runtime.run('Main')
    expect(paused.context.meta.paused?.questions[0]?.request.message).toBe('May I use [secret TOKEN]?')
    const result = await runtime.signal(paused.runId, 'input', 'yes')
    expect(result.output).toBe('whole [secret TOKEN]')
    expect(toldBy(requests)).toEqual(['{"deep":["token [secret TOKEN]"],"[secret TOKEN]":1}', 'Error: 401 for [secret TOKEN]'])
    expect(everything(paused, result, events, recorded, [...journal.records])).not.toContain(SECRET)
  })

  test('are masked in what a model says, its reasoning and its calls', async () => {
    const { adapter } = model([[{ type: 'reasoning', text: `I know ${SECRET}` }, { type: 'text', text: `it is ${SECRET}` }, { type: 'raw', request: { key: SECRET }, response: SECRET }, { type: 'tool_call', call: { id: '1', name: 'Desk__give', args: { n: SECRET } } }], `so ${SECRET}`])
    const source = 'tool Desk : Desk()\nagent A [house/m] equips Desk\npipeline Main() : "go" |> A.say(tools: [Desk])'
    const { result, events, journal } = await run(source, {}, {}, { models: { house: adapter }, env: { TOKEN: SECRET } })
    expect(result.output).toBe('so [secret TOKEN]')
    expect(everything(result, ofType(events, 'llm'), ofType(events, 'agent_tool'), journal)).not.toContain(SECRET)
  })

  test('of an error that an adapter throws, and of a provider that can\'t be made', async () => {
    const { adapter } = model([() => Promise.reject(new Error(`bad key ${SECRET}`))])
    const first = await run('agent A [house/m]\npipeline Main() : "go" |> A.say()', {}, {}, { models: { house: adapter }, env: { TOKEN: SECRET } })
    expect(first.result.error?.message).toContain('bad key [secret TOKEN]')
    const undo = registerToolProvider('Broken', () => Promise.reject(new Error(`no ${SECRET}`)), { go: { description: 'go', parameters: shape({}), effect: 'read' } })
    const second = await run('tool B : Broken(Env.TOKEN)\npipeline Main() : 1 |> B.go()', {}, {}, { env: { TOKEN: SECRET } })
    undo()
    expect(second.result).toMatchObject({ status: 'failed' })
    expect(everything(first.result, first.events, first.journal, second.result, second.events, second.journal)).not.toContain(SECRET)
  })

  test('are masked where they come in pieces: of an answer, its reasoning, its calls, and of what a tool prints', async () => {
    const pieces = (text: string, size: number) => Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    for (const size of [1, 3, 7]) {
      const say = `sk-01 and ${SECRET}, ${SECRET}${SECRET} sk-012345`
      const { adapter } = model([
        [
          ...pieces(say, size).flatMap((text) => [{ type: 'text' as const, text }, { type: 'reasoning' as const, text }]),
          ...pieces(JSON.stringify({ n: SECRET }), size).map((args) => ({ type: 'tool_delta' as const, id: '1', name: 'Printer__print', args })),
          { type: 'tool_call', call: { id: '1', name: 'Printer__print', args: {} } },
        ],
        'so',
      ])
      const printer = provider('Printer', { print: (_, context) => (pieces(say, size).forEach((text) => context.output?.('stdout', text)), 'printed') })
      const source = 'tool Printer : Printer()\nagent A [house/m] equips Printer\npipeline Main() : "go" |> A.say(tools: [Printer])'
      const { events } = await run(source, {}, {}, { models: { house: adapter }, env: { TOKEN: SECRET } })
      printer.undo()
      const masked = 'sk-01 and [secret TOKEN], [secret TOKEN][secret TOKEN] sk-012345'
      const deltas = ofType(events, 'llm_delta').filter(({ path }) => path.includes('step:1'))
      expect(deltas.map(({ text }) => text ?? '').join('')).toBe(masked)
      expect(deltas.map(({ reasoning }) => reasoning ?? '').join('')).toBe(masked)
      expect(deltas.map(({ toolCall }) => toolCall?.args ?? '').join('')).toBe('{"n":"[secret TOKEN]"}')
      expect(ofType(events, 'tool_progress').map(({ output }) => output ?? '').join('')).toBe(masked)
      expect(everything(events)).not.toContain(SECRET)
    }
  })

  test('are masked in pieces exactly as they are in one', () => {
    const word = (least: number, most: number) => fc.string({ unit: fc.constantFrom('a', 'b'), minLength: least, maxLength: most })
    fc.assert(
      fc.property(fc.array(word(8, 11), { minLength: 1, maxLength: 3 }), fc.array(word(0, 9)), fc.nat(), (secrets, around, at) => {
        const env = Object.fromEntries(secrets.map((secret, i) => [`S${i}`, secret]))
        const pieces = around.flatMap((piece, i) => (i === at % around.length ? [piece, ...(secrets[0] ?? '')] : [piece]))
        const stream = secretStream(env)
        const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end()
        expect(shown).toBe(maskSecrets(pieces.join(''), env))
      }),
      { numRuns: 2000 },
    )
  })

  test('are masked as they stand in JSON texts and in addresses', async () => {
    const key = '-----BEGIN KEY-----\nab+/"cd\n-----END KEY-----'
    const keyed = provider('Keyed', { give: () => ({ body: JSON.stringify({ key }), at: `https://a.example/?k=${encodeURIComponent(key)}` }) })
    const { result } = await run('tool Keyed : Keyed(Env.KEY)\npipeline Main() : 1 |> Keyed.give()', {}, {}, { env: { KEY: key } })
    keyed.undo()
    expect(result.output).toEqual({ body: '{"key":"[secret KEY]"}', at: 'https://a.example/?k=[secret KEY]' })
  })

  test('shorter than eight characters are left alone', async () => {
    const { result } = await run('tool Desk : Desk()\npipeline Main() : 1 |> Desk.mail()', {}, {}, { env: { FIVE: '5' } })
    expect(result.output).toBe('write to ann@example.org, or pay 5')
  })

  test('are masked in what @idempotent keeps beyond the run', async () => {
    const kept: unknown[] = []
    const store = { get: () => undefined, set: (_: string, entry: unknown) => void kept.push(entry) }
    await run('tool Desk : Desk() @idempotent(scope: global)\npipeline Main() : 1 |> Desk.give()', {}, {}, { env: { TOKEN: SECRET }, idempotency: store as never })
    expect(kept).toHaveLength(1)
    expect(everything(kept)).not.toContain(SECRET)
  })
})

describe('Redact and Block', () => {
  const source = (policy: string, extra = '') => `
policy P : ${policy}
tool Desk : Desk()
agent A [house/m] equips Desk requires P ${extra}
pipeline Main(task: String = "from bob@example.org") : task |> A.say(tools: [Desk])`
  const call = (args: Record<string, unknown> = {}) => [{ type: 'tool_call' as const, call: { id: '1', name: 'Desk__mail', args } }]

  test('on input change the prompt, the system prompt and tool results, not the answer', async () => {
    const { adapter, requests } = model([call(), 'mail bob@example.org'])
    const { result } = await run(source('Redact("email", on: input)', 'system "For eve@example.org."'), {}, {}, { models: { house: adapter } })
    expect(requests[0]).toMatchObject({ system: 'For [redacted].', messages: [{ content: 'from [redacted]' }] })
    expect(toldBy(requests)).toEqual(['write to [redacted], or pay 5'])
    expect(result.output).toBe('mail bob@example.org')
  })

  test('on output change the answer only, and nothing is streamed before the check', async () => {
    const { adapter, requests } = model([call(), 'mail bob@example.org'])
    const { result, events } = await run(source('Redact("email", on: output)'), {}, {}, { models: { house: adapter } })
    expect(requests[0]?.messages[0]?.content).toBe('from bob@example.org')
    expect(toldBy(requests)).toEqual(['write to ann@example.org, or pay 5'])
    expect(result.output).toBe('mail [redacted]')
    expect(ofType(events, 'llm_delta')).toEqual([])
    expect(ofType(events, 'llm').at(-1)?.text).toBe('mail [redacted]')
  })

  test.each(['input', 'output', 'both'])('events show arguments and results with all rules applied, on: %s; the journal has them raw', async (side) => {
    const { adapter } = model([call({ to: 'carl@example.org' }), 'ok'])
    const { events, journal } = await run(source(`Redact("email", on: ${side})`), { task: 'x' }, {}, { models: { house: adapter } })
    expect(ofType(events, 'agent_tool')[0]?.args).toEqual({ to: '[redacted]' })
    expect(ofType(events, 'tool')[0]?.result).toBe('write to [redacted], or pay 5')
    expect(everything(events)).not.toContain('carl@example.org')
    expect(everything(journal)).toContain('carl@example.org')
    expect(everything(journal)).toContain('write to ann@example.org')
  })

  test('Block of a prompt sends nothing; of a result withholds it all; of an answer fails after corrections', async () => {
    const prompt = model(['x'])
    const blocked = await run(source('Block("example", on: input)'), {}, {}, { models: { house: prompt.adapter } })
    expect(blocked.result).toMatchObject({ status: 'failed', error: { code: 'POLICY_BLOCKED' }, context: { meta: { violations: [{ phase: 'input', policy: 'P' }] } } })
    expect(prompt.requests).toEqual([])

    const tool = model([call(), 'ok'])
    const withheld = await run(source('Block("example", on: input)'), { task: 'x' }, {}, { models: { house: tool.adapter } })
    expect(withheld.result.output).toBe('ok')
    expect(everything(toldBy(tool.requests))).not.toContain('pay 5')
    expect(everything(withheld.events)).not.toContain('ann@example.org')

    const answer = model(['an example', 'a sample'])
    const text = source('Block("example", on: output)').replace('tools: [Desk])', 'tools: [Desk]) @correct(1)')
    const corrected = await run(text, { task: 'x' }, {}, { models: { house: answer.adapter } })
    expect(corrected.result).toMatchObject({ output: 'a sample', context: { meta: { violations: [{ phase: 'output' }] } } })
    expect(answer.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
    const never = model(['an example'])
    expect((await run(text, { task: 'x' }, {}, { models: { house: never.adapter } })).result.error?.code).toBe('POLICY_BLOCKED')
    expect(never.requests).toHaveLength(2)
  })

  test('of a pipeline hold for what its stages show, not for what it gives', async () => {
    const text = 'policy P : Redact("email")\ntool Desk : Desk()\npipeline Main() requires P : 1 |> Desk.mail()'
    const { result, events } = await run(text)
    expect(result.output).toBe('write to ann@example.org, or pay 5')
    expect(everything(events.filter((event) => event.type !== 'run_end'))).not.toContain('ann@example.org')
  })

  test('hold for what a store adds to a prompt, in the prompt and in events', async () => {
    const requests: MockRequest[] = []
    const text = 'policy P : Redact("email", on: input)\nstore Notes : File("notes.md")\nagent A [m/m] equips Notes requires P\npipeline Main() : "who?" |> A.x(tools: auto)'
    const { events } = await run(text, {}, { A: (request: MockRequest) => (requests.push(request), 'ok') }, { sandbox: () => memorySandbox({ files: { 'notes.md': 'call ann@example.org' } }) })
    expect(requests[0]?.prompt).toContain('call [redacted]')
    expect(requests[0]?.tools).toEqual([])
    expect(ofType(events, 'context')[0]?.matches).toMatchObject([{ text: 'call [redacted]' }])
  })
})
