import { describe, expect, test } from 'vitest'
import { HaloRuntime, memorySandbox, parse, useTool, type InterruptRequest, type MockRequest } from 'halo'

/** The uses that the documents of the library describe, as their readers would write them. */
const notes = `
policy Careful : AllowTools("Files.*") & ApproveEffects(write)

tool Files : Workspace("./notes", write: true)

agent Clerk [openai/gpt-4o]
  equips Files
  requires Careful

pipeline Tidy(task: String) -> Result:
  task |> Clerk.work(tools: [Files])
`

describe('the note keeper', () => {
  test('reads with a mocked tool, then answers', async () => {
    const runtime = new HaloRuntime().load(parse(notes)).mockAll({
      'Clerk.work': (req: MockRequest) => (req.step === 1 ? useTool('Files.read', { path: 'list.md' }) : 'Sorted 3 notes.'),
      'Files.read': { path: 'list.md', content: 'c\nb\na\n', lines: 3 },
      approval: 'approve',
    })
    const result = await runtime.run('Tidy', { task: 'sort the list' })
    expect(result.output).toBe('Sorted 3 notes.')
    expect(result.context.meta.calls).toMatchObject([{ target: 'Files.read', args: { path: 'list.md' }, agent: 'Clerk' }])
  })

  test('writes for real in a sandbox once it may, and each tool of the catalogue is offered', async () => {
    const sandbox = memorySandbox({ files: { 'notes/list.md': 'b\na\n' } })
    const requests: MockRequest[] = []
    const asked: InterruptRequest[] = []
    const runtime = new HaloRuntime({ sandbox: () => sandbox, onInterrupt: (request) => (asked.push(request), 'y') }).load(parse(notes)).mockAll({
      'Clerk.work': (req: MockRequest) => {
        requests.push(req)
        return [useTool('Files.read', { path: 'list.md' }), useTool('Files.write', { path: 'sorted.md', content: 'a\nb\n' }), 'done'][req.step - 1]
      },
    })
    const result = await runtime.run('Tidy', { task: 'sort' })
    expect(result).toMatchObject({ status: 'completed', output: 'done' })
    expect(requests[0]?.tools).toEqual(['Files.read', 'Files.write', 'Files.edit', 'Files.list', 'Files.glob', 'Files.search', 'Files.mkdir', 'Files.delete'])
    expect(asked.map((request) => request.message)).toEqual(['Allow Clerk to call Files.write with {"path":"sorted.md","content":"a\\nb\\n"}? (policy Careful)'])
    expect(String(requests[1]?.messages.at(-1)?.content)).toContain('b\\na')
  })

  test('pauses without a handler, and goes on with an answer', async () => {
    const runtime = new HaloRuntime().load(parse(notes)).mockAll({
      'Clerk.work': (req: MockRequest) => (req.step === 1 ? useTool('Files.write', { path: 'x.md', content: 'x' }) : 'merged'),
    })
    const paused = await runtime.run('Tidy', { task: 'merge what is there twice' })
    expect(paused.status).toBe('paused')
    expect(paused.context.meta.paused?.waitingFor).toBe('approval')
    const done = await runtime.signal(paused.runId, 'approval', 'approve')
    expect(done).toMatchObject({ status: 'completed', output: 'merged' })
  })
})

describe('the fixer', () => {
  const fixer = `
policy FixerTools : AllowTools("Code.*", "Tests.run")
  & DenyTools("Code.delete")
  & DenyArgs("Code.write", "path", "\\\\.test\\\\.")
  & DenyArgs("Tests.run", "command", "^(?!bun test[\\\\w ./-]*$)")

tool Code  : Workspace("{{workdir}}", write: true)
tool Tests : Bash(cwd: "{{workdir}}", timeout_ms: 120000)

agent Fixer [anthropic/claude-sonnet-4-5, temp: 0.0, max_steps: 40]
  system "You mend a project until its tests pass."
  equips Code, Tests
  requires FixerTools

pipeline FixUntilGreen(workdir: String, spec: String) -> Result:
  workdir
    |> Fixer.fix("Make the tests pass. The spec:", spec, tools: [Code, Tests]) as report
    |> Tests.run(command: "bun test acceptance.test.ts 2>&1 | tail -40") as result
    |<> loop(Fixer, "context.data.result.exitCode != 0", max: 3)
    |> System.Value(context.data.report)
`
  test('is kept from the tests and from any command but bun test, and goes round until it is green', async () => {
    const requests: MockRequest[] = []
    let exitCode = 1
    const runtime = new HaloRuntime({ sandbox: () => memorySandbox({ files: { 'app/sum.ts': 'export const sum = 1\n' } }) }).load(parse(fixer)).mockAll({
      'Fixer.fix': (req: MockRequest) => {
        requests.push(req)
        if (req.step > 1) return `report ${requests.length}`
        return [
          useTool('Code.write', { path: 'acceptance.test.ts', content: '' }),
          useTool('Code.write', { path: 'sum.ts', content: 'export const sum = 2\n' }),
          useTool('Code.delete', { path: 'sum.ts' }),
          useTool('Tests.run', { command: 'rm -rf .' }),
          useTool('Tests.run', { command: 'bun test acceptance.test.ts' }),
        ]
      },
      'Tests.run': () => ({ exitCode: requests.length > 2 ? (exitCode = 0) : 1, stdout: '', stderr: '' }),
    })
    const result = await runtime.run('FixUntilGreen', { workdir: './app', spec: 'sum is 2' })
    expect(result.error).toBeUndefined()
    expect(result.output).toBe('report 4')
    expect(exitCode).toBe(0)
    expect(requests[0]?.prompt).toBe('Make the tests pass. The spec:\n\nsum is 2\n\n./app')
    expect(requests[0]?.tools).not.toContain('Code.delete')
    const told = (requests[1]?.messages ?? []).filter((message) => message.role === 'tool').map((message) => String(message.content))
    expect(told.map((text) => /^Refused by policy "FixerTools": .*\. Don't try this call again\.$/.test(text))).toEqual([true, false, true, true, false])
    expect(requests[2]?.prompt).toContain('context.data.result.exitCode != 0')
    expect(requests[2]?.prompt).toContain('report 2')
    expect(requests[2]?.messages).toHaveLength(1)
    expect(result.context.meta.violations).toHaveLength(6)
  })
})
