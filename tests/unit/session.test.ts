import { Type } from 'typebox'
import { describe, expect, test, vi } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { parse } from '../../src/lib/halo/parse.ts'
import { createSession } from '../../src/lib/halo/session/session.ts'
import { defineTool } from '../../src/lib/halo/tools/define.ts'
import { withIdempotency } from '../../src/lib/halo/tools/middleware/idempotency.ts'
import type { HaloEvent, RecordedCall } from '../../src/lib/halo/run/types.ts'
import type { ModelChunk } from '../../src/lib/halo/models/types.ts'
import { asks, chat, inShort, ofType, script, text, toldBy, tool, until, wellFormed, type Ran } from './session-kit.ts'

const usage = (input: number, output: number): ModelChunk => ({ type: 'usage', usage: { input, output } })

/** A turn that gives what it has and then waits for ever, whatever its signal says. */
function endless(...chunks: ModelChunk[]) {
  return async function* (): AsyncGenerator<ModelChunk> {
    yield* chunks
    await new Promise(() => undefined)
  }
}

const lost = (): never => {
  throw new HaloError('NETWORK', 'The line is down.')
}

describe('a conversation', () => {
  test('goes on from what was said before', async () => {
    const { session, requests } = chat(['Hello.', 'Ada.'], { system: 'Be brief.' })
    await session.send('I am Ada.')
    await session.send('Who am I?')
    expect(requests.map(({ system }) => system)).toEqual(['Be brief.', 'Be brief.'])
    expect(requests[1]?.messages).toMatchObject([{ role: 'user', content: 'I am Ada.' }, { role: 'assistant', content: 'Hello.' }, { role: 'user', content: 'Who am I?' }])
    expect(inShort(session)).toEqual(['user: I am Ada.', 'assistant: Hello.', 'user: Who am I?', 'assistant: Ada.'])
  })

  test('calls tools until the model answers, and tells it what came of them', async () => {
    const { session, ran, requests } = chat([[text('Looking.'), asks('look', { at: 'a' }, 'x'), asks('put', {}, 'y')], 'All there.'])
    await session.send('go')
    expect(ran).toEqual([{ name: 'look', args: { at: 'a' } }, { name: 'put', args: {} }])
    expect(toldBy(requests)).toEqual(['ok', 'ok'])
    expect(inShort(session)).toEqual(['user: go', 'assistant: Looking.', 'look done', 'put done', 'assistant: All there.'])
    expect(ofType(session, 'call')[0]).toMatchObject({ by: 'model', target: 'Host.look', effect: 'read', args: { at: 'a' }, result: 'ok' })
  })

  test('shows text, reasoning and partial results as they come', async () => {
    const seen = new Set<string>()
    const partial = defineTool({
      name: 'count', description: 'Counts.', parameters: Type.Object({}), effect: 'read',
      async *execute(_, { progress }) {
        yield 'one'
        progress(1, 2, 'halfway')
        yield 'two'
      },
    })
    const { session } = chat([[{ type: 'reasoning', text: 'Hm' }, { type: 'reasoning', text: 'm.' }, asks('count')], [text('It '), text('is '), text('two.')]], { tools: [partial] })
    session.subscribe(() => {
      for (const item of session.snapshot().items) {
        if (item.type === 'assistant') seen.add(`${item.status}: ${item.reasoning ?? ''}|${item.text}`)
        if (item.type === 'call') seen.add(`${item.status}: ${String(item.partial)} ${item.progress?.note ?? ''} ${String(item.result)}`)
      }
    })
    await session.send('go')
    expect([...seen]).toEqual(expect.arrayContaining(['streaming: Hm|', 'streaming: Hmm.|', 'streaming: |It ', 'streaming: |It is ', 'done: |It is two.', 'running: one halfway undefined', 'done: one halfway two']))
  })

  test('sends images, which data URLs and parts may be', async () => {
    const { session, requests } = chat(['A dot.', 'Another.'])
    await session.send('What is it?', { images: ['data:image/png;base64,AAAA', { type: 'image', mimeType: 'image/gif', data: 'BBBB' }] })
    expect(requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'What is it?' }, { type: 'image', mimeType: 'image/png', data: 'AAAA' }, { type: 'image', mimeType: 'image/gif', data: 'BBBB' }])
    await session.send('', { images: ['data:image/png;base64,CCCC'] })
    expect(requests[1]?.messages.at(-1)?.content).toEqual([{ type: 'image', mimeType: 'image/png', data: 'CCCC' }])
    await expect(session.send('x', { images: ['https://example.com/a.png'] })).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(session.send('x', { images: [{ type: 'text', text: 'past the policies' }] })).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(session.send('  ')).rejects.toMatchObject({ code: 'VALIDATION' })
    expect(session.snapshot().status).toBe('idle')
  })

  test('images that a tool gives go to the model', async () => {
    const picture = tool('shoot', [], {}, () => ({ parts: [{ type: 'text', text: 'a shot' }, { type: 'image', mimeType: 'image/png', data: 'AAAA' }] }))
    const { session, requests } = chat([[asks('shoot')]], { tools: [picture] })
    await session.send('go')
    expect(toldBy(requests)).toEqual([[{ type: 'text', text: 'a shot' }, { type: 'image', mimeType: 'image/png', data: 'AAAA' }]])
  })

  test('counts tokens and dollars over all requests, and knows how long it has become', async () => {
    const { session } = chat([[asks('look'), usage(100, 10)], [text('x'), usage(120, 20)], [text('y'), usage(200, 30)]], { prices: { 'scripted/m': { input: 1, output: 10 } } })
    await session.send('a')
    await session.send('b')
    const { usage: tokens, cost, context } = session.snapshot()
    expect(tokens).toEqual({ input: 420, output: 60 })
    expect(context).toBe(230)
    expect(cost).toBeCloseTo((420 + 600) / 1e6, 12)
    expect(ofType(session, 'assistant').map(({ cost: one }) => one)).toEqual([200 / 1e6, 320 / 1e6, 500 / 1e6].map((one) => expect.closeTo(one, 12) as number))
  })

  test('after the most steps the model has to answer', async () => {
    const { session, requests } = chat([[asks('look')], [asks('look')], 'Enough.'], { maxSteps: 2 })
    await session.send('go')
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none'])
    await session.send('again')
    expect(requests.at(-1)?.toolChoice).toBe('auto')
  })

  test('a tool that throws, and one that is not there, are told to the model', async () => {
    const broken = tool('fall', [], {}, () => {
      throw new Error('the handle came off')
    })
    const { session, requests } = chat([[asks('fall', {}, 'a'), asks('fly', {}, 'b')]], { tools: [broken] })
    await session.send('go')
    expect(toldBy(requests)).toEqual(['Error: the handle came off', 'Error: there is no tool named "fly". You can call: fall'])
    expect(inShort(session)).toEqual(['user: go', 'fall error', 'fly error', 'assistant: done'])
  })

  test('middleware of tools holds, and knows the session', async () => {
    const ran: Ran[] = []
    const ids = new Set<unknown>()
    const once = withIdempotency({ scope: 'session' })(tool('put', ran, {}, (_, { sessionId }) => ids.add(sessionId).size))
    const { session } = chat([[asks('put', { at: 'a' }, 'x'), asks('put', { at: 'a' }, 'y')], 'ok', [asks('put', { at: 'a' })]], { tools: [once] })
    await session.send('a')
    await session.send('b')
    expect(ran).toHaveLength(1)
    expect([...ids]).toEqual([session.id])
    await session.reset()
  })
})

