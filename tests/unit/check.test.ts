/** The checker over whole files: imports, syntax faults beside other mistakes, names for the editor, speed. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyse, check, definitionOf, link, namesAt, referencesOf, joinPath, nearest } from '../../src/lib/halo/check/index.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

const codes = (source: string, files: Record<string, string> = {}) =>
  analyse(source, { path: 'main.halo', resolve: (path) => files[path] }).diagnostics.map((d) => `${d.code} ${source.slice(d.from, d.to)}`)

describe('imports', () => {
  test('bring in the declarations of the other file, and of what that imports', () => {
    const files = { './a.halo': 'import "./b.halo"\nagent A [mock/a] requires P', './b.halo': 'policy P : MaxSteps(3)' }
    const source = 'import "./a.halo"\npipeline Main(x: String) requires P : x |> A.go()'
    expect(codes(source, files)).toEqual([])
    const { file } = analyse(source, { path: 'main.halo', resolve: (path) => files[path as keyof typeof files] })
    const program = link(file)
    expect([...program.agents.keys(), ...program.policies.keys()]).toEqual(['A', 'P'])
    expect(program.files.map((f) => f.path)).toEqual(['main.halo', 'a.halo', 'b.halo'])
  })

  test('are looked up as written with the importing file, or by the joined path', () => {
    const asked: [string, string | undefined][] = []
    const resolve = (path: string, from?: string) => {
      asked.push([path, from])
      return path === 'lib/a.halo' ? 'import "../b.halo"' : path === 'b.halo' ? 'policy P : MaxSteps(1)' : undefined
    }
    expect(analyse('import "./lib/a.halo"', { path: 'main.halo', resolve }).diagnostics).toEqual([])
    expect(asked).toEqual([['./lib/a.halo', 'main.halo'], ['lib/a.halo', undefined], ['../b.halo', 'lib/a.halo'], ['b.halo', undefined]])
  })

  test('a file that imports itself or is imported in a circle is an error at the import', () => {
    expect(codes('import "./main.halo"')).toEqual(['import-cycle "./main.halo"'])
    const { diagnostics } = analyse('import "./a.halo"', { path: 'main.halo', resolve: (path) => (path === './a.halo' ? 'import "./main.halo"' : undefined) })
    expect(diagnostics).toMatchObject([{ code: 'import-cycle', from: 7, to: 17, message: 'a.halo:1: These files import each other: main.halo → a.halo → main.halo.' }])
  })

  test('two ways to the same file are no circle and no clash', () => {
    const files = { './a.halo': 'import "./c.halo"', './b.halo': 'import "./c.halo"', './c.halo': 'policy P : MaxSteps(1)' }
    expect(codes('import "./a.halo"\nimport "./b.halo"\nagent A [mock/a] requires P', files)).toEqual([])
  })

  test('a name that is taken is an error at the import that brings it in', () => {
    const source = 'import "./a.halo"\nimport "./b.halo"\nagent Same [mock/a]'
    const files = { './a.halo': 'tool Same : Workspace(".")', './b.halo': 'agent Other [mock/a]' }
    const { diagnostics } = analyse(source, { path: 'main.halo', resolve: (path) => files[path as keyof typeof files] })
    expect(diagnostics).toMatchObject([{ code: 'import-clash', severity: 'error', from: 7, to: 17, message: 'a.halo declares "Same", which is an agent here already.' }])
  })

  test('a file imported twice is a warning, and is loaded once', () => {
    expect(codes('import "./a.halo"\nimport "././a.halo"', { './a.halo': 'policy P : MaxSteps(1)' })).toEqual(['import-repeated "././a.halo"'])
  })

  test('what is wrong in an imported file stands at its import, with file and line', () => {
    const { diagnostics } = analyse('import "./a.halo"', { path: 'main.halo', resolve: () => '\nagent A [mock/a] requires Nothing\nagent B [ : ' })
    expect(diagnostics.every((d) => d.from === 7 && d.to === 17 && d.file === 'main.halo')).toBe(true)
    expect(diagnostics.map((d) => d.message)).toContainEqual('a.halo:2: There is no policy "Nothing".')
    expect(diagnostics.some((d) => d.code === 'syntax')).toBe(true)
  })

  test('or in its own place, where that is asked for', () => {
    const { diagnostics } = analyse('import "./a.halo"', { path: 'main.halo', everyFile: true, resolve: () => '\nagent A [mock/a] requires Nothing' })
    expect(diagnostics).toMatchObject([{ code: 'unknown-name', file: 'a.halo', from: 27, to: 34 }])
  })

  test('without resolve an import says so', () => {
    expect(check(parse('import "./a.halo"'))).toMatchObject([{ code: 'import-missing', from: 7, to: 17 }])
  })

  test('paths are joined as on the web', () => {
    expect(joinPath('lib/', '../a/./b.halo')).toBe('a/b.halo')
    expect(joinPath('', '../a.halo')).toBe('../a.halo')
    expect(joinPath('lib/', '/a.halo')).toBe('/a.halo')
  })
})

describe('one mistake gives one diagnostic', () => {
  test('five mistakes in one file give five, each at its place', () => {
    const source = [
      'agent A [mock/a, temp: 9]',
      'policy P : AllowTool("Files.*")',
      'tool Files : Workspace("."',
      'pipeline Main(x: String) : x |> B.go()',
      'schema S { a: Strin }',
    ].join('\n')
    const found = analyse(source).diagnostics.map((d) => ({ line: source.slice(0, d.from).split('\n').length, code: d.code }))
    expect(found).toEqual([
      { line: 1, code: 'argument-range' },
      { line: 2, code: 'unknown-rule' },
      { line: 3, code: 'syntax' },
      { line: 4, code: 'unknown-name' },
      { line: 5, code: 'unknown-type' },
    ])
  })

  test.each([
    ['the head of an agent is broken', 'agent A mock/a]\npipeline P(x: String) : x |> A.go()'],
    ['a stage is broken that binds a name', 'agent A [mock/a]\npipeline P(x: String) : x |> A.go(( as draft |> System.Value(draft)'],
    ['an agent has no closing bracket', 'agent A [mock/a, temp: 1\npipeline P(x: String) : x |> A.go()'],
    ['a string is not closed', 'agent A [mock/a] system "x\npipeline P(x: String) : x |> A.go()'],
    ['an agent has lost its name', 'agent [mock/a]\npipeline P(x: String) : x |> Writer.go()'],
    ['a policy is broken', 'policy Careful : &\nagent A [mock/a] requires Careful'],
    ['a parameter is broken', 'pipeline P(x String, y: Number) : System.Value(x + y)'],
    ['a call is broken', 'agent A [mock/a]\npipeline P(x: String) : x |> A.go("a" "b") |> A.go()'],
  ])('%s', (_, source) => {
    const found = analyse(source).diagnostics
    expect(found.map((d) => d.code).filter((code) => code !== 'syntax')).toEqual([])
    expect(found.length).toBeGreaterThan(0)
  })

  test('what could be read is checked all the same', () => {
    const source = 'agent A [mock/a\npipeline P(x: String) : x |> Aa.go() |> Bb.go()'
    expect(analyse(source).diagnostics.map((d) => d.code)).toEqual(['syntax', 'unknown-name', 'unknown-name'])
  })
})

describe('conditions in quotes', () => {
  test.each([
    ['plain quotes', 'x |? { "len(zz) > 1" => A.go() }', 'zz'],
    ['escapes before it', String.raw`x |? { "x == \"a\" && zz" => A.go() }`, 'zz'],
    ['raw quotes', `x |? { 'x == "a" && zz' => A.go() }`, 'zz'],
    ['triple quotes', 'x |? { """\n      x == "a"\n        && zz\n      """ => A.go() }', 'zz'],
    ['unicode escapes', String.raw`x |? { "\u{7a}y == 1 && zz" => A.go() }`.replace(String.raw`\u{7a}y`, String.raw`\u{78}`), 'zz'],
  ])('are checked in place: %s', (_, stages, name) => {
    const source = `agent A [mock/a]\npipeline P(x: String) : ${stages}`
    const { diagnostics } = analyse(source)
    expect(diagnostics.map((d) => [d.code, source.slice(d.from, d.to)])).toEqual([['unknown-name', name]])
  })

  test('their syntax faults stand where they are', () => {
    const source = 'agent A [mock/a]\npipeline P(x: String) : x |? { "x == == 1" => A.go() }'
    const [first] = analyse(source).diagnostics
    expect(first?.code).toBe('syntax')
    expect(source.slice(first?.from, (first?.from ?? 0) + 2)).toBe('==')
  })
})

describe('shapes that are known', () => {
  const finds = (source: string) => analyse(`schema S { id: String, lines: [{ cents: Number }], next?: S }\nagent R [mock/r] returns S\n${source}`).diagnostics.map((d) => d.code)
  test('fields are followed through lists, functions, optional values and recursive schemas', () => {
    expect(finds('pipeline P(s: S) : System.Value(s.next?.next?.lines[0].cents + sum(pluck(s.lines, "cents")))')).toEqual([])
    expect(finds('pipeline P(s: S) : System.Value(s.next?.next?.lines[0].cent)')).toEqual(['unknown-field'])
    expect(finds('pipeline P(s: S) : System.Value(first(s.lines).cent)')).toEqual(['unknown-field'])
  })
  test('a stage\'s value is known from what its agent returns', () => {
    expect(finds('pipeline P(x: String) : x |> R.read() |> System.Value(input.id)')).toEqual([])
    expect(finds('pipeline P(x: String) : x |> R.read() |> System.Value(input.ids)')).toEqual(['unknown-field'])
    expect(finds('pipeline P(x: [String]) : x |* each R.read() |* each { item |> System.Value(item.idd) }')).toEqual(['unknown-field'])
  })
  test('after a branch it is one of the arms\' values', () => {
    expect(finds('pipeline P(x: String) : x |? { x == "" => R.read(), else => System.Value({ other: 1 }) } |> System.Value([input.id, input.other])')).toEqual([])
    expect(finds('pipeline P(x: String) : x |? { x == "" => R.read(), else => System.Value({ other: 1 }) } |> System.Value(input.nothing)')).toEqual(['unknown-field'])
  })
  test('nothing is said where nothing is known', () => {
    expect(finds('pipeline P(x: Any) : x |! yield("?") as a ~> listen("e") as b |> System.Value([a.anything, b.c.d, x.y, input.z])')).toEqual([])
  })
})

describe('regular expressions', () => {
  const source = 'tool F : Workspace(".")\npolicy P : DenyArgs("F.*", "(a+)+c")'
  test('those that may run for ever need a runner', () => {
    expect(check(parse(source)).map((d) => d.code)).toEqual(['regex-not-linear'])
    expect(check(parse(source), { regexRunner: { test: async () => true } })).toEqual([])
  })
  test('the reference\'s own limits on a shell are neither weak nor slow', () => {
    expect(check(parse('tool T : Bash(cwd: ".")\npolicy P : DenyArgs("T.run", "command", "^(?!bun test[\\\\w ./-]*$)")'))).toEqual([])
  })
})

test('the fix of a tool that isn\'t equipped equips it', () => {
  const mended = (agent: string) => {
    const source = `tool A : Workspace(".")\ntool B : Workspace(".")\n${agent}\npipeline P(x: String) : x |> G.go(tools: [B])`
    const fix = analyse(source).diagnostics[0]?.fix
    if (!fix) return 'no fix'
    const text = source.slice(0, fix.from) + fix.insert + source.slice(fix.to)
    return [text.split('\n').slice(2, -1).join('\n'), analyse(text).diagnostics.length]
  }
  expect(mended('agent G [mock/g] equips A')).toEqual(['agent G [mock/g] equips A, B', 0])
  expect(mended('agent G [mock/g]')).toEqual(['agent G [mock/g]\n  equips B', 0])
})

describe('names for the editor', () => {
  const source = [
    'agent A [mock/a]',
    'schema S { id: String }',
    'pipeline P(topic: String, n: Number) :',
    '  topic |> A.write("On {{topic}}") as draft',
    '  |* each(limit: 2) { item |> A.check() as checked |> System.Value(item) } as all',
    '  |<> loop(A, "len(context.data.draft) < n")',
    '  |> System.Value(draft)',
  ].join('\n')
  const file = parse(source)
  const at = (text: string, add = 0) => source.indexOf(text) + add
  const inScope = (offset: number) => namesAt(file, offset).filter((n) => ['parameter', 'result', 'built-in'].includes(n.kind)).map((n) => n.name)

  test('names in scope are those bound so far', () => {
    expect(inScope(at('A.write')).sort()).toEqual(['context', 'input', 'n', 'topic'])
    expect(inScope(at('|* each')).sort()).toEqual(['context', 'draft', 'input', 'n', 'topic'])
    expect(inScope(at('A.check')).sort()).toEqual(['context', 'draft', 'index', 'input', 'item', 'n', 'topic'])
    expect(inScope(at('System.Value(item)')).sort()).toEqual(['checked', 'context', 'draft', 'index', 'input', 'item', 'n', 'topic'])
    expect(inScope(source.length).sort()).toEqual(['all', 'context', 'draft', 'input', 'n', 'topic'])
  })
  test('declarations are there too, with their kind', () => {
    expect(namesAt(file, 0)).toMatchObject([{ name: 'A', kind: 'agent' }, { name: 'P', kind: 'pipeline' }, { name: 'S', kind: 'schema' }])
  })
  test('a use leads to its declaration', () => {
    const definition = (offset: number) => {
      const found = definitionOf(file, offset)
      return found && [found.from, source.slice(found.from, found.to)]
    }
    expect(definition(at('A.write'))).toEqual([6, 'A'])
    expect(definition(at('{{topic}}', 3))).toEqual([at('topic: String'), 'topic'])
    expect(definition(at('data.draft', 6))).toEqual([at('draft\n'), 'draft'])
    expect(definition(at('Value(draft)', 7))).toEqual([at('draft\n'), 'draft'])
    expect(definition(at('limit'))).toBeUndefined()
  })
  test('a declaration knows all its uses', () => {
    expect(referencesOf(file, 6).map((r) => source.slice(r.from, r.from + 4))).toEqual(['A [m', 'A.wr', 'A.ch', 'A, "'])
    expect(referencesOf(file, at('draft\n')).length).toBe(3)
  })
})

test('a mistyped name is matched with the one that is meant, or with none', () => {
  expect(nearest('Fiels', ['Files', 'Fields'])).toBe('Files')
  expect(nearest('max_step', ['max_tokens', 'max_steps'])).toBe('max_steps')
  expect(nearest('READ', ['read', 'write'])).toBe('read')
  expect(nearest('Q', ['A', 'B'])).toBeUndefined()
  expect(nearest('alpha', ['omega', 'beta'])).toBeUndefined()
})

const folder = new URL('../../examples/', import.meta.url)
const examples = readdirSync(folder).filter((name) => name.endsWith('.halo'))
test('there are examples', () => expect(examples.length).toBeGreaterThanOrEqual(8))
test.each(examples)('%s is clean, begins with a line on what it shows, and has tests', (name) => {
  const source = readFileSync(new URL(name, folder), 'utf8')
  const { file, diagnostics } = analyse(source, { path: name })
  expect(diagnostics).toEqual([])
  expect(source).toMatch(/^\/\/ [A-Z][^\n]{20,100}[^.\n]\n/)
  expect(file.tests.length).toBeGreaterThan(0)
})

describe('speed', () => {
  const one = (i: number) => `
tool T${i} : Workspace("{{folder}}", write: true)
schema S${i} { name: String, score: Number, next?: S${i} }
policy P${i} : AllowTools("T${i}.*") & DenyTools("T${i}.delete") & ApproveEffects(write) & DenyArgs("T${i}.write", path: '\\.env$') & MaxSpend(1)
agent A${i} [mock/a, temp: 0.5, max_steps: 4] system "You write." equips T${i} requires P${i} returns S${i}
pipeline Q${i}(folder: String) -> String :
  folder |> A${i}.write("Write about {{folder}}", tools: [T${i}]) as draft
    |* { A${i}.one("{{draft.name}}") as one, T${i}.list(path: "a") as two }
    |? { one.score > 3 => A${i}.more(), else => System.Value(draft.name) }
    |<> loop(A${i}, "draft.score < 3", max: 2)
    |> System.Value(draft.name) ${i ? `|> Q${i - 1}()` : ''}
test "t${i}" runs Q${i}(folder: "x") : mock A${i}.write : { name: "x", score: 9 } expect called("T${i}.*") == 0
`
  test('a file of a megabyte is checked, and the time grows with the size', () => {
    const build = (n: number) => Array.from({ length: n }, (_, i) => one(i)).join('')
    const big = build(1300)
    expect(big.length).toBeGreaterThan(1_000_000)
    const time = (source: string) => {
      const file = parse(source)
      const start = performance.now()
      expect(check(file)).toEqual([])
      return performance.now() - start
    }
    time(build(50))
    const [quarter, whole] = [time(build(325)), time(big)]
    console.log(`checked: 250 KB in ${quarter.toFixed(0)} ms, 1 MB in ${whole.toFixed(0)} ms`)
    // A busy machine may double a time; quadratic work would be 16 times the quarter's.
    expect(whole / quarter).toBeLessThan(14)
  })
  test('a chain of thousands of stages, pipelines or policies is no harder', () => {
    const n = 5000
    const stages = `agent A [mock/a]\npipeline P(x: String) : x ${Array.from({ length: n }, (_, i) => `|> A.go("{{x}}") as n${i}`).join('\n')} |> System.Value(n0)`
    expect(analyse(stages).diagnostics).toEqual([])
    const pipelines = Array.from({ length: n }, (_, i) => `pipeline P${i}(x: String) : x |> P${i + 1}()`).join('\n') + `\npipeline P${n}(x: String) : x`
    expect(analyse(pipelines).diagnostics).toEqual([])
    expect(analyse(pipelines.replace(`P${n}(x: String) : x`, `P${n}(x: String) : x |> P0()`)).diagnostics.map((d) => d.code)).toEqual(['pipeline-cycle'])
    const policies = Array.from({ length: n }, (_, i) => `policy P${i} : P${i + 1} & MaxSteps(1)`).join('\n') + `\npolicy P${n} : MaxSteps(1)`
    expect(analyse(policies).diagnostics).toEqual([])
  })
})

test('nothing that can be written makes the checker throw', () => {
  const word = fc.constantFrom(
    'agent', 'A', '[', 'mock/a', ']', 'pipeline', 'P', '(', 'x', ':', 'String', ')', '|>', '|*', '{', '}', ',', 'each', '|?', '=>', 'else', '|<>', 'loop', '"x == 1"',
    '"{{x}}"', 'as', 'y', '|!', 'yield', '~>', 'listen', 'tool', 'T', 'Workspace', '"."', 'policy', '&', 'DenyArgs', '"T.*"', '"(a"', 'test', 'runs', 'expect', 'mock',
    'then', 'call', 'schema', 'S', 'equips', 'requires', 'returns', 'tools', 'auto', '@retry', '@correct', '1', '30s', 'Env', '.', 'context', 'data', '==', '+', '?', '"""', "'", '#c\n',
    'import', '"./a.halo"', 'System', 'Value', '->', '_', '?.', '??',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const source = words.join(' ')
      const { diagnostics } = analyse(source, { path: 'main.halo', resolve: () => source.slice(0, 80) })
      for (const { from, to, message } of diagnostics) {
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to).toBeLessThanOrEqual(source.length)
        expect(message).not.toMatch(/undefined|\[object/)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a token that is lost from an example is a syntax fault, and hardly ever anything beside it', () => {
  let broken = 0
  let more = 0
  for (const name of examples) {
    const source = readFileSync(new URL(name, folder), 'utf8')
    const tokens = [...source.matchAll(/\w+|"""|"|[^\s\w]/g)]
    for (let i = 0; i < tokens.length; i += 11) {
      const { index = 0, 0: token = '' } = tokens[i] ?? {}
      const { diagnostics } = analyse(source.slice(0, index) + source.slice(index + token.length))
      if (!diagnostics.some((d) => d.code === 'syntax')) continue
      broken++
      if (diagnostics.some((d) => d.code !== 'syntax')) more++
    }
  }
  expect(broken).toBeGreaterThan(150)
  expect(more / broken).toBeLessThan(0.06)
})
