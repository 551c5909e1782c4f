/** A page of a table's rows: what comes before it is passed over, not kept. */
import { FileError } from '../../sandbox/types.ts'
import { keyed, uniqueNames } from './columns.ts'
import { records } from './csv-records.ts'
import { decoded } from './csv-text.ts'

export interface RowsWanted {
  offset: number
  limit: number
  header: boolean
  delimiter?: string
  encoding?: string
  signal: AbortSignal
}

/** UTF-16 code units of one answer; a page ends early where its rows are long. */
const MAX_PAGE = 1 << 20
const DELIMITERS = [',', ';', '\t', '|']
/** How long a page's thread is held at once, in ms. */
const TURN = 40

export async function readRows(bytes: Uint8Array, shown: string, { offset, limit, header, signal, ...wanted }: RowsWanted) {
  const { pieces, encoding } = decoded(bytes, shown, wanted.encoding)
  const delimiter = wanted.delimiter ?? delimiterOf(pieces.first)
  if (/["\r\n]/.test(delimiter)) throw new FileError('invalid', `${JSON.stringify(delimiter)} can't be a delimiter.`)

  const skip = header ? 1 : 0
  const rows: (string[] | Record<string, string>)[] = []
  const ragged: { row: number; line: number; fields: number; expected: number }[] = []
  let columns: string[] | undefined
  let expected: number | undefined
  let size = 0
  let more = false
  let total = 0
  let turn = performance.now()
  const inPage = (row: number): boolean => row >= offset && row < offset + limit
  for (const record of records(pieces, shown, delimiter, (index) => (header && index === 0) || inPage(index - skip))) {
    expected ??= record.count
    if (header && record.index === 0) {
      columns = uniqueNames(record.fields)
      continue
    }
    const row = record.index - skip
    if (row >= offset + limit || (rows.length > 0 && size + record.size > MAX_PAGE && inPage(row))) {
      more = true
      break
    }
    total = row + 1
    if (inPage(row)) {
      size += record.size
      rows.push(columns === undefined ? record.fields : keyed(columns, record.fields))
      if (record.count !== expected) ragged.push({ row, line: record.line, fields: record.count, expected })
    }
    if (row % 512 === 0 && performance.now() - turn > TURN) {
      await new Promise((resolve) => setTimeout(resolve))
      signal.throwIfAborted()
      turn = performance.now()
    }
  }
  return {
    file: shown,
    ...(header && { columns: columns ?? [] }),
    rows,
    has_more: more,
    ...(more ? { next: offset + rows.length } : { total }),
    ...(!more && rows.length < total && { truncated: { shown: rows.length, of: total } }),
    ...(ragged.length > 0 && { ragged }),
    delimiter,
    encoding,
  }
}

/** The one that the first row has most of, outside of quotes; a comma where it has none. */
function delimiterOf(text: string): string {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]))
  let quoted = false
  let filled = false
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (quoted) continue
    if ((character === '\n' || character === '\r') && filled) break
    filled ||= character !== '\n' && character !== '\r'
    const seen = counts.get(character)
    if (seen !== undefined) counts.set(character, seen + 1)
  }
  return DELIMITERS.reduce((best, delimiter) => ((counts.get(delimiter) ?? 0) > (counts.get(best) ?? 0) ? delimiter : best))
}