describe('what goes wrong', () => {
  test('an error of the model is an item, and the request can be made again', async () => {
    const { session, requests, ran } = chat([[asks('put')], lost, 'There.'])
    await session.send('go')
    expect(inShort(session)).toEqual(['user: go', 'put done', 'assistant failed: ', 'error NETWORK'])
    expect(session.snapshot()).toMatchObject({ status: 'idle', canRetry: true, error: { code: 'NETWORK', message: 'The line is down.' } })
    await session.retry()
    expect(inShort(session)).toEqual(['user: go', 'put done', 'assistant: There.'])
    expect(ran).toHaveLength(1)
    expect(requests[2]?.messages).toEqual(requests[1]?.messages)
    expect(session.snapshot().error).toBeUndefined()
  })

  test('an answer that was good is taken back for another one', async () => {
    const { session, requests } = chat(['One.', 'Two.'])
    await session.send('go')
    await session.retry()
    expect(inShort(session)).toEqual(['user: go', 'assistant: Two.'])
    expect(requests[1]?.messages).toEqual(requests[0]?.messages)
  })

  test('there is nothing to make again before anything was sent, nor while it is under way', async () => {
    const { session } = chat([endless()])
    await expect(session.retry()).rejects.toMatchObject({ code: 'VALIDATION' })
    void session.send('go')
    await expect(session.retry()).rejects.toThrow(/at work/)
    await session.stop()
  })

  test('an error can be put away, and the conversation goes on without it', async () => {
    const { session, requests } = chat([lost, 'Here.'])
    await session.send('Are you there?')
    session.dismissError()
    expect(session.snapshot().error).toBeUndefined()
    await session.send('And now?')
    expect(requests[1]?.messages.map(({ content }) => content)).toEqual(['Are you there?', 'And now?'])
  })

  test('a model that does not exist is an error like any other', async () => {
    const session = createSession({ model: 'nowhere/m' })
    await session.send('go')
    expect(session.snapshot().error).toMatchObject({ code: 'MODEL_ERROR', message: expect.stringContaining('"nowhere"') as string })
    const { adapter } = script(['Hi.'])
    const other = createSession({ model: 'nowhere/m', models: { scripted: adapter } })
    await other.send('go')
    other.setModel('scripted/m')
    await other.retry()
    expect(inShort(other)).toEqual(['user: go', 'assistant: Hi.'])
  })

  test('tools with a model that can not call any are an error that says so', async () => {
    const { adapter } = script(['Hi.'])
    const { session } = chat([], { models: { scripted: { ...adapter, supportsTools: false } } })
    await session.send('go')
    expect(session.snapshot().error).toMatchObject({ code: 'TOOL_CONFIG' })
    session.setTools([])
    await session.retry()
    expect(inShort(session)).toEqual(['user: go', 'assistant: Hi.'])
  })

  test.each<[string, () => unknown, RegExp]>([
    ['a model without a provider', () => createSession({ model: 'gpt' }), /provider\/id/],
    ['no model at all', () => createSession({}), /provider\/id/],
    ['two tools of one name', () => createSession({ model: 'a/b', tools: [tool('x', []), tool('x', [])] }), /named x/],
    ['a tool that the program has not', () => createSession({ model: 'a/b', equips: ['Files'] }), /no tool Files/],
    ['a policy that the program has not', () => createSession({ model: 'a/b', requires: ['Careful'] }), /no policy Careful/],
    ['a program whose tool has the name of the host\'s', () => createSession({ model: 'a/b', program: parse('tool Host : Time()'), tools: [tool('x', [])] }), /declares Host/],
    ['steps that are no number', () => createSession({ model: 'a/b', maxSteps: 1.5 }), /maxSteps/],
    ['a limit that is none', () => createSession({ model: 'a/b', maxSpend: -1 }), /maxSpend/],
    ['a transcript that is none', () => createSession({ model: 'a/b', transcript: { version: 2 } }), /transcript/],
  ])('%s is refused at once', (_what, make, message) => {
    expect(make).toThrow(HaloError)
    expect(make).toThrow(message)
  })
})

