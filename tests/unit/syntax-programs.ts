/** Random Halo programs as lists of tokens, and random layouts of them. */
import fc from 'fast-check'

type Tokens = string[]
type Gen = fc.Arbitrary<Tokens>

const one = (...tokens: Tokens): Gen => fc.constant(tokens)
const seq = (...parts: (Gen | string)[]): Gen =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? one(part) : part))).map((lists) => lists.flat())
const pick = (...options: Gen[]): Gen => fc.oneof(...options)
const maybe = (gen: Gen): Gen => fc.oneof(one(), gen)
const commaList = (gen: Gen, min = 0, trailing = true): Gen =>
  fc
    .tuple(fc.array(gen, { minLength: min, maxLength: 3 }), fc.boolean())
    .map(([items, comma]) => [
      ...items.flatMap((item, i) => (i > 0 ? [',', ...item] : item)),
      ...(trailing && comma && items.length > 0 ? [','] : []),
    ])

export const name: Gen = fc
  .constantFrom('a', 'b', 'item', 'Code', 'Clerk', 'x_1', 'report', 'each', 'then', 'policy', 'system')
  .map((n) => [n])
const property: Gen = fc.constantFrom('a', 'as', 'true', 'else', 'q', 'tool').map((n) => [n])
export const string: Gen = fc
  .constantFrom(
    '"a"',
    '""',
    "'b\\d'",
    '"x {{ a.b + "q" }} y"',
    '"\\n\\u{41}\\{{"',
    '"""\n    one\n      two {{ a }}\n    """',
    '"""x"y"""',
    '"// no"',
    "'# no'",
    '"{{ [1,2][0] }}"',
  )
  .map((s) => [s])
const number: Gen = fc.constantFrom('1', '2.5', '1_000', '1e6', '30s', '1h30m', '0').map((n) => [n])

const { expression } = fc.letrec<{ expression: Tokens }>((tie) => {
  const inner = tie('expression') as Gen
  const arg = pick(inner, seq(property, ':', inner))
  const entry = pick(seq(pick(property, one('"a b"')), ':', inner), one('short'))
  const leaf = pick(string, number, name, one('true'), one('null'))
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaf,
      seq('[', commaList(inner), ']'),
      seq('{', commaList(entry), '}'),
      seq('(', inner, ')'),
      seq(
        fc.constantFrom('!', '-').map((o) => [o]),
        '(',
        inner,
        ')',
      ),
      seq(name, '.', property, pick(one(), seq('[', inner, ']'), seq('?.', property))),
      seq('len', '(', commaList(inner, 1), ')'),
      seq('merge', '(', commaList(arg), ')'),
      seq(
        '(',
        inner,
        ')',
        fc
          .constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||', '??')
          .map((o) => [o]),
        '(',
        inner,
        ')',
      ),
      seq(leaf, '+', leaf, '*', leaf, '-', leaf),
      seq('(', inner, ')', '?', inner, ':', inner),
    ) as unknown as fc.Arbitrary<Tokens>,
  }
}) as { expression: Gen }
export { expression }

const args: Gen = seq('(', commaList(pick(expression, seq(property, ':', expression))), ')')
const call: Gen = pick(seq(name, '.', property, args), seq(name, args), seq(name, '.', property))
const model: Gen = fc.constantFrom('openai/gpt-4o', 'ollama/x:7b', '"a/b"').map((m) => [m])
const decorator: Gen = pick(
  seq('@retry', '(', '2', ',', 'on', ':', '[', '"429"', ']', ')'),
  seq('@timeout', '(', '30s', ')'),
  one('@cache'),
  seq('@shadow', '(', model, ')'),
)
const suffix: Gen = pick(one(), one(), seq('as', name), seq(decorator, 'as', name), seq(decorator, decorator))

