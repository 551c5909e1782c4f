/** The adapters in a page, cross-origin isolated as the app is: the same servers, the browser's fetch, streams and CORS. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright'
import type { Browser, Page } from 'playwright'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { providerInfo } from '../../src/lib/halo/models/catalogue.ts'
import type { Message, ModelRequest } from '../../src/lib/halo/models/types.ts'
import { cases } from './servers/adapters.ts'
import type { Case } from './servers/adapters.ts'
import type { PageAnswer } from './servers/page.ts'
import { scripted } from './servers/script.ts'
import type { ScriptedServer } from './servers/script.ts'

const executablePath = findChromium()
let folder: string
let site: Server
let browser: Browser
let page: Page
let entrySize = 0
let server: ScriptedServer | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halo-models-'))
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: { outDir: folder, target: 'es2022', rolldownOptions: { input: 'tests/conformance/servers/page.ts', output: { entryFileNames: 'page.js' }, preserveEntrySignatures: 'allow-extension' } },
  })
  entrySize = gzipSync(await readFile(join(folder, 'page.js'))).length
  site = createServer((request, response) => {
    const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (path === '/') response.writeHead(200, { 'content-type': 'text/html', ...isolated }).end('<!doctype html><body><script type="module" src="/page.js"></script>')
    else
      readFile(join(folder, path)).then(
        (content) => response.writeHead(200, { 'content-type': extname(path) === '.js' ? 'text/javascript' : 'application/octet-stream', ...isolated }).end(content),
        () => response.writeHead(404).end(),
      )
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  if (executablePath === undefined) throw new Error('These tests need a Chromium: npx playwright install chromium, or set CHROMIUM_PATH.')
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'ask' in globalThis)
}, 120_000)

afterEach(() => server?.close())
afterAll(async () => {
  await browser?.close()
  site?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function start(case_: Case, ...answers: ScriptedServer['answers']): Promise<ScriptedServer> {
  server = await scripted(case_.protocol())
  server.answers.push(...answers)
  return server
}

function ask(case_: Case, given: Partial<ModelRequest> = {}, pieces?: number, abortAfter?: number, at = (server?.url ?? '') + case_.base): Promise<PageAnswer> {
  const request: ModelRequest = { provider: case_.prefix, model: case_.model, messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto', maxTokens: 500, agent: 'A', task: 't', step: 1, ...given }
  return page.evaluate(
    ([one, url, size, stop]) => (globalThis as unknown as { ask(...args: unknown[]): Promise<PageAnswer> }).ask(one, url, size, stop),
    [request, at, pieces, abortAfter] as const,
  )
}

test('the page is isolated, and no SDK is in what it loads first', async () => {
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  expect(entrySize).toBeLessThan(20_000)
  const chunks = await readdir(join(folder, 'assets'))
  expect(chunks.some((name) => name.startsWith('anthropic'))).toBe(true)
  expect(await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /anthropic|openai|google/.test(name)).length)).toBe(0)
})

const tool = { name: 'Files__read', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } } } }
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.each(cases)('$prefix', (case_) => {
  const info = providerInfo(case_.prefix)

  test('streams text that comes byte by byte', async () => {
    await start(case_, { text: ['Grüße ', '東京 ', '👩‍👩‍👧'], usage: { input: 5, output: 6 } })
    const { answer, error, textChunks } = await ask(case_, { system: 'S' }, 1)
    expect(error).toBeUndefined()
    expect(answer).toMatchObject({ text: 'Grüße 東京 👩‍👩‍👧', stop: 'stop', usage: { input: 5, output: 6 } })
    expect(textChunks).toBeGreaterThan(1)
    if (case_.key) expect(server?.understood[0]?.key).toBe('key-0123456789')
  })

  test.runIf(info?.capabilities.supportsTools)('holds a conversation with calls and an image', async () => {
    const signature = case_.opaque ? 'signed' : undefined
    await start(case_, { calls: [{ id: case_.ids ? 'a' : undefined, name: 'Files__read', args: { path: 'ä.png' } }, { id: case_.ids ? 'b' : undefined, name: 'Files__read', args: {} }], signature }, { text: ['A pixel.'], signature })
    const turn = (await ask(case_, { tools: [tool] }, 3)).answer ?? expect.fail('no answer')
    expect(turn.toolCalls.map(({ args }) => args)).toEqual([{ path: 'ä.png' }, {}])
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls, opaque: { provider: case_.prefix, data: turn.opaque } },
      ...turn.toolCalls.map((call): Message => ({ role: 'tool', toolCallId: call.id, name: call.name, content: [{ type: 'text', text: 'done' }, { type: 'image', mimeType: 'image/png', data: pixel }] })),
    ]
    expect((await ask(case_, { tools: [tool], messages })).answer?.text).toBe('A pixel.')
    expect(server?.understood[1]?.images).toEqual([pixel, pixel])
  })

  test('has its faults, with the wait that is asked for', async () => {
    await start(case_, { refuse: { status: 429, body: case_.protocol().refusal(429, 'slow down'), headers: { 'retry-after': '3' } } })
    expect((await ask(case_)).error).toMatchObject({ code: 'MODEL_ERROR', data: { kind: 'rate_limit', retryAfterMs: 3000 } })
  })

  test('stops in mid stream', async () => {
    await start(case_, { text: ['one', 'two'], fault: 'hang' })
    expect((await ask(case_, {}, undefined, 1)).error).toMatchObject({ code: 'CANCELLED' })
  })

  test('says what to do when the page may not read its answers, or nothing answers', async () => {
    const closed = createServer((_request, response) => response.writeHead(200).end('{}'))
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    const { error } = await ask(case_, {}, undefined, undefined, `http://127.0.0.1:${port}${case_.base}`)
    expect(error?.code).toBe('NETWORK')
    expect(error?.message).toContain('(CORS)')
    expect(error?.message).toContain(info?.reachHint)
    const gone = new Promise((resolve) => closed.close(resolve))
    closed.closeAllConnections()
    await gone
    expect((await ask(case_, {}, undefined, undefined, `http://127.0.0.1:${port}`)).error).toMatchObject({ code: 'NETWORK', data: { kind: 'unreachable' } })
  })

  test('streams a megabyte in many tasks, not in one', { timeout: 60_000 }, async () => {
    if (case_.prefix === 'replicate') return // Its text is one prediction, the same reader as Gemini's.
    const text = Array.from({ length: 5_000 }, (_, at) => `${at} `.padEnd(210, 'x'))
    await start(case_, { text })
    const { answer, longest, textChunks } = await ask(case_)
    expect(answer?.text.length).toBeGreaterThan(1_000_000)
    expect(textChunks).toBe(5_000)
    // 50 ms is what it should stay under on a machine that does nothing else; held in one task it would be seconds.
    console.log(`${case_.prefix}: longest task while 1 MB streamed: ${longest.toFixed(0)} ms`)
    expect(longest).toBeLessThan(1000)
  })
})