describe('the queue', () => {
  test('what is sent meanwhile is taken after the turn, in order', async () => {
    const { session, requests } = chat(['a', 'b', 'c'])
    const sent = [session.send('one'), session.send('two'), session.send('three')]
    expect(session.snapshot().queue).toMatchObject([{ type: 'message', text: 'two' }, { type: 'message', text: 'three' }])
    await Promise.all(sent)
    expect(inShort(session)).toEqual(['user: one', 'assistant: a', 'user: two', 'assistant: b', 'user: three', 'assistant: c'])
    expect(requests).toHaveLength(3)
    expect(session.snapshot()).toMatchObject({ status: 'idle', queue: [] })
  })

  test('what is taken out of it is never sent, and its sender is not left waiting', async () => {
    const { session } = chat(['a', 'c'])
    const first = session.send('one')
    const second = session.send('two')
    const third = session.send('three')
    const [queued] = session.snapshot().queue
    expect(session.dequeue(queued?.id ?? '')).toBe(true)
    expect(session.dequeue(queued?.id ?? '')).toBe(false)
    await Promise.all([first, second, third])
    expect(inShort(session)).toEqual(['user: one', 'assistant: a', 'user: three', 'assistant: c'])
  })

  test('after an error it stands still, and goes on when the request has come through', async () => {
    const { session } = chat([lost, 'a', 'b'])
    const first = session.send('one')
    const second = session.send('two')
    await first
    await session.idle()
    expect(session.snapshot()).toMatchObject({ status: 'idle', queue: [{ text: 'two' }] })
    await session.retry()
    await second
    expect(inShort(session)).toEqual(['user: one', 'assistant: a', 'user: two', 'assistant: b'])
  })

  test('what is sent after a stop comes after what was queued before it', async () => {
    const { session } = chat([endless(), 'b', 'c'])
    void session.send('one')
    const second = session.send('two')
    await until(session, () => ofType(session, 'assistant').length === 1)
    await session.stop()
    expect(session.snapshot().queue).toMatchObject([{ text: 'two' }])
    await Promise.all([session.send('three'), second])
    expect(inShort(session)).toEqual(['user: one', 'assistant stopped: ', 'user: two', 'assistant: b', 'user: three', 'assistant: c'])
  })

  test('a listener may send while it is told', async () => {
    const { session } = chat(['a', 'b', 'c'])
    const later = ['two', 'three']
    session.subscribe(() => {
      if (session.snapshot().status !== 'idle') return
      const next = later.shift()
      if (next !== undefined) void session.send(next)
    })
    await session.send('one')
    await until(session, () => ofType(session, 'user').length === 3)
    await session.idle()
    expect(inShort(session)).toEqual(['user: one', 'assistant: a', 'user: two', 'assistant: b', 'user: three', 'assistant: c'])
  })
})

