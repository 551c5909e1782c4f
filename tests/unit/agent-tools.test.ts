import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MethodInfo } from '../../src/lib/halo/tools/types.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import { useTool } from '../../src/lib/halo/run/mocks.ts'
import { parse } from '../../src/lib/halo/parse.ts'
import type { HaloEvent, MockRequest, RuntimeConfig } from '../../src/lib/halo/run/types.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'

const any = (properties: object, required: string[] = []) => ({ type: 'object', properties, required, additionalProperties: false }) as unknown as MethodInfo['parameters']
const calls: { method: string; args: Record<string, unknown> }[] = []
let undo = () => {}

beforeEach(() => {
  calls.length = 0
  const record = (method: string, give: (args: Record<string, unknown>) => unknown) => (args: Record<string, unknown>) => {
    calls.push({ method, args })
    return give(args)
  }
  undo = registerToolProvider(
    'Desk',
    () => ({
      look: record('look', ({ at }) => `looked at ${String(at)}`),
      put: record('put', () => ({ ok: true })),
      send: record('send', () => null),
      break: record('break', () => {
        throw new Error('the handle came off')
      }),
      huge: record('huge', () => 'ab😀'.repeat(10_000)),
      circle: record('circle', () => {
        const self: Record<string, unknown> = {}
        self.self = self
        return self
      }),
      flood: record('flood', () => 'x'.repeat(100_000_000)),
      nothing: record('nothing', () => undefined),
    }),
    {
      look: { description: 'Look.', parameters: any({ at: {}, deep: {} }), effect: 'read' },
      put: { description: 'Put.', parameters: any({ where: { type: 'string' }, what: {} }, ['where']), effect: 'write', categories: ['storage'] },
      send: { description: 'Send.', parameters: any({ to: { type: 'string' } }), effect: 'external', categories: ['payment'] },
      break: { description: 'Break.', parameters: any({}), effect: 'read' },
      huge: { description: 'Huge.', parameters: any({}), effect: 'read' },
      circle: { description: 'Circle.', parameters: any({}), effect: 'read' },
      flood: { description: 'Flood.', parameters: any({}), effect: 'read' },
      nothing: { description: 'Nothing.', parameters: any({}), effect: 'read' },
    },
  )
})
afterEach(() => undo())

const sandbox = () => ({ open: () => ({}) }) as unknown as Sandbox

function program(policy: string, options = ''): string {
  return `
policy Rules : ${policy}
tool Desk : Desk()
agent Clerk [openai/gpt-4o${options}]
  equips Desk
  requires Rules
pipeline Main(task: String) -> Result:
  task |> Clerk.work(tools: [Desk])
`
}

/** Runs the agent through the given turns; its answer is what it was told by its tools. */
async function told(source: string, turns: unknown[], mocks: Record<string, unknown> = {}, config: RuntimeConfig = {}) {
  const requests: MockRequest[] = []
  const events: HaloEvent[] = []
  const runtime = new HaloRuntime({ sandbox, onEvent: (event) => events.push(event), ...config }).load(parse(source)).mockAll({
    'Clerk.work': (request: MockRequest) => {
      requests.push(request)
      return turns[request.step - 1] ?? 'done'
    },
    ...mocks,
  })
  const result = await runtime.run('Main', { task: 'x' })
  const messages = (requests.at(-1)?.messages ?? []).filter((message) => message.role === 'tool').map((message) => message.content)
  return { result, messages, requests, events, runtime }
}

