import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import { defineTool } from '../../src/lib/halo/tools/define.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import type { MethodInfo } from '../../src/lib/halo/tools/types.ts'
import { gateContract, waits, type CallOutcome, type Rig } from './gate-contract.ts'
import { asks, chat, inShort, ofType, toldBy, tool, until, type Ran } from './session-kit.ts'

gateContract(
  'the gate of a session',
  (policy, approvalFor): Rig => {
    const { session, ran, turns } = chat([], { ...(policy === undefined ? {} : { approvals: policy }), ...(approvalFor === undefined ? {} : { approvalFor }) })
    const forms: Record<string, object> = {}
    return {
      gate: session.gate,
      async call(name, args = {}): Promise<CallOutcome> {
        const before = ran.length
        turns.push([asks(name, args)], 'done')
        await session.send('go')
        turns.length = 0
        const made = ran.slice(before)
        if (made.length > 0) return { ran: made[0]?.args ?? {} }
        return { denied: String(session.transcript().messages.findLast(({ role }) => role === 'tool')?.content ?? 'another conversation') }
      },
      change: (name, form) => {
        forms[name] = form
        session.setTools([tool('look', ran, { effect: 'read', ...forms.look }), tool('put', ran, forms.put)])
      },
      stop: () => void session.stop(),
      reset: () => void session.reset(),
    }
  },
  'never',
)

