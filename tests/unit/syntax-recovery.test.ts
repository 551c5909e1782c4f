import { stringInput } from './syntax-input.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { haloParser, parse, parseCondition, parseSource } from '../../src/lib/halo/syntax/index.ts'
import { declarations, expression, layout, program } from './syntax-programs.ts'

const named = ['policy', 'tool', 'store', 'schema', 'agent', 'pipeline'] as const
/** Declarations with names of their own, and where each stands. */
const numbered = fc
  .array(fc.oneof(...named.map((kind) => declarations[kind].map((tokens) => ({ kind, tokens })))), {
    minLength: 3,
    maxLength: 7,
  })
  .map((all) => {
    const parts = all.map(({ kind, tokens }, i) =>
      [kind, `Name${i}`, ...tokens.slice(2)].join(' ').replace(/ \. /g, '.'),
    )
    let at = 0
    return parts.map((text, i) => {
      const from = at
      at += text.length + 2
      return { name: `Name${i}`, text, from, to: from + text.length }
    })
  })

describe('recovery', () => {
  it('finds no fault in a right program, and the same declarations as were written', () => {
    fc.assert(
      fc.property(
        program.chain((tokens) => layout(tokens, true)),
        (source) => {
          expect(parseSource(source).diagnostics).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  it('keeps the declarations that a random edit in another one does not touch', () => {
    let [kept, whole, all] = [0, 0, 0]
    const edit = fc.record({
      kind: fc.constantFrom('delete', 'insert', 'replace'),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      length: fc.integer({ min: 1, max: 6 }),
      text: fc.constantFrom(
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        ',',
        ':',
        '|',
        '|>',
        '=',
        '=>',
        'x',
        ' as ',
        '}}',
        '{{',
        '&',
        '#',
        ';',
        '1',
        '"""',
        '/*',
      ),
    })
    fc.assert(
      fc.property(numbered, edit, fc.nat(), (parts, { kind, at, length, text }, which) => {
        const target = parts[which % parts.length]
        if (!target) return
        const from = target.from + Math.floor(at * target.text.length)
        const to = kind === 'insert' ? from : Math.min(target.to, from + length)
        const source = parts.map((part) => part.text).join('\n\n')
        const edited = source.slice(0, from) + (kind === 'delete' ? '' : text) + source.slice(to)
        const { file } = parseSource(edited)
        for (const part of parts) {
          if (part === target) continue
          all++
          const found = file.declarations.find((d) => 'nameSpan' in d && d.name === part.name)
          if (found && edited.startsWith(part.text, found.from)) kept++
          if (found && !found.faulty && edited.slice(found.from, found.to) === part.text) whole++
        }
      }),
      { numRuns: 1500, seed: 7 },
    )
    expect(kept / all).toBeGreaterThan(0.994)
    // An edit of a head's first letters may say something about the declaration before it: `& …`, `as x`.
    expect(whole / all).toBeGreaterThan(0.98)
  })

  it('never throws, and points into the text', () => {
    const noise = fc.array(
      fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom(
          'agent A [a/b]',
          'pipeline P:',
          '|>',
          '"""',
          '"{{',
          '}}',
          '(',
          'test "x" runs',
          '/*',
          '\\',
          "'",
          '\u201c',
          '\n',
        ),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(noise, (parts) => {
        const source = parts.join('')
        const { diagnostics } = parseSource(source, { path: 'a.halo' })
        for (const { from, to, file, message } of diagnostics) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThanOrEqual(from)
          expect(to).toBeLessThanOrEqual(source.length)
          expect(file).toBe('a.halo')
          expect(message).not.toBe('')
        }
        expect(parseSource(source).diagnostics.length).toBe(diagnostics.length)
        parseCondition(source, 10)
      }),
      { numRuns: 600 },
    )
  })

  it('reports every tree that has an error in it', () => {
    fc.assert(
      fc.property(
        program.chain((tokens) => layout(tokens, false)),
        fc.nat(),
        fc.constantFrom('', ')', '"', ',', '|>', '}'),
        (source, at, insert) => {
          const from = at % Math.max(1, source.length)
          const edited = source.slice(0, from) + insert + source.slice(from + 1)
          const hasError = haloParser.parse(edited).toString().includes('⚠')
          if (hasError) expect(parseSource(edited).diagnostics.length).toBeGreaterThan(0)
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('the parser', () => {
  it('stays with few stacks in right programs: contextual keywords hide no ambiguity', () => {
    let most = 0
    const check = (source: string): void => {
      const parse = haloParser.startParse(stringInput(source))
      while (!parse.advance())
        most = Math.max(most, (parse as unknown as { stacks: unknown[] }).stacks.length)
    }
    fc.assert(
      fc.property(
        program.chain((tokens) => layout(tokens, true)),
        check,
      ),
      { numRuns: 200 },
    )
    expect(most).toBeLessThanOrEqual(4)
  })

  it('reads conditions by the same grammar', () => {
    fc.assert(
      fc.property(expression, (tokens) => {
        const text = tokens.join(' ')
        const alone = parseCondition(text, 12)
        expect(alone.diagnostics).toEqual([])
        const [pipeline] = parse(`pipeline P: ${text}`).pipelines
        const source = pipeline?.body.source
        if (source?.kind === 'Expression') expect(alone.expression).toEqual(source.value)
      }),
      { numRuns: 200 },
    )
    expect(parseCondition('a == ').diagnostics).toHaveLength(1)
    expect(parseCondition('a b').diagnostics).toHaveLength(1)
    expect(parseCondition('').diagnostics).toHaveLength(1)
  })
})
