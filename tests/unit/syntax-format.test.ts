import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { format, parse, parseSource } from '../../src/lib/halo/syntax/index.ts'
import { layout, program } from './syntax-programs.ts'

/** The AST without places. */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !['from', 'to', 'source'].includes(key) && !key.endsWith('Span'))
      .map(([key, inner]) => [key, meaning(inner)]),
  )
}
const comments = (source: string): string[] => (source.match(/\/\/ note|# own line|\/\* block \*\/|\/\* two\n {3}lines \*\//g) ?? []).sort()

describe('the formatter', () => {
  it('is idempotent, keeps comments, and changes nothing but the layout', () => {
    fc.assert(
      fc.property(
        program.chain((tokens) => layout(tokens, true)),
        (source) => {
          expect(parseSource(source).diagnostics).toEqual([])
          const once = format(source)
          expect(parseSource(once).diagnostics).toEqual([])
          expect(meaning(parse(once))).toEqual(meaning(parse(source)))
          expect(comments(once)).toEqual(comments(source))
          expect(format(once)).toBe(once)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('lays tokens without comments out the same, however they were laid out', () => {
    fc.assert(
      fc.property(
        program.chain((tokens) => layout(tokens, false)),
        (source) => {
          const once = format(source)
          expect(format(once)).toBe(once)
          expect(meaning(parse(once))).toEqual(meaning(parse(source)))
        },
      ),
      { numRuns: 300 },
    )
  })
})
