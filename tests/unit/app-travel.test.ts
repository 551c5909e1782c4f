import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asTree, importFile } from '../../src/lib/app/recordings/manage.ts'
import { compare, figuresOf } from '../../src/lib/app/travel/compare.ts'
import { breather } from '../../src/lib/app/travel/breathe.ts'
import { exchangesOf, gist } from '../../src/lib/app/travel/conversation.ts'
import { readable } from '../../src/lib/app/travel/readable.ts'
import { Travel } from '../../src/lib/app/travel/travel.svelte.ts'
import { sideBySide } from '../../src/lib/app/text/side-by-side.ts'
import { toLines } from '../../src/lib/halo/recordings/lines.ts'
import type { JournalEntry, JournalRecord } from '../../src/lib/halo/index.ts'
import { createContentStore, createJournalStore, keepWhole, labelRun, listRuns, openDatabase, pruneRuns, saveWorkspace, type StoredRun } from '../../src/lib/storage/index.ts'

const source = 'agent A [mock/a]\n\npipeline Main(n: Number = 1) -> Any:\n  n\n    |> A.work("Work")\n    |> A.check("Check")\n'
const start = (runId: string, at = 1): JournalRecord['start'] => ({ runId, pipeline: 'Main', args: { n: 1 }, main: 'main.halo', sources: { 'main.halo': source }, at, version: '0.1.0' })
const entry = (seq: number, more: Partial<JournalEntry>): JournalEntry => ({ seq, at: 100 + seq, path: '1/step:1', kind: 'agent', target: 'A.work', ...more })

const story: JournalEntry[] = [
  entry(0, { state: 'begun', request: { messages: [{ role: 'user', content: 'Work' }] } }),
  entry(1, { ref: 0, value: '', toolCalls: [{ id: 'c1', name: 'Code__read', args: { path: 'a' } }, { id: 'c2', name: 'Code__write', args: { path: 'b' } }], ms: 5, cost: 0.01, usage: { input: 10, output: 5 } }),
  entry(2, { path: '1/step:1/call:0', kind: 'tool', target: 'Code.read', request: { path: 'a' }, value: 'text', ms: 1, files: [{ path: '/made', after: 'h1' }] }),
  entry(3, { path: '1/step:2', state: 'begun', request: { messages: [{ role: 'tool', content: 'text', toolCallId: 'c1' }, { role: 'tool', content: 'Refused by policy "P".', toolCallId: 'c2' }] } }),
  entry(4, { path: '1/step:2', ref: 3, value: 'done', ms: 5, cost: 0.01 }),
  entry(5, { path: '2/step:1', target: 'A.check', state: 'begun', request: { messages: [{ role: 'user', content: 'Check' }] } }),
  entry(6, { path: '2/step:1', target: 'A.check', ref: 5, value: 'fine' }),
]
const record = (runId = 'one', entries = story, output: unknown = 'fine'): JournalRecord => ({ start: start(runId), entries, end: { status: 'completed', output, at: 200 } })

let databases = 0
const database = () => openDatabase(undefined, `travel-${databases++}`)
const file = (text: string, name = 'x.jsonl') => new File([text], name)

