import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Expression } from '../../src/lib/halo/syntax/ast.ts'
import { FUNCTIONS } from '../../src/lib/halo/run/functions.ts'
import { BUILT_IN_FUNCTIONS, parse, parseCondition } from '../../src/lib/halo/syntax/index.ts'

function expressionOf(text: string): Expression {
  const source = parse(`pipeline P: ${text}`).pipelines[0]?.body.source
  if (source?.kind !== 'Expression') throw new Error(`not an expression: ${text}`)
  return source.value
}
function stringOf(text: string): string {
  const value = expressionOf(text)
  if (value.kind !== 'String') throw new Error(`not a string: ${text}`)
  return value.value
}
function numberOf(text: string): number {
  const value = expressionOf(text)
  if (value.kind !== 'Number') throw new Error(`not a number: ${text}`)
  return value.value
}
function stagesOf(text: string) {
  const body = parse(`pipeline P: ${text}`).pipelines[0]?.body
  if (!body) throw new Error(text)
  return body
}

describe('strings', () => {
  it.each([
    [String.raw`"\" \\ \/ \n \r \t"`, '" \\ / \n \r \t'],
    [String.raw`"\u{1F600}\u00e9"`, '😀é'],
    [String.raw`"\{{ x }}"`, '{{ x }}'],
    [String.raw`'\d+ {{ no }} "'`, '\\d+ {{ no }} "'],
    ['""', ''],
    ["''", ''],
    ['"a } b {c}"', 'a } b {c}'],
    ['"// # /* */"', '// # /* */'],
    ['"""x"""', 'x'],
    ['""""""', ''],
    ['"""say "hi""""', 'say "hi"'],
    ['""""quoted" first"""', '"quoted" first'],
    ['"""\n  a\n    b\n\n  c\n  """', 'a\n  b\n\nc'],
    ['"""\r\n  a\r\n  b\r\n  """', 'a\nb'],
    ['"""\n\ta\n\t\tb\n"""', 'a\n\tb'],
    ['"""a\n   b\n  c"""', 'a\n b\nc'],
    ['"""\n  a\n\n  """', 'a\n'],
    ['"""\n"""', ''],
    [String.raw`"""\t\"\{{ \u0041"""`, '\t"{{ A'],
    ['"""\n    \\n x\n    y\n"""', '\n x\ny'],
  ])('%s', (text, value) => {
    expect(stringOf(text)).toBe(value)
  })

  it('with {{ }} become templates of texts and expressions', () => {
    expect(expressionOf('"a {{ b }} c{{d}}"')).toMatchObject({
      kind: 'Template',
      parts: ['a ', { kind: 'Variable', name: 'b' }, ' c', { kind: 'Variable', name: 'd' }],
    })
    expect(expressionOf(String.raw`"{{ join(x, ", ") }}{{ y[\"z\"] }}"`)).toMatchObject({
      parts: [
        { kind: 'FunctionCall', name: 'join', args: [{}, { value: { kind: 'String', value: ', ' } }] },
        { kind: 'Access', steps: [{ kind: 'Index', index: { value: 'z' } }] },
      ],
    })
    expect(expressionOf('"""\n    {{ a }}\n      b {{ c }}\n    """')).toMatchObject({
      parts: [{ name: 'a' }, '\n  b ', { name: 'c' }],
    })
    expect(expressionOf('"{{ { a: { b: 1 } } }}"')).toMatchObject({ parts: [{ kind: 'Object' }] })
  })
})

