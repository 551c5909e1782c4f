import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inside, lineEndOf, outside, placeInside, placeOutside } from '../../src/lib/app/editor/line-ends.ts'

const lines = fc.array(fc.stringMatching(/^[a-zé😀 ]{0,6}$/u), { minLength: 1, maxLength: 8 })
const end = fc.constantFrom('\n' as const, '\r\n' as const)

test('a text with one kind of line end comes out of the editor as it went in', () => {
  fc.assert(
    fc.property(lines, end, (parts, lineEnd) => {
      const text = parts.join(lineEnd)
      expect(outside(inside(text), lineEndOf(text))).toBe(text)
    }),
  )
})

test('a place outside is before the same character inside, and back', () => {
  fc.assert(
    fc.property(lines, fc.array(end, { minLength: 8, maxLength: 8 }), (parts, ends) => {
      const text = parts.reduce((all, part, index) => all + (ends[index - 1] ?? '\n') + part)
      const within = inside(text)
      for (let at = 0; at <= within.length; at++) {
        expect(placeInside(text, placeOutside(text, at))).toBe(at)
        if (within[at] !== '\n') expect(text[placeOutside(text, at)]).toBe(within[at])
      }
    }),
  )
})
