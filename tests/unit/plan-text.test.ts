import { describe, expect, test } from 'vitest'
import { plan, planText, type PipelinePlan } from '../../src/lib/halo/plan/index.ts'
import { parse, parseSource } from '../../src/lib/halo/syntax/index.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'

const tidy = `
policy Careful : AllowTools("Files.*") & DenyTools("Files.delete") & ApproveEffects(write) & MaxSpend(0.50)

tool Files : Workspace("./notes", write: true)
tool Chat  : Slack(Env.SLACK_BOT_TOKEN, channel: "#notes")

agent Clerk [openai/gpt-4o, max_steps: 8]
  equips Files
  requires Careful

pipeline Tidy(task: String) -> Result:
  task
    |> Clerk.work(tools: [Files]) as report
    |> Chat.post(text: "{{report}}")
`
const prices = { 'openai/gpt-4o': { input: 5, output: 15 } }

describe('the text of a plan', () => {
  test('is the one the language documents', () => {
    expect(planText(plan(parse(tidy), { prices }))).toBe(
      [
        'Plan for Tidy',
        '',
        '  1      Clerk.work [openai/gpt-4o] ≤ $1.3802',
        '         may call Files.read: read',
        '         may call Files.write: write · needs approval (Careful)',
        '         may call Files.edit: write · needs approval (Careful)',
        '         may call Files.list: read',
        '         may call Files.glob: read',
        '         may call Files.search: read',
        '         may call Files.mkdir: write · needs approval (Careful)',
        '         chooses its own calls, up to 8 steps',
        '  2      Chat.post',
        '         calls Chat.post: external',
        '         Slack',
        '',
        'Acts on the world without asking: Chat.post',
        "Needs a person's approval: Files.write, Files.edit, Files.mkdir",
        'Worst-case model cost: $1.3802, but MaxSpend stops the run at $0.50',
        'Spend limit: Clerk stops once the run has spent $0.50 (policy Careful)',
      ].join('\n'),
    )
  })

  test('shows loops, items, arms, people, events, called pipelines and stores', () => {
    const source = `
policy Ask : ApproveTools("Tests.run")
tool Tests : Bash(cwd: ".")
store Notes : File("notes.md")
agent Fixer [openai/gpt-4o, max_tokens: 1000]
  equips Tests, Notes
  requires Ask
pipeline Report(text: String): text |> Tests.run(command: "echo")
pipeline Main(spec: String): spec
  |> Fixer.fix(tools: [Tests]) @shadow(mock/other)
  |<> loop(Fixer, "input == 1", max: 3)
  |* each Fixer.one()
  |* { Fixer.x(), Report() as r }
  |? { input.a == "b" => Fixer.y(), "input.c" => Fixer.z() |? { "d" => Fixer.w() }, else => Report() }
  |! yield("Go on?")
  ~> listen("paid")
  |> System.Value(input)
`
    expect(planText(plan(parse(source), { prices, pipeline: 'Main' }))).toBe(
      [
        'Plan for Main',
        '',
        '  1       Fixer.fix [openai/gpt-4o] ×3 ≤ $1.6500',
        '          may call Tests.run: external · needs approval (Ask)',
        '          chooses its own calls, up to 10 steps',
        '          reads Notes for context',
        '          asks mock/other the same, to compare',
        '  3       Fixer.one [openai/gpt-4o] × each item ≤ $0.0250 each time',
        '          reads Notes for context',
        '  4a      Fixer.x [openai/gpt-4o] ≤ $0.0250',
        '          reads Notes for context',
        '  4b      Report',
        '  4b.1    Tests.run',
        '          calls Tests.run: external',
        '          Bash',
        '  5?1     Fixer.y [openai/gpt-4o] if input.a == "b" ≤ $0.0250',
        '          reads Notes for context',
        '  5?2.1   Fixer.z [openai/gpt-4o] if input.c ≤ $0.0250',
        '          reads Notes for context',
        '  5?2.2?1 Fixer.w [openai/gpt-4o] if input.c, if d ≤ $0.0250',
        '          reads Notes for context',
        '  5?3     Report otherwise',
        '  5?3.1   Tests.run otherwise',
        '          calls Tests.run: external',
        '          Bash',
        '  6       yield',
        '          waits for a person: Go on?',
        '  7       listen',
        '          waits for the event paid',
        '',
        'Acts on the world without asking: Tests.run',
        "Needs a person's approval: Tests.run",
        'Worst-case model cost: unbounded (how often stage 3 runs is only known in a run)',
      ].join('\n'),
    )
  })

  test('has one part for each pipeline, and of one that does nothing says so', () => {
    expect(planText(plan(parse('pipeline A: 1\npipeline B(x: String): x |> System.Log(x)')))).toBe(
      [
        'Plan for A', '', '  No stage calls a model or a tool.', '', 'Worst-case model cost: $0.0000 (no model is called)', '',
        'Plan for B', '', '  No stage calls a model or a tool.', '', 'Worst-case model cost: $0.0000 (no model is called)',
      ].join('\n'),
    )
  })

  test('says what is not known', () => {
    const undo = registerToolProvider('Bare', () => ({ go: () => 1 }))
    const text = planText(
      plan(
        parse(`
tool Remote : MCP("https://mcp.example")
tool Own : Bare()
agent A [openai-compatible/some]
  equips Remote
pipeline P(n: Number): n |> A.a(tools: [Remote], max_steps: n) |> Own.go() |* each(max: n) A.b()`),
      ),
    )
    undo()
    expect(text.split('\n')).toEqual([
      'Plan for P',
      '',
      '  1      A.a [openai-compatible/some] (no price known)',
      '         may call Remote.*: effect not described',
      '         chooses its own calls, up to 10 steps',
      '  2      Own.go',
      '         calls Own.go: effect not described',
      '         Bare',
      '  3      A.b [openai-compatible/some] × each item (no price known)',
      '',
      'Effect not described: Remote.*, Own.go',
      'Worst-case model cost: $0.0000',
      'No price known for openai-compatible/some: left out of the cost',
      'Not known: max_steps of A is only known in a run; counted as 10.',
      'Not known: The max of an each is only known in a run; counted as none.',
    ])
  })

  test('gives the second figure with what it assumes when asked', () => {
    const lines = planText(plan(parse(tidy), { prices }), { bound: true }).split('\n')
    expect(lines.find((line) => line.startsWith('With tool results: $'))).toContain('8 tool calls a step')
  })
})

