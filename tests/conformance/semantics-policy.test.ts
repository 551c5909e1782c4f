import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useTool, type MockRequest } from 'halo'
import { ofType, provider, run, runtimeOf, shape, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider(
    'Desk',
    { look: ({ at }) => `at ${String(at)}`, put: () => ({ ok: true }), send: () => 'sent', open: ({ path }) => path },
    {
      put: { effect: 'write', parameters: shape({ where: {}, what: {}, deep: {}, count: { type: 'number', default: 7 } }) },
      send: { effect: 'external', categories: ['payment'] },
      open: { parameters: shape({ path: { type: 'string', format: 'path' } }) },
    },
  )
})
afterEach(() => desk.undo())

const source = (policy: string, extra = '') => `
policy Rules : ${policy}
${extra}
tool Desk : Desk()
agent Clerk [openai/gpt-4o]
  equips Desk
  requires Rules
pipeline Main(task: String = "t") -> Result:
  task |> Clerk.work(tools: [Desk])
`

async function told(policy: string, turns: unknown[], mocks: Record<string, unknown> = {}, extra = '') {
  const requests: MockRequest[] = []
  const answered = await run(source(policy, extra), {}, {
    'Clerk.work': (request: MockRequest) => (requests.push(request), turns[request.step - 1] ?? 'done'),
    ...mocks,
  })
  return { ...answered, requests, told: toldBy(requests) as string[] }
}

describe('DenyArgs', () => {
  test.each([
    ['a nested text', { deep: { a: [{ b: 'a secret thing' }] } }, true],
    ['a text in a list', { what: ['x', 'secret'] }, true],
    ['the JSON of a number', { count: 4711 }, false],
    ['the JSON of an object, keys included', { deep: { secret: 1 } }, true],
    ['nothing like it', { what: 'x', deep: { a: 1 } }, false],
  ])('of two arguments looks at every value on its own: %s', async (_, args, refused) => {
    await told('DenyArgs("Desk.put", "secret")', [useTool('Desk.put', args)])
    expect(desk.calls).toHaveLength(refused ? 0 : 1)
  })

  test('sees numbers, booleans and null as their JSON', async () => {
    for (const what of [42, true, null]) {
      const { told: messages } = await told('DenyArgs("Desk.put", "what", "^(42|true|null)$")', [useTool('Desk.put', { what })])
      expect(messages[0]).toMatch(/^Refused by policy "Rules": /)
    }
    expect(desk.calls).toEqual([])
  })

  test('sees the defaults that are filled in', async () => {
    await told('DenyArgs("Desk.put", count: "^7$")', [useTool('Desk.put', { what: 'x' })])
    expect(desk.calls).toEqual([])
  })

  test('of one named argument leaves others alone, nested values of it included', async () => {
    await told('DenyArgs("Desk.put", "where", "/etc")', [[useTool('Desk.put', { what: '/etc' }), useTool('Desk.put', { where: { to: ['/etc/x'] } })]])
    expect(desk.calls.map(({ args }) => args.what)).toEqual(['/etc'])
  })

  test('sees a path as it came and in its normal form; the tool gets the normal form', async () => {
    await told('DenyArgs("Desk.open", "path", "^keep/")', [[useTool('Desk.open', { path: 'a/../keep/x' }), useTool('Desk.open', { path: './b//c/../d' })]])
    expect(desk.calls).toEqual([{ method: 'open', args: { path: 'b/d' } }])
  })
})