describe('a journal as a conversation', () => {
  test('a question and its answer are one, and a refused call stands where the model was told', () => {
    const found = exchangesOf(story)
    expect(found.map(({ path, index, answered, refused }) => [path, index, answered, refused?.target])).toEqual([
      ['1/step:1', 0, 1, undefined],
      ['1/step:1/call:0', 2, 2, undefined],
      ['1/step:1/call:1', 3, 3, 'Code.write'],
      ['1/step:2', 3, 4, undefined],
      ['2/step:1', 5, 6, undefined],
    ])
    expect(gist(story[1] as JournalEntry)).toBe('Code.read, Code.write')
  })

  test('a recording is as it was at each entry: stage, files, and what was answered by then', async () => {
    const db = await database()
    await keepWhole(db, record(), { baseline: { '/old': 'h0' } })
    const run = (await listRuns(db))[0] as StoredRun
    const travel = await Travel.open(db, run)
    expect(travel.stage?.label).toBe('A.check')
    travel.go(1)
    expect(travel.stage?.label).toBe('A.work')
    expect(travel.files).toEqual({ '/old': 'h0' })
    expect(travel.until).toHaveLength(1)
    expect(travel.shown).toMatchObject({ kind: 'source', path: 'main.halo' })
    travel.go(2)
    expect(travel.files).toEqual({ '/old': 'h0', '/made': 'h1' })
    travel.goToStage('2')
    expect(travel.at).toBe(5)
    travel.go(-5)
    expect(travel.at).toBe(0)
    travel.go(999)
    expect(travel.at).toBe(6)
  })

  test('one whose program no longer reads is still gone through, and says so', async () => {
    const db = await database()
    const broken = record()
    broken.start.sources = { 'main.halo': 'pipeline (((' }
    await keepWhole(db, broken, {})
    const travel = await Travel.open(db, (await listRuns(db))[0] as StoredRun)
    expect(travel.problem).toMatch(/program/)
    expect(travel.entry?.seq).toBe(6)
  })

  test('ten thousand entries are opened from storage, and gone through, within a second each', async () => {
    const db = await database()
    const many = Array.from({ length: 10_000 }, (_, seq) => entry(seq, { path: `1~${seq + 1}/step:1`, value: `answer ${seq}`, request: { messages: [{ role: 'user', content: `question ${seq}` }] } }))
    await keepWhole(db, record('many', many), {})
    const run = (await listRuns(db))[0] as StoredRun
    const stored = (await createJournalStore(db).load(run.runId)) as JournalRecord
    const began = performance.now()
    const travel = new Travel(db, run, stored)
    expect(travel.until).toHaveLength(10_000)
    expect(performance.now() - began).toBeLessThan(20_000)
    const stepping = performance.now()
    for (let at = 0; at < 10_000; at += 100) {
      travel.go(at)
      expect(travel.until).toHaveLength(at + 1)
    }
    expect(performance.now() - stepping).toBeLessThan(20_000)
  })
})

describe('two runs beside each other', () => {
  test('part where first something else was asked or answered', () => {
    const other = story.map((one) => (one.seq === 4 ? { ...one, value: 'undone' } : one))
    const { parting, sameOutput, figures } = compare(record(), record('two', other, 'no'))
    expect(parting).toMatchObject({ path: '1/step:2', what: 'answer', left: 'done', right: 'undone', leftSeq: 4 })
    expect(sameOutput).toBe(false)
    expect(figures[0]).toMatchObject({ requests: 3, calls: 1, cost: 0.02, tokens: 15, status: 'completed' })
  })
  test('one that went further parts from the other where that had ended', () => {
    expect(compare(record('a', story.slice(0, 5)), record()).parting).toMatchObject({ what: 'missing', path: '2/step:1', right: { messages: [{ role: 'user', content: 'Check' }] } })
  })
  test('the same course is no parting, whatever ids its calls were given', () => {
    const other = story.map((one) => (one.toolCalls ? { ...one, toolCalls: one.toolCalls.map((call) => ({ ...call, id: `${call.id}x` })) } : one))
    expect(compare(record(), record('two', other)).parting).toBeUndefined()
    expect(figuresOf(record('three', [])).ms).toBe(199)
  })
})

describe('texts beside each other', () => {
  test('both sides can be put together again from the rows, where nothing is left out', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'dd'), { maxLength: 12 }).map((lines) => lines.map((line) => `${line}\n`).join(''))
    fc.assert(
      fc.property(text, text, (left, right) => {
        if (left === right) return
        const rows = sideBySide(left, right, 100)
        const side = (of: 'left' | 'right') => rows.flatMap((row) => (row[of] === undefined ? [] : [`${row[of]}\n`])).join('')
        expect(side('left')).toBe(left)
        expect(side('right')).toBe(right)
      }),
    )
  })
  test('values of more than a line keep their lines, the rest is indented', () => {
    expect(readable({ path: 'a.txt', content: 'one\ntwo', list: [1, { b: null }], none: {} })).toBe('path: a.txt\ncontent: |\n  one\n  two\nlist:\n  - 1\n  -\n    b: null\nnone: {}')
  })
})

