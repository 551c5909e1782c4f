import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plan } from '../../src/lib/halo/plan/index.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'
import { effectOf } from '../../src/lib/halo/tools/effect.ts'
import { methodsOf, providerDefinition } from '../../src/lib/halo/tools/registry.ts'
import { isAllowed, isPrivate } from '../../src/lib/halo/tools/web/address.ts'
import { pageOf } from '../../src/lib/halo/tools/web/text.ts'
import { toolContext } from './middleware-kit.ts'

let server: Server
let base = ''
const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = []

const PAGE = '<html><head><style>p{}</style><script>alert(1)</script></head><body><h1>Title</h1><p>A <b>bold</b> <a href="/x">link</a>.</p><ul><li>one</li><li>two</li></ul></body></html>'

const routes: Record<string, (response: ServerResponse) => void> = {
  '/page': (r) => r.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE),
  '/latin': (r) => r.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0x63, 0x61, 0x66, 0xe9])),
  '/json': (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"a":[1]}'),
  '/image': (r) => r.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2, 3])),
  '/missing': (r) => r.writeHead(404, { 'content-type': 'text/plain' }).end('not here'),
  '/busy': (r) => r.writeHead(503, { 'retry-after': '3' }).end('later'),
  '/long': (r) => r.writeHead(200, { 'content-type': 'text/plain' }).end('0123456789'.repeat(100)),
  '/to-page': (r) => r.writeHead(302, { location: '/page' }).end(),
  '/see-other': (r) => r.writeHead(303, { location: '/json' }).end(),
  '/keep': (r) => r.writeHead(307, { location: '/json' }).end(),
  '/out': (r) => r.writeHead(302, { location: 'http://10.0.0.1/secret' }).end(),
  '/round': (r) => r.writeHead(302, { location: '/round' }).end(),
  '/file': (r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      const route = routes[new URL(request.url ?? '/', 'http://x').pathname]
      if (route === undefined) response.writeHead(200, { 'content-type': 'text/plain' }).end(`you asked for ${request.url}`)
      else route(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

type Answer = { status: number; url: string; body: unknown; total?: number; next?: number; truncated?: object }

async function web(config: Record<string, unknown>, method: string, args: Record<string, unknown>, fetcher: typeof fetch = fetch): Promise<Answer> {
  const definition = providerDefinition('Web')
  const context = toolContext({ fetch: fetcher })
  const run = (await definition?.provider(config, { tool: 'Web', fetch: fetcher, env: {}, runId: 'r' }))?.[method]
  if (run === undefined) throw new Error(`no ${method}`)
  return (await run(args, context)) as Answer
}
const get = (path: string, args: Record<string, unknown> = {}): Promise<Answer> => web({ allow: [base] }, 'fetch', { url: `${base}${path}`, ...args })

describe('Web.fetch', () => {
  test('gives a page as Markdown, as text, as it is', async () => {
    expect((await get('/page')).body).toBe('# Title\n\nA **bold** [link](/x).\n\n-   one\n-   two')
    expect((await get('/page', { format: 'text' })).body).toBe('Title\n\nA bold link.\n\none\ntwo')
    expect((await get('/page', { format: 'html' })).body).toBe(PAGE)
  })
  test('reads JSON where it is asked to, and says when it is none', async () => {
    expect((await get('/json', { format: 'json' })).body).toEqual({ a: [1] })
    expect((await get('/json')).body).toBe('{"a":[1]}')
    await expect(get('/page', { format: 'json' })).rejects.toThrow('no JSON')
  })
  test('reads the charset that the answer names', async () => {
    expect((await get('/latin')).body).toBe('café')
  })
  test('says what it does not show', async () => {
    expect((await get('/image')).body).toBe('[3 bytes of image/png]')
  })
  test('gives an answer that says no as an answer, and one that says later as an error to retry', async () => {
    expect(await get('/missing')).toMatchObject({ status: 404, body: 'not here' })
    await expect(get('/busy')).rejects.toMatchObject({ name: 'TransientError', status: 503, afterMs: 3000, message: expect.stringContaining('later') as string })
  })
  test('gives long texts in parts that join to the whole', async () => {
    let text = ''
    for (let next: number | undefined = 0; next !== undefined; ) {
      const part: Answer = await get('/long', { start_index: next, max_length: 300 })
      expect(part.total).toBe(1000)
      text += String(part.body)
      next = part.next
    }
    expect(text).toBe('0123456789'.repeat(100))
    expect((await get('/long', { max_length: 300 })).truncated).toEqual({ shown: 300, of: 1000 })
  })
  test('sends a body, as JSON where it is no text', async () => {
    await get('/echo', { method: 'POST', body: { a: 1 } })
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: '{"a":1}' })
    expect(seen.at(-1)?.headers['content-type']).toBe('application/json')
    await get('/echo', { method: 'PUT', body: 'plain', headers: { 'X-Key': 'k' } })
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', body: 'plain' })
    expect(seen.at(-1)?.headers['x-key']).toBe('k')
  })
  test('searches through the address of the declaration', async () => {
    expect((await web({ allow: [base], search: `${base}/find?q={query}` }, 'search', { query: 'a&b c' })).body).toBe('you asked for /find?q=a%26b%20c')
    const definition = providerDefinition('Web')
    expect(definition && methodsOf(definition, {})).toEqual(['fetch'])
    expect(definition && methodsOf(definition, { search: 'https://x' })).toEqual(['fetch', 'search'])
  })
  test('is a read for GET and HEAD, and external else', () => {
    const info = providerDefinition('Web')?.info?.fetch
    if (info === undefined) throw new Error('no info')
    expect([{}, { method: 'GET' }, { method: 'HEAD' }, { method: 'POST' }, { method: null }].map((args) => effectOf(info, args))).toEqual(['read', 'read', 'read', 'external', 'external'])
    const [found] = plan(parse('tool W : Web()\npipeline P(u: String, m: Any): u |> W.fetch(url: u) |> W.fetch(url: u, method: "POST") |> W.fetch(url: u, method: m)')).pipelines
    expect(found?.stages.flatMap(({ calls }) => calls.map(({ effect }) => effect))).toEqual(['read', 'external', 'external'])
  })
})

