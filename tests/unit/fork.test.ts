import { beforeAll, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, memorySandbox, parse, registerToolProvider, useTool, type JournalRecord, type Mock, type RuntimeConfig } from '../../src/lib/halo/index.ts'
import { compareRuns, contentsOf, filesAt, forkFiles, forkRecord, keepRecord } from '../../src/lib/halo/replay.ts'

/** Calls that reached the world. */
let world: string[] = []
let fails = new Set<string>()
const parameters = { type: 'object', properties: { text: {} }, additionalProperties: false }
beforeAll(() => {
  const method = (name: string) => ({ text }: { text?: unknown }) => {
    world.push(`${name} ${String(text)}`)
    if (fails.has(String(text))) throw new Error(`no luck with ${String(text)}`)
    return `${name} of ${String(text)}`
  }
  registerToolProvider('Bench', (() => ({ read: method('read'), write: method('write') })) as never, {
    read: { description: 'Reads.', parameters, effect: 'read' },
    write: { description: 'Writes.', parameters, effect: 'write' },
  } as never)
})

const HEAD = `policy Asks : ApproveEffects(write)
tool W : Bench()
agent Clerk [mock/clerk] equips W requires Asks
agent Plain [mock/plain]
`

function sitting(mocks: Record<string, Mock> = {}, config: RuntimeConfig = {}) {
  const journal = memoryJournal()
  const asked: string[] = []
  const runtime = new HaloRuntime({ journal, onInterrupt: (request) => (asked.push(request.path), true), ...config }).mockAll({
    Plain: ({ prompt }: { prompt: string }) => (world.push(`model ${prompt}`), `said ${prompt.length}`),
    ...mocks,
  })
  const record = async (source: string, args: object = {}): Promise<JournalRecord> => {
    world = []
    fails = new Set()
    await runtime.load(parse(source)).run('Main', args, { runId: 'original' })
    const kept = journal.records.get('original')
    if (kept === undefined) throw new Error('nothing was recorded')
    world = []
    asked.length = 0
    return structuredClone(kept)
  }
  const goOn = async (fork: JournalRecord) => {
    await keepRecord(journal, fork)
    return runtime.resume(fork.start.runId)
  }
  return { journal, asked, record, goOn, runtime }
}

function entryAt(record: JournalRecord, kind: string, path: string): number {
  const found = record.entries.find((entry) => entry.kind === kind && entry.path === path && entry.state === undefined)
  if (found === undefined) throw new Error(`no ${kind} at ${path}: ${record.entries.map((entry) => `${entry.kind} ${entry.path}`).join(', ')}`)
  return found.seq
}

