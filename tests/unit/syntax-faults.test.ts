import { describe, expect, it } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { parse, parseCondition, parseSource } from '../../src/lib/halo/syntax/index.ts'

/** Each text has one mistake; «» stand around the place that is pointed at. What the message says comes after. */
const mistakes: [string, RegExp][] = [
  ['«agnet» A [a/b]', /did you mean agent\?/],
  ['«Pipeline» P: x', /did you mean pipeline\?/],
  ['«function» P(x) { }', /Expected a declaration|no word of Halo/],
  ['«hello» world', /Expected a declaration/],
  ['pipeline P(x: String) -> Result «x» |> A.b()', /^Expected ":", found "x"$/],
  ['pipeline P(x «String»): x', /^Expected ":"/],
  ['pipeline P(x: «)»: x', /^Expected a type/],
  ['pipeline P(x: String, «->» Result: x', /^Expected a name or "\)"/],
  ['pipeline «(»x: String): x', /^Expected a name, found "\("$/],
  ['pipeline P(x: String) «=>» Result: x', /^Expected "->"/],
  ['pipeline P: x «|» A.b()', /^Expected "\|>"/],
  ['pipeline P: x «->» A.b()', /^Expected a stage \("\|>" …\), found "->"/],
  ['pipeline P: x |> A.b("x" «"»y")', /^Expected "," or "\)", found a string$/],
  ['pipeline P: x |> A.b(c «d»)', /^Expected "," or "\)", found "d"$/],
  ['pipeline P: x |> A.b(y: «)»', /^Expected an expression, found "\)"$/],
  ['pipeline P: x |> A.b(write «=» true)', /a named argument is `name: value`/],
  ['pipeline P: x |> A.b(«"x)»', /isn't closed: expected " before the end of the line/],
  ['pipeline P: x |> A.b(«"x)»\n  |> C.d("y")', /isn't closed/],
  ["pipeline P: x |> A.b(«'x)»\n  |> C.d('y')", /isn't closed/],
  ["pipeline P: x |> A.b(«'x)»", /isn't closed: expected ' before the end of the line/],
  ['pipeline P: x |> A.b(«“x”»)', /straight quotes/],
  ['pipeline P: x |> A.b(«`x`»)', /straight quotes/],
  ['pipeline P: "a«\\d»"', /^Unknown escape \\d:.*\\u\{…\}/],
  ['pipeline P: "a«\\u»12"', /four hexadecimal digits/],
  ['pipeline P: "«\\u{110000}»"', /no character/],
  ['pipeline P: "{{ a «// b }}"»', /Comments can't stand inside/],
  ['pipeline P: "{{ «}»}"', /^Expected an expression/],
  ['pipeline P: "{{ a }«"»', /^Expected "}}"/],
  ['pipeline P: "«{{» a', /never closed: expected "}}"/],
  ['pipeline P: x |> A.b(a «and» b)', /write &&$/],
  ['pipeline P: x |> A.b(a «or» b)', /write \|\|$/],
  ['pipeline P: x |> A.b(a + (b «=» c))', /to compare, write ==/],
  ['pipeline P: a ==«=» b', /strict already/],
  ['pipeline P: a «&» b', /^Expected "&&"/],
  ['pipeline P: x |> A.b(«.»5)', /digits on both sides/],
  ['pipeline P: x |> A.b(5.«)»', /digits on both sides/],
  ['pipeline P: x |> A.b(«30x»)', /Unknown unit x: durations are 500ms, 30s, 5m, 2h, 1d/],
  ['pipeline P: x |> A.b(«1m1h»)', /no duration/],
  ['pipeline P: «1e999»', /too large/],
  ['pipeline P: x |> A.b(1 +«)»', /^Expected an expression/],
  ['pipeline P: x |> A.b«(»1', /never closed: expected "\)"/],
  ['pipeline P: x |> A.b(a«]»', /^Expected "\)" before this "]"/],
  ['pipeline P: x |> A.b() «)»', /closes nothing/],
  ['pipeline P: x |> A.b() «as»', /^Expected a name after "as"$/],
  ['pipeline P: x «|>»', /^Expected a name after "\|>"$/],
  ['pipeline P: x |> A«.»', /^Expected a name after "."$/],
  ['pipeline P: x«;»', /leave it out/],
  ['pipeline P: x |? { a => A.b(), else «->» C.d() }', /^Expected "=>"/],
  ['pipeline P: x |? { a «:» A.b() }', /^Expected "=>"/],
  ['pipeline P: x |? { a => «"text"» }', /write System.Value/],
  ['pipeline P: x |? { a => A.b() else «if» c => C.d() }', /arms are tried in order/],
  ['pipeline P: x |* { A.b() «B».c() }', /^Expected "," or "}"/],
  ['pipeline P: x |* «every» A.b()', /^Expected "{" or "each"/],
  ['pipeline P: x |<> loop «Agent»', /^Expected "\("/],
  ['pipeline P: x |! «ask»("x")', /^Expected "yield"/],
  ['pipeline P: a.b.c«()»', /no methods/],
  ['pipeline P: { «"a"» }', /Expected : and a value/],
  ['pipeline P: { «"{{ a }}"»: 1 }', /plain text/],
  ['pipeline P(«true»: String): x', /can't name a parameter/],
  ['agent A «openai»/gpt-4o', /^Expected "\["/],
  ['agent A «(»openai/gpt-4o)', /^Expected "\["/],
  ['agent A «[]»', /Expected a model \(provider\/id\)/],
  ['agent A [openai/gpt-4o «temp»: 0]', /^Expected "," or "]"/],
  ['agent A [openai/gpt-4o, temp «0»]', /^Expected ":"/],
  ['agent A «[»openai/gpt-4o', /never closed: expected "]"/],
  ['agent A [a/b] system«:» "x"', /^Expected a string/],
  ['agent A [a/b] equips A«,»', /Expected a name after this comma/],
  ['agent A [a/b] «requires»', /^Expected a name after "requires"/],
  ['agent «Ä» [a/b]', /letters A to Z/],
  ['policy P «AllowTools»("x")', /^Expected ":"/],
  ['policy P : AllowTools("x") «DenyTools»("y")', /^Expected "&"/],
  ['policy P : AllowTools("x")«,» DenyTools("y")', /^Expected "&"/],
  ['tool T «=» Workspace("x")', /^Expected ":", found "="$/],
  ['schema S { a «String» }', /^Expected ":"/],
  ['schema S { a: String, b «}»', /^Expected ":" or "\?"/],
  ['schema S { a: [String «}»', /^Expected "]" before this "}"/],
  ['schema S «:» { a: String }', /^Expected "{"/],
  ['test "x" «run» P : expect a', /^Expected "runs"/],
  ['test "x" runs P «expect» output == "x"', /^Expected ":"/],
  ['test "x" runs P : «assert» output == "x"', /a line \(files, mock/],
  ['test "x" runs P : mock A.b «"»x"', /^Expected ":"/],
  ['import «.»/other.halo', /^Expected a string/],
  ['import «"./other.halo»', /isn't closed/],
  ['«/*» no end', /never closed/],
]

describe('syntax faults', () => {
  it.each(mistakes)('%s', (marked, message) => {
    const [before = '', inside = '', after = ''] = marked.split(/[«»]/)
    // What follows must come to no harm.
    const next = marked.includes('/*') ? '' : '\nagent Next [x/y]\n  system "s"'
    const { file, diagnostics } = parseSource(before + inside + after + next)
    expect(diagnostics.map((d) => [d.message.match(message) ? message : d.message, d.from, d.to])).toEqual([
      [message, before.length, before.length + inside.length],
    ])
    expect(diagnostics[0]).toMatchObject({ code: 'syntax', severity: 'error' })
    if (next) expect(file.agents.find((a) => a.name === 'Next')?.faulty).toBeUndefined()
  })

  it('are all found in one pass, each with its place', () => {
    const source = `policy P : AllowTools("x") DenyTools("y")

agent A [openai/gpt-4o temp: 0]
  system "bad \\d"

pipeline Q(x: String) -> Result
  x |> A.run("go", x

schema S { a String }

tool T : Workspace("x", write = true)`
    const { diagnostics, file } = parseSource(source, { path: 'five.halo' })
    const lines = diagnostics.map((d) => source.slice(0, d.from).split('\n').length)
    expect(lines).toEqual([1, 3, 4, 7, 7, 9, 11])
    expect(file.declarations.map((d) => 'name' in d && [d.name, d.faulty])).toEqual(
      ['P', 'A', 'Q', 'S', 'T'].map((n) => [n, true]),
    )
    expect(diagnostics.every((d) => d.file === 'five.halo')).toBe(true)
  })

  it('of one declaration leave the others whole', () => {
    const { file } = parseSource(
      'tool A : Bash(\nagent B [a/b]\npipeline C(: x\nschema D { a: String }\ntest "t" runs E( : \npolicy F : X',
    )
    expect(file.declarations.filter((d) => !d.faulty).map((d) => 'name' in d && d.name)).toEqual([
      'B',
      'D',
      'F',
    ])
  })

  it('are no more than one for a blank that was pasted', () => {
    expect(parseSource('agent\u00a0A\u3000[a/b]\u200b\n\u00a0 system\u00a0"x"').diagnostics).toEqual([])
  })

  it('at the end of a file are told too', () => {
    for (const text of [
      'agent A [a/b] system "x',
      "agent A [a/b] system 'x",
      'agent A [a/b] system """x',
      'tool T : Bash(',
      'pipeline P: x |? {',
      'pipeline P: "{{ a',
      'agent',
      'policy P',
      'pipeline P: x |>',
    ]) {
      expect(parseSource(text).diagnostics, text).toHaveLength(1)
    }
  })

  it('of a """ that nothing closes hide no declaration after it', () => {
    const { file, diagnostics } = parseSource(
      'agent A [a/b]\n  system """never\n  closed\n\nagent B [c/d]\n  system """fine"""\n',
    )
    expect(diagnostics).toHaveLength(1)
    expect(file.agents.map((a) => a.name)).toEqual(['A', 'B'])
  })

  it('come with an edit that mends them where there is one', () => {
    for (const source of [
      'pipeline P: "a\\d"',
      'pipeline P: |> A.b("x" "y")',
      'agnet A [a/b]',
      'pipeline P: a and b',
      'pipeline P: a = b',
      'pipeline P: |> A.b(“say "hi"”)',
      'pipeline P: x;',
      'tool T = Bash()',
      'pipeline P x',
      'agent A [a/b] equips B,',
      'pipeline P: a === b',
    ]) {
      let mended = source
      const fix = parseSource(source).diagnostics[0]?.fix
      expect(fix, source).toBeDefined()
      if (fix) mended = source.slice(0, fix.from) + fix.insert + source.slice(fix.to)
      expect(parseSource(mended).diagnostics, `${source} → ${mended}`).toEqual([])
    }
  })

  it('make parse throw one PARSE_ERROR with all of them', () => {
    try {
      parse('agent A []\ntool T = Bash()', { path: 'a.halo' })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(HaloError)
      expect(error).toMatchObject({ code: 'PARSE_ERROR', span: { from: 8, to: 10, file: 'a.halo' } })
      expect((error as HaloError).diagnostics).toHaveLength(2)
      expect((error as HaloError).message).toMatch(/^Line 1: .* \(and 1 more\)$/)
    }
  })

  it('of a condition stand where its text stands', () => {
    const only = (text: string) =>
      parseCondition(text).diagnostics.map(({ from, to, message }) => [from, to, message])
    expect(only('{{ a }} == 1')).toEqual([[0, 2, expect.stringMatching(/an expression already/)]])
    expect(only('a == "b')).toEqual([[5, 7, expect.stringMatching(/isn't closed/)]])
    expect(only(' ')).toEqual([[0, 1, 'Expected an expression']])
    expect(only('a ==')).toEqual([[2, 4, expect.stringMatching(/^Expected an expression/)]])
    expect(only('(a')).toEqual([[1, 2, expect.stringMatching(/^Expected "\)"/)]])
    expect(parseCondition('a = b', 100).diagnostics[0]).toMatchObject({ from: 102, to: 103 })
  })
})

describe('limits', () => {
  const deep = (open: string, close: string, n: number): string =>
    `pipeline P: ${open.repeat(n)}1${close.repeat(n)}`

  it('allow 100 levels of nesting', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['{ a: ', '}'],
      ['!', ''],
      ['len(', ')'],
    ] as const) {
      expect(parseSource(deep(open, close, 100)).diagnostics, open).toEqual([])
    }
  })

  it('refuse more with one fault, without a crash, and go on after it', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['{ a: ', '}'],
      ['!', ''],
      ['-', ''],
      ['len(', ')'],
      ['a[', ']'],
      ['"{{ ', ' }}"'],
      ['x |? { a => { ', '} }'],
      ['(', ''],
      ['a ? b : ', ''],
    ] as const) {
      for (const n of [101, 10_000]) {
        const { file, diagnostics } = parseSource(`${deep(open, close, n)}\nagent Next [a/b]`)
        expect(
          diagnostics.map((d) => d.message),
          `${n} ${open}`,
        ).toEqual(['This is nested more than 100 levels deep'])
        if (close !== '') expect(file.agents).toHaveLength(1)
      }
    }
    expect(parseCondition('('.repeat(5000)).diagnostics).toHaveLength(1)
  })

  it('do not hold for the length of chains', () => {
    for (const text of [
      Array(100_000).fill('a').join(' + '),
      `a${'.b'.repeat(100_000)}`,
      `a${' |> A.b()'.repeat(20_000)}`,
      Array(50_000).fill('a').join(' && '),
      `[${'1,'.repeat(50_000)}]`,
    ]) {
      expect(parseSource(`pipeline P: ${text}`).diagnostics).toEqual([])
    }
  })

  it('let a file of a megabyte through', () => {
    const one =
      'agent A# [a/b, temp: 0]\n  system "Say {{ what }} and no more than that, please."\npipeline P#(x: String) -> Result:\n  x |> A#.go("Now:", x) as y\n'
    const source = Array.from({ length: 1e6 / one.length }, (_, i) => one.replaceAll('#', String(i))).join('')
    const { file, diagnostics } = parseSource(source)
    expect(diagnostics).toEqual([])
    expect(file.agents.length).toBe(file.pipelines.length)
  })
})