describe('recordings in storage', () => {
  test('the newest are kept, and pinned ones and open runs beside them', async () => {
    const db = await database()
    for (let i = 0; i < 60; i++) await keepWhole(db, { ...record(`r${i}`), start: start(`r${i}`, i), ...(i < 3 ? { end: undefined } : {}) }, {})
    await labelRun(db, 'r4', { pinned: true, name: 'The good one' })
    const gone = await pruneRuns(db, 50)
    expect(gone.sort()).toEqual(['r3', 'r5', 'r6', 'r7', 'r8', 'r9'])
    expect((await listRuns(db)).find(({ runId }) => runId === 'r4')).toMatchObject({ pinned: true, name: 'The good one' })
    expect(await createJournalStore(db).load('r3')).toBeUndefined()
  })
  test('a run that was not to be kept goes with its end, and not before', async () => {
    const db = await database()
    await keepWhole(db, { ...record('open'), end: undefined }, { unkept: true })
    await keepWhole(db, record('over'), { unkept: true })
    expect(await pruneRuns(db)).toEqual(['over'])
  })
  test('a fork takes its files along when it goes', async () => {
    const db = await database()
    await saveWorkspace(db, { id: 'fork:f', files: { '/a': 'h' } })
    await keepWhole(db, { ...record('f'), start: { ...start('f'), forkOf: { runId: 'one', seq: 2 } } }, { workspace: 'fork:f' })
    expect((await listRuns(db))[0]?.forkOf).toEqual({ runId: 'one', seq: 2 })
    await createJournalStore(db).remove('f')
    expect(await db.get('workspaces', 'fork:f')).toBeUndefined()
  })
  test('an exported recording is imported as it was, once', async () => {
    const db = await database()
    expect(await importFile(db, file(toLines(record())))).toEqual({ said: 'Imported Main with 7 entries.', fault: false })
    expect(await createJournalStore(db).load('one')).toEqual(record())
    expect((await importFile(db, file(toLines(record('one', [], 'other'))))).said).toMatch(/here already/)
    expect(await createJournalStore(db).load('one')).toEqual(record())
  })
  test.each([
    ['one cut off in its last line', toLines(record()).slice(0, -10), /cut off/, false],
    ['a foreign file', 'name,age\nAda,36\n', /not a recording that can be read/, true],
    ['one from a newer version', toLines(record()).replace('"format":1', '"format":99'), /newer version/, true],
    ['an empty one', '', /it is empty/, true],
  ])('%s is answered in words, and what is stored stays', async (_, text, said, fault) => {
    const db = await database()
    await keepWhole(db, record('mine'), {})
    const answer = await importFile(db, file(text))
    expect(answer.said).toMatch(said)
    expect(answer.fault).toBe(fault)
    expect(await createJournalStore(db).load('mine')).toEqual(record('mine'))
    if (fault) expect(await listRuns(db)).toHaveLength(1)
  })
  test('forks stand under what they were made from, also where two say it of each other', () => {
    const run = (runId: string, of?: string): StoredRun => ({ runId, pipeline: 'P', at: 0, entries: 0, asked: [], ...(of ? { forkOf: { runId: of, seq: 1 } } : {}) })
    const listed = asTree([run('c', 'b'), run('b', 'a'), run('a'), run('x', 'y'), run('y', 'x'), run('o', 'gone')])
    expect(listed.map(({ run: { runId }, depth }) => `${runId}${depth}`)).toEqual(['a0', 'b1', 'c2', 'o0', 'x0', 'y1'])
  })
  test('contents of a fork are those of its recording', async () => {
    const db = await database()
    await createContentStore(db).put('h1', new Uint8Array([1]))
    await keepWhole(db, record(), {})
    const travel = await Travel.open(db, (await listRuns(db))[0] as StoredRun)
    expect(await travel.content('h1')).toEqual(new Uint8Array([1]))
  })
})

describe('long work', () => {
  test('gives the page its turn once it has taken a while, and one turn to all that ask meanwhile', async () => {
    const breathe = breather()
    expect(breathe()).toBeUndefined()
    const busyUntil = performance.now() + 15
    while (performance.now() < busyUntil);
    const order: string[] = []
    // What waited when the turn was asked for comes first.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => (order.push('page'), port1.close())
    port2.postMessage(undefined)
    const turn = breathe()
    expect(turn).toBeInstanceOf(Promise)
    expect(breathe()).toBe(turn)
    await turn
    order.push('work')
    expect(order).toEqual(['page', 'work'])
    expect(breathe()).toBeUndefined()
  })
})
