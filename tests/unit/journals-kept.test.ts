/** Journals of earlier days: paused for long, cut off, of an older version, of a program that no longer reads. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, registerToolProvider, useTool, type Clock, type HaloEvent, type JournalRecord } from '../../src/lib/halo/index.ts'
import { readLines, replay, toLines } from '../../src/lib/halo/replay.ts'

/** A clock that is set by hand; whoever sleeps until a time wakes when it is set past it. */
function handClock(start = 1_000_000): Clock & { set(to: number): void } {
  let now = start
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return {
    now: () => now,
    uuid: () => 'id',
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: resolve as () => void }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => (sleepers.delete(sleeper), reject(new Error('aborted'))), { once: true })
      }),
    set(to) {
      now = to
      for (const sleeper of [...sleepers].filter(({ until }) => until <= now)) {
        sleepers.delete(sleeper)
        sleeper.wake()
      }
    },
  }
}

/** As another process finds it. */
function reloaded(record: JournalRecord | undefined) {
  if (record === undefined) throw new Error('nothing was recorded')
  const journal = memoryJournal()
  const copy = readLines(toLines(record)).record
  journal.records.set(copy.start.runId, copy)
  return journal
}

describe('a question that is found again after a reload', () => {
  const SOURCE = `policy Careful : ApproveEffects(write)
tool Files : Workspace("./notes", write: true)
agent Clerk [mock/clerk] equips Files requires Careful
pipeline Main() : "" |> Clerk.work("Go", tools: [Files])
`
  const mocks = { 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('Files.write', { path: 'a.md', content: 'text' }) : 'done') }

  test('is the whole card, under the same id, and its answer counts once', async () => {
    const journal = memoryJournal()
    const first = await new HaloRuntime({ journal }).load(parse(SOURCE)).mockAll(mocks).run('Main', {}, { runId: 'r' })
    const kept = reloaded(journal.records.get('r'))
    const events: HaloEvent[] = []
    const runtime = new HaloRuntime({ journal: kept, onEvent: (event) => events.push(event) }).mockAll(mocks)
    const paused = await runtime.resume('r')
    expect(paused.context.meta.paused).toEqual(first.context.meta.paused)
    expect(paused.context.meta.paused?.questions[0]).toMatchObject({
      waitingFor: 'approval',
      request: { channel: 'approval', effect: 'write', named: { target: 'Files.write', policy: 'Careful', agent: 'Clerk', args: { path: 'a.md', content: 'text' } } },
    })
    expect(events.filter(({ type, replayed }) => type === 'llm' && replayed)).toHaveLength(1)
    expect(kept.records.get('r')?.entries.filter(({ state }) => state === 'asked')).toHaveLength(1)
    const id = paused.context.meta.paused?.questions[0]?.id
    expect(await runtime.signal('r', 'approval', { id, approved: true })).toMatchObject({ status: 'completed', output: 'done' })
    await expect(runtime.signal('r', 'approval', { id, approved: true })).rejects.toThrow(/has ended/)
  })
})

describe('a deadline', () => {
  const SOURCE = 'pipeline Main() : 1 ~> listen("paid", timeout: 1h) |> System.Value("paid")\n'

  async function waiting() {
    const journal = memoryJournal()
    const clock = handClock()
    await new HaloRuntime({ journal, clock }).load(parse(SOURCE)).run('Main', {}, { runId: 'r' })
    return reloaded(journal.records.get('r'))
  }

  test('that passed while nobody was there ends the wait at once', async () => {
    const journal = await waiting()
    const clock = handClock(1_000_000 + 3_600_001)
    expect(await new HaloRuntime({ journal, clock }).resume('r')).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } })
    expect(journal.records.get('r')?.end?.status).toBe('failed')
  })

  test('that is still to come is the one it was, not a new one', async () => {
    const journal = await waiting()
    const clock = handClock(1_000_000 + 3_000_000)
    const runtime = new HaloRuntime({ journal, clock })
    const paused = await runtime.resume('r')
    expect(paused.context.meta.paused?.questions[0]?.request.deadline).toBe(1_000_000 + 3_600_000)
    expect(await runtime.signal('r', 'paid', { ok: true })).toMatchObject({ status: 'completed', output: 'paid' })
  })

  test('does not undo an event that had come in time', async () => {
    const journal = await waiting()
    const record = journal.records.get('r')
    record?.entries.push({ seq: 50, at: 1_000_500, path: 'early', kind: 'listen', target: 'paid', value: { ok: true } })
    const clock = handClock(1_000_000 + 3_600_001)
    expect(await new HaloRuntime({ journal, clock }).resume('r')).toMatchObject({ status: 'completed', output: 'paid' })
  })
})

describe('an event that came early', () => {
  const SOURCE = 'pipeline Main() : 1 |! yield("ready?") ~> listen("bell") as first ~> listen("bell") as second |> System.Value([context.data.first, context.data.second])\n'

  test('waits in the journal over a reload, and is taken once', async () => {
    const journal = memoryJournal()
    const runtime = new HaloRuntime({ journal }).load(parse(SOURCE))
    await runtime.run('Main', {}, { runId: 'r' })
    await runtime.signal('r', 'bell', { n: 1 })
    const kept = reloaded(journal.records.get('r'))
    const later = new HaloRuntime({ journal: kept })
    expect(await later.signal('r', 'yield', true)).toMatchObject({ status: 'paused', context: { meta: { paused: { waitingFor: 'bell' } } } })
    const again = new HaloRuntime({ journal: reloaded(kept.records.get('r')) })
    expect(await again.signal('r', 'bell', { n: 2 })).toMatchObject({ status: 'completed', output: [{ n: 1 }, { n: 2 }] })
  })
})

