import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useTool, type MockRequest } from 'halo'
import { ofType, provider, run, runtimeOf, toldBy } from './semantics-kit.ts'

let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider('Desk', { look: ({ at }) => `at ${String(at)}`, send: () => 'sent' }, { send: { effect: 'external' } })
})
afterEach(() => desk.undo())

const source = (policy: string, inner = 'to |> Desk.send(to: to)', decorators = '') => `
policy Rules : ${policy}
tool Desk : Desk()
tool Helper : Pipeline(Deliver, description: "Delivers it.") ${decorators}
agent Clerk [openai/gpt-4o]
  equips Helper
  requires Rules
agent Sub [openai/gpt-4o]
pipeline Deliver(to: String, times: Number = 1) -> Result:
  ${inner}
pipeline Main() -> Result:
  "go" |> Clerk.work(tools: [Helper])
`
const once = (args: Record<string, unknown>) => {
  const requests: MockRequest[] = []
  return { requests, mock: (request: MockRequest) => (requests.push(request), request.step === 1 ? useTool('Helper.run', args) : 'done') }
}

describe('a pipeline that an agent calls', () => {
  test('takes its parameters as arguments and gives its output', async () => {
    const { requests, mock } = once({ to: 'x' })
    const { result, events } = await run(source('AllowTools("Helper.*", "Desk.*")'), {}, { 'Clerk.work': mock })
    expect(requests[0]?.tools).toEqual(['Helper.run'])
    expect(toldBy(requests)).toEqual(['sent'])
    expect(result.context.meta.calls).toMatchObject([{ target: 'Desk.send' }, { target: 'Helper.run', agent: 'Clerk', args: { to: 'x' } }])
    expect(ofType(events, 'agent_tool')).toMatchObject([{ target: 'Helper.run', decision: 'allowed' }])
    expect(ofType(events, 'tool').map((event) => event.target)).toEqual(['Desk.send', 'Helper.run'])
  })

  test('waits for a person where the policy says so, before anything of it runs', async () => {
    const { requests, mock } = once({ to: 'x' })
    const made = runtimeOf(source('ApproveTools("Helper.*")'), { 'Clerk.work': mock })
    const paused = await made.runtime.run('Main')
    expect(paused).toMatchObject({ status: 'paused', context: { meta: { paused: { waitingFor: 'approval' } } } })
    expect(paused.context.meta.paused?.questions[0]?.request.message).toBe('Allow Clerk to call Helper.run with {"to":"x"}? (policy Rules)')
    expect(desk.calls).toEqual([])
    const done = await made.runtime.signal(paused.runId, 'approval', { approved: true, args: { to: 'y' } })
    expect(done).toMatchObject({ status: 'completed', output: 'done' })
    expect(desk.calls).toEqual([{ method: 'send', args: { to: 'y' } }])
    expect(toldBy(requests)).toEqual(['sent'])
    expect(ofType(made.events, 'agent_tool').at(-1)).toMatchObject({ decision: 'approved', args: { to: 'y' } })
  })

  test('is told to the agent as declined when the person says no', async () => {
    const { requests, mock } = once({ to: 'x' })
    await run(source('ApproveTools("Helper.*")'), {}, { 'Clerk.work': mock, approval: 'not today' })
    expect(toldBy(requests)[0]).toMatch(/^A person declined this call: not today\. Don't try it again; /)
    expect(desk.calls).toEqual([])
  })

  test('waits by its category, and is counted by MaxCalls', async () => {
    const { mock } = once({ to: 'x' })
    const { result } = await run(source('ApproveCategories("post")', undefined, '@category("post")'), {}, { 'Clerk.work': mock })
    expect(result.status).toBe('paused')
    const requests: MockRequest[] = []
    await run(source('MaxCalls("Helper.run", 1)'), {}, {
      'Clerk.work': (request: MockRequest) => (requests.push(request), request.step === 1 ? [useTool('Helper.run', { to: 'a' }), useTool('Helper.run', { to: 'b' })] : 'x'),
    })
    expect(toldBy(requests)).toEqual(['sent', expect.stringMatching(/^Refused by policy "Rules": /)])
  })

  test('refuses arguments that don\'t fit with an error, and runs nothing', async () => {
    const { requests, mock } = once({ to: 3, more: true })
    await run(source('AllowTools("Helper.*")'), {}, { 'Clerk.work': mock })
    expect(toldBy(requests)[0]).toMatch(/^Error: .*to.*/s)
    expect(desk.calls).toEqual([])
  })

  test('has the agent\'s policies hold for what it does, by the name the agent lists', async () => {
    const { requests, mock } = once({ to: 'x' })
    const { result } = await run(source('DenyTools("Desk.send")'), {}, { 'Clerk.work': mock })
    expect(result.status).toBe('completed')
    expect(toldBy(requests)[0]).toMatch(/^Error: .*Rules/)
    expect(desk.calls).toEqual([])
  })

  test('may pause inside, and goes on there without the agent being asked again', async () => {
    const { requests, mock } = once({ to: 'x' })
    const { runtime } = runtimeOf(source('AllowTools("*.*")', '|! yield("Sure?") |> Desk.send(to: to)'), { 'Clerk.work': mock })
    const paused = await runtime.run('Main')
    expect(paused.context.meta.paused?.waitingFor).toBe('yield')
    const done = await runtime.signal(paused.runId, 'yield', true)
    expect(done.output).toBe('done')
    expect(requests).toHaveLength(2)
    expect(desk.calls).toHaveLength(1)
  })

  test('that fails tells the agent why', async () => {
    const { requests, mock } = once({ to: 'x' })
    const { result } = await run(source('AllowTools("*.*")', '|> System.Fail("no such address")'), {}, { 'Clerk.work': mock })
    expect(toldBy(requests)).toEqual(['Error: no such address'])
    expect(result.status).toBe('completed')
  })
})

describe('a pipeline tool that a pipeline calls itself', () => {
  const own = (policy: string) => `
policy Rules : ${policy}
tool Desk : Desk()
tool Helper : Pipeline(Deliver)
pipeline Deliver(to: String) : to |> Desk.send(to: to)
pipeline Main() requires Rules : "x" |> Helper.run(to: "y")`

  test('runs, and stands among the calls', async () => {
    const { result, events } = await run(own('AllowTools("*.*")'))
    expect(result.output).toBe('sent')
    expect(result.context.meta.calls.map((call) => call.target)).toEqual(['Desk.send', 'Helper.run'])
    expect(ofType(events, 'tool').map((event) => event.target)).toEqual(['Desk.send', 'Helper.run'])
  })

  test('is refused by name, and waits for approval', async () => {
    expect((await run(own('DenyTools("Helper.run")'))).result.error?.code).toBe('POLICY_BLOCKED')
    expect((await run(own('ApproveTools("Helper.run")'), {}, { approval: false })).result.status).toBe('declined')
    expect(desk.calls).toEqual([])
  })
})
