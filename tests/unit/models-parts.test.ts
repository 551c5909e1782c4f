import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collectCalls, uniqueId } from '../../src/lib/halo/models/calls.ts'
import { jsonLines, serverEvents } from '../../src/lib/halo/models/lines.ts'
import { piecesOf } from '../../src/lib/halo/models/outline.ts'
import type { OutlineItem } from '../../src/lib/halo/models/outline.ts'
import { fileText, textOf, translations } from '../../src/lib/halo/models/parts.ts'
import { closedSchema, isObjectSchema, schemaName, withoutKeywords } from '../../src/lib/halo/models/structured.ts'
import type { Message } from '../../src/lib/halo/models/types.ts'

function stream(text: string, cuts: number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return new ReadableStream({
    start(controller) {
      for (let i = 1; i < at.length; i++) controller.enqueue(bytes.slice(at[i - 1], at[i]))
      controller.close()
    },
  })
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = []
  for await (const value of source) out.push(value)
  return out
}

describe('server-sent events', () => {
  const cuts = fc.array(fc.nat(500))
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

  test('are the same wherever the bytes are cut and however lines end', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' '))
    const event = fc.record({ event: fc.constantFrom('', 'output', 'done'), data: fc.array(line, { minLength: 1, maxLength: 3 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 5 }), cuts, lineEnd, fc.boolean(), async (events, where, end, comments) => {
        const text = events
          .map(({ event: name, data }) => `${comments ? `: keep-alive${end}` : ''}${name ? `event: ${name}${end}` : ''}${data.map((words) => `data: ${words}${end}`).join('')}${end}`)
          .join('')
        expect(await all(serverEvents(stream(text, where)))).toEqual(events.map(({ event: name, data }) => ({ event: name || 'message', data: data.join('\n') })))
      }),
    )
  })

  test('drop what was cut off at the end, and fields they do not know', async () => {
    const text = '\uFEFFid: 1\ndata:one\nretry: 5\nnonsense\n\ndata: two'
    expect(await all(serverEvents(stream(text, [3, 4, 5])))).toEqual([{ event: 'message', data: 'one' }])
  })

  test('close the connection when nobody reads on', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
      cancel: () => void (cancelled = true),
    })
    for await (const _ of serverEvents(body)) break
    expect(cancelled).toBe(true)
  })
})

test('JSON lines are the same wherever the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.array(fc.nat(500)), fc.boolean(), async (values, cuts, lastEnds) => {
      const text = values.map((value) => JSON.stringify(value)).join('\n') + (lastEnds ? '\n' : '')
      expect(await all(jsonLines(stream(text, cuts)))).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown))
    }),
  )
})

test('a JSON line that is no JSON is told, one that was cut off is not a line', async () => {
  await expect(all(jsonLines(stream('{"a":1}\noops\n', [])))).rejects.toThrow(SyntaxError)
  expect(await all(jsonLines(stream('{"a":1}\n{"b"', [])))).toEqual([{ a: 1 }])
})

describe('calls', () => {
  test('read arguments that come in any pieces, calls interleaved', () => {
    const call = fc.record({ name: fc.stringMatching(/^[A-Z]\w{0,5}__\w{1,5}$/), args: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }) })
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (wanted, sizes) => {
        const calls = collectCalls([])
        const left = wanted.map(({ args }) => JSON.stringify(args))
        wanted.forEach(({ name }, at) => calls.add(at, { id: `id${at}`, name }))
        while (left.some((text) => text !== '')) {
          for (const [at, text] of left.entries()) {
            const size = sizes.next().value as number
            if (text !== '') calls.add(at, { args: text.slice(0, size) })
            left[at] = text.slice(size)
          }
        }
        const done = calls.finish().map((chunk) => (chunk.type === 'tool_call' ? chunk.call : undefined))
        expect(done).toEqual(wanted.map(({ name, args }, at) => ({ id: `id${at}`, name, args: JSON.parse(JSON.stringify(args)) as unknown })))
      }),
    )
  })

  test('get ids of their own where the provider has none, the same each time', () => {
    const ids = (): string[] => {
      const calls = collectCalls([{ role: 'user', content: 'x' }])
      calls.add(0, { name: 'A__a' })
      calls.add(1, { id: '', name: 'A__b' })
      return calls.finish().map((chunk) => (chunk.type === 'tool_call' ? chunk.call.id : ''))
    }
    expect(new Set(ids()).size).toBe(2)
    expect(ids()).toEqual(ids())
  })

  test('unique ids stay unique however often the same is wanted', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'a_2', 'a_2_2', 'b')), (wanted) => {
        const taken = new Set<string>()
        expect(new Set(wanted.map((id) => uniqueId(id, taken))).size).toBe(wanted.length)
      }),
    )
  })
})