describe('policies in a plan', () => {
  const parts = (requires: { agent?: string; pipeline?: string; outer?: string }): string => `
policy NoPost : DenyTools("Chat.*")
policy AskAll : ApproveEffects(external)
policy Cheap : MaxSpend(0.25)
policy Cheaper : MaxSpend(0.125)
policy Paid : ApproveCategories("payment")
tool Chat : Slack("t", channel: "#a") @category("payment")
agent A [openai/gpt-4o]
  equips Chat
  ${requires.agent === undefined ? '' : `requires ${requires.agent}`}
pipeline Inner(x: String)${requires.pipeline === undefined ? '' : ` requires ${requires.pipeline}`}: x |> A.a(tools: [Chat]) |> Chat.post(text: x)
pipeline Outer(x: String)${requires.outer === undefined ? '' : ` requires ${requires.outer}`}: x |> Inner()`
  const outer = (requires: Parameters<typeof parts>[0]): PipelinePlan | undefined => plan(parse(parts(requires)), { prices, pipeline: 'Outer' }).pipelines[0]
  const approvals = (requires: Parameters<typeof parts>[0]): unknown => outer(requires)?.stages.flatMap(({ calls }) => calls.map(({ how, approval }) => [how, approval]))

  test('of an agent hold for what it chooses, those of a pipeline for all inside it', () => {
    expect(approvals({ agent: 'AskAll' })).toEqual([['may call', 'AskAll'], ['calls', undefined]])
    expect(approvals({ pipeline: 'AskAll' })).toEqual([['may call', 'AskAll'], ['calls', 'AskAll']])
    expect(approvals({ outer: 'AskAll' })).toEqual([['may call', 'AskAll'], ['calls', 'AskAll']])
  })
  test('know the categories of a declaration', () => {
    expect(approvals({ agent: 'Paid' })).toEqual([['may call', 'Paid'], ['calls', undefined]])
  })
  test('hide calls of agents, and mark the pipeline\'s own as refused', () => {
    expect(outer({ agent: 'NoPost' })?.stages.flatMap(({ calls }) => calls.map(({ how }) => how))).toEqual(['calls'])
    const refused = outer({ outer: 'NoPost' })
    expect(refused?.stages.flatMap(({ calls }) => calls)).toMatchObject([{ how: 'calls', refused: true }])
    expect(refused?.summary.actsWithoutAsking).toEqual([])
  })
  test('limit the spend where every agent that calls a model has a limit', () => {
    const loose = parts({ agent: 'Cheap' })
    expect(plan(parse(loose), { prices, pipeline: 'Outer' }).pipelines[0]?.summary).toMatchObject({ stopsAt: 0.25, limits: [{ agent: 'A', policy: 'Cheap', dollars: 0.25 }] })
    const two = `${loose}\nagent B [openai/gpt-4o]\n  requires Cheaper\npipeline Two(x: String): x |> A.a() |> B.b()`
    expect(plan(parse(two), { prices, pipeline: 'Two' }).pipelines[0]?.summary.stopsAt).toBe(0.25)
    expect(planText(plan(parse(two), { prices, pipeline: 'Two' }))).toContain('Spend limit: B stops once the run has spent $0.125 (policy Cheaper)')
    const free = `${loose}\nagent B [openai/gpt-4o]\npipeline Two(x: String): x |> A.a() |> B.b()`
    expect(plan(parse(free), { prices, pipeline: 'Two' }).pipelines[0]?.summary.stopsAt).toBeUndefined()
  })
  test('that stop the run above the worst case are not said to stop it', () => {
    const text = planText(plan(parse(parts({ agent: 'Cheap' }).replace('tools: [Chat]', '')), { prices, pipeline: 'Inner' }))
    expect(text).toContain('Worst-case model cost: $0.0714\n')
  })
})