describe('a refusal', () => {
  test('has the exact words around its reason, is a violation of phase tool, and emits both events', async () => {
    const { told: messages, result, events } = await told('DenyTools("Desk.send")', [useTool('Desk.send', { to: 'x' })])
    expect(messages[0]).toMatch(/^Refused by policy "Rules": [^.].*\. Don't try this call again\.$/)
    expect(result.context.meta.violations).toMatchObject([{ phase: 'tool', target: 'Desk.send', policy: 'Rules', agent: 'Clerk' }])
    expect(result.context.meta.calls).toEqual([])
    expect(ofType(events, 'violation')).toHaveLength(1)
    expect(ofType(events, 'agent_tool')).toMatchObject([{ decision: 'refused', target: 'Desk.send', agent: 'Clerk', args: { to: 'x' } }])
    expect(ofType(events, 'tool')).toEqual([])
  })

  test('names the policy that the agent lists, not the one that it includes', async () => {
    const { told: messages } = await told('Inner & AllowTools("Desk.*")', [useTool('Desk.send')], {}, 'policy Inner : DenyTools("Desk.send")')
    expect(messages[0]).toContain('Refused by policy "Rules": ')
  })

  test('of a pipeline\'s own call ends it as POLICY_BLOCKED, under the pipeline\'s policies only', async () => {
    const text = `
policy No : DenyTools("Desk.send")
tool Desk : Desk()
pipeline Inner(x: Any) : x |> Desk.send(to: x)
pipeline Main() requires No : 1 |> Inner()
pipeline Free() : 1 |> Inner()`
    const { runtime } = runtimeOf(text)
    expect(await runtime.run('Main')).toMatchObject({ status: 'failed', error: { code: 'POLICY_BLOCKED' } })
    expect(await runtime.run('Free')).toMatchObject({ status: 'completed', output: 'sent' })
  })

  test('comes before any person is asked', async () => {
    let asked = 0
    await told('DenyTools("Desk.put") & ApproveTools("Desk.*")', [useTool('Desk.put', {})], { approval: () => (asked++, true) })
    expect(asked).toBe(0)
  })
})

describe('each AllowTools', () => {
  test('has to allow', async () => {
    const { requests } = await told('AllowTools("Desk.look", "Desk.put") & AllowTools("Desk.put", "Desk.send")', ['x'])
    expect(requests[0]?.tools).toEqual(['Desk.put'])
  })
})

describe('ApproveEffects and ApproveCategories', () => {
  test('do not imply each other', async () => {
    const asked: string[] = []
    const approval = (request: { named: { target: string } }) => (asked.push(request.named.target), true)
    const calls = [useTool('Desk.look', {}), useTool('Desk.put', {}), useTool('Desk.send', {})]
    await told('ApproveEffects(write)', [calls], { approval })
    expect(asked).toEqual(['Desk.put'])
    asked.length = 0
    await told('ApproveCategories("payment")', [calls], { approval })
    expect(asked).toEqual(['Desk.send'])
  })

  test('hold for a category that the declaration gives', async () => {
    const text = source('ApproveCategories("money")').replace('Desk()', 'Desk() @category("money")')
    const { result } = await run(text, {}, { 'Clerk.work': ({ step }: MockRequest) => (step === 1 ? useTool('Desk.look', {}) : 'x') })
    expect(result.status).toBe('paused')
  })
})

describe('MaxCalls and MaxSteps', () => {
  test('MaxCalls refuses an agent and ends a pipeline with CALL_LIMIT; refused and declined calls don\'t count', async () => {
    const { told: messages } = await told('MaxCalls("Desk.*", 2) & ApproveTools("Desk.send")', [[useTool('Desk.send', {}), useTool('Desk.look', {}), useTool('Desk.look', {}), useTool('Desk.look', {})]], { approval: false })
    expect(messages.map((message) => message.startsWith('Refused by policy "Rules"'))).toEqual([false, false, false, true])
    const own = await run('policy P : MaxCalls("Desk.look", 1)\ntool Desk : Desk()\npipeline Main() requires P : 1 |> Desk.look(at: 1) |> Desk.look(at: 2)')
    expect(own.result.error?.code).toBe('CALL_LIMIT')
  })

  test('MaxSteps counts the model requests of the whole run', async () => {
    const text = 'policy P : MaxSteps(2)\nagent A [mock/m] requires P\nagent B [mock/m]\npipeline Main() : 1 |> B.x("a") |> A.x("a") |> A.x("b")'
    const { result } = await run(text, {}, { A: 'a', B: 'b' })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'CALL_LIMIT' }, context: { meta: { steps: 2 } } })
  })
})

describe('parallel stages that call the same target', () => {
  test('each get their own answer, and the counts hold for both', async () => {
    const text = `
policy P : MaxCalls("Desk.look", 3)
tool Desk : Desk()
pipeline Main() requires P :
  [1, 2, 3] |* { Desk.look(at: 1) as a, Desk.look(at: 2) as b }`
    const { result } = await run(text)
    expect(result.output).toEqual({ a: 'at 1', b: 'at 2' })
  })
})