describe('stopping', () => {
  test('ends a turn at once whose model and tool ignore their signals, and the conversation can go on', async () => {
    const deaf = tool('sleep', [], {}, () => new Promise(() => undefined))
    const { session, requests } = chat([endless(text('Once upon')), [asks('sleep', {}, 'a'), asks('sleep', {}, 'b')], 'Awake.'], { tools: [deaf] })
    void session.send('tell')
    await until(session, () => ofType(session, 'assistant')[0]?.text === 'Once upon')
    await session.stop()
    expect(inShort(session)).toEqual(['user: tell', 'assistant stopped: Once upon'])
    expect(session.snapshot()).toMatchObject({ status: 'idle', canRetry: true })
    expect(session.snapshot().error).toBeUndefined()
    void session.send('sleep')
    await until(session, () => ofType(session, 'call')[0]?.status === 'running')
    await session.stop()
    expect(ofType(session, 'call').map(({ status }) => status)).toEqual(['stopped', 'stopped'])
    await session.send('wake')
    expect(wellFormed(requests.at(-1)?.messages ?? [])).toBe(true)
    expect(toldBy(requests)).toEqual([expect.stringContaining('not known'), expect.stringContaining('not made')])
    expect(requests.at(-1)?.messages.slice(0, 2)).toMatchObject([{ content: 'tell' }, { role: 'assistant', content: 'Once upon' }])
  })

  test('a tool that ends after it was stopped changes nothing any more', async () => {
    let finish = (_: unknown): void => undefined
    const slow = tool('slow', [], {}, async (_, { progress, log }) => {
      const given = await new Promise((done) => (finish = done))
      progress(1, 1, 'late')
      log('late')
      return given
    })
    const { session } = chat([[asks('slow')], 'Next.'], { tools: [slow] })
    void session.send('go')
    await until(session, () => ofType(session, 'call').length === 1)
    await session.stop()
    const before = session.snapshot().items
    finish('too late')
    await new Promise((done) => setTimeout(done, 5))
    expect(session.snapshot().items).toEqual(before)
  })

  test('what waited at the gate was not made, and the model is told so', async () => {
    const { session, requests, ran } = chat([[asks('put')], 'I see.'], { approvals: 'always' })
    void session.send('go')
    await until(session, () => session.snapshot().pending.length === 1)
    await session.stop()
    expect(ofType(session, 'call')).toMatchObject([{ status: 'declined', reason: 'The conversation was stopped.' }])
    expect(Object.values(session.gate.answers())).toEqual([{ name: 'put', approved: false, by: 'stop', reason: 'The conversation was stopped.' }])
    await session.send('well?')
    expect(toldBy(requests)).toEqual(['A person declined this call: The conversation was stopped. It was not made.'])
    expect(ran).toEqual([])
  })

  test('a question of a tool that nobody answered is gone', async () => {
    const ask = tool('ask', [], {}, (_, { requestHumanInput }) => requestHumanInput({ prompt: 'Which?' }))
    const { session } = chat([[asks('ask')]], { tools: [ask] })
    void session.send('go')
    await until(session, () => session.snapshot().questions.length === 1)
    const [question] = session.snapshot().questions
    await session.stop()
    expect(session.snapshot().questions).toEqual([])
    expect(session.answer(question?.id ?? '', 'this')).toMatchObject({ taken: false })
  })

  test('before the model was asked loses nothing: the message is sent with the next request, or when it is made again', async () => {
    const { session, requests } = chat(['a', 'b'])
    const sent = session.send('one')
    await session.stop()
    await sent
    expect(requests).toEqual([])
    expect(session.snapshot().canRetry).toBe(true)
    await session.retry()
    expect(inShort(session)).toEqual(['user: one', 'assistant: a'])
    void session.send('two')
    await session.stop()
    await session.send('three')
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['one', 'a', 'two', 'three'])
  })

  test('a check that takes its time is no reason to lose a message', async () => {
    const regexRunner = { test: () => new Promise<boolean>(() => undefined) }
    const { session, requests } = chat(['a'], { program: parse('policy Slow : Block("(a+)+$", on: input)'), regexRunner })
    const sent = session.send('one')
    await session.stop()
    await sent
    expect(inShort(session)).toEqual(['user: one'])
    expect(session.snapshot().canRetry).toBe(true)
    regexRunner.test = async () => false
    await session.retry()
    expect(inShort(session)).toEqual(['user: one', 'assistant: a'])
    expect(requests[0]?.messages).toMatchObject([{ role: 'user', content: 'one' }])
  })

  test('does nothing where nothing is under way', async () => {
    const { session } = chat(['a'])
    await session.stop()
    await session.send('one')
    expect(inShort(session)).toEqual(['user: one', 'assistant: a'])
  })
})