describe('a plan', () => {
  test('is plain JSON with the place of each stage in the text', () => {
    const whole = plan(parse(tidy, { path: 'tidy.halo' }), { prices })
    expect(JSON.parse(JSON.stringify(whole))).toEqual(whole)
    const [first] = whole.pipelines[0]?.stages ?? []
    expect(tidy.slice(first?.span.from, first?.span.to)).toBe('|> Clerk.work(tools: [Files]) as report')
    expect(first?.span.file).toBe('tidy.halo')
  })
  test('of a pipeline that is not there names those that are', () => {
    expect(() => plan(parse(tidy), { pipeline: 'Tody' })).toThrow(/Tody.*Tidy/)
  })
  test('ends where a pipeline calls itself, and says so', () => {
    const [found] = plan(parse('pipeline A(x: String): x |> B()\npipeline B(x: String): x |> A()')).pipelines
    expect(found?.stages.map(({ path }) => path)).toEqual(['1', '1>B.1'])
    expect(found?.summary.unknown[0]?.message).toContain('calls itself')
  })
  test('of pipelines that unfold without end is cut, quickly and with words', () => {
    const levels = Array.from({ length: 40 }, (_, i) => `pipeline P${i}(x: String): x |> P${i + 1}() |> P${i + 1}()`).join('\n')
    const started = performance.now()
    const [found] = plan(parse(`agent A [openai/gpt-4o]\n${levels}\npipeline P40(x: String): x |> A.a()`), { prices, pipeline: 'P0' }).pipelines
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(found?.summary.unknown.some(({ message }) => message.includes('stops at'))).toBe(true)
    expect(found?.summary.cost).toBeUndefined()
  })
  test('of a file with faults is that of what is right in it', () => {
    const { file } = parseSource(`${tidy}\npipeline Broken(x: : x |> \nagent [`)
    expect(plan(file, { prices, pipeline: 'Tidy' }).pipelines[0]?.summary.cost).toBeCloseTo(1.38024, 10)
  })
})