describe('numbers', () => {
  it.each([
    ['1_000', 1000],
    ['2.5', 2.5],
    ['1e6', 1e6],
    ['1.5e-3', 0.0015],
    ['0', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1.5h', 5_400_000],
    ['1m500ms', 60_500],
  ])('%s', (text, value) => {
    expect(numberOf(text)).toBe(value)
  })
})

describe('expressions', () => {
  it('bind as usual and stay flat', () => {
    expect(expressionOf('a ?? b || c && d == e < f + g * -h')).toMatchObject({
      kind: 'Operation',
      operators: ['??'],
      operands: [
        { name: 'a' },
        {
          operators: ['||'],
          operands: [
            { name: 'b' },
            {
              operators: ['&&'],
              operands: [
                { name: 'c' },
                {
                  operators: ['=='],
                  operands: [
                    { name: 'd' },
                    {
                      operators: ['<'],
                      operands: [
                        { name: 'e' },
                        {
                          operators: ['+'],
                          operands: [
                            { name: 'f' },
                            { operators: ['*'], operands: [{ name: 'g' }, { kind: 'Unary', operator: '-' }] },
                          ],
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    })
    expect(expressionOf('a - b + c')).toMatchObject({
      operators: ['-', '+'],
      operands: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    })
    expect(expressionOf('a ? b : c ? d : e')).toMatchObject({
      kind: 'Conditional',
      test: { name: 'a' },
      then: { name: 'b' },
      else: { test: { name: 'c' }, then: { name: 'd' }, else: { name: 'e' } },
    })
    expect(expressionOf('a ? b ? 1 : 2 : 3')).toMatchObject({
      then: { kind: 'Conditional' },
      else: { value: 3 },
    })
    expect(expressionOf('(a + b) * c')).toMatchObject({
      operators: ['*'],
      operands: [{ operators: ['+'] }, { name: 'c' }],
    })
    expect(expressionOf('-2')).toMatchObject({ kind: 'Unary', operand: { value: 2 } })
  })

  it('reach into values', () => {
    expect(expressionOf('a.b["c"]?.d[0].true')).toMatchObject({
      kind: 'Access',
      base: { name: 'a' },
      steps: [
        { name: 'b', optional: false },
        { kind: 'Index', index: { value: 'c' } },
        { name: 'd', optional: true },
        { kind: 'Index', index: { value: 0 } },
        { name: 'true' },
      ],
    })
    expect(expressionOf('first(a).b')).toMatchObject({
      kind: 'Access',
      base: { kind: 'FunctionCall', name: 'first' },
      steps: [{ name: 'b' }],
    })
  })

  it('build objects', () => {
    expect(expressionOf('{ a: 1, "b c": 2, d, true: 3, }')).toMatchObject({
      entries: [
        { key: 'a', value: { value: 1 } },
        { key: 'b c' },
        { key: 'd', value: { kind: 'Variable', name: 'd' } },
        { key: 'true' },
      ],
    })
  })

  it('have their places, in conditions too', () => {
    expect(parseCondition('a == "b"', 50).expression).toMatchObject({
      from: 50,
      to: 58,
      operands: [
        { from: 50, to: 51 },
        { from: 55, to: 58 },
      ],
    })
    const source = 'pipeline P: first(a.b)'
    const call = parse(source).pipelines[0]?.body.source
    expect(call).toMatchObject({
      from: 12,
      to: source.length,
      value: { nameSpan: { from: 12, to: 17 }, args: [{ value: { steps: [{ from: 19, to: 21 }] } }] },
    })
  })
})

describe('chains', () => {
  it('begin with a call or an expression', () => {
    expect(stagesOf('A.b("x") as y |> C').source).toMatchObject({
      kind: 'Call',
      callee: { name: 'A' },
      member: { name: 'b' },
      args: [{}],
      as: { name: 'y' },
    })
    expect(stagesOf('Q(n: 1)').source).toMatchObject({
      kind: 'Call',
      callee: { name: 'Q' },
      args: [{ name: 'n' }],
    })
    expect(stagesOf('Q(n: 1)').source).not.toHaveProperty('member')
    expect(stagesOf('len(x)').source).toMatchObject({ kind: 'Expression', value: { kind: 'FunctionCall' } })
    expect(stagesOf('a.b').source).toMatchObject({ kind: 'Expression', value: { kind: 'Access' } })
    expect(stagesOf('a as b').source).toMatchObject({ kind: 'Expression', as: { name: 'b' } })
    expect(stagesOf('|> A.b()').source).toBeUndefined()
    expect(stagesOf('|> A.b').stages).toMatchObject([{ kind: 'Call', callee: { name: 'A' } }])
    expect(stagesOf('|> A.b').stages[0]).not.toHaveProperty('args')
  })

  it('give a call its decorators and each its name', () => {
    const [each, block] = stagesOf(
      'x |* each A.b(item) @retry(2) as rows |* each(limit: 2) { item |> A.b() } as more',
    ).stages
    expect(each).toMatchObject({
      kind: 'Each',
      as: { name: 'rows' },
      decorators: [],
      body: { source: { kind: 'Call', decorators: [{ name: 'retry', args: [{ value: { value: 2 } }] }] } },
    })
    expect(block).toMatchObject({
      kind: 'Each',
      as: { name: 'more' },
      args: [{ name: 'limit' }],
      body: { source: { kind: 'Expression' }, stages: [{ kind: 'Call' }] },
    })
  })

  it('hold branches and arms with bodies of their own', () => {
    const [parallel, branch] = stagesOf(
      'x |* { A.b(), C.d() |> E.f() as g, |> H.i(), { x |> J.k() } as l } |? { a => A.b() |> C.d(), "b" => { x |> E.f() }, else => Q }',
    ).stages
    expect(parallel).toMatchObject({
      branches: [
        { source: { callee: { name: 'A' } }, stages: [] },
        { source: { callee: { name: 'C' } }, stages: [{ as: { name: 'g' } }] },
        { stages: [{ callee: { name: 'H' } }] },
        {
          stages: [
            { kind: 'Block', as: { name: 'l' }, body: { source: { kind: 'Expression' }, stages: [{}] } },
          ],
        },
      ],
    })
    expect(branch).toMatchObject({
      arms: [
        { condition: { name: 'a' }, body: { source: { callee: { name: 'A' } }, stages: [{}] } },
        { condition: { kind: 'String', value: 'b' }, body: { source: { kind: 'Expression' } } },
        { body: { source: { callee: { name: 'Q' } } } },
      ],
    })
    expect(branch && 'arms' in branch && branch.arms[2]).not.toHaveProperty('condition')
  })

  it('keep a tool call before an agent, and models of shadows', () => {
    expect(
      stagesOf('|> A.b(tool: T.read(path: "x")) @shadow(openrouter/meta/x:free)').stages[0],
    ).toMatchObject({
      args: [{ name: 'tool', value: { kind: 'FunctionCall', name: 'T.read', args: [{ name: 'path' }] } }],
      decorators: [{ name: 'shadow', model: { provider: 'openrouter', id: 'meta/x:free' } }],
    })
  })
})

describe('declarations', () => {
  it('are in the file in order and by kind', () => {
    const file = parse(
      'import "./a.halo"\npolicy P : Q & MaxSpend(1)\ntool T : Bash() @retry(1)\nstore S : VectorStore(path: "x")\nschema N { a?: String, "b c": [Number]? }\nagent A [a/b/c:d, temp: 0, tools: auto] returns N equips T, S requires P system "x"\npipeline L(a: String, b?: Number = 2) -> { x: "y" | 1 } requires P: a\ntest "t" runs L(a: "x") : approve T.*, "S.x" decline T.run : "no" answer yield : 1 files "./n" : {} mock T : 1 then 2 expect output',
      { path: 'm.halo' },
    )
    expect(file.declarations.map((d) => d.kind)).toEqual([
      'Import',
      'Policy',
      'Tool',
      'Store',
      'Schema',
      'Agent',
      'Pipeline',
      'Test',
    ])
    expect(file).toMatchObject({
      path: 'm.halo',
      imports: [{ path: './a.halo' }],
      policies: [
        {
          name: 'P',
          file: 'm.halo',
          rules: [{ name: 'Q' }, { name: 'MaxSpend', args: [{ value: { value: 1 } }] }],
        },
      ],
      tools: [{ name: 'T', provider: { name: 'Bash', args: [] }, decorators: [{ name: 'retry' }] }],
      stores: [{ provider: { args: [{ name: 'path' }] } }],
      schemas: [
        {
          type: {
            fields: [
              { name: 'a', optional: true },
              { name: 'b c', type: { kind: 'OptionalType', type: { kind: 'ListType' } } },
            ],
          },
        },
      ],
      agents: [
        {
          model: { provider: 'a', id: 'b/c:d' },
          options: [{ name: 'temp' }, { name: 'tools', value: { kind: 'Variable', name: 'auto' } }],
          equips: [{ name: 'T' }, { name: 'S' }],
          requires: [{ name: 'P' }],
          returns: { name: 'N' },
          system: { value: 'x' },
          clauses: [
            { clause: 'returns' },
            { clause: 'equips' },
            { clause: 'requires' },
            { clause: 'system' },
          ],
        },
      ],
      pipelines: [
        {
          params: [
            { name: 'a', optional: false },
            { name: 'b', optional: true, default: { value: 2 } },
          ],
          returns: {
            kind: 'ObjectType',
            fields: [{ type: { kind: 'UnionType', members: [{ value: 'y' }, { value: 1 }] } }],
          },
          requires: [{ name: 'P' }],
        },
      ],
      tests: [
        {
          name: 't',
          pipeline: { name: 'L' },
          lines: [
            {
              kind: 'Approve',
              targets: [
                { text: 'T.*', quoted: false },
                { text: 'S.x', quoted: true },
              ],
            },
            { kind: 'Decline', reason: { value: 'no' } },
            { kind: 'Answer', target: { text: 'yield' } },
            { kind: 'Files', folder: './n' },
            { kind: 'Mock', answers: [{ value: 1 }, { value: 2 }] },
            { kind: 'Expect' },
          ],
        },
      ],
    })
    expect(file.policies[0]?.rules[0]).not.toHaveProperty('args')
  })

  it('span their text', () => {
    const source = '// c\nagent A [a/b] // d\n\ntool T : Bash()\n'
    const { declarations } = parse(source)
    expect(declarations.map((d) => source.slice(d.from, d.to))).toEqual(['agent A [a/b]', 'tool T : Bash()'])
  })
})

const examples = new URL('../../examples/', import.meta.url)
describe.runIf(existsSync(examples))('examples', () => {
  it.each(readdirSync(examples).filter((name) => name.endsWith('.halo')))('%s parses', (name) => {
    parse(readFileSync(new URL(name, examples), 'utf8'), { path: name })
  })
})

describe('the built-in functions', () => {
  it('are those that the evaluator has', () => {
    expect([...BUILT_IN_FUNCTIONS].sort()).toEqual([...FUNCTIONS.keys()].sort())
  })
})