const { stage } = fc.letrec<{ stage: Tokens; body: Tokens }>((tie) => {
  const inner = tie('stage') as Gen
  const body = tie('body') as Gen
  const chain = seq(maybe(seq(expression, suffix)), inner)
  return {
    body: fc.oneof(
      seq(call, suffix),
      seq(call, suffix, inner),
      seq('{', chain, '}', pick(one(), seq('as', name))),
      inner,
    ) as unknown as fc.Arbitrary<Tokens>,
    stage: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      seq('|>', call, suffix),
      seq('|<>', 'loop', args, suffix),
      seq('|!', 'yield', args, suffix),
      seq('~>', 'listen', args, suffix),
      seq('|*', 'each', maybe(args), call, suffix),
      seq('|*', '{', commaList(body, 1), '}', suffix),
      seq('|*', 'each', maybe(args), '{', chain, '}', suffix),
      seq('|?', '{', commaList(seq(expression, '=>', body), 1), '}', suffix),
      seq('|?', '{', expression, '=>', body, ',', 'else', '=>', body, '}', suffix),
    ) as unknown as fc.Arbitrary<Tokens>,
  }
}) as { stage: Gen }

const { type } = fc.letrec<{ type: Tokens }>((tie) => {
  const inner = tie('type') as Gen
  return {
    type: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom('String', 'Number', 'Any', '"open"', '3', 'null').map((t) => [t]),
      seq('[', inner, ']'),
      seq('{', commaList(seq(property, maybe(one('?')), ':', inner)), '}'),
      seq('String', '?'),
      seq('"a"', '|', '"b"', '|', 'Number'),
    ) as unknown as fc.Arbitrary<Tokens>,
  }
}) as { type: Gen }

const names: Gen = commaList(name, 1, false)
const target: Gen = pick(
  string.filter(([s]) => s !== undefined && !s.includes('{{ ')),
  seq(name, '.', '*'),
  seq(name, '.', property),
  one('yield'),
)

export const declarations = {
  import: one('import', '"./other.halo"'),
  policy: seq('policy', name, ':', name, args, maybe(seq('&', name)), maybe(seq('&', name, args))),
  tool: seq('tool', name, ':', name, maybe(args), maybe(decorator)),
  store: seq('store', name, ':', name, args),
  schema: seq('schema', name, '{', commaList(seq(property, maybe(one('?')), ':', type)), '}'),
  agent: seq(
    'agent',
    name,
    '[',
    model,
    maybe(seq(',', 'temp', ':', expression)),
    ']',
    maybe(seq('system', string)),
    maybe(seq('equips', names)),
    maybe(seq('requires', names)),
    maybe(seq('returns', type)),
  ),
  pipeline: seq(
    'pipeline',
    name,
    maybe(seq('(', commaList(seq(name, maybe(one('?')), ':', type, maybe(seq('=', expression)))), ')')),
    maybe(seq('->', type)),
    maybe(seq('requires', names)),
    ':',
    pick(seq(expression, suffix), seq(expression, suffix, stage, stage), stage),
  ),
  test: seq(
    'test',
    '"a test"',
    'runs',
    name,
    maybe(args),
    ':',
    maybe(seq('files', '"./n"', ':', expression)),
    maybe(seq('mock', target, ':', expression, 'then', expression)),
    maybe(seq('approve', target, ',', target)),
    maybe(seq('decline', target, maybe(seq(':', string)))),
    maybe(seq('answer', target, ':', expression)),
    maybe(seq('expect', expression)),
  ),
}
export const program: Gen = fc
  .array(pick(...Object.values(declarations)), { minLength: 1, maxLength: 5 })
  .map((lists) => lists.flat())

const gap = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  ' ',
  '\n',
  '\n  ',
  '\n\n',
  '\t',
  ' // note\n',
  '\n# own line\n',
  ' /* block */ ',
  '\n/* two\n   lines */\n',
  '\r\n',
)
const plainGap = fc.constantFrom(' ', ' ', '\n  ', '\n\n')

/** The tokens with blanks (and, if wanted, comments) between them. */
export function layout(tokens: Tokens, comments: boolean): fc.Arbitrary<string> {
  return fc
    .array(comments ? gap : plainGap, { minLength: tokens.length + 1, maxLength: tokens.length + 1 })
    .map((gaps) => {
      let out = comments ? (gaps[0] ?? '') : ''
      tokens.forEach((token, i) => {
        // Nothing but a bare model ends at these; a comment right behind one would be part of its name.
        const isGlued = token === '.' || tokens[i + 1] === '.'
        out += token + (isGlued ? '' : (gaps[i + 1] ?? ' '))
      })
      return out
    })
}