describe('redirects', () => {
  test('are followed where they are allowed to lead', async () => {
    expect(await get('/to-page')).toMatchObject({ status: 200, url: `${base}/page` })
  })
  test.each([['/out', 'redirects to'], ['/round', 'more than 10'], ['/file', 'http and https']])('of %s end with words', async (path, words) => {
    await expect(get(path)).rejects.toThrow(words)
  })
  test('turn a POST into a GET or keep it, as their status says', async () => {
    await get('/see-other', { method: 'POST', body: 'x' })
    expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/json', body: '' })
    await get('/keep', { method: 'POST', body: 'x' })
    expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/json', body: 'x' })
  })
  test('do not carry a secret to another host', async () => {
    const heard: [string, Headers][] = []
    const fetcher = ((url: string, init: RequestInit) => {
      heard.push([url, new Headers(init.headers)])
      const first = heard.length === 1
      return Promise.resolve(new Response('', first ? { status: 302, headers: { location: 'https://b.example/' } } : { status: 200 }))
    }) as typeof fetch
    await web({}, 'fetch', { url: 'https://a.example/', headers: { Authorization: 'Bearer s', Accept: 'text/html' } }, fetcher)
    expect(heard.map(([url, headers]) => [url, headers.get('authorization'), headers.get('accept')])).toEqual([
      ['https://a.example/', 'Bearer s', 'text/html'],
      ['https://b.example/', null, 'text/html'],
    ])
  })
  test('that a page can not see into are not followed under an allow list or with a secret', async () => {
    const calls: unknown[] = []
    const opaque = ((_url: string, init: RequestInit) => {
      calls.push(init.redirect)
      const response = new Response('ok')
      if (init.redirect === 'manual') Object.defineProperty(response, 'type', { value: 'opaqueredirect' })
      return Promise.resolve(response)
    }) as typeof fetch
    const url = 'https://a.example/'
    await expect(web({ allow: [url] }, 'fetch', { url }, opaque)).rejects.toThrow("can't see")
    await expect(web({}, 'fetch', { url, headers: { 'X-Api-Key': 'k' } }, opaque)).rejects.toThrow("can't see")
    await expect(web({}, 'fetch', { url, method: 'POST' }, opaque)).rejects.toThrow("can't see")
    expect(calls).toEqual(['manual', 'manual', 'manual'])
    expect(await web({}, 'fetch', { url }, opaque)).toMatchObject({ status: 200, body: 'ok' })
    expect(calls.slice(3)).toEqual(['manual', 'follow'])
  })
})