describe('another conversation', () => {
  test('begins with nothing of the old one, which can change nothing in it', async () => {
    const { session, requests } = chat([endless(text('Once')), 'New.'], { approvals: 'once' })
    const { id } = session
    const first = session.send('one')
    const second = session.send('two')
    await until(session, () => ofType(session, 'assistant')[0]?.text === 'Once')
    const done = session.reset()
    expect(session.snapshot()).toMatchObject({ status: 'idle', items: [], queue: [], cost: 0, canRetry: false })
    const third = session.send('three')
    await Promise.all([done, first, second, third])
    expect(session.id).not.toBe(id)
    expect(inShort(session)).toEqual(['user: three', 'assistant: New.'])
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['three'])
  })

  test('a session that has ended takes nothing more', async () => {
    const { session } = chat([endless()])
    const sent = session.send('one')
    await session.dispose()
    await sent
    await expect(session.send('two')).rejects.toThrow(/has ended/)
    await expect(session.reset()).rejects.toThrow(/has ended/)
    await session.dispose()
  })
})

describe('a tool that a person runs', () => {
  test('is not asked about, its result is part of the conversation, and the model goes on', async () => {
    const { session, requests, ran } = chat(['It is there.'], { approvals: 'always' })
    await session.runTool('look')
    expect(ran).toEqual([{ name: 'look', args: {} }])
    expect(session.gate.answers()).toEqual({})
    expect(inShort(session)).toEqual(['look done', 'assistant: It is there.'])
    expect(ofType(session, 'call')).toMatchObject([{ by: 'person', result: 'ok' }])
    expect(wellFormed(requests[0]?.messages ?? [])).toBe(true)
    expect(toldBy(requests)).toEqual(['ok'])
  })

  test('that fails for want of arguments is told to the model, which may call it with some', async () => {
    const ran: Ran[] = []
    const needy = tool('find', ran, { parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } })
    const { session, requests } = chat([[asks('find', { what: 'keys' })], 'Found.'], { tools: [needy] })
    await session.runTool('find')
    expect(requests[0]?.messages.at(-1)?.content).toMatch(/^Error: The arguments of Host.find don't fit/)
    expect(ran).toEqual([{ name: 'find', args: { what: 'keys' } }])
    expect(inShort(session)).toEqual(['find error', 'find done', 'assistant: Found.'])
  })

  test('takes the arguments of a form, and is queued as a message is', async () => {
    const { session, ran } = chat(['a', 'b'])
    const first = session.send('one')
    const second = session.runTool('put', { at: 'a' })
    expect(session.snapshot().queue).toMatchObject([{ type: 'tool', name: 'put' }])
    await Promise.all([first, second])
    expect(ran).toEqual([{ name: 'put', args: { at: 'a' } }])
    expect(inShort(session)).toEqual(['user: one', 'assistant: a', 'put done', 'assistant: b'])
  })

  test('is refused where policy refuses it, and a policy that asks has its answer', async () => {
    const program = parse('policy P : DenyArgs("Host.put", "at", "safe") & ApproveTools("Host.*")')
    const { session, ran, requests } = chat([], { program })
    await session.runTool('put', { at: 'the safe' })
    expect(toldBy(requests)).toEqual([expect.stringContaining('Refused by policy "P"')])
    await session.runTool('put', { at: 'garden' })
    expect(ran).toEqual([{ name: 'put', args: { at: 'garden' } }])
  })

  test('that is not there sends nothing to the model', async () => {
    const { session, requests } = chat(['a'])
    await session.runTool('fly')
    expect(session.snapshot().error).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('There is look, put') as string })
    expect(session.snapshot().canRetry).toBe(false)
    expect(requests).toEqual([])
    await session.send('one')
    expect(requests[0]?.messages).toHaveLength(1)
  })
})

