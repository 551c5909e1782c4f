import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { records } from '../../src/lib/halo/tools/providers/csv-records.ts'
import { csv } from '../../src/lib/halo/tools/providers/csv.ts'
import type { Method } from '../../src/lib/halo/tools/types.ts'
import { toolContext } from './middleware-kit.ts'
import { expectDescribed } from './tool-results.ts'

interface Page {
  rows: (string[] | Record<string, string>)[]
  has_more: boolean
  next?: number
  total?: number
  columns?: string[]
  ragged?: unknown
  [other: string]: unknown
}

async function read(content: string | Uint8Array, args: Record<string, unknown> = {}): Promise<Page> {
  return readFrom({ '/table.csv': content }, { file: 'table.csv', ...args })
}
async function readFrom(files: Record<string, string | Uint8Array>, args: Record<string, unknown>, config: Record<string, unknown> = {}, signal = new AbortController().signal): Promise<Page> {
  const methods = await csv.provider(config, { tool: 'Tables', fetch, env: {}, runId: 'r' })
  const result = await (methods.read_rows as Method)(args, toolContext({ sandbox: memorySandbox({ files }), signal }))
  expectDescribed(csv, 'read_rows', result)
  return result as Page
}
const lists = async (content: string | Uint8Array, args: Record<string, unknown> = {}) => (await read(content, { has_header: false, ...args })).rows
const refusal = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    (value) => `gave ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )

describe('the definitions of RFC 4180', () => {
  test.each([
    ['each record is on a line of its own (1)', 'aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n', [['aaa', 'bbb', 'ccc'], ['zzz', 'yyy', 'xxx']]],
    ['the last record may lack its line end (2)', 'aaa,bbb,ccc\r\nzzz,yyy,xxx', [['aaa', 'bbb', 'ccc'], ['zzz', 'yyy', 'xxx']]],
    ['fields may be quoted (5)', '"aaa","bbb","ccc"\r\nzzz,yyy,xxx', [['aaa', 'bbb', 'ccc'], ['zzz', 'yyy', 'xxx']]],
    ['line ends stand within quotes (6)', '"aaa","b\r\nbb","ccc"\r\nzzz,yyy,xxx', [['aaa', 'b\r\nbb', 'ccc'], ['zzz', 'yyy', 'xxx']]],
    ['a quote within quotes is doubled (7)', '"aaa","b""bb","ccc"', [['aaa', 'b"bb', 'ccc']]],
    ['spaces belong to a field (4)', ' a , b\n', [[' a ', ' b']]],
  ])('%s', async (_name, text, rows) => {
    expect(await lists(text)).toEqual(rows)
  })

  test('the first row names the columns (3)', async () => {
    expect(await read('field_name,other\r\naaa,bbb\r\n')).toEqual({
      file: 'table.csv', columns: ['field_name', 'other'], rows: [{ field_name: 'aaa', other: 'bbb' }], has_more: false, total: 1, delimiter: ',', encoding: 'utf-8',
    })
  })
})

describe('what files are like', () => {
  test('line ends of every system, empty lines and empty fields', async () => {
    for (const end of ['\n', '\r\n', '\r']) expect(await lists(['a,b', '', 'c,', ',', '""', ''].join(end))).toEqual([['a', 'b'], ['c', ''], ['', ''], ['']])
  })

  test('quotes that stand within an unquoted field are text', async () => {
    expect(await lists('5" disk,b\n')).toEqual([['5" disk', 'b']])
  })

  test('a byte order mark is no part of the first column, and says which encoding it is', async () => {
    expect((await read('\uFEFFa,b\n1,2')).columns).toEqual(['a', 'b'])
    const utf16 = (text: string, big: boolean) => Uint8Array.from([...`\uFEFF${text}`].flatMap((c) => (big ? [c.charCodeAt(0) >> 8, c.charCodeAt(0) & 255] : [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8])))
    expect(await read(utf16('Größe;b\n1;2', false))).toMatchObject({ columns: ['Größe', 'b'], encoding: 'utf-16le', delimiter: ';' })
    expect(await read(utf16('Größe;b\n1;2', true))).toMatchObject({ columns: ['Größe', 'b'], encoding: 'utf-16be' })
  })

  test('encodings by name', async () => {
    expect(await lists(Uint8Array.of(0x80, 0x2c, 0xe4), { encoding: 'windows-1252' })).toEqual([['€', 'ä']])
    expect(await lists(Uint8Array.of(0x93, 0x94, 0x9f, 0x81, 0x8e), { encoding: 'latin1' })).toEqual([['“”Ÿ\u0081Ž']])
    expect(await lists(Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), { encoding: 'Shift_JIS' })).toEqual([['日本']])
    expect(await refusal(read('a', { encoding: 'utf8-x' }))).toBe('There is no encoding "utf8-x". Did you mean utf-8?')
    expect(await refusal(read('a', { encoding: 'klingon' }))).toContain('Known are such as utf-8')
    expect(await refusal(read(Uint8Array.of(0x41, 0xe4, 0x2c)))).toBe('"table.csv" is no utf-8 text (between its bytes 0 and 3). Name its encoding, such as windows-1252 or utf-16le.')
    expect(await refusal(read(Uint8Array.of(0x50, 0x4b, 0, 4)))).toContain('NUL')
  })

  test('the delimiter is found in the first row, outside of its quotes, or given', async () => {
    expect(await lists('"a,b,c";d\n')).toEqual([['a,b,c', 'd']])
    expect(await lists('\n\na\tb,c\td\n')).toEqual([['a', 'b,c', 'd']])
    expect(await lists('a|b\n')).toEqual([['a', 'b']])
    expect(await lists('a;b;c:d', { delimiter: ':' })).toEqual([['a;b;c', 'd']])
    expect(await refusal(read('a', { delimiter: '"' }))).toContain("can't be a delimiter")
  })

  test('rows with fewer or more fields are said, and lose nothing', async () => {
    const { rows, ragged } = await read('a,b\n1\n\n"x\ny",2,3\n4,5\n')
    expect(rows).toEqual([{ a: '1' }, { a: 'x\ny', b: '2', column_3: '3' }, { a: '4', b: '5' }])
    expect(ragged).toEqual([{ row: 0, line: 2, fields: 1, expected: 2 }, { row: 1, line: 4, fields: 3, expected: 2 }])
  })

  test('columns of one name, or of none, are kept apart', async () => {
    expect((await read('a,a,,__proto__\n1,2,3,4')).rows.map((row) => Object.entries(row))).toEqual([[['a', '1'], ['a_2', '2'], ['column_3', '3'], ['__proto__', '4']]])
  })

  test('an empty file has no rows', async () => {
    expect(await read('')).toMatchObject({ columns: [], rows: [], has_more: false, total: 0 })
    expect(await read('a,b\n')).toMatchObject({ columns: ['a', 'b'], rows: [], total: 0 })
  })

  test('faulty quotes are refused with their line', async () => {
    expect(await refusal(read('a,b\n1,"2\n3,4\n'))).toBe('"table.csv" can\'t be read as CSV: the quote opened in line 2 isn\'t closed.')
    expect(await refusal(read('a,b\n1,"2"x\n'))).toContain('in line 2 text follows a closing quote')
    expect(await refusal(read(`a,b\n1,"${'2\n'.repeat(1 << 20)}`))).toMatch(/row that begins in line 2 has more than 1048576 characters.*quote left open in it \(line 2\)/)
  })
})