describe('addresses', () => {
  test.each([
    'http://localhost', 'http://LOCALHOST.', 'http://a.localhost', 'http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f000001', 'http://0177.0.0.1', 'http://0.0.0.0',
    'http://10.1.2.3', 'http://172.16.0.1', 'http://172.31.255.255', 'http://192.168.1.1', 'http://169.254.169.254', 'http://100.64.0.1', 'http://224.0.0.1', 'http://255.255.255.255',
    'http://[::1]', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'http://[fe80::1]', 'http://[fc00::1]', 'http://[fd12:3456::1]', 'http://[ff02::1]', 'http://[64:ff9b::7f00:1]', 'http://[2002:7f00:1::]',
    'http://router', 'http://printer.local', 'http://db.internal',
  ])('%s is private', async (url) => {
    expect(isPrivate(new URL(url))).toBe(true)
    await expect(web({}, 'fetch', { url })).rejects.toThrow('private or local')
  })
  test.each(['https://example.com', 'http://8.8.8.8', 'http://172.32.0.1', 'http://100.128.0.1', 'http://[2606:4700::1111]', 'http://[::ffff:8.8.8.8]', 'http://[64:ff9b::808:808]'])('%s is public', (url) => {
    expect(isPrivate(new URL(url))).toBe(false)
  })
  test.each<[string, string, boolean]>([
    ['https://example.com', 'https://example.com/any?x=1', true],
    ['https://example.com', 'https://example.com:443/', true],
    ['https://example.com', 'http://example.com/', false],
    ['https://example.com', 'https://example.com.evil.test/', false],
    ['https://example.com', 'https://sub.example.com/', false],
    ['https://example.com/docs', 'https://example.com/docs', true],
    ['https://example.com/docs', 'https://example.com/docs/a', true],
    ['https://example.com/docs', 'https://example.com/docs-private', false],
    ['https://example.com/docs', 'https://example.com/docs/../admin', false],
    ['https://*.example.com', 'https://a.b.example.com/', true],
    ['https://*.example.com', 'https://example.com/', false],
    ['https://*.example.com', 'https://notexample.com/', false],
    ['http://localhost:8080', 'http://localhost:8080/x', true],
    ['http://localhost:8080', 'http://localhost:9090/x', false],
    ['not an address', 'https://example.com/', false],
  ])('an allow list of %s takes in %s: %s', (entry, url, expected) => {
    expect(isAllowed(new URL(url), [entry])).toBe(expected)
  })
  test.each(['ftp://example.com', 'javascript:alert(1)', 'nonsense', 'https://user:pass@example.com/'])('%s is refused with words', async (url) => {
    await expect(web({}, 'fetch', { url })).rejects.toMatchObject({ code: 'TOOL_ERROR' })
  })
})

describe('a part of a text', () => {
  test('and the parts after it are the whole, and no part ends inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (text, length) => {
        let joined = ''
        for (let next: number | undefined = 0; next !== undefined; ) {
          const part = pageOf(text, next, length)
          if (text.isWellFormed?.() ?? true) expect(part.text.isWellFormed?.() ?? true).toBe(true)
          joined += part.text
          next = part.next
        }
        expect(joined).toBe(text)
      }),
    )
  })
})