describe('approvals in a session', () => {
  test('what waits is told in the snapshot, beside the item of its call', async () => {
    const { session } = chat([[asks('put', { at: 'a' })]], { approvals: 'always' })
    const sent = session.send('go')
    await waits(session.gate)
    const { status, pending, items } = session.snapshot()
    expect(status).toBe('waiting')
    expect(pending).toMatchObject([{ name: 'put', args: { at: 'a' }, effect: 'write' }])
    expect(items.find(({ id }) => id === pending[0]?.callId)).toMatchObject({ type: 'call', name: 'put', status: 'waiting' })
    session.respond(pending[0]?.id ?? '', true)
    await sent
    expect(ofType(session, 'call')).toMatchObject([{ status: 'done', approved: true, result: 'ok' }])
    expect(session.snapshot()).toMatchObject({ status: 'idle', pending: [] })
  })

  test('the model reads of a denial in the words of pipelines, with the reason if there is one', async () => {
    const { session, requests, ran } = chat([[asks('put', {}, 'a'), asks('look', {}, 'b')]], { approvals: 'always' })
    const sent = session.send('go')
    session.respond((await waits(session.gate))[0] ?? '', false)
    await until(session, () => session.snapshot().pending[0]?.name === 'look')
    session.respond((await waits(session.gate))[0] ?? '', false, 'not today')
    await sent
    expect(toldBy(requests)).toEqual([
      'A person declined this call. Don\'t try it again; find another way, or answer without it.',
      'A person declined this call: not today. Don\'t try it again; find another way, or answer without it.',
    ])
    expect(ran).toEqual([])
    expect(ofType(session, 'call')).toMatchObject([{ status: 'declined' }, { status: 'declined', reason: 'not today' }])
  })

  test('the model sees a call as it ran', async () => {
    const { session, requests } = chat([[asks('put', { at: 'a' })]], { approvals: 'once' })
    const sent = session.send('go')
    session.respond((await waits(session.gate))[0] ?? '', { approved: true, args: { at: 'b' } })
    await sent
    expect(requests.at(-1)?.messages.find(({ toolCalls }) => toolCalls !== undefined)?.toolCalls).toMatchObject([{ args: { at: 'b' } }])
    expect(ofType(session, 'call')).toMatchObject([{ args: { at: 'b' } }])
  })

  test('a policy has a person asked though the gate is off; turning it off does not answer for one', async () => {
    const program = parse('policy Careful : ApproveTools("Host.put")')
    const { session, ran } = chat([[asks('put', {}, 'a'), asks('look', {}, 'b')]], { program })
    const sent = session.send('go')
    await waits(session.gate)
    session.setPolicy('always')
    session.setPolicy('never')
    expect(session.snapshot().pending).toMatchObject([{ name: 'put', required: 'Careful' }])
    session.respond(session.snapshot().pending[0]?.id ?? '', true)
    await sent
    expect(ran.map(({ name }) => name)).toEqual(['put', 'look'])
  })

  test('what a policy asked about is not asked about by the gate too', async () => {
    const program = parse('policy Careful : ApproveEffects(write)')
    const { session, ran } = chat([[asks('put')]], { program, approvals: 'always' })
    const sent = session.send('go')
    session.respond((await waits(session.gate))[0] ?? '', true)
    await sent
    expect(ran).toHaveLength(1)
    expect(Object.keys(session.gate.answers())).toHaveLength(1)
  })

  test('changed arguments go through the policies again, which have the last word', async () => {
    const program = parse('policy Outside : DenyArgs("Host.put", "at", "safe")')
    const { session, requests, ran } = chat([[asks('put', { at: 'garden' })]], { program, approvals: 'always' })
    const sent = session.send('go')
    session.respond((await waits(session.gate))[0] ?? '', { approved: true, args: { at: 'the safe' } })
    await sent
    expect(ran).toEqual([])
    expect(toldBy(requests)).toEqual([expect.stringContaining('Refused by policy "Outside"')])
    expect(inShort(session)).toContain('put refused')
  })

  test('what policies refuse nobody is asked about', async () => {
    const program = parse('policy Small : DenyTools("Host.put")')
    const { session, requests } = chat([[asks('put')]], { program, approvals: 'always' })
    await session.send('go')
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['look'])
    expect(toldBy(requests)).toEqual([expect.stringContaining('Refused by policy "Small"')])
    expect(session.gate.answers()).toEqual({})
  })

  test('arguments that do not fit are told to the model before anyone is asked', async () => {
    const { session, requests } = chat([[asks('put', { at: 7 })]], { approvals: 'always' })
    await session.send('go')
    expect(toldBy(requests)).toEqual([expect.stringContaining('don\'t fit')])
    expect(session.gate.answers()).toEqual({})
  })

  test('a tool that is exchanged while its call waits is asked about again, as it is now', async () => {
    const { session, ran } = chat([[asks('put', { at: 'a' })]], { approvals: 'once' })
    const sent = session.send('go')
    const [first = ''] = await waits(session.gate)
    const other: Ran[] = []
    session.setTools([tool('put', other, { description: 'Puts, and tells everyone.' })])
    session.respond(first, true)
    await until(session, () => session.snapshot().pending[0]?.tool?.description === 'Puts, and tells everyone.')
    expect([ran, other]).toEqual([[], []])
    session.respond(session.snapshot().pending[0]?.id ?? '', true)
    await sent
    expect([ran, other]).toEqual([[], [{ name: 'put', args: { at: 'a' } }]])
  })

  test('a tool that is gone when its call is allowed is not called', async () => {
    const { session, ran, requests } = chat([[asks('put')]], { approvals: 'always' })
    const sent = session.send('go')
    const [first = ''] = await waits(session.gate)
    session.setTools([])
    session.respond(first, true)
    await sent
    expect(ran).toEqual([])
    expect(toldBy(requests)).toEqual([expect.stringContaining('is not there any more')])
  })

  test('approvalFor knows declared tools as Tool.method, and its faults end the turn without the call', async () => {
    const asked: string[] = []
    const undo = registerToolProvider('Shelf', () => ({ put: () => 'there' }), { put: { description: 'Put.', parameters: { type: 'object' } as unknown as MethodInfo['parameters'], effect: 'write' } })
    const { session } = chat([[asks('Shelf__put')]], {
      program: parse('tool Shelf : Shelf()'), approvals: 'once', tools: [],
      approvalFor: (name) => {
        asked.push(name)
        throw new Error('cannot say')
      },
    })
    await session.send('go')
    undo()
    expect(asked).toEqual(['Shelf.put'])
    expect(session.snapshot().error?.message).toContain('cannot say')
    expect(inShort(session)).toEqual(['user: go', 'Shelf__put stopped', 'error TOOL_ERROR'])
  })

  test('a pipeline that is called as a tool is asked about, and so are the calls its agents choose; its own are not', async () => {
    const ran: string[] = []
    const info = { parameters: { type: 'object' } as unknown as MethodInfo['parameters'], effect: 'write' as const }
    const undo = registerToolProvider('Shelf', () => ({ put: () => ran.push('put'), clean: () => ran.push('clean') }), { put: { ...info, description: 'Put.' }, clean: { ...info, description: 'Clean.' } })
    const program = parse(`
tool Shelf : Shelf()
tool Tidy : Pipeline(Tidying)
agent Clerk [scripted/m] equips Shelf
pipeline Tidying() : "go" |> Shelf.clean() |> Clerk.work("tidy up", tools: [Shelf])`)
    const { session } = chat([[asks('Tidy__run')], [asks('Shelf__put')], 'tidied', 'all is tidy'], { program, equips: ['Tidy'], tools: [], approvals: 'always' })
    const seen: string[] = []
    session.gate.subscribe(() => {
      for (const { id, name } of session.gate.pending()) {
        seen.push(name)
        session.respond(id, true)
      }
    })
    await session.send('go')
    undo()
    expect(seen).toEqual(['Tidy.run', 'Shelf.put'])
    expect(ran).toEqual(['clean', 'put'])
    expect(inShort(session)).toEqual(['user: go', 'Tidy__run done', 'assistant: all is tidy'])
  })

  test('a question of a tool waits for its own answer, which has to fit', async () => {
    const ask = defineTool({
      name: 'ask', description: 'Asks.', parameters: Type.Object({}), effect: 'read',
      execute: async (_, { requestHumanInput }) => `it is ${String(await requestHumanInput({ prompt: 'How many?', schema: Type.Number() }))}`,
    })
    const { session, requests } = chat([[asks('ask')]], { tools: [ask] })
    const sent = session.send('go')
    await until(session, () => session.snapshot().questions.length === 1)
    const { questions, status, items } = session.snapshot()
    expect(status).toBe('waiting')
    expect(questions).toMatchObject([{ message: 'How many?', channel: 'input' }])
    expect(items.find(({ id }) => id === questions[0]?.callId)).toMatchObject({ name: 'ask' })
    const id = questions[0]?.id ?? ''
    expect(session.answer(id, 'many')).toMatchObject({ taken: false, why: expect.stringContaining('number') as string })
    expect(session.answer(id, 3)).toEqual({ taken: true })
    expect(session.answer(id, 4)).toMatchObject({ taken: false })
    await sent
    expect(toldBy(requests)).toEqual(['it is 3'])
    expect(session.snapshot().questions).toEqual([])
  })
})