describe('programs and policies', () => {
  test('tools of a program are bound as in a pipeline, in the session\'s own sandbox', async () => {
    const program = parse('tool Notes : Workspace("{{folder}}", write: true)')
    const { session, requests } = chat([[asks('Notes__write', { path: 'a.md', content: 'Train at 9.40.' })], [asks('Notes__read', { path: 'a.md' })], 'At 9.40.'], { program, args: { folder: './notes' } })
    await session.send('go')
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['look', 'put', 'Notes__read', 'Notes__write']))
    expect(toldBy(requests)[1]).toContain('Train at 9.40.')
    expect(ofType(session, 'call')[0]?.files).toMatchObject([{ path: expect.stringContaining('a.md') as string }])
    expect(session.tools().map(({ name, from }) => `${from} ${name}`)).toEqual(expect.arrayContaining(['host look', 'program Notes__read']))
  })

  test('only what is equipped is offered, only what is required holds', async () => {
    const program = parse('tool Now : Time() tool Sums : Math() policy A : DenyTools("Host.put") policy B : DenyTools("Host.look")')
    const { session, requests } = chat([], { program, equips: ['Sums'], requires: ['A'] })
    await session.send('go')
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['look', 'Sums__eval'])
    expect(session.tools().map(({ target }) => target)).toEqual(['Host.look', 'Sums.eval'])
  })

  test('what is to be redacted reaches neither the model nor whoever watches, what is to be blocked is not sent', async () => {
    const program = parse('policy Quiet : Redact("\\\\d{4}") & Block("launch codes", on: input)')
    const show = tool('show', [], {}, () => 'The pin is 1234.')
    const events: HaloEvent[] = []
    const { session, requests } = chat([[asks('show', { at: '5678' })], [text('It is 12'), text('34.')]], { program, tools: [show], onEvent: (event) => events.push(event) })
    await session.send('My pin is 9999.')
    expect(requests[0]?.messages[0]?.content).toBe('My pin is [redacted].')
    expect(toldBy(requests)).toEqual(['The pin is [redacted].'])
    expect(ofType(session, 'call')).toMatchObject([{ args: { at: '[redacted]' }, result: 'The pin is [redacted].' }])
    expect(ofType(session, 'assistant').at(-1)?.text).toBe('It is [redacted].')
    expect(JSON.stringify(events.filter(({ type }) => type !== 'approval'))).not.toMatch(/1234|5678/)
    await session.send('Tell me the launch codes.')
    expect(session.snapshot()).toMatchObject({ error: { code: 'POLICY_BLOCKED' }, canRetry: false })
    expect(requests).toHaveLength(2)
    await session.send('Something else, then.')
    expect(JSON.stringify(requests[2]?.messages)).not.toContain('launch')
  })

  test('values of Env are masked before anyone sees them', async () => {
    const leak = tool('leak', [], {}, (_, { env }) => `the key is ${env.KEY ?? ''}`)
    const { session, requests } = chat([[asks('leak')], 'It is sk-verysecret.'], { tools: [leak], env: { KEY: 'sk-verysecret' } })
    await session.send('go')
    expect(toldBy(requests)).toEqual(['the key is [secret KEY]'])
    expect(JSON.stringify(session.transcript())).not.toContain('sk-verysecret')
  })

  test('maxSpend is a hard limit of the whole conversation, also after it was kept and taken up again', async () => {
    const prices = { 'scripted/m': { input: 0, output: 1_000_000 } }
    const { session, requests } = chat([[text('x'), usage(0, 4)], [text('y'), usage(0, 4)]], { prices, maxSpend: 5, maxTokens: 100, tools: [] })
    await session.send('one')
    expect(session.snapshot().error?.code).toBe('SPEND_LIMIT')
    expect(requests).toEqual([])
    const wide = chat([[text('x'), usage(0, 100)], 'y'], { prices, maxSpend: 150, maxTokens: 100, tools: [] })
    await wide.session.send('one')
    expect(wide.session.snapshot().cost).toBe(100)
    const again = chat(['z'], { prices, maxSpend: 150, maxTokens: 100, tools: [], transcript: wide.session.transcript() })
    await again.session.send('two')
    expect(again.session.snapshot().error?.code).toBe('SPEND_LIMIT')
    expect(again.requests).toEqual([])
  })

  test('limits of calls and requests are those of the conversation', async () => {
    const program = parse('policy Few : MaxCalls("Host.put", 1) & MaxSteps(4)')
    const { session, requests, ran } = chat([[asks('put')], 'a', [asks('put')], 'b', 'c'], { program })
    await session.send('one')
    await session.send('two')
    expect(ran).toHaveLength(1)
    expect(toldBy(requests).at(-1)).toContain('at most 1 call of Host.put')
    await session.send('three')
    expect(session.snapshot().error?.code).toBe('CALL_LIMIT')
  })
})