describe('the order of an answer', () => {
  const part = fc.oneof(
    fc.record({ text: fc.string({ unit: 'binary', minLength: 1 }) }),
    fc.record({ call: fc.constant('') }),
    fc.record({ kept: fc.nat() }),
  )

  test('comes back as it came when nothing was changed', () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const calls = parts.flatMap((given, at) => ('call' in given ? [{ id: `c${at}`, name: 'A__a', args: {} }] : []))
        const message: Message = { role: 'assistant', content: parts.map((given) => ('text' in given ? given.text : '')).join(''), toolCalls: calls }
        const items = parts.map((given, at): OutlineItem<number> => ('text' in given ? { text: given.text.length } : 'call' in given ? { call: `c${at}` } : { kept: given.kept }))
        const back = piecesOf(message, { model: 'm', items }).map((piece) => (piece.type === 'text' ? piece.text : piece.type === 'call' ? piece.call.id : piece.part))
        expect(back).toEqual(parts.map((given, at) => ('text' in given ? given.text : 'call' in given ? `c${at}` : given.kept)))
      }),
    )
  })

  test('loses no text and no call when the message was changed since', () => {
    const message: Message = { role: 'assistant', content: 'shorter', toolCalls: [{ id: 'b', name: 'A__a', args: { edited: true } }, { id: 'new', name: 'A__a', args: {} }] }
    const items: OutlineItem<string>[] = [{ kept: 'thought' }, { text: 20, with: { signature: 's' } }, { call: 'a' }, { call: 'b' }, { text: 3 }]
    expect(piecesOf(message, { model: 'm', items })).toEqual([
      { type: 'kept', part: 'thought' },
      { type: 'text', text: 'shorter' },
      { type: 'call', call: message.toolCalls?.[0], with: undefined },
      { type: 'call', call: message.toolCalls?.[1] },
    ])
  })
})

describe('schemas', () => {
  test('are strict when every field must be there, and closed in any case', () => {
    const inner = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const { schema, strict } = closedSchema({ type: 'object', properties: { list: { type: 'array', items: inner } }, required: ['list'] })
    expect(strict).toBe(true)
    expect(schema).toMatchObject({ additionalProperties: false, properties: { list: { items: { additionalProperties: false } } } })
  })

  test('are strict with fields that may be null, which are asked for then', () => {
    const { schema, strict } = closedSchema({ type: 'object', properties: { a: { type: 'string' }, b: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['a'] })
    expect(strict).toBe(true)
    expect(schema.required).toEqual(['a', 'b'])
  })

  test.each([
    [{ type: 'object', properties: { a: { type: 'string' } }, required: [] }],
    [{ type: 'object', properties: { a: {} }, required: ['a'] }],
    [{ type: 'object', properties: { a: { type: 'string', minLength: 3 } }, required: ['a'] }],
    [{ type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'string' } } }, required: ['a'] }],
  ])('are not strict otherwise: %j', (schema) => {
    expect(closedSchema(schema).strict).toBe(false)
  })

  test('a field named like a keyword is a field', () => {
    const { strict } = closedSchema({ type: 'object', properties: { minLength: { type: 'string' }, not: { type: 'string' } }, required: ['minLength', 'not'] })
    expect(strict).toBe(true)
    expect(withoutKeywords({ type: 'object', properties: { not: { type: 'string', minLength: 2 } } }, new Set(['not', 'minLength']))).toEqual({
      type: 'object',
      properties: { not: { type: 'string', description: '(minLength: 2)' } },
    })
  })

  test('names fit what providers take', () => {
    expect(schemaName('Rechnung für Ä')).toBe('Rechnung_f_r__')
    expect(schemaName('')).toBe('answer')
    expect(isObjectSchema({ type: 'array' })).toBe(false)
  })
})

test('text files are sent as text, others are named', () => {
  const data = Buffer.from('größe: 1').toString('base64')
  expect(fileText({ type: 'file', mimeType: 'text/yaml; charset=utf-8', data, name: 'a.yaml' })).toBe('a.yaml:\ngröße: 1')
  expect(textOf({ role: 'user', content: [{ type: 'text', text: 'See' }, { type: 'file', mimeType: 'application/zip', data, name: 'a.zip' }] })).toBe('See\n[a file, a.zip, application/zip, not shown to this model]')
})

test('each message is translated once', () => {
  let times = 0
  const translate = translations((message) => `${++times} ${textOf(message)}`)
  const messages: Message[] = [{ role: 'user', content: 'a' }, { role: 'user', content: 'b' }]
  expect([...messages, ...messages].map(translate)).toEqual(['1 a', '2 b', '1 a', '2 b'])
})
