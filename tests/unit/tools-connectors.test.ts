import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { providerDefinition } from '../../src/lib/halo/tools/registry.ts'
import { toolContext } from './middleware-kit.ts'

interface Sent {
  url: string
  method?: string
  headers: Record<string, string>
  body?: string
}

/** A provider's method against answers that are written out, and what was sent to get them. */
async function call(provider: string, config: Record<string, unknown>, method: string, args: Record<string, unknown>, ...answers: Response[]): Promise<{ sent: Sent[]; result: unknown }> {
  const sent: Sent[] = []
  const fetcher = ((url: string, { method: verb, headers, body }: RequestInit) => {
    sent.push({ url, headers: Object.fromEntries(new Headers(headers)), ...(verb === undefined ? {} : { method: verb }), ...(typeof body === 'string' ? { body } : {}) })
    return Promise.resolve(answers.shift() ?? new Response('{}'))
  }) as typeof fetch
  const context = toolContext({ fetch: fetcher })
  const run = (await providerDefinition(provider)?.provider(config, { tool: 'T', fetch: fetcher, env: {}, runId: 'r' }))?.[method]
  if (run === undefined) throw new Error(`no ${provider}.${method}`)
  return { result: await run(args, context), sent }
}
const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response => new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })

describe('Slack', () => {
  const config = { token: 'xoxb-1', channel: '#notes' }
  test('posts to the channel of the declaration, with the token as a bearer', async () => {
    const { result, sent } = await call('Slack', config, 'post', { text: 'Hello' }, json({ ok: true, channel: 'C1', ts: '1.2', message: {} }))
    expect(result).toEqual({ ok: true, channel: 'C1', ts: '1.2' })
    expect(sent).toEqual([
      {
        url: 'https://slack.com/api/chat.postMessage',
        method: 'POST',
        headers: { authorization: 'Bearer xoxb-1', 'content-type': 'application/json; charset=utf-8' },
        body: '{"channel":"#notes","text":"Hello"}',
      },
    ])
  })
  test('posts to another channel and into a thread where the call says so', async () => {
    const { sent } = await call('Slack', config, 'post', { text: 'x', channel: 'C9', thread_ts: '1.2' }, json({ ok: true, channel: 'C9', ts: '2' }))
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ channel: 'C9', text: 'x', thread_ts: '1.2' })
  })
  test('says what Slack refused, and what to do', async () => {
    await expect(call('Slack', config, 'post', { text: 'x' }, json({ ok: false, error: 'not_in_channel' }))).rejects.toThrow(/not_in_channel.*Invite/)
    await expect(call('Slack', config, 'post', { text: 'x' }, json({ ok: false, error: 'ratelimited' }))).rejects.toMatchObject({ name: 'TransientError', status: 429 })
    await expect(call('Slack', config, 'post', { text: 'x' }, json({}, 429, { 'retry-after': '30' }))).rejects.toMatchObject({ name: 'TransientError', afterMs: 30_000 })
  })
  test('needs a token and a channel', async () => {
    await expect(call('Slack', { channel: '#a' }, 'post', { text: 'x' })).rejects.toMatchObject({ code: 'TOOL_CONFIG' })
    await expect(call('Slack', { token: 't' }, 'post', { text: 'x' })).rejects.toMatchObject({ code: 'TOOL_CONFIG' })
  })
})

