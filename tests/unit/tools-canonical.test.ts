import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/lib/halo/tools/canonical.ts'

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, random), random()] as const)
  const result = Object.create(null) as Record<string, unknown>
  for (const [key, item] of entries.sort((a, b) => a[2] - b[2])) {
    Object.defineProperty(result, key, { value: item, enumerable: true, configurable: true, writable: true })
  }
  return result
}

describe('canonical JSON', () => {
  test('is the text RFC 8785 gives for its own sample', () => {
    // RFC 8785, 3.2.2 and 3.2.3.
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    ) as unknown
    expect(canonicalJson(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  test('sorts keys by UTF-16 code units, as the sample of RFC 8785 3.2.3 does', () => {
    const input = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(Object.values(JSON.parse(canonicalJson(input)) as object).length).toBe(7)
    expect(canonicalJson(input).match(/:\d/g)).toEqual([':2', ':4', ':6', ':7', ':1', ':5', ':3'])
  })

  test('is the same for the same value in any order of keys, and reads back as that value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), (value, seed) => {
        let state = seed
        const random = (): number => (state = (Math.imul(state, 1103515245) + 12345) | 0) / 2 ** 32
        const text = canonicalJson(value)
        expect(canonicalJson(shuffled(value, random))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('tells different values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [left, right] = [a, b].map((value) => JSON.parse(JSON.stringify(value)) as unknown)
        const same = ((): boolean => {
          try {
            expect(left).toStrictEqual(right)
            return true
          } catch {
            return false
          }
        })()
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same)
      }),
      { numRuns: 300 },
    )
  })

  test('leaves out what JSON leaves out', () => {
    expect(canonicalJson({ b: undefined, a: [undefined], c: () => 1, d: new Date(0) })).toBe('{"a":[null],"d":"1970-01-01T00:00:00.000Z"}')
  })

  test('refuses what has no JSON form, with words', () => {
    const circular: Record<string, unknown> = {}
    circular.self = [circular]
    expect(() => canonicalJson(circular)).toThrow('circular')
    expect(() => canonicalJson({ a: Number.NaN })).toThrow('NaN')
    expect(() => canonicalJson(10n)).toThrow('bigint')
    expect(() => canonicalJson(undefined)).toThrow('no JSON form')
  })

  test('takes a value that appears twice', () => {
    const shared = { a: 1 }
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })
})