describe('pages', () => {
  test('give what was asked for, whether more follows, and where to go on', async () => {
    const text = `n\n${Array.from({ length: 250 }, (_, i) => i).join('\n')}\n`
    const first = await read(text)
    expect(first).toMatchObject({ has_more: true, next: 100 })
    expect(first.rows).toHaveLength(100)
    expect(await read(text, { offset: 248, limit: 1 })).toMatchObject({ rows: [{ n: '248' }], has_more: true, next: 249 })
    expect(await read(text, { offset: 249 })).toMatchObject({ rows: [{ n: '249' }], has_more: false, total: 250, truncated: { shown: 1, of: 250 } })
    expect(await read(text, { offset: 9999 })).toMatchObject({ rows: [], has_more: false, total: 250 })
  })

  test('end early where rows are long, and miss none', async () => {
    const text = `${'x'.repeat(600_000)}\n`.repeat(3)
    const first = await read(text, { has_header: false })
    expect(first).toMatchObject({ has_more: true, next: 1 })
    expect((await read(text, { has_header: false, offset: 2 })).total).toBe(3)
  })

  test('going on by next gives each row once, whatever is in the fields: what is written is read', async () => {
    const field = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('"', ',', '\r\n', '\n', '\r', '""', 'é', '😀', 'a,"b"\n')).filter((text) => !text.includes('\0'))
    const table = fc.integer({ min: 1, max: 4 }).chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))
    const written = (rows: string[][], end: string) => rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join(end)
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 1, max: 3 }), async (rows, end, limit) => {
        const all: unknown[] = []
        let offset: number | undefined = 0
        while (offset !== undefined) {
          const page: Page = await read(written(rows, end), { has_header: false, delimiter: ',', offset, limit })
          all.push(...page.rows)
          offset = page.next
        }
        expect(all).toEqual(rows)
      }),
    )
  })

  test('pieces may end anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', ',', '\r', '\n', '"x"', '"\r\n"', '""""', ',""'), { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const all = (pieces: string[]) => {
          try {
            return [...records(pieces, 't', ',', () => true)].map(({ fields, line, count }) => ({ fields, line, count }))
          } catch (error) {
            return String(error)
          }
        }
        expect(all([...text])).toEqual(all([text]))
      }),
    )
  })

  test('rows that are passed over leave nothing behind', () => {
    const line = 'a,"b,b",c\n'.repeat(1000)
    function* pieces() {
      for (let i = 0; i < 1000; i++) yield line
    }
    let kept = 0
    let last: string[] = []
    for (const { fields, index } of records(pieces(), 't', ',', (at) => at === 999_999)) {
      kept += fields.length
      if (index === 999_999) last = fields
    }
    expect(last).toEqual(['a', 'b,b', 'c'])
    expect(kept).toBe(3)
  })

  test('a call that is cancelled ends', async () => {
    const controller = new AbortController()
    const reading = readFrom({ '/big.csv': 'a,b,c,d,e,f\n'.repeat(3_000_000) }, { file: 'big.csv', offset: 2_999_999 }, {}, controller.signal)
    setTimeout(() => controller.abort(), 10)
    expect(await refusal(reading)).toBe('This operation was aborted')
  })
})

describe('the root', () => {
  const files = { '/data/a.csv': 'x\n1', '/secret.csv': 'y\n2' }
  test('holds: nothing outside of it is read, and errors name paths as they are seen from it', async () => {
    expect(await readFrom(files, { file: 'a.csv' }, { root: 'data' })).toMatchObject({ file: 'a.csv', rows: [{ x: '1' }] })
    expect(await readFrom(files, { file: 'data/a.csv' })).toMatchObject({ file: 'data/a.csv' })
    for (const file of ['../secret.csv', '/secret.csv']) expect(await refusal(readFrom(files, { file }, { root: './data' }))).not.toContain('gave')
    expect(await refusal(readFrom(files, { file: 'none.csv' }, { root: './data' }))).toContain('"none.csv"')
  })

  test('policies see paths from the root', async () => {
    expect(await csv.paths?.({ root: 'data' }, memorySandbox({ files }))('./b/../a.csv')).toBe('a.csv')
  })
})
