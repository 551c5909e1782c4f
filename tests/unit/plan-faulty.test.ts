import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plan, planText } from '../../src/lib/halo/plan/index.ts'
import { parseSource } from '../../src/lib/halo/syntax/index.ts'
import { programs } from './support-programs.ts'

const everything = `
policy P : AllowTools("Files.*", "Sub.run") & DenyArgs("Files.*", '(a+)+$') & ApproveEffects(write) & MaxSpend(0.5) & Q
policy Q : Redact("email", on: input) & MaxCalls("Sub.run", 3)
schema S { a: String, b: [T], c?: "x" | "y" }
schema T { d: Number }
tool Files : Workspace("./{{dir}}", write: true) @category("files")
tool Sub : Pipeline(Inner, description: "Inside.")
tool Remote : MCP("https://x.example", headers: { a: Env.A })
store Notes : File("n.md")
store Docs : VectorStore(path: "docs", top_k: 2)
agent A [openai/gpt-4o, max_steps: 3, tools: auto]
  system "You are {{dir}}."
  equips Files, Sub, Notes, Docs
  requires P
  returns S
pipeline Inner(x: String = "y") -> S requires Q: x |> A.small(schema: T, tools: none) @correct(2)
pipeline Main(dir: String, list: [String]) -> Result:
  list
    |* each(limit: 2, max: 3) { A.one("do", item, tool: Files.read(path: item)) |> Remote.go(a: 1) as r }
    |* { A.x() as left, Files.list() |> Inner() as right }
    |? { len(input) > 2 => A.big("x") |> A.y(), "true" => Inner(x: "q"), else => System.Fail("no") }
    |<> loop(A, while: input == 1, max: 2)
    |! yield("ok?") as ok
    ~> listen("paid", timeout: 1h) as paid
    |> A.last(max_steps: 2, max_tokens: 10) @retry(2, backoff: exponential) @shadow(mock/b)
`

describe('a plan of a file that is being written', () => {
  test('is made of every beginning of it', () => {
    for (let end = 0; end <= everything.length; end += 3) {
      const { file } = parseSource(everything.slice(0, end))
      expect(() => planText(plan(file), { bound: true }), everything.slice(Math.max(0, end - 60), end)).not.toThrow()
    }
  })

  test('is made whatever is left out or doubled in the middle', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(everything), programs), fc.nat(), fc.nat(200), fc.boolean(), (source, at, length, doubled) => {
        const from = at % source.length
        const edited = source.slice(0, from) + (doubled ? source.slice(from, from + length).repeat(2) : '') + source.slice(from + length)
        expect(() => planText(plan(parseSource(edited).file))).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })

  test('takes milliseconds, also of a large one', () => {
    const pipelines = Array.from({ length: 200 }, (_, i) => `pipeline P${i}(x: String): x |> A.a("do", tools: [Files]) |* { A.b(), A.c() } |> P${i + 1}()`).join('\n')
    const { file } = parseSource(`tool Files : Workspace(".")\nagent A [openai/gpt-4o]\n  equips Files\n${pipelines}\npipeline P200(x: String): x`)
    const started = performance.now()
    plan(file, { pipeline: 'P0' })
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('a plan of each example', () => {
  const folder = join(import.meta.dirname, '../../examples')
  test.each(readdirSync(folder).filter((name) => name.endsWith('.halo')))('%s can be made', (name) => {
    const { file } = parseSource(readFileSync(join(folder, name), 'utf8'), { path: name })
    const { pipelines } = plan(file)
    expect(pipelines.length).toBeGreaterThan(0)
    for (const { summary } of pipelines) expect(summary.unknown.filter(({ about }) => about === 'policies')).toEqual([])
  })
})