describe('a result that comes after Stop', () => {
  test('is kept as late, does not change how the run ended, and is no answer in a replay', async () => {
    let finish = (): void => {}
    registerToolProvider('Slow', (() => ({ put: () => new Promise((resolve) => (finish = () => resolve('after all'))) })) as never, {
      put: { description: 'Writes, at last.', parameters: { type: 'object', properties: {} }, effect: 'write' },
    } as never)
    const source = 'tool S : Slow()\npipeline Main() : "" |> S.put()\n'
    const journal = memoryJournal()
    const stop = new AbortController()
    const running = new HaloRuntime({ journal }).load(parse(source)).run('Main', {}, { runId: 'r', signal: stop.signal })
    for (let i = 0; i < 100 && !(journal.records.get('r')?.entries.length ?? 0); i++) await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, 20))
    stop.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    finish()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const record = journal.records.get('r')
    expect(record?.entries.map(({ state, value }) => [state, value])).toEqual([['begun', undefined], ['late', 'after all']])
    expect(record?.end?.status).toBe('cancelled')
    if (record === undefined) return
    const lines = readLines(toLines(record)).record
    expect(lines.end?.status).toBe('cancelled')
    // As a store writes it: the late line stands after the end.
    const [start, begun, late, end] = toLines(record).trim().split('\n')
    expect(readLines([start, begun, end, late, ''].join('\n')).record.end?.status).toBe('cancelled')
    expect((await replay(parse(source), record)).result.error?.code).toBe('REPLAY_MISMATCH')
    await expect(new HaloRuntime({ journal }).resume('r')).rejects.toThrow(/has ended \(cancelled\)/)
  })
})

describe('journals of version 0.1.0', () => {
  const text = (name: string) => readFileSync(new URL(`../fixtures/recordings/${name}.jsonl`, import.meta.url), 'utf8')

  test('an ended one is replayed', async () => {
    const { record, cut } = readLines(text('0.1.0-ended'))
    expect(cut).toBe(false)
    expect(record.start.version).toBe('0.1.0')
    const source = record.start.sources[record.start.main] ?? ''
    expect(await replay(parse(source, { path: record.start.main }), record)).toMatchObject({ same: true, differences: [], unused: [], result: { status: 'completed' } })
  })

  test('an open one goes on', async () => {
    const journal = reloaded(readLines(text('0.1.0-open')).record)
    const [runId = ''] = journal.records.keys()
    const runtime = new HaloRuntime({ journal }).mockAll({ Plain: 'thought', Clerk: 'worked' })
    const paused = await runtime.resume(runId)
    expect(paused.context.meta.paused?.waitingFor).toBe('yield')
    expect(await runtime.signal(runId, 'yield', true)).toMatchObject({ status: 'completed' })
  })

  test('what they are written in says which form it is', () => {
    expect(JSON.parse(text('0.1.0-ended').split('\n')[0] ?? '')).toMatchObject({ kind: 'start', format: 1 })
  })
})

describe('a journal whose program no longer reads', () => {
  test('says so, and stays as it is', async () => {
    const start = { runId: 'old', pipeline: 'Main', args: {}, main: 'a.halo', sources: { 'a.halo': 'pipeline Main( : what' }, at: 1, version: '0.0.9' }
    const journal = reloaded({ start, entries: [] })
    const before = structuredClone(journal.records.get('old'))
    await expect(new HaloRuntime({ journal }).resume('old')).rejects.toMatchObject({ code: 'PARSE_ERROR', message: expect.stringContaining("Run old can't go on") })
    expect(journal.records.get('old')).toEqual(before)
  })

  test('one without a program can be replayed, not resumed, and that is said', async () => {
    const journal = reloaded({ start: { runId: 'bare', pipeline: 'Main', args: {}, main: '', sources: {}, at: 1, version: '0.1.0' }, entries: [] })
    await expect(new HaloRuntime({ journal }).resume('bare')).rejects.toThrow(/no program in it/)
  })
})

describe('what is no recording', () => {
  const whole = toLines({ start: { runId: 'r', pipeline: 'P', args: {}, main: 'a', sources: { a: '' }, at: 1, version: '0.1.0' }, entries: [{ seq: 0, at: 1, path: '1', kind: 'tool', target: 'T.m', value: 'x'.repeat(50) }], end: { status: 'completed', output: null, at: 2 } })

  test.each([
    ['nothing', '', /it is empty/],
    ['text', 'hello\n', /line 1: it is not JSON/],
    ['other JSON Lines', '{"event":"x"}\n{"event":"y"}\n', /line 1: a recording begins with/],
    ['one from a newer version', whole.replace('"format":1', '"format":2'), /newer version/],
    ['a kind that is no entry’s, but every object’s', whole.replace('"kind":"tool"', '"kind":"constructor"'), /line 2: nothing is known of entries of kind "constructor"/],
    ['an unknown kind of entry', whole.replace('"kind":"tool"', '"kind":"dream"'), /line 2: nothing is known of entries of kind "dream"/],
    ['two runs in one', whole + whole, /a second run starts there/],
    ['a line in the middle that is cut', whole.replace('"xx', '"'), /./],
  ])('%s gives words', (name, text, words) => {
    if (name.startsWith('a line in the middle')) expect(() => readLines(whole.replace('xxx"}', '')).record).toThrow(/line 2/)
    else expect(() => readLines(text)).toThrow(words)
  })

  test('a file cut off at any byte gives what was whole, or words', () => {
    for (let length = 0; length < whole.length; length++) {
      const part = whole.slice(0, length)
      try {
        const { record } = readLines(part)
        expect(record.start.runId).toBe('r')
      } catch (error) {
        expect(error).toMatchObject({ code: 'VALIDATION' })
      }
    }
  })
})
