import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { recordingsFolder } from '../../src/cli/recordings-folder.ts'
import { entryLine, readLines, startLine, toLines } from '../../src/lib/halo/recordings/lines.ts'
import type { JournalEntry, JournalRecord, JournalStart } from '../../src/lib/halo/run/types.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'halo-recordings-'))
  folders.push(folder)
  return folder
}

const startOf = (runId: string): JournalStart => ({ runId, pipeline: 'P', args: { a: 1 }, main: 'p.halo', sources: { 'p.halo': 'pipeline P() : 1' }, at: 1, version: '0.1.0' })
const entryOf = (seq: number, value: unknown): JournalEntry => ({ seq, at: 2, path: `${seq}`, kind: 'tool', target: 'T.m', request: {}, value })

const records = fc
  .record({ values: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }), ended: fc.boolean() })
  .map(({ values, ended }): JournalRecord => {
    const record: JournalRecord = { start: startOf('run'), entries: values.map((value, seq) => entryOf(seq, JSON.parse(JSON.stringify(value)))) }
    return ended ? { ...record, end: { status: 'completed', output: values, at: 3 } } : record
  })

describe('a recording as lines', () => {
  test('reads as it was written', () => {
    fc.assert(
      fc.property(records, (record) => {
        const { record: read, cut } = readLines(toLines(record))
        expect(cut).toBe(false)
        expect(JSON.stringify(read)).toBe(JSON.stringify(record))
      }),
    )
  })

  test('that is cut off anywhere after its first line gives the entries before the cut', () => {
    fc.assert(
      fc.property(records, fc.nat(), (record, at) => {
        const text = toLines(record)
        const first = startLine(record.start).length
        const cut = first + (at % (text.length - first + 1))
        const whole = text.slice(0, cut).split('\n').length - 2
        const { record: read } = readLines(text.slice(0, cut))
        expect(read.entries.length).toBeGreaterThanOrEqual(Math.min(whole, record.entries.length))
        expect(JSON.stringify(record.entries)).toContain(JSON.stringify(read.entries).slice(1, -1))
      }),
    )
  })

  test('that is something else is refused in words, with the line', () => {
    const start = startLine(startOf('run'))
    const cases: [text: string, words: RegExp][] = [
      ['', /empty/],
      ['{"a":1}\n', /line 1: a recording begins/],
      ['not json\n', /line 1: it is not JSON/],
      [`${start}garbage\n${entryLine(entryOf(0, 1))}`, /line 2: it is not JSON/],
      [`${start}[1]\n`, /line 2: it is not an object/],
      [`${start}${start}`, /line 2: a second run/],
      [`${start}{"kind":"dance","seq":0}\n`, /line 2: .*"dance"/],
      [`${start}${entryLine(entryOf(1, 1))}${entryLine(entryOf(1, 2))}`, /line 3: entry 1 comes after entry 1/],
      [`${start}{"kind":"end","status":"odd","at":1}\n`, /line 2: .*how the run ended/],
      [start.replace('"format":1', '"format":2'), /newer version/],
      [start.replace('"format":1', '"format":"new"'), /line 1: its form, "new", is no number/],
      [start.replace('"main":"p.halo"', '"main":"q.halo"'), /line 1: .*which file/],
    ]
    for (const [text, words] of cases) expect(() => readLines(text), text).toThrow(words)
  })
})

describe('the folder of recordings', () => {
  test('goes on after a process that was killed in the middle of a line', () => {
    const folder = newFolder()
    const file = join(folder, 'run.jsonl')
    const first = recordingsFolder(folder)
    first.create(startOf('run'))
    first.append('run', entryOf(0, 'kept'))
    const whole = readFileSync(file).length
    appendFileSync(file, entryLine(entryOf(1, 'lost')).slice(0, 20))
    expect(recordingsFolder(folder).load('run')?.entries).toHaveLength(1)
    recordingsFolder(folder).append('run', entryOf(1, 'again'))
    expect(recordingsFolder(folder).load('run')?.entries.map(({ value }) => value)).toEqual(['kept', 'again'])
    // A line that lacks nothing but its end is kept.
    truncateSync(file, whole - 1)
    recordingsFolder(folder).append('run', entryOf(1, 'third'))
    expect(recordingsFolder(folder).load('run')?.entries.map(({ value }) => value)).toEqual(['kept', 'third'])
  })

  test('keeps the newest 50 of the ended runs, and every open one', () => {
    const folder = newFolder()
    const store = recordingsFolder(folder)
    for (let i = 0; i < 60; i++) {
      const runId = `run-${i}`
      store.create(startOf(runId))
      // Run 3 still waits for someone.
      if (i !== 3) store.end(runId, { status: 'completed', output: null, at: i })
      utimesSync(join(folder, `${runId}.jsonl`), i, i)
    }
    const left = readdirSync(folder)
    expect(left).toContain('run-3.jsonl')
    expect(left).toContain('run-59.jsonl')
    expect(left).not.toContain('run-2.jsonl')
    expect(left).toHaveLength(51)
  })

  test('lists what it can read and names what it cannot, harming neither', () => {
    const folder = newFolder()
    const store = recordingsFolder(folder)
    store.create(startOf('good'))
    writeFileSync(join(folder, 'bad.jsonl'), 'something else\n')
    const { summaries, unreadable } = store.all()
    expect(summaries).toMatchObject([{ runId: 'good', status: 'running', entries: 0 }])
    expect(unreadable).toMatchObject([{ why: expect.stringMatching(/bad\.jsonl.*line 1/) as string }])
    expect(readFileSync(join(folder, 'bad.jsonl'), 'utf8')).toBe('something else\n')
  })

  test('takes no id that leads out of it', () => {
    const store = recordingsFolder(newFolder())
    for (const id of ['../x', '/etc/passwd', '.hidden', 'a/b', '', 'x'.repeat(200)]) expect(() => store.load(id)).toThrow(/can't be the id of a run/)
  })
})
