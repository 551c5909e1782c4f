/**
 * Records of delimited text, by RFC 4180, from pieces of any size. A reader of its own, since those that are there either need
 * the whole text, or Node's streams, or keep every row they pass: here a row that isn't wanted leaves nothing behind.
 */
import { FileError } from '../../sandbox/types.ts'

export interface CsvRecord {
  /** From 0, empty lines not counted. */
  index: number
  /** Empty where the record isn't wanted. */
  fields: string[]
  count: number
  /** Characters in its fields. */
  size: number
  /** Where it begins, from 1. */
  line: number
}

/** Characters of one record; a quote that is left open would else take in the rest of the file. */
const MAX_RECORD = 1 << 20
const QUOTE = 34
const LF = 10
const CR = 13

export function* records(pieces: Iterable<string>, shown: string, delimiter: string, wanted: (index: number) => boolean): Generator<CsvRecord> {
  const separator = delimiter.charCodeAt(0)
  const refuse = (words: string): never => {
    throw new FileError('invalid', `"${shown}" can't be read as CSV: ${words}`)
  }
  let state: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  let line = 1
  let previous = 0
  let opened = 1
  let field = ''
  let quoted = false
  let keep = wanted(0)
  let record: CsvRecord = { index: 0, fields: [], count: 1, size: 0, line }

  const take = (text: string): void => {
    record.size += text.length
    if (record.size > MAX_RECORD) refuse(`the row that begins in line ${record.line} has more than ${MAX_RECORD} characters. Is a quote left open in it${quoted ? ` (line ${opened})` : ''}?`)
    if (keep) field += text
  }
  const endField = (): void => {
    if (keep) record.fields.push(field)
    field = ''
    state = 'start'
  }
  const empty = (): boolean => record.count === 1 && record.size === 0 && !quoted
  const begin = (index: number): void => {
    keep = wanted(index)
    quoted = false
    record = { index, fields: [], count: 1, size: 0, line }
  }

  for (const piece of pieces) {
    let from = 0
    for (let i = 0; i < piece.length; i++) {
      const code = piece.charCodeAt(i)
      const secondOfTwo = code === LF && previous === CR
      const lineEnd = code === CR || (code === LF && !secondOfTwo)
      previous = code
      if (lineEnd) line++
      if (state === 'quoted') {
        if (code !== QUOTE) continue
        take(piece.slice(from, i))
        state = 'closing'
        continue
      }
      if (state === 'closing' && code === QUOTE) {
        // A doubled quote is one: the text goes on with it.
        from = i
        state = 'quoted'
        continue
      }
      if (state === 'start') {
        from = i
        if (secondOfTwo) {
          continue
        } else if (code === QUOTE) {
          from = i + 1
          opened = line
          quoted = true
          state = 'quoted'
          continue
        }
        if (code !== separator && !lineEnd) {
          state = 'plain'
          continue
        }
      }
      if (code === separator || lineEnd) {
        if (state === 'plain') take(piece.slice(from, i))
        const blank = lineEnd && empty()
        endField()
        if (code === separator) record.count++
        else {
          if (!blank) yield record
          begin(record.index + (blank ? 0 : 1))
        }
      } else if (state === 'closing') refuse(`in line ${line} text follows a closing quote. A quote inside of quotes is written twice.`)
    }
    if (state === 'quoted' || state === 'plain') take(piece.slice(from))
  }
  if (state === 'quoted') refuse(`the quote opened in line ${opened} isn't closed.`)
  if (empty()) return
  endField()
  yield record
}