describe('what is seen and kept', () => {
  test('a snapshot stays the same object until something changes, and unchanged items stay theirs', async () => {
    const { session } = chat(['a', 'b'])
    await session.send('one')
    const before = session.snapshot()
    expect(session.snapshot()).toBe(before)
    await session.send('two')
    const after = session.snapshot()
    expect(after).not.toBe(before)
    expect(after.items.slice(0, 2).every((item, i) => item === before.items[i])).toBe(true)
    expect(() => (after.items as unknown[]).push(1)).toThrow(TypeError)
  })

  test('a subscriber sees the state it is told of, and its faults are its own', async () => {
    const { session } = chat(['a'])
    const statuses: string[] = []
    session.subscribe(() => {
      throw new Error('the page is gone')
    })
    const leave = session.subscribe(() => statuses.push(session.snapshot().status))
    await session.send('one')
    expect(statuses[0]).toBe('working')
    expect(statuses.at(-1)).toBe('idle')
    leave()
    const { length } = statuses
    await session.send('two')
    expect(statuses).toHaveLength(length)
  })

  test('a transcript is JSON, and the conversation goes on from it', async () => {
    const first = chat([[asks('put', { at: 'a' }), usage(10, 1)], [text('Put.'), usage(20, 2)]])
    await first.session.send('go', { images: ['data:image/png;base64,AAAA'] })
    const kept: unknown = JSON.parse(JSON.stringify(first.session.transcript()))
    const second = chat(['Yes.'], { transcript: kept, model: undefined })
    expect(second.session.id).toBe(first.session.id)
    expect(second.session.snapshot()).toMatchObject({ items: first.session.snapshot().items, usage: { input: 30, output: 3 }, model: 'scripted/m', status: 'idle', canRetry: true })
    await second.session.send('Did you?')
    expect(second.requests[0]?.messages).toMatchObject([...first.session.transcript().messages, { role: 'user', content: 'Did you?' }])
    expect(new Set(second.session.snapshot().items.map(({ id }) => id)).size).toBe(second.session.snapshot().items.length)
    expect(JSON.parse(JSON.stringify(second.session.transcript()))).toMatchObject({ version: 1, turns: 2, calls: { 'Host.put': 1 } })
  })

  test('one that was kept in the middle of a turn is closed off, and can be made again', async () => {
    const deaf = tool('sleep', [], {}, () => new Promise(() => undefined))
    const ran: Ran[] = []
    const first = chat([[asks('put', {}, 'a'), asks('sleep', {}, 'b'), asks('put', {}, 'c')]], { tools: [deaf, tool('put', ran)] })
    void first.session.send('go')
    await until(first.session, () => ofType(first.session, 'call')[1]?.status === 'running')
    void first.session.send('and then?')
    const kept = first.session.transcript()
    const second = chat(['I see.', 'Then this.'], { transcript: kept })
    expect(ofType(second.session, 'call').map(({ status }) => status)).toEqual(['done', 'stopped', 'stopped'])
    expect(second.session.snapshot()).toMatchObject({ canRetry: true, queue: [{ text: 'and then?' }] })
    await second.session.retry()
    await second.session.idle()
    expect(toldBy(second.requests)).toEqual(['ok', expect.stringContaining('not known'), expect.stringContaining('not made')])
    expect(wellFormed(second.requests[0]?.messages ?? [])).toBe(true)
    expect(inShort(second.session).slice(-3)).toEqual(['assistant: I see.', 'user: and then?', 'assistant: Then this.'])
    await first.session.stop()
  })

  test('one that was kept while a call waited has it denied', async () => {
    const first = chat([[asks('put')]], { approvals: 'always' })
    void first.session.send('go')
    await until(first.session, () => first.session.snapshot().pending.length === 1)
    const second = chat(['I see.'], { transcript: first.session.transcript(), approvals: 'always' })
    expect(ofType(second.session, 'call')).toMatchObject([{ status: 'declined' }])
    expect(second.session.snapshot().pending).toEqual([])
    await second.session.retry()
    expect(toldBy(second.requests)).toEqual([expect.stringContaining('before anyone answered')])
    await first.session.stop()
  })

  test('a journal and a recorder get what came from outside, conversation by conversation', async () => {
    const journal = memoryJournal()
    const recorded: RecordedCall[] = []
    const { session } = chat([[asks('put')], 'a', 'b', 'c'], { journal, recorder: (call) => void recorded.push(call) })
    const { id } = session
    await session.send('one')
    await session.retry()
    await session.reset()
    await session.send('two')
    const record = journal.records.get(id)
    expect(record?.end).toMatchObject({ status: 'completed' })
    const answers = (record?.entries ?? []).filter(({ state }) => state !== 'begun')
    expect(answers.map(({ kind, target, value }) => [kind, target, value])).toEqual([['agent', 'assistant.chat', ''], ['tool', 'Host.put', 'ok'], ['agent', 'assistant.chat', 'a'], ['agent', 'assistant.chat', 'b']])
    expect(new Set(answers.map(({ path }) => path)).size).toBe(answers.length)
    expect(journal.records.size).toBe(2)
    expect(recorded.map(({ kind }) => kind)).toEqual(['agent', 'tool', 'agent', 'agent', 'agent'])
  })

  test('a journal has each thing that the model was told once, whatever the turns came to', async () => {
    const journal = memoryJournal()
    const { session, requests } = chat([[asks('look')], lost, 'a', 'b', endless(text('Once')), 'c'], { journal })
    await session.send('one')
    await session.retry()
    await session.runTool('put')
    void session.send('two')
    await until(session, () => ofType(session, 'assistant').at(-1)?.text === 'Once')
    await session.stop()
    await session.send('three')
    const asked = (journal.records.get(session.id)?.entries ?? []).filter(({ kind, state }) => kind === 'agent' && state === 'begun')
    // A request that was stopped has no answer: what it was about is in the next one again.
    const told = asked.flatMap(({ request }) => (request as { messages: { content: unknown }[] }).messages.map(({ content }) => content))
    expect(told).toEqual(['one', 'ok', '(The person ran put.)', '', 'ok', 'two', 'two', 'Once', 'three'])
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['one', '', 'ok', 'a', '(The person ran put.)', '', 'ok', 'b', 'two', 'Once', 'three'])
  })

  test('a journal that can not be written ends the turn, and says so', async () => {
    const journal = { ...memoryJournal(), append: () => Promise.reject(new Error('The disk is full.')) }
    const { session } = chat(['a'], { journal })
    await session.send('one')
    expect(session.snapshot().error).toMatchObject({ code: 'STORAGE_FULL', message: expect.stringContaining('The disk is full.') as string })
  })

  test('events have the whole of it, under the session\'s name', async () => {
    const onEvent = vi.fn<(event: HaloEvent) => void>()
    const { session } = chat([[asks('put')]], { onEvent, name: 'Helper' })
    await session.send('one')
    const types = onEvent.mock.calls.map(([{ type }]) => type)
    expect(types).toEqual(['llm_start', 'llm', 'tool', 'agent_tool', 'llm_start', 'llm_delta', 'llm'])
    expect(onEvent.mock.calls.map(([event]) => ('agent' in event ? event.agent : undefined))).toEqual(types.map(() => 'Helper'))
  })
})