describe('Http', () => {
  const config = { base_url: 'https://api.example.com/v1/', headers: { Authorization: 'Bearer s' } }
  test('calls below its base address with its headers, and reads JSON', async () => {
    const { result, sent } = await call('Http', config, 'get', { path: '/orders/1', query: { q: 'a b', tag: ['x', 'y'], none: null } }, json({ id: 1 }))
    expect(sent[0]).toMatchObject({ url: 'https://api.example.com/v1/orders/1?q=a+b&tag=x&tag=y', method: 'GET', headers: { authorization: 'Bearer s' } })
    expect(result).toMatchObject({ status: 200, body: { id: 1 } })
  })
  test('sends values as JSON, texts as they are, and what flows in where no body is given', async () => {
    const posted = await call('Http', config, 'post', { path: 'orders', body: { n: 1 } })
    expect(posted.sent[0]).toMatchObject({ method: 'POST', body: '{"n":1}', headers: { 'content-type': 'application/json' } })
    const put = await call('Http', config, 'put', { path: 'note', input: 'text', headers: { 'Content-Type': 'text/plain' } })
    expect(put.sent[0]).toMatchObject({ method: 'PUT', body: 'text', headers: { 'content-type': 'text/plain' } })
  })
  test('gives an answer that says no as an answer', async () => {
    expect((await call('Http', config, 'get', {}, json({ error: 'gone' }, 410))).result).toMatchObject({ status: 410, body: { error: 'gone' } })
  })
  test('never leaves its base address, whatever the path', async () => {
    for (const path of ['../admin', '../../v2', '/../x', '..%2f..', '//evil.example/x', '\\\\evil.example', 'a/../../b']) {
      const { sent } = await call('Http', config, 'get', { path }).catch((error: Error) => {
        expect(error.message).toContain('not among the allowed')
        return { sent: [] as Sent[] }
      })
      for (const { url } of sent) expect(url.startsWith('https://api.example.com/v1/'), url).toBe(true)
    }
  })
  test('takes a local address that is its base', async () => {
    expect((await call('Http', { base_url: 'http://localhost:8080' }, 'get', { path: 'x' })).sent[0]?.url).toBe('http://localhost:8080/x')
  })
  test('needs a base address', async () => {
    for (const base_url of [undefined, '', 'api.example.com', 'file:///x']) {
      await expect(call('Http', { base_url }, 'get', {})).rejects.toMatchObject({ code: 'TOOL_CONFIG' })
    }
  })
})

describe('Data', () => {
  const data = async (method: string, args: Record<string, unknown>): Promise<unknown> => (await call('Data', {}, method, args)).result

  test('reads JSON, and says where it is faulty', async () => {
    expect(await data('json_parse', { input: '{"a":[1]}' })).toEqual({ a: [1] })
    expect(await data('json_parse', { input: '2' })).toBe(2)
    await expect(data('json_parse', { input: '{\n  "a": 1,\n  b\n}' })).rejects.toThrow(/line 3, column 3/)
  })
  test('writes JSON with an indentation, from a value or a text', async () => {
    expect(await data('json_format', { input: { a: 1 } })).toBe('{\n  "a": 1\n}')
    expect(await data('json_format', { input: '{"a":1}', indent: 0 })).toBe('{"a":1}')
  })
  test('reads CSV by its header: quotes across lines, ragged rows, equal and missing names', async () => {
    expect(await data('csv_parse', { input: '\uFEFFname,note\r\nAnn,"a ""b""\nc"\r\nBob\r\n' })).toEqual([{ name: 'Ann', note: 'a "b"\nc' }, { name: 'Bob' }])
    expect(await data('csv_parse', { input: 'a;a;\n1;2;3;4', delimiter: ';' })).toEqual([{ a: '1', a_2: '2', column_3: '3', column_4: '4' }])
    expect(await data('csv_parse', { input: '1\t2\n3\t4', header: false })).toEqual([['1', '2'], ['3', '4']])
  })
  test('reads back any table that is written as CSV', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é', ' ', '0') })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
        const csv = ['x,y,z', ...rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))].join('\r\n')
        expect(await data('csv_parse', { input: csv, delimiter: ',' })).toEqual(rows.map(([x, y, z]) => ({ x, y, z })))
      }),
    )
  })
  test('refuses a quote that is never closed', async () => {
    await expect(data('csv_parse', { input: 'a,b\n1,"2' })).rejects.toThrow('no CSV')
  })
})
