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
const comments = (source: string): string[] =>
  (source.match(/\/\/ note|# own line|\/\* block \*\/|\/\* two\n {3}lines \*\//g) ?? []).sort()

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

  it('gives everything its usual form', () => {
    const messy = `// the whole
policy P:AllowTools("a",
"b")&DenyTools("Code.delete")
tool Code:Workspace("{{workdir}}",write:true,)  // here
tool Tests : Bash( cwd:"x" ) @retry(3)@timeout(30s)
schema S { a:String b?: [Number] /* c */
 c: "x"|"y"?  }
schema Big {
  a: String // the a
  // own line
  b: { c: Number }
}
agent A [openai/gpt-4o,temp:0,tools:[Code,Tests]] equips Code,Tests system """
    hello {{ x }}
      there
  """ requires P returns S
pipeline Q(a: String, b?: Number=3)->Result requires P,R: a // source
  |> A.b("x",  'y', k: {a:1,"b c":2, d}) as q @retry(2) |* { A.x() as a1, B.y() |> C.z() as b } |* each(limit:4) { item |> A.go() } as all
  |? { q > 3 && !b => X.y() |> Z.w() else => { A.q() } }
  // round again
  |<> loop(A, "context.data.q != 1", max: 3) |! yield("ok?") as w ~> listen("e", timeout: 1h30m) |> System.Value(a?b:c ?? d+1 - -2*(3+4))
pipeline R: |> A.b() |> A.c()
test "t" runs Q(a:"x"):
 files "./n":{"a.md":"x"} mock A.b:call("F.r",{path:"a"}) then [call("a",{}),call("b",{})] then "done"
 approve Files.* , "x" decline X.y:"no"
 expect output=="x"&&called("F.r")==1
// the end
`
    expect(format(messy)).toBe(`// the whole
policy P : AllowTools("a", "b") & DenyTools("Code.delete")

tool Code  : Workspace("{{workdir}}", write: true) // here
tool Tests : Bash(cwd: "x") @retry(3) @timeout(30s)

schema S { a: String, b?: [Number] /* c */, c: "x" | "y"? }

schema Big {
  a: String, // the a
  // own line
  b: { c: Number }
}

agent A [openai/gpt-4o, temp: 0, tools: [Code, Tests]]
  equips Code, Tests
  system """
    hello {{ x }}
      there
  """
  requires P
  returns S

pipeline Q(a: String, b?: Number = 3) -> Result requires P, R:
  a // source
    |> A.b("x", 'y', k: { a: 1, "b c": 2, d }) as q @retry(2)
    |* { A.x() as a1, B.y() |> C.z() as b }
    |* each(limit: 4) { item |> A.go() } as all
    |? {
      q > 3 && !b => X.y() |> Z.w(),
      else => { A.q() }
    }
    // round again
    |<> loop(A, "context.data.q != 1", max: 3)
    |! yield("ok?") as w
    ~> listen("e", timeout: 1h30m)
    |> System.Value(a ? b : c ?? d + 1 - -2 * (3 + 4))

pipeline R:
  |> A.b() |> A.c()

test "t" runs Q(a: "x") :
  files "./n" : { "a.md": "x" }
  mock A.b : call("F.r", { path: "a" }) then [call("a", {}), call("b", {})] then "done"
  approve Files.*, "x"
  decline X.y : "no"
  expect output == "x" && called("F.r") == 1
// the end
`)
  })

  it('puts a first answer that needs several lines below its mock, level with the answers after it', () => {
    const write = `call("Files.write", { path: "drafts/one.md", content: "${'long '.repeat(10)}" })`
    expect(format(`test "t" runs Q():\n mock A.b : ${write} then [${write}, call("Files.list")] then "done" mock C.d : ${write}`)).toBe(`test "t" runs Q() :
  mock A.b :
    call("Files.write", {
      path: "drafts/one.md",
      content: "${'long '.repeat(10)}"
    })
    then [
      call("Files.write", {
        path: "drafts/one.md",
        content: "${'long '.repeat(10)}"
      }),
      call("Files.list")
    ]
    then "done"
  mock C.d : call("Files.write", {
    path: "drafts/one.md",
    content: "${'long '.repeat(10)}"
  })
`)
  })

  it('lays out files and lists of any length', () => {
    const many = 'policy P : MaxSteps(1)\n'.repeat(150_000)
    expect(format(many)).toBe(many)
    const list = format(`pipeline M(): [${'1,'.repeat(150_000)}]`)
    expect(list.split('\n')).toHaveLength(150_004)
  }, 60_000)

  it('leaves a file with a syntax fault as it is', () => {
    expect(format('agent   A [\n')).toBe('agent   A [\n')
    expect(format(' \n')).toBe('')
  })
})