describe('a fork', () => {
  test('goes on with the edited answer, and repeats nothing that came before it', async () => {
    const { record, goOn } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "" |> W.write(text: "one") |> Plain.think("{{input}}") |> W.write(text: "{{input}}")\n`)
    const fork = forkRecord(original, { at: entryAt(original, 'agent', '2/step:1'), runId: 'fork', answer: { value: 'edited' } })
    expect(fork.start.forkOf).toMatchObject({ runId: 'original' })
    expect(fork.end).toBeUndefined()
    const result = await goOn(fork)
    expect(result).toMatchObject({ status: 'completed', output: 'write of edited', runId: 'fork' })
    expect(world).toEqual(['write edited'])
  })

  test('asks again, where that is wanted', async () => {
    const { record, goOn } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "" |> W.write(text: "one") |> Plain.think("{{input}}")\n`)
    await goOn(forkRecord(original, { at: entryAt(original, 'tool', '1'), runId: 'fork', again: true }))
    expect(world).toEqual(['write one', 'model write of one'])
  })

  test('can change what a model asked for; its calls are put to a person again', async () => {
    const { record, goOn, asked } = sitting({ 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('W.write', { text: 'a' }) : 'done') })
    const original = await record(`${HEAD}pipeline Main() : "" |> Clerk.work("Go", tools: [W])\n`)
    const fork = forkRecord(original, {
      at: entryAt(original, 'agent', '1/step:1'),
      runId: 'fork',
      answer: { value: '', toolCalls: [{ id: 'x', name: 'W__write', args: { text: 'b' } }] },
    })
    expect(await goOn(fork)).toMatchObject({ status: 'completed', output: 'done' })
    expect(asked).toEqual(['1/step:1/call:0'])
    expect(world).toEqual(['write b'])
  })

  test('of parallel siblings only the forked branch and what follows the join run again', async () => {
    const { record, goOn } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "s" |* {
  W.write(text: "a1") |> Plain.left("{{input}}") |> W.write(text: "a2") as a,
  W.write(text: "b1") |> Plain.right("{{input}}") |> W.write(text: "b2") as b
} |> W.write(text: "{{input.a}} {{input.b}}")\n`)
    const fork = forkRecord(original, { at: entryAt(original, 'agent', '1a.2/step:1'), runId: 'fork', answer: { value: 'edited' } })
    const result = await goOn(fork)
    expect(result.status).toBe('completed')
    expect(world).toEqual(['write a2', 'write write of a2 write of b2'])
  })

  test('of the items of an each only the forked one runs again, in nested groups as well', async () => {
    const { record, goOn } = sitting()
    const original = await record(`${HEAD}pipeline Main() : [1, 2, 3]
  |* each(limit: 2) { System.Value(item) |* { W.write(text: "l{{item}}") |> W.read(text: "m{{item}}") as l, W.write(text: "r{{item}}") as r } |> W.write(text: "j{{item}}") }
  |> W.write(text: "end")\n`)
    const fork = forkRecord(original, { at: entryAt(original, 'tool', '1[1].2a.1'), runId: 'fork', answer: { value: 'edited' } })
    expect((await goOn(fork)).status).toBe('completed')
    expect(world).toEqual(['read m2', 'write j2', 'write end'])
  })

  test('inside a loop runs the rest of that round and the rounds after it', async () => {
    let drafts = 0
    const { record, goOn } = sitting({ 'Plain.draft': () => (world.push('draft'), drafts++, `draft ${drafts}`) })
    const original = await record(`${HEAD}pipeline Main() : "x" |> Plain.draft("Draft") |> W.write(text: "{{input}}") |<> loop(Plain, "!ends_with(input, \\"3\\")", max: 5) |> W.write(text: "end")\n`)
    expect(original.entries.some(({ path }) => path === '2~3')).toBe(true)
    drafts = 1
    const fork = forkRecord(original, { at: entryAt(original, 'agent', '1~2/step:1'), runId: 'fork', answer: { value: 'another' } })
    expect((await goOn(fork)).status).toBe('completed')
    expect(world).toEqual(['write another', 'draft', 'write draft 2', 'draft', 'write draft 3', 'write end'])
  })

  test('inside a nested pipeline does not run the whole of it again', async () => {
    const { record, goOn } = sitting()
    const original = await record(`${HEAD}pipeline Inner(text: String) : text |> W.write(text: "i1") |> Plain.think("{{input}}") |> W.write(text: "i3")
pipeline Main() : "m" |> W.write(text: "m1") |> Inner(text: input) |> W.write(text: "m3")\n`)
    const fork = forkRecord(original, { at: entryAt(original, 'agent', '2>Inner.2/step:1'), runId: 'fork', answer: { value: 'edited' } })
    expect((await goOn(fork)).status).toBe('completed')
    expect(world).toEqual(['write i3', 'write m3'])
  })

  test('inside a pipeline that an agent called, beside other work', async () => {
    const { record, goOn } = sitting({ 'Boss.lead': ({ step }: { step: number }) => (world.push(`boss ${step}`), step === 1 ? useTool('Find.run', { text: 'q' }) : 'led') })
    const original = await record(`${HEAD}tool Find : Pipeline(V2beta)
agent Boss [mock/boss] equips Find
pipeline V2beta(text: String) : text |> W.write(text: "n1") |> W.write(text: "n2")
pipeline Main() : "" |* { Boss.lead("Go", tools: [Find]) as boss, W.write(text: "beside") as beside } |> W.write(text: "end")\n`)
    const at = entryAt(original, 'tool', '1a/step:1/call:0>V2beta.1')
    expect((await goOn(forkRecord(original, { at, runId: 'fork', answer: { value: 'edited' } }))).status).toBe('completed')
    expect(world).toEqual(['write n2', 'boss 2', 'write end'])
  })

  test('a failure edited into a result lets the run go on, with all that its siblings had done', async () => {
    const source = `${HEAD}pipeline Main() : "" |* { W.write(text: "bad") |> W.write(text: "after") as a, W.write(text: "good") |> W.write(text: "better") as b } |> W.write(text: "end")\n`
    const { journal, runtime, goOn } = sitting()
    world = []
    fails = new Set(['bad'])
    await runtime.load(parse(source)).run('Main', {}, { runId: 'original' })
    const original = structuredClone(journal.records.get('original'))
    if (original === undefined) throw new Error('nothing was recorded')
    expect(original.end?.status).toBe('failed')
    fails = new Set()
    const done = world.filter((call) => call.includes('good') || call.includes('better'))
    world = []
    const result = await goOn(forkRecord(original, { at: entryAt(original, 'tool', '1a.1'), runId: 'fork', answer: { value: 'mended' } }))
    expect(result.status).toBe('completed')
    expect(world.filter((call) => done.includes(call))).toEqual([])
    expect(world).toContain('write after')
    expect(world.at(-1)).toBe('write end')
  })

  test('a result that came after Stop counts in a fork', () => {
    const start = { runId: 'r', pipeline: 'Main', args: {}, main: 'a', sources: { a: '' }, at: 1, version: '0.1.0' }
    const common = { at: 1, kind: 'tool' as const, target: 'W.write' }
    const record: JournalRecord = {
      start,
      entries: [
        { ...common, seq: 0, path: '1a', state: 'begun', request: { text: 'a' } },
        { ...common, seq: 1, path: '1b', state: 'begun', request: { text: 'b' } },
        { ...common, seq: 2, path: '1a', ref: 0, error: { code: 'TOOL_ERROR', message: 'no' } },
        { ...common, seq: 3, path: '1b', ref: 1, state: 'late', value: 'late but true' },
      ],
      end: { status: 'failed', output: null, at: 2 },
    }
    const { entries } = forkRecord(record, { at: 2, runId: 'f', answer: { value: 'yes' } })
    expect(entries.map(({ path, state, value }) => [path, state, value])).toEqual([['1a', 'begun', undefined], ['1b', 'begun', undefined], ['1a', undefined, 'yes'], ['1b', undefined, 'late but true']])
  })

  test('there is no fork at an entry that is not there', async () => {
    const { record } = sitting()
    const original = await record('pipeline Main() : 1 |! yield("ok?")\n')
    expect(() => forkRecord(original, { at: 99, runId: 'f' })).toThrow(/no entry 99/)
  })
})

describe('what others get wrong with time travel', () => {
  test('an answer that a person gave after the fork point is not used again: the question is put anew', async () => {
    const { record, journal } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "" |> Plain.think("Hm") |! yield("{{input}}") as a |> W.write(text: "{{context.data.a}}")\n`)
    const fork = forkRecord(original, { at: entryAt(original, 'agent', '1/step:1'), runId: 'fork', answer: { value: 'another question' } })
    expect(fork.entries.some(({ kind }) => kind === 'yield')).toBe(false)
    await keepRecord(journal, fork)
    const waiting = new HaloRuntime({ journal })
    const paused = await waiting.resume('fork')
    expect(paused.context.meta.paused?.questions).toMatchObject([{ request: { message: 'another question' } }])
    expect(await waiting.signal('fork', 'yield', 'no')).toMatchObject({ status: 'declined' })
  })

  test('a fork at the question itself asks it again, and the first answer is gone', async () => {
    const { record, goOn, asked } = sitting()
    const original = await record('pipeline Main() : "v" |! yield("ok?")\n')
    const question = original.entries.find(({ state }) => state === 'asked')
    if (question === undefined) throw new Error('nothing was asked')
    await goOn(forkRecord(original, { at: question.seq, runId: 'fork', again: true }))
    expect(asked).toEqual(['1'])
  })

  test('each fork is a run of its own: resuming one neither sees nor changes another or the original', async () => {
    const { record, goOn, journal } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "" |> Plain.think("Hm") |> W.write(text: "{{input}}")\n`)
    const at = entryAt(original, 'agent', '1/step:1')
    const before = structuredClone(journal.records.get('original'))
    const [a, b] = ['A', 'B'].map((value) => forkRecord(original, { at, runId: `fork${value}`, answer: { value } }))
    if (a === undefined || b === undefined) throw new Error('two forks')
    await keepRecord(journal, a)
    expect((await goOn(b)).output).toBe('write of B')
    expect((await new HaloRuntime({ journal }).resume('forkA')).output).toBe('write of A')
    expect(world).toEqual(['write B', 'write A'])
    expect(journal.records.get('original')).toEqual(before)
    await expect(goOn(a)).rejects.toThrow(/already/)
    // A fork of a fork.
    const again = structuredClone(journal.records.get('forkB'))
    if (again === undefined) throw new Error('no fork')
    expect((await goOn(forkRecord(again, { at: entryAt(again, 'agent', '1/step:1'), runId: 'forkC', answer: { value: 'C' } }))).output).toBe('write of C')
  })
})

describe('the files of a fork', () => {
  test('are those of its entry, from contents by hash, with the changed one in place', async () => {
    const contents = new Map<string, Uint8Array>()
    const store = { put: (hash: string, content: Uint8Array) => void contents.set(hash, content), get: (hash: string) => contents.get(hash) }
    const source = `tool Files : Workspace("./notes", write: true)
pipeline Main() : "" |> Files.write(path: "a.md", content: "one") |> Files.write(path: "a.md", content: "two") |> Files.write(path: "b.md", content: "three") |> Files.read(path: "a.md")\n`
    const { record, journal } = sitting({}, { sandbox: () => memorySandbox(), files: store })
    const original = await record(source)
    const second = entryAt(original, 'tool', '2')
    const text = async (files: Record<string, string>) => Object.fromEntries(Object.entries(await contentsOf(files, store)).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]))
    expect(await text(filesAt(original, {}, entryAt(original, 'tool', '1')))).toEqual({ '/notes/a.md': 'one' })
    expect(await text(filesAt(original, {}))).toEqual({ '/notes/a.md': 'two', '/notes/b.md': 'three' })

    store.put('mine', new TextEncoder().encode('mine'))
    const fork = forkRecord(original, { at: second, runId: 'fork', files: { '/notes/a.md': 'mine' } })
    const baseline = forkFiles(fork, {})
    const files = await text(baseline)
    expect(files).toEqual({ '/notes/a.md': 'mine' })
    await keepRecord(journal, fork)
    const result = await new HaloRuntime({ journal, files: store, sandbox: () => memorySandbox({ files }) }).resume('fork')
    expect(JSON.stringify(result.output)).toContain('mine')
    const after = journal.records.get('fork')
    expect(after === undefined ? {} : await text(filesAt(after, baseline))).toEqual({ '/notes/a.md': 'mine', '/notes/b.md': 'three' })
    await expect(contentsOf({ '/x': 'gone' }, store)).rejects.toThrow('/x')
  })
})

describe('two runs side by side', () => {
  test('a run and its fork part at the edited answer', async () => {
    const { record, goOn, journal } = sitting()
    const original = await record(`${HEAD}pipeline Main() : "" |> W.write(text: "one") |> Plain.think("{{input}}") |> W.write(text: "{{input}}")\n`)
    await goOn(forkRecord(original, { at: entryAt(original, 'agent', '2/step:1'), runId: 'fork', answer: { value: 'edited' } }))
    const fork = journal.records.get('fork')
    if (fork === undefined) throw new Error('no fork')
    const { rows, first, sameEnd, totals } = compareRuns(original, fork)
    expect(rows.map(({ path, sameRequest, sameAnswer }) => [path, sameRequest, sameAnswer])).toEqual([['1', true, true], ['2/step:1', true, false], ['3', false, false]])
    expect(first).toMatchObject({ path: '2/step:1', kind: 'agent' })
    expect(sameEnd).toBe(false)
    expect(totals.a).toMatchObject({ requests: 1, calls: 2 })
    expect(compareRuns(original, original)).toMatchObject({ sameEnd: true })
    expect(compareRuns(original, original).first).toBeUndefined()
  })

  test('runs of two versions of a program are compared by their stages', async () => {
    const { record, journal, runtime } = sitting()
    const source = `${HEAD}pipeline Main() : "" |> W.read(text: "one") |> W.read(text: "two")\n`
    const original = await record(source)
    await runtime.load(parse(source.replace('"" |>', '"" |> W.write(text: "new") |>'))).run('Main', {}, { runId: 'later' })
    const later = journal.records.get('later')
    if (later === undefined) throw new Error('no run')
    const { rows, first } = compareRuns(original, later)
    expect(rows.map(({ path, a, b, sameAnswer }) => [path, a?.path, b?.path, sameAnswer])).toEqual([['1', undefined, '1', false], ['2', '1', '2', true], ['3', '2', '3', true]])
    expect(first).toMatchObject({ path: '1', target: 'W.write' })
  })
})
