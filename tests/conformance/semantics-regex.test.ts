import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, useTool, type JournalRecord, type MockRequest, type RegexRunner } from 'halo'
import { provider, run, toldBy } from './semantics-kit.ts'

/** A pattern that no static check proves linear. */
const SLOW = '^(a|a?)+$'
let desk: ReturnType<typeof provider>
beforeEach(() => {
  desk = provider('Desk', { look: ({ at }) => `at ${String(at)}` })
})
afterEach(() => desk.undo())

function runner(): RegexRunner & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    test: async (pattern, text) => (asked.push(text), new RegExp(pattern).test(text)),
    replace: async (pattern, text, replacement) => (asked.push(text), text.replace(new RegExp(pattern, 'g'), () => replacement)),
  }
}
const source = (policy: string) => `
policy P : ${policy}
tool Desk : Desk()
agent A [m/m] equips Desk requires P system "be"
pipeline Main(x: String = "hello") : x |> A.t(tools: [Desk]) |> A.u("again {{input}}")`

describe('a pattern that may take very long', () => {
  test('is a validation error without a runner, in a rule and in matches()', async () => {
    expect((await run(source(`DenyArgs("Desk.look", '${SLOW}')`), {}, { A: 'x' })).result.error?.code).toBe('VALIDATION')
    expect((await run(`pipeline Main(x: String = "b") : matches(x, '${SLOW}')`)).result.error?.code).toBe('VALIDATION')
  })

  test('runs in the runner, and refuses the call when that fails', async () => {
    const regexRunner = runner()
    expect((await run(`pipeline Main(x: String = "aaa") : matches(x, '${SLOW}')`, {}, {}, { regexRunner })).result.output).toBe(true)
    const requests: MockRequest[] = []
    const mocks = { A: (request: MockRequest) => (requests.push(request), request.step === 1 && request.task === 't' ? [useTool('Desk.look', { at: 'aaa' }), useTool('Desk.look', { at: 'b' })] : 'end') }
    await run(source(`DenyArgs("Desk.look", '${SLOW}')`), {}, mocks, { regexRunner })
    expect(toldBy(requests.slice(0, 2))).toEqual([expect.stringMatching(/^Refused by policy "P": /), 'at b'])
    requests.length = 0
    await run(source(`DenyArgs("Desk.look", '${SLOW}')`), {}, mocks, { regexRunner: { test: () => Promise.reject(new Error('over 100 ms')) } })
    expect((toldBy(requests.slice(0, 2)) as string[]).every((told) => told.startsWith('Refused by policy "P": '))).toBe(true)
  })

  test('has its verdicts in the journal: a run that is resumed asks the runner nothing again and sees the same', async () => {
    const text = source(`Redact('${SLOW}') & Block('${SLOW}x')`)
    const mocks = { A: ({ step, task }: MockRequest) => (step === 1 && task === 't' ? useTool('Desk.look', { at: 'aaa' }) : 'end') }
    const first = await run(text, {}, mocks, { regexRunner: runner() })
    expect(first.result.status).toBe('completed')
    expect(first.journal.filter((entry) => entry.kind === 'verdict').length).toBeGreaterThan(5)
    for (let length = 1; length < first.journal.length; length++) {
      const journal = memoryJournal()
      const { start } = first.store?.records.get(first.result.runId) as JournalRecord
      const verdicts = first.journal.slice(0, length).filter((entry) => entry.kind === 'verdict').length
      const total = first.journal.filter((entry) => entry.kind === 'verdict').length
      journal.records.set(start.runId, { start, entries: first.journal.slice(0, length) })
      const again = await new HaloRuntime({ journal, regexRunner: runner() }).load(parse(text)).mockAll(mocks).resume(start.runId)
      expect(again).toMatchObject({ status: 'completed', output: first.result.output })
      expect(journal.records.get(start.runId)?.entries.slice(length).filter((entry) => entry.kind === 'verdict')).toHaveLength(total - verdicts)
    }
  })

  test('that came out otherwise a second time doesn\'t matter to a resumed run', async () => {
    const text = `policy P : Block('${SLOW}', on: input)\nagent A [m/m] requires P\npipeline Main() : "aaa b" |> A.t() |! yield("ok?") |> A.u()`
    const journal = memoryJournal()
    const paused = await new HaloRuntime({ journal, regexRunner: runner() }).load(parse(text)).mockAll({ A: 'end' }).run('Main')
    expect(paused.status).toBe('paused')
    const always: RegexRunner = { test: async (_, tested) => tested !== 'end' }
    const done = await new HaloRuntime({ journal, regexRunner: always }).load(parse(text)).mockAll({ A: 'end' }).signal(paused.runId, 'yield', true)
    expect(done.status).toBe('completed')
  })
})
