import fc from 'fast-check'
import { Marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { cutter } from '../../src/lib/app/text/pieces.ts'

const lines = (n: number, line: (at: number) => string) => Array.from({ length: n }, (_, at) => line(at)).join('\n')
const paragraphs = (n: number) => lines(n, (at) => `Paragraph ${at} says something of no great length.\n`)

/** Grows a text by parts of random length, as a stream would. */
function grown(text: string, steps: number[]) {
  const pieces = cutter()
  let at = 0
  for (const step of steps) pieces(text.slice(0, (at = Math.min(text.length, at + step))))
  return pieces(text)
}
const marked = new Marked({ gfm: true })
const html = (text: string) => marked.parse(text, { async: false })

describe('growing Markdown in pieces', () => {
  test('a short text is one piece', () => {
    expect(cutter()('# Title\n\nText.\n')).toEqual({ done: [], rest: '# Title\n\nText.\n' })
  })

  test('nothing is lost or told twice, and no piece is long, however the text arrives', () => {
    const line = fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom('', '# T', '- item', '1. one', '    code', '| a | b |', 'word '.repeat(4000), '😀'.repeat(9000)))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 400 }), fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 60 }), (all, steps) => {
        // Without listings, which are closed and opened again.
        const text = all.join('\n').replace(/`|~/g, "'")
        const { done, rest } = grown(text, steps)
        expect(done.join('') + rest).toBe(text)
        for (const piece of [...done, rest]) expect(piece.length).toBeLessThanOrEqual(12_100)
        for (const piece of done) expect(piece).not.toMatch(/[\uD800-\uDBFF]$/)
      }),
    )
  })

  test.each([paragraphs(2000), 'word '.repeat(20_000), `${paragraphs(20)}${'word '.repeat(20_000)}\n\n${paragraphs(20)}`])('a text that came in parts is cut as one that came whole', (text) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 60 }), (steps) => {
        expect(grown(text, steps)).toEqual(cutter()(text))
      }),
    )
  })

  test('the pieces read as the whole does', () => {
    const text = Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\n${paragraphs(3)}\n- one\n\n- two\n\n  more of two\n\n\`\`\`js\nlet a = ${at}\n\n// not a heading\n\`\`\`\n\n> quoted\n\n| a | b |\n|---|---|\n| ${at} | 2 |\n`).join('\n')
    const { done, rest } = cutter()(text)
    expect(done.length).toBeGreaterThan(2)
    expect([...done, rest].map(html).join('')).toBe(html(text))
  })

  test('a long listing goes on as a listing', () => {
    const code = lines(3000, (at) => `const value${at} = ${at}`)
    const { done, rest } = cutter()(`Look:\n\n\`\`\`js\n${code}\n\`\`\`\n\nThat was it.`)
    expect(done.length).toBeGreaterThan(3)
    for (const piece of done.slice(1)) expect(html(piece)).toMatch(/^<pre><code class="language-js">[\s\S]*<\/code><\/pre>\n$/)
    expect(html(rest)).toContain('<p>That was it.</p>')
    expect([...done, rest].join('\n').match(/const value\d+/g)?.length).toBe(3000)
  })

  test('another text starts from nothing', () => {
    const pieces = cutter()
    pieces(paragraphs(500))
    expect(pieces('Other.')).toEqual({ done: [], rest: 'Other.' })
  })
})
