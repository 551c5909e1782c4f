/** Whole runs over each provider's protocol: the tool loop, a result of a given type, retries, costs, and no key in anything kept. */
import { afterEach, expect, test } from 'vitest'
import { HaloRuntime, parse } from '../../src/lib/halo/index.ts'
import { credentialsFromEnv, keyVariables } from '../../src/lib/halo/models/credentials.ts'
import { loadPrices, priceOf } from '../../src/lib/halo/models/prices.ts'
import type { HaloEvent, JournalEntry } from '../../src/lib/halo/run/types.ts'
import { cases } from './servers/adapters.ts'
import { json } from './servers/http.ts'
import { scripted } from './servers/script.ts'
import type { ScriptedServer } from './servers/script.ts'

const KEY = 'planted-key-0123456789'
let server: ScriptedServer | undefined
afterEach(() => server?.close())

const env = Object.fromEntries(keyVariables.map((name) => [name, KEY]))

function world(onEvent?: (event: HaloEvent) => void) {
  const entries: JournalEntry[] = []
  const runtime = new HaloRuntime({ keys: credentialsFromEnv(env), onEvent, recorder: ({ entry }) => entries.push(entry) })
  return { runtime, entries }
}

test.each(cases.filter(({ prefix }) => prefix !== 'replicate'))('a run with $prefix calls tools, is told of wrong arguments, and answers with its type', async (case_) => {
  server = await scripted(case_.protocol())
  const signed = case_.opaque ? { reasoning: 'Hm.', signature: 'signed' } : {}
  const id = (name: string): string | undefined => (case_.ids ? name : undefined)
  server.answers.push(
    { refuse: { status: 429, body: case_.protocol().refusal(429, `slow down, ${KEY}`), headers: { 'retry-after-ms': '5' } } },
    { calls: [{ id: id('a'), name: 'Files__read', args: { path: 'a.md' } }, { id: id('b'), name: 'Files__read', args: { path: 'b.md' } }], ...signed, usage: { input: 1000, output: 10 } },
    { calls: [{ id: id('c'), name: 'Files__read', args: { way: 'wrong' } }], ...signed, usage: { input: 2000, output: 10 } },
    { text: ['{"total": ', '3}'], ...signed, usage: { input: 3000, output: 10 } },
  )
  const source = `
    schema Sum { total: Number, note?: String }
    tool Files : Workspace("./notes")
    agent Adder [${case_.prefix}/${case_.model}, max_steps: 2, temp: 0.1, base_url: "${server.url}${case_.base}"]
      system "You add up."
      equips Files
      returns Sum
    pipeline Main(what: String) -> Sum:
      what |> Adder.add("Add up", tools: [Files]) @retry(1, on: ["429"])`
  const events: HaloEvent[] = []
  const { runtime, entries } = world((event) => events.push(event))
  runtime.load(parse(source)).mockAll({ 'Files.read': ({ path }: { path: string }) => ({ path, content: path === 'a.md' ? '1' : '2' }) })
  const result = await runtime.run('Main', { what: 'the notes' })
  expect(result.error).toBeUndefined()
  expect(result.output).toEqual({ total: 3 })

  const last = server.understood.at(-1)
  expect(server.understood).toHaveLength(4)
  expect(last?.results.map(({ text }) => text)).toEqual([expect.stringContaining('"1"'), expect.stringContaining('"2"'), expect.stringContaining('path')])
  expect(last?.prompts.at(-1)).toContain('Tools are turned off')
  if (case_.opaque) expect(last?.signatures).toEqual(['signed', 'signed'])

  // Each request that was answered is counted, the one that was refused is not.
  expect(result.context.meta.tokens).toEqual({ input: 6000, output: 30 })
  await loadPrices()
  const price = priceOf(case_.prefix, case_.model)
  if (price) expect(result.context.meta.cost).toBeCloseTo((6000 * price.input + 30 * price.output) / 1e6, 10)

  // Neither events, nor what is recorded, nor the result hold the key.
  expect(events.some(({ type }) => type === 'llm_delta')).toBe(true)
  for (const kept of [events, entries, result]) expect(JSON.stringify(kept)).not.toContain(KEY)
})

test('a refused key is not tried again, and stands in no error', async () => {
  const case_ = cases.find(({ prefix }) => prefix === 'openai') ?? expect.fail()
  server = await scripted(case_.protocol())
  server.answers.push({ refuse: { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } } } })
  const { runtime } = world()
  runtime.load(parse(`agent A [openai/gpt-4o, base_url: "${server.url}/v1"]\npipeline Main(q: String) -> Result:\n  q |> A.go() @retry(3)`))
  const result = await runtime.run('Main', { q: 'x' })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_ERROR', message: expect.stringContaining('refused the key') as string } })
  expect(JSON.stringify([result, result.error?.message])).not.toContain(KEY)
  expect(server.understood).toHaveLength(1)
})

test('a program from elsewhere does not get the key sent to its own server', async () => {
  const case_ = cases.find(({ prefix }) => prefix === 'openai-compatible') ?? expect.fail()
  server = await scripted({ ...case_.protocol(), other: (request, response) => (json(response, 200, { seen: request.headers }), true) })
  const runtime = new HaloRuntime({ keys: () => ({ apiKey: KEY, headers: { 'x-team': KEY } }) })
  runtime.load(parse(`agent A [openai/gpt-4o, base_url: "${server.url}/v1"]\npipeline Main(q: String) -> Result:\n  q |> A.go()`))
  await runtime.run('Main', { q: 'x' })
  expect(server.received).toHaveLength(1)
  expect(JSON.stringify(server.received)).not.toContain(KEY)
})