describe('what the model is told', () => {
  test('an unknown function: what it may call instead', async () => {
    const { messages, events } = await told(program('AllowTools("Desk.look", "Desk.put")'), [useTool('Desk.nuke')])
    expect(messages).toEqual(['Error: there is no tool named "Desk.nuke". You can call: Desk__look, Desk__put'])
    expect(events.filter((event) => event.type === 'agent_tool')).toMatchObject([{ target: 'Desk.nuke', decision: 'error' }])
  })

  test('a refused call: the policy, and not to try again; it is a violation', async () => {
    const { messages, result, events, requests } = await told(program('AllowTools("Desk.*") & DenyTools("Desk.send")'), [useTool('Desk.send', { to: 'a' })])
    expect(messages[0]).toMatch(/^Refused by policy "Rules": .+\. Don't try this call again\.$/)
    expect(requests[0]?.tools).not.toContain('Desk.send')
    expect(result.context.meta.violations).toMatchObject([{ phase: 'tool', policy: 'Rules', target: 'Desk.send', agent: 'Clerk' }])
    expect(events.map((event) => event.type)).toContain('violation')
    expect(calls).toEqual([])
  })

  test('a declined call: the reason, and it is no violation', async () => {
    const { messages, result } = await told(program('ApproveTools("Desk.put")'), [useTool('Desk.put', { where: 'here' })], { approval: 'no, put it there instead' })
    expect(messages[0]).toMatch(/^A person declined this call: no, put it there instead\. Don't try it again; /)
    expect(result.context.meta.violations).toEqual([])
  })

  test('a bare no gives no reason', async () => {
    const { messages } = await told(program('ApproveTools("Desk.put")'), [useTool('Desk.put', { where: 'here' })], { approval: ' Deny ' })
    expect(messages[0]).toMatch(/^A person declined this call\. Don't try it again; /)
  })

  test('a tool that throws: its message', async () => {
    const { messages, result } = await told(program('AllowTools("Desk.*")'), [useTool('Desk.break')])
    expect(messages).toEqual(['Error: the handle came off'])
    expect(result.status).toBe('completed')
  })

  test('arguments that do not fit: which, and nothing runs', async () => {
    const { messages } = await told(program('AllowTools("Desk.*")'), [useTool('Desk.put', { where: 3, more: 1 })])
    expect(messages[0]).toMatch(/^Error: .*where.*/)
    expect(calls).toEqual([])
  })

  test('results that cannot be written down, and such as are far too big', async () => {
    const { messages } = await told(program('AllowTools("Desk.*")'), [[useTool('Desk.circle'), useTool('Desk.flood'), useTool('Desk.nothing')]])
    expect(messages[0]).toMatch(/^Error: .*refers to itself/)
    expect(messages[1]).toMatch(/^Error: .*larger than 10 MB/)
    expect(messages[2]).toBe('null')
  })

  test('a result over the limit is cut between characters, and says how much there was', async () => {
    const { messages } = await told(program('AllowTools("Desk.*")', ', tool_result_chars: 7'), [useTool('Desk.huge')])
    expect(messages[0]).toBe('ab😀ab\n[cut: the first 6 of 40000 characters are shown]')
  })
})

describe('the loop', () => {
  test('runs ten calls of one turn in order and asks the model once more', async () => {
    const ten = Array.from({ length: 10 }, (_, i) => useTool('Desk.look', { at: i }))
    const { messages, requests, result } = await told(program('AllowTools("Desk.*")'), [ten])
    expect(calls.map(({ args }) => args.at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(messages).toHaveLength(10)
    expect(requests).toHaveLength(2)
    expect(result.context.meta.calls).toHaveLength(10)
  })

  test('after max_steps requests that asked for tools, the last request has none, and its calls are ignored', async () => {
    const always = Array.from({ length: 20 }, () => useTool('Desk.look', { at: 1 }))
    const { requests, result } = await told(program('AllowTools("Desk.*")', ', max_steps: 3'), always)
    expect(requests).toHaveLength(4)
    expect(requests.at(-1)?.tools).toEqual([])
    expect(requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'user' })
    expect(calls).toHaveLength(3)
    expect(result).toMatchObject({ status: 'completed', output: '' })
  })

  test('a request that is kept shows what was sent then', async () => {
    const { requests } = await told(program('AllowTools("Desk.*")'), [useTool('Desk.look', { at: 1 }), useTool('Desk.look', { at: 2 })])
    expect(requests.map((request) => request.messages.length)).toEqual([1, 3, 5])
  })

  test('an agent that is only equipped is offered nothing', async () => {
    const { requests } = await told(program('AllowTools("Desk.*")').replace('(tools: [Desk])', '()'), [])
    expect(requests[0]?.tools).toEqual([])
  })

  test('a tool offered that is not equipped is TOOL_CONFIG', async () => {
    const { result } = await told(program('AllowTools("Desk.*")').replace('equips Desk\n', ''), [])
    expect(result.error).toMatchObject({ code: 'TOOL_CONFIG' })
  })

  test('a provider without info cannot be offered', async () => {
    const back = registerToolProvider('Bare', () => ({ x: () => 1 }))
    const { result } = await told(program('AllowTools("Desk.*")').replace('Desk : Desk()', 'Desk : Bare()'), [])
    back()
    expect(result.error).toMatchObject({ code: 'TOOL_CONFIG' })
  })
})

describe('argument rules', () => {
  const refused = async (policy: string, args: Record<string, unknown>, method = 'look') => {
    const { messages } = await told(program(policy), [useTool(`Desk.${method}`, args)])
    return String(messages[0]).startsWith('Refused')
  }

  test('DenyArgs looks at every value, nested ones and the JSON of what is no text', async () => {
    expect(await refused('DenyArgs("Desk.look", "secret")', { at: { list: ['a', { b: 'secret' }] } })).toBe(true)
    expect(await refused('DenyArgs("Desk.look", "^42$")', { at: 42 })).toBe(true)
    expect(await refused('DenyArgs("Desk.look", "secret")', { at: 'fine' })).toBe(false)
  })

  test('DenyArgs of one argument leaves the others alone, in both forms', async () => {
    expect(await refused('DenyArgs("Desk.look", "at", "x")', { at: 'x' })).toBe(true)
    expect(await refused('DenyArgs("Desk.look", "at", "x")', { deep: 'x' })).toBe(false)
    expect(await refused('DenyArgs("Desk.look", at: "x")', { at: ['y', 'x'] })).toBe(true)
    expect(await refused('DenyArgs("Desk.look", at: "x")', { deep: 'x' })).toBe(false)
  })

  test('AllowArgs wants the whole value', async () => {
    expect(await refused('AllowArgs("Desk.put", "where", "a+")', { where: 'aaa' }, 'put')).toBe(false)
    expect(await refused('AllowArgs("Desk.put", "where", "a+")', { where: 'aaab' }, 'put')).toBe(true)
  })
})

describe('approvals', () => {
  const source = program('ApproveEffects(write, external)')

  test('are asked with the exact question', async () => {
    const asked: unknown[] = []
    await told(source, [useTool('Desk.put', { where: 'here' })], {}, { onInterrupt: (request) => void asked.push(request) })
    expect(asked).toMatchObject([
      { channel: 'approval', message: 'Allow Clerk to call Desk.put with {"where":"here"}? (policy Rules)', named: { target: 'Desk.put', args: { where: 'here' }, policy: 'Rules', agent: 'Clerk' } },
    ])
  })

  test('a mock for the target wins over the general one, and both over the handler', async () => {
    const handler = () => {
      throw new Error('must not be asked')
    }
    const { messages } = await told(source, [[useTool('Desk.put', { where: 'a' }), useTool('Desk.send', {})]], { 'Desk.put?': true, approval: false }, { onInterrupt: handler })
    expect(messages[0]).toBe('{"ok":true}')
    expect(messages[1]).toMatch(/^A person declined/)
  })

  test('edited arguments are checked again, and the model sees the call as it ran', async () => {
    const { requests, messages } = await told(program('ApproveEffects(write) & DenyArgs("Desk.put", "forbidden")'), [[useTool('Desk.put', { where: 'a' }), useTool('Desk.put', { where: 'b' })]], {
      approval: (request: { named: { args: { where: string } } }) => ({ approved: true, args: { where: request.named.args.where === 'a' ? 'edited' : 'forbidden' } }),
    })
    expect(calls).toEqual([{ method: 'put', args: { where: 'edited' } }])
    expect(messages[1]).toMatch(/^Refused/)
    const turn = requests.at(-1)?.messages[1]
    expect(turn?.toolCalls?.[0]?.args).toEqual({ where: 'edited' })
  })

  test('pause the run, and go on in the middle of the turn without asking the model again', async () => {
    const { result, runtime, requests } = await told(source, [[useTool('Desk.look', { at: 1 }), useTool('Desk.put', { where: 'a' }), useTool('Desk.look', { at: 2 })]])
    expect(result.status).toBe('paused')
    expect(result.context.meta.paused?.waitingFor).toBe('approval')
    expect(calls.map((call) => call.method)).toEqual(['look'])
    const done = await runtime.signal(result.runId, 'approval', 'approve')
    expect(done).toMatchObject({ status: 'completed', output: 'done' })
    expect(calls.map((call) => call.method)).toEqual(['look', 'put', 'look'])
    expect(requests).toHaveLength(2)
  })

  test('an answer to nothing says so, and so does one to a run that has ended or never was', async () => {
    const { result, runtime } = await told(source, [useTool('Desk.put', { where: 'a' })])
    await expect(runtime.signal(result.runId, 'yield', true)).rejects.toThrow(/not waiting for yield/)
    await runtime.signal(result.runId, 'approval', true)
    await expect(runtime.signal(result.runId, 'approval', true)).rejects.toThrow(/has ended/)
    await expect(runtime.signal('nobody', 'approval', true)).rejects.toThrow(/no run nobody/)
  })

  test.each([true, 'y', 'YES ', 'approve', 'Approved', 'allow', 'ok', 'okay', { approved: true }, { action: 'approve' }, { status: 'approved' }])('%j approves', async (approval) => {
    await told(source, [useTool('Desk.put', { where: 'a' })], { approval })
    expect(calls).toHaveLength(1)
  })

  test.each([false, null, 0, 1, '', 'sure', 'yes please', [], {}, { approved: 'true' }, { approved: 1 }, { reason: 'no' }])('%j declines', async (approval) => {
    await told(source, [useTool('Desk.put', { where: 'a' })], { approval })
    expect(calls).toHaveLength(0)
  })

  test('two that wait at once are each answered by id', async () => {
    const parallel = source.replace('task |> Clerk.work(tools: [Desk])', 'task |* { Clerk.work(tools: [Desk]) as a, Clerk.work(tools: [Desk]) as b }')
    const { result, runtime } = await told(parallel, [useTool('Desk.put', { where: 'a' })])
    const ids = result.context.meta.paused?.questions.map((question) => question.id) ?? []
    expect(ids).toHaveLength(2)
    const half = await runtime.signal(result.runId, 'approval', { id: ids[1], approved: true })
    expect(half.status).toBe('paused')
    await expect(runtime.signal(result.runId, 'approval', { id: ids[1], approved: true })).rejects.toThrow(/no open question/)
    const done = await runtime.signal(result.runId, 'approval', true)
    expect(done.status).toBe('completed')
    expect(calls).toHaveLength(2)
  })
})

describe('text rules', () => {
  test('results are redacted for the model and in events; the journal has them as they came', async () => {
    const recorded: unknown[] = []
    const { messages, events } = await told(program('Redact("email", on: input)'), [useTool('Desk.look', { at: 'me@example.com' })], {}, { recorder: (call) => recorded.push(call) })
    expect(messages).toEqual(['looked at [redacted]'])
    expect(JSON.stringify(events.filter((event) => event.type === 'tool' || event.type === 'agent_tool'))).not.toContain('example.com')
    expect(JSON.stringify(recorded)).toContain('looked at me@example.com')
  })

  test('a blocked result is withheld, a blocked prompt sends nothing, a blocked answer ends the run', async () => {
    const { messages } = await told(program('Block("looked", on: input)'), [useTool('Desk.look', { at: 1 })])
    expect(messages[0]).toMatch(/withheld/)
    const prompt = await told(program('Block("^x$", on: input)'), [])
    expect(prompt.result.error).toMatchObject({ code: 'POLICY_BLOCKED' })
    expect(prompt.requests).toEqual([])
    const answer = await told(program('Block("done", on: output)'), [])
    expect(answer.result.error).toMatchObject({ code: 'POLICY_BLOCKED' })
  })

  test('@correct tells the model why and keeps the conversation', async () => {
    const source = program('Block("done", on: output)').replace('Clerk.work(tools: [Desk])', 'Clerk.work(tools: [Desk]) @correct(2)')
    const { result, requests } = await told(source, [])
    expect(result.error?.code).toBe('POLICY_BLOCKED')
    expect(requests).toHaveLength(3)
    expect(requests[2]?.messages).toHaveLength(5)
  })
})
