import { describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/syntax/index.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { runMocked, runTest, runTests, scenarioOf, type TestOutcome } from '../../src/lib/halo/testing/index.ts'
import { Type } from 'typebox'

const CLERK = `
policy Careful : ApproveEffects(write)
tool Files : Workspace("./notes", write: true)
agent Clerk [openai/gpt-4o]
  equips Files
  requires Careful
pipeline Tidy(task: String) -> Result:
  task |> Clerk.work(tools: [Files]) as report
`

registerToolProvider(
  'World',
  () => ({ post: () => ({ done: true }), look: () => 'seen', change: () => 'changed' }),
  {
    post: { description: 'Posts.', parameters: Type.Object({ text: Type.Optional(Type.String()) }), effect: 'external', result: Type.Object({ done: Type.Boolean(), id: Type.String() }) },
    look: { description: 'Looks.', parameters: Type.Object({}), effect: 'read' },
    change: { description: 'Changes.', parameters: Type.Object({}), effect: 'write' },
  },
)

/** Runs the only test of a program. */
async function outcomeOf(source: string, options = {}): Promise<TestOutcome> {
  const file = parse(source, { path: 'program.halo' })
  const [block] = file.tests
  if (block === undefined) throw new Error('the program has no test')
  return runTest(file, block, options)
}

const messages = ({ failures }: TestOutcome): string[] => failures.map(({ kind, message }) => `${kind}: ${message}`)

describe('a test block', () => {
  test('gives the agent its answers and the tools its files', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "reads" runs Tidy(task: "merge") :
        files "./notes" : { "a.md": "first\\nsecond\\n" }
        mock Clerk.work : call("Files.read", { path: "a.md" }) then "done"
        expect output == "done" && called("Files.read") == 1 && called("Files.*") == 1 && called("Clerk.work") == 1
        expect file("./notes/a.md") == "first\\nsecond\\n" && status == "completed" && error == null && cost == 0`)
    expect(messages(outcome)).toEqual([])
    expect(outcome.passed).toBe(true)
    expect(outcome.result?.output).toBe('done')
    expect(outcome.events.some(({ type }) => type === 'agent_tool')).toBe(true)
  })

  test('takes a list of calls as one turn', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "turn" runs Tidy(task: "merge") :
        files "./notes" : { "a.md": "a", "b.md": "b" }
        mock Clerk.work : [call("Files.read", { path: "a.md" }), call("Files.read", { path: "b.md" })] then "done"
        expect called("Files.read") == 2 && context.meta.steps == 2`)
    expect(messages(outcome)).toEqual([])
  })

  test('says which request a mock that ran out could not answer', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "short" runs Tidy(task: "merge") :
        files "./notes" : { "a.md": "a" }
        mock Clerk.work : call("Files.read", { path: "a.md" }) then call("Files.read", { path: "a.md" })
        expect status == "failed"`)
    expect(outcome.passed).toBe(false)
    expect(messages(outcome)[0]).toMatch(/^mock: The mock of Clerk\.work has 2 answers, and request 3 came \(step 3/)
  })

  test('fails when the mock of a tool that an agent called ran out, although the agent goes on', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "short tool" runs Tidy(task: "merge") :
        mock Clerk.work : call("Files.read", { path: "a.md" }) then call("Files.read", { path: "b.md" }) then "went on"
        mock Files.read : { content: "a" }
        expect output == "went on"`)
    expect(messages(outcome)).toEqual([expect.stringMatching(/^mock: The mock of Files\.read has 1 answer, and request 2 came/)])
  })

  test('says of a tool that nobody describes that it has to be mocked, not that it acts on the world', async () => {
    const outcome = await outcomeOf(`
      tool Tab : Page()
      pipeline Main() : null |> Tab.title(short: true)
      test "unknown" runs Main() : expect output == 2`)
    expect(messages(outcome)[0]).toMatch(/What Tab\.title does is not known here, so a test doesn't call it: mock it, with "mock Tab\.title : …"/)
  })

  test('fails when a mock asks for calls of an agent that was offered no tools', async () => {
    const outcome = await outcomeOf(`
      tool Files : Workspace("./notes")
      agent Clerk [mock/clerk] equips Files
      pipeline Tidy(task: String) : task |> Clerk.work("go")
      test "no tools" runs Tidy(task: "merge") :
        mock Clerk.work : [call("Files.read", { path: "a.md" }), call("Files.list")] then "done"
        expect output == ""`)
    expect(outcome.passed).toBe(false)
    const words = 'The mock of Clerk.work asks for Files.read, Files.list, but this call offers Clerk no tools: nothing is called. Offer them, Clerk.work(tools: [Files]), or let the mock answer with text.'
    expect(messages(outcome)).toEqual([`mock: ${words}`])
    expect(outcome.events).toContainEqual(expect.objectContaining({ type: 'log', level: 'warning', message: words }))
  })

  test('says of calls that a mock asks for after the last step that nothing is called', async () => {
    const outcome = await outcomeOf(`${CLERK.replace('[openai/gpt-4o]', '[openai/gpt-4o, max_steps: 1]')}
      test "too many" runs Tidy(task: "merge") :
        mock Clerk.work : call("Files.list") then call("Files.list")
        expect output == ""`)
    expect(messages(outcome)).toEqual([])
    expect(outcome.events.filter(({ type }) => type === 'log')).toEqual([expect.objectContaining({ level: 'warning', message: expect.stringMatching(/has used all its steps.*raise max_steps/) })])
  })

  test('approves what no line speaks of, and tells the agent why a line declined', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "declines" runs Tidy(task: "merge") :
        mock Clerk.work : [call("Files.write", { path: "a.md", content: "a" }), call("Files.write", { path: "b.md", content: "b" }), call("Files.mkdir", { path: "sub" })] then "done"
        decline Files.* : "not now"
        approve Files.mkdir
        expect file("./notes/a.md") == null && called("Files.mkdir") == 1 && called("Files.write") == 0`)
    expect(messages(outcome)).toEqual([])
    const details = outcome.events.flatMap((event) => (event.type === 'agent_tool' ? [`${event.decision} ${event.detail ?? ''}`.trim()] : []))
    expect(details).toEqual([expect.stringContaining('declined not now'), expect.stringContaining('declined not now'), expect.stringMatching(/^approved/)])
  })

  test('answers yields and events in turn', async () => {
    const outcome = await outcomeOf(`
      pipeline Ask() : 1 |! yield("first?") as a |! yield("second?") as b ~> listen("news") as c |> System.Value([a, b, c.text])
      test "answers" runs Ask() :
        answer yield : "one"
        answer yield : { approved: true, value: 2 }
        answer "news" : { text: "three" }
        expect output == ["one", { approved: true, value: 2 }, "three"]`)
    expect(messages(outcome)).toEqual([])
  })

  test('fails at an event that nobody sends, and says what to add', async () => {
    const outcome = await outcomeOf(`
      pipeline Ask() : 1 ~> listen("news")
      test "waits" runs Ask() :
        expect output == 1`)
    expect(messages(outcome)[0]).toMatch(/^answer: .*event "news".*answer "news" : …/)
  })

  test('shows the values of an expectation that does not hold', async () => {
    const outcome = await outcomeOf(`${CLERK}
      test "wrong" runs Tidy(task: "merge") :
        mock Clerk.work : "no"
        expect output == "yes" && called("Files.read") > 0
        expect context.data.report == "no"`)
    expect(outcome.expects.map(({ passed }) => passed)).toEqual([false, true])
    expect(outcome.expects[0]?.values).toEqual([
      { text: 'output', value: 'no' },
      { text: 'called("Files.read")', value: 0 },
    ])
    expect(messages(outcome)).toEqual(['expect: expected output == "yes" && called("Files.read") > 0; output was "no", called("Files.read") was 0'])
    const span = outcome.failures[0]?.span
    expect(span?.file).toBe('program.halo')
  })

  test('lets an agent without a mock answer at once: with its name, or the smallest value of its schema', async () => {
    const outcome = await outcomeOf(`
      schema Verdict { score: Number, kind: "good" | "bad", note?: String }
      agent Plain [openai/gpt-4o]
      agent Judge [openai/gpt-4o] returns Verdict
      pipeline Both(x: String) : x |> Plain.say("hi") as a |> Judge.judge("judge") as b |> System.Value([a, b])
      test "defaults" runs Both(x: "1") :
        expect output == ["[mock Plain.say]", { score: 0, kind: "good" }]`)
    expect(messages(outcome)).toEqual([])
  })

  test('refuses an external call that is not mocked, but lets reads and writes run', async () => {
    const outcome = await outcomeOf(`
      tool Out : World()
      pipeline Go() : 1 |> Out.look() as a |> Out.change() as b |> Out.post()
      test "external" runs Go() :
        expect status == "failed" && error.code == "TOOL_ERROR" && contains(error.message, "mock it")
        expect context.data.a == "seen" && context.data.b == "changed"`)
    expect(messages(outcome)).toEqual([])
    const mocked = await outcomeOf(`
      tool Out : World()
      pipeline Go() : 1 |> Out.post() as posted
      test "external" runs Go() :
        mock Out.post : null
        expect output == null && called("Out.post") == 1`)
    expect(messages(mocked)).toEqual([])
  })

  test('looks into the stores that an agent equips, as in a run: they lie in its files', async () => {
    const program = `
      store Rules : File("./rules.md")
      store Facts : VectorStore("./facts.jsonl")
      agent Clerk [openai/gpt-4o]
        equips Rules, Facts
      pipeline Ask(q: String) : Facts.add(text: "Grass is green.") |> Clerk.answer(q)
      test "stores" runs Ask(q: "What is green?") :
        files "./" : { "rules.md": "Be brief." }
        mock Clerk.answer : "grass"
        expect output == "grass"`
    const outcome = await outcomeOf(program)
    expect(messages(outcome)).toEqual([])
    const [asked] = outcome.events.filter((event) => event.type === 'context')
    expect(JSON.stringify(outcome.events.filter((event) => event.type === 'context'))).toMatch(/Be brief\..*Grass is green\./)
    expect(asked).toBeDefined()
    // In mock mode too.
    const found: unknown[] = []
    const result = await runMocked(parse(program.split('test "')[0] ?? ''), 'Ask', { q: 'What is green?' }, { onEvent: (event) => event.type === 'context' && found.push(event) })
    expect(result.status).toBe('completed')
    expect(JSON.stringify(found)).toContain('Grass is green.')
  })

  test('has neither Env nor network', async () => {
    const outcome = await outcomeOf(`
      tool Chat : Slack(Env.SLACK_BOT_TOKEN, channel: "#notes")
      pipeline Say() : "hello" |> Chat.post(text: "hello")
      test "mocked without the token" runs Say() :
        mock Chat.post : { ok: true }
        expect output.ok`)
    expect(messages(outcome)).toEqual([])
  })

  test('works on a copy of the files', async () => {
    const base = memorySandbox({ files: { '/notes/a.md': 'mine' } })
    const outcome = await outcomeOf(
      `${CLERK}
      test "overwrites" runs Tidy(task: "merge") :
        mock Clerk.work : call("Files.write", { path: "a.md", content: "theirs" }) then "done"
        expect file("./notes/a.md") == "theirs"`,
      { sandbox: () => base },
    )
    expect(messages(outcome)).toEqual([])
    expect(new TextDecoder().decode(await base.read('/notes/a.md'))).toBe('mine')
  })

  test('fails with its run, unless an expectation is about that', async () => {
    const failing = `pipeline Go() : 1 |> System.Fail("broken")\n`
    expect(messages(await outcomeOf(`${failing} test "t" runs Go() :\n expect called("X.y") == 0`))).toEqual([expect.stringMatching(/^run: the run ended as failed: \w+ .*broken/)])
    expect(messages(await outcomeOf(`${failing} test "t" runs Go() :\n expect status == "failed"`))).toEqual([])
  })

  test('says first how the run ended when expectations fail because of that', async () => {
    const failing = `pipeline Go() : 1 |> System.Fail("broken")\n`
    expect(messages(await outcomeOf(`${failing} test "t" runs Go() :\n expect output.sum == 1`))).toEqual([
      expect.stringMatching(/^run: the run ended as failed: \w+ broken/),
      expect.stringMatching(/^expect: expected output\.sum == 1/),
    ])
    // The test expects an ending, and another one came.
    expect(messages(await outcomeOf(`${failing} test "t" runs Go() :\n expect status == "completed"`))[0]).toMatch(/^run: .* broken/)
    // The test has the ending right; something else is wrong.
    expect(messages(await outcomeOf(`${failing} test "t" runs Go() :\n expect status == "failed"\n expect called("X.y") == 1`))).toEqual([expect.stringMatching(/^expect: .*called/)])
    const asked = `pipeline Go() : 1 |! yield("go on?") |> System.Value(2)\n`
    expect(messages(await outcomeOf(`${asked} test "t" runs Go() :\n answer yield : "no"\n expect output == 2`))[0]).toMatch(/^run: the run ended as declined/)
  })

  test('whose lines are wrong fails in words', async () => {
    expect(messages(await outcomeOf(`pipeline Go() : 1\n test "t" runs Go() :\n files "./a" : "text"`))).toEqual([expect.stringMatching(/^setup: .*object of contents/)])
    expect(messages(await outcomeOf(`pipeline Go(n: Number) : n\n test "t" runs Go(n: "x") :\n expect output == 1`))[0]).toMatch(/n/)
  })

  test('ends at its time limit', async () => {
    const outcome = await outcomeOf(`pipeline Go() : 1 ~> listen("x", timeout: 1h)\n test "t" runs Go() :\n answer "y" : 1`, { timeoutMs: 50 })
    expect(outcome.passed).toBe(false)
  })
})

describe('the tests of a file', () => {
  test('run a pipeline that has none once, with arguments that fit', async () => {
    const file = parse(`
      schema Order { id: String, lines: [{ count: Number }], note?: String }
      agent Helper [openai/gpt-4o]
      tool Out : World()
      pipeline Tested() : 1
      pipeline Free(name: String, count: Number, flag: Boolean, order: Order, kind: "a" | "b", rest: [String], given: String = "x", maybe: String?) :
        name |> Helper.help("do") as help |> Out.post(text: help) as posted
          |> System.Value({ help, posted, args: context.args })
      test "t" runs Tested() :
        expect output == 1`)
    const outcomes: TestOutcome[] = []
    for await (const outcome of runTests(file)) outcomes.push(outcome)
    expect(outcomes.map(({ sample, passed, failures }) => ({ sample, passed, failures }))).toEqual([
      { sample: false, passed: true, failures: [] },
      { sample: true, passed: true, failures: [] },
    ])
    expect(outcomes[1]?.result?.output).toMatchObject({
      help: '[mock Helper.help]',
      posted: { done: false, id: '' },
      args: { name: 'name', count: 1, flag: true, order: { id: 'id', lines: [{ count: 1 }] }, kind: 'a', rest: ['rest'] },
    })
  })
})

describe('mock mode', () => {
  test('asks nobody and touches nothing outside', async () => {
    const file = parse(`
      tool Out : World()
      pipeline Go(x: String) requires Ask : x |> Out.post() as posted |! yield("go on?") ~> listen("news")
      policy Ask : ApproveEffects(external)`)
    const { status, output, context } = await runMocked(file, 'Go', { x: '1' })
    expect(status).toBe('completed')
    expect(output).toBeNull()
    expect(context.data.posted).toEqual({ done: false, id: '' })
  })
})

describe('mock mode of a shell', () => {
  test('a loop that looks at the exit code ends: the least a command gives is a success', async () => {
    const file = parse(`
      tool Tests : Bash(cwd: ".")
      agent Fixer [mock/x]
      pipeline Fix(spec: String) : spec
        |> Fixer.fix() as report
        |> Tests.run(command: "bun test") as result
        |<> loop(Fixer, "context.data.result.exitCode != 0", max: 3)
        |> System.Value(context.data.report)`)
    expect(await runMocked(file, 'Fix', { spec: 'x' })).toMatchObject({ status: 'completed', output: '[mock Fixer.fix]' })
  })
})

describe('a scenario', () => {
  const file = parse(`${CLERK}
    test "with a person" runs Tidy(task: "merge") :
      files "./notes" : { "a.md": "a" }
      mock Clerk.work : call("Files.write", { path: "b.md", content: "b" }) then "asked and done"
      mock Files.read : "never used"
      decline Files.write`)
  const [block] = file.tests
  if (block === undefined) throw new Error('the program has no test')

  test('takes arguments, files and agents from its test, and nothing else', () => {
    const scenario = scenarioOf(block, file)
    expect(scenario).toMatchObject({ name: 'with a person', pipeline: 'Tidy', args: { task: 'merge' }, files: { './notes/a.md': 'a' } })
    expect(Object.keys(scenario.mocks)).toEqual(['Clerk.work'])
  })

  test('goes on after a pause in another runtime where its agents had got to', async () => {
    const journal = memoryJournal()
    const sandbox = memorySandbox()
    const first = scenarioOf(block, file)
    const paused = await new HaloRuntime({ journal, sandbox: () => sandbox }).load(file).mockAll(first.mocks).run(first.pipeline, first.args)
    expect(paused.context.meta.paused?.waitingFor).toBe('approval')
    const record = await journal.load(paused.runId)
    const later = scenarioOf(block, file, record)
    const done = await new HaloRuntime({ journal, sandbox: () => sandbox }).load(file).mockAll(later.mocks).signal(paused.runId, 'approval', 'approve')
    expect(done).toMatchObject({ status: 'completed', output: 'asked and done' })
    expect(new TextDecoder().decode(await sandbox.read('notes/b.md'))).toBe('b')
  })
})
