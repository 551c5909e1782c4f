import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildLibrary } from '../../scripts/build-lib.js'
import { main } from '../../src/cli/main.ts'

const bin = fileURLToPath(new URL('../../bin/halo.js', import.meta.url))
const folders: string[] = []

beforeAll(() => buildLibrary(), 120_000)
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder with these files. */
function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'halo-cli-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function halo(cwd: string, ...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...words], { cwd, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}

const TIDY = `policy Careful : AllowTools("Files.*") & ApproveEffects(write)
tool Files : Workspace("./notes", write: true)
agent Clerk [openai/gpt-4o]
  equips Files
  requires Careful
pipeline Tidy(task: String) -> Result:
  task |> Clerk.work(tools: [Files])

test "writes" runs Tidy(task: "merge") :
  files "./notes" : { "a.md": "first" }
  mock Clerk.work : call("Files.read", { path: "a.md" }) then call("Files.write", { path: "b.md", content: "second" }) then "done"
  expect output == "done" && file("./notes/b.md") == "second"
`
const SUM = `pipeline Sum(a: Number, b: Number = 2, names: [String] = []) : a |> System.Value({ sum: a + b, names })\n`

describe.concurrent('halo', () => {
  test('without a command, or with one it does not know, says what there is and exits 2', async () => {
    const folder = folderOf({})
    const none = await halo(folder)
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('halo run F')
    expect(await halo(folder, 'rum')).toMatchObject({ code: 2 })
    const help = await halo(folder, '--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('halo validate')
  })

  test('the list of commands keeps what belongs to a command below it', async () => {
    const { stdout } = await halo(folderOf({}), '--help')
    for (const line of stdout.split('\n')) expect(line).toMatch(/^($| {2}halo | {6}\S|Halo runs|Exit codes)/)
  })

  test('a run that lacks arguments says how they are given', async () => {
    const folder = folderOf({ 'a.halo': 'pipeline Main(x: Number) : x' })
    for (const more of [[], ['--mock']]) {
      const { code, stderr } = await halo(folder, 'run', 'a.halo', ...more)
      expect(code).toBe(1)
      expect(stderr).toContain('x is missing')
      expect(stderr).toContain('Arguments are given with --arg name=value')
    }
  })

  test('validate prints every fault as file:line:col code message with its line and a caret, and exits 1', async () => {
    const folder = folderOf({ 'bad.halo': 'agent A [openai/gpt-4o] equips Nothing\npipeline P() : 1 |> Missing.call()\n\ttest "x" runs Q() :\n  expect status == 1\n' })
    const { code, stdout, stderr } = await halo(folder, 'validate', 'bad.halo')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^bad\.halo:1:32 \S+ .*Nothing/m)
    expect(stderr).toMatch(/^bad\.halo:2:21 \S+ .*Missing/m)
    expect(stderr).toMatch(/^bad\.halo:3:16 \S+ .*Q/m)
    expect(stderr).toContain('  agent A [openai/gpt-4o] equips Nothing\n                                 ^^^^^^^\n')
  })

  test('validate follows imports and names the file a fault is in', async () => {
    const folder = folderOf({ 'main.halo': 'import "./lib/parts.halo"\npipeline P() : 1 |> Files.list()\n', 'lib/parts.halo': 'tool Files : Workspace("./x")\npolicy Bad : Nonsense(1)\n' })
    const { code, stderr } = await halo(folder, 'validate', 'main.halo')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^lib\/parts\.halo:2:14 /m)
    expect(stderr).toContain('policy Bad : Nonsense(1)')
  })

  test('validate warns of a variable of Env that is not set, and of none that has a value beside it', async () => {
    const folder = folderOf({ 'chat.halo': 'tool Chat : Slack(Env.HALO_NEVER_SET, channel: Env.HALO_NEVER_SET_EITHER ?? "#notes")\npipeline P(text: String) : text |> Chat.post(text: text)\n' })
    const { code, stderr } = await halo(folder, 'validate', 'chat.halo')
    expect(code).toBe(0)
    expect(stderr).toContain('chat.halo:1:19 env-missing warning: Env.HALO_NEVER_SET is not set.')
    expect(stderr).not.toContain('EITHER is')
  })

  test('validate exits 0 with warnings alone', async () => {
    const folder = folderOf({ 'warned.halo': 'policy P : DenyTools("Nothing.here")\nagent A [mock/x] requires P\npipeline Go() : 1 |> A.x()\n' })
    const { code, stderr } = await halo(folder, 'validate', 'warned.halo')
    expect(code).toBe(0)
    expect(stderr).toContain('warning: ')
  })

  test('a file that is not there is wrong usage, in words', async () => {
    const { code, stderr } = await halo(folderOf({}), 'validate', 'nothing.halo')
    expect(code).toBe(2)
    expect(stderr).toContain('nothing.halo')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('format rewrites a file once, and --check says whether it would', async () => {
    const folder = folderOf({ 'p.halo': 'pipeline   P( ):1|>System.Value( 2 )\n' })
    expect(await halo(folder, 'format', 'p.halo', '--check')).toMatchObject({ code: 1 })
    expect(readFileSync(join(folder, 'p.halo'), 'utf8')).toContain('pipeline   P')
    expect(await halo(folder, 'format', 'p.halo')).toMatchObject({ code: 0 })
    const formatted = readFileSync(join(folder, 'p.halo'), 'utf8')
    expect(formatted).toMatch(/^pipeline P/)
    expect(await halo(folder, 'format', 'p.halo', '--check')).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'p.halo'), 'utf8')).toBe(formatted)
  })

  test('a file that is not UTF-8 is told with the place, and never written back damaged', async () => {
    const latin = Buffer.from('pipeline   Main() :\n  "caf\xe9"', 'latin1')
    const folder = folderOf({ 'main.halo': 'import "./lib.halo"\npipeline M() : 1', 'bom.halo': '\ufeffpipeline Main():\n  nope\n' })
    for (const name of ['latin.halo', 'lib.halo']) writeFileSync(join(folder, name), latin)
    writeFileSync(join(folder, 'wide.halo'), Buffer.from('\ufeffpipeline M() : 1', 'utf16le'))
    for (const command of ['format', 'validate', 'run', 'plan', 'test']) {
      const { code, stderr } = await halo(folder, command, 'latin.halo')
      expect({ command, code }).toEqual({ command, code: 1 })
      expect(stderr).toContain('latin.halo is not a text in UTF-8: byte 27, on line 2, is 0xE9. Save it as UTF-8.')
    }
    expect(readFileSync(join(folder, 'latin.halo'))).toEqual(latin)
    expect((await halo(folder, 'validate', 'main.halo')).stderr).toContain('lib.halo is not a text in UTF-8')
    expect((await halo(folder, 'validate', 'wide.halo')).stderr).toContain('it begins as UTF-16 does')
    // A mark at the beginning is no character of the line.
    expect((await halo(folder, 'validate', 'bom.halo')).stderr).toMatch(/^bom\.halo:2:3 unknown-name/)
  })

  test('files that cannot be read or written are told in words, and the commands it shows can be pasted', async () => {
    const folder = folderOf({ 'a folder/x': '', "it's.halo": 'pipeline   M() : 1', '-x.halo': 'pipeline   M() : 1' })
    expect((await halo(folder, 'validate', 'a folder')).stderr).toBe("a folder can't be read: it is a folder.\n")
    expect((await halo(folder, 'run', 'none.halo')).stderr).toBe("none.halo can't be read: there is no such file.\n")
    expect((await halo(folder, 'format', '--check', "it's.halo")).stderr).toContain(`Run: halo format 'it'\\''s.halo'`)
    expect((await halo(folder, 'format', '--check', '--', '-x.halo')).stderr).toContain('Run: halo format ./-x.halo')
  })

  test('--json gives JSON for a file with errors too', async () => {
    const folder = folderOf({ 'bad.halo': 'pipeline M() : nope' })
    const ran = await halo(folder, 'run', 'bad.halo', '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'failed', output: null, error: { code: 'VALIDATION', message: 'bad.halo has an error.', diagnostics: [{ code: 'unknown-name' }] } })
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('bad.halo:1:16 unknown-name') })
    const tested = await halo(folder, 'test', 'bad.halo', '--json')
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 0, failed: 1, tests: [], invalid: [{ file: 'bad.halo', diagnostics: [{ code: 'unknown-name' }] }] })
  })

  test('shows characters that a terminal obeys instead of sending them, and a logged text once', async () => {
    const folder = folderOf({ 'a.halo': 'pipeline Main() : "\\u{1b}[2J\\u{9b}1A\\u{202e}x\\ny" |> System.Log(input) |> System.Fail(input)' })
    const { stderr } = await halo(folder, 'run', 'a.halo')
    const shown = '\\u{1b}[2J\\u{9b}1A\\u{202e}x\ny\n'
    expect(stderr.startsWith(shown)).toBe(true)
    expect(stderr).toContain(`TOOL_ERROR ${shown}`)
    // The log, the error, and the line of the program that is shown with it.
    expect(stderr.split('[2J')).toHaveLength(4)
  })

  test('an option that is not there is told with the nearest', async () => {
    const folder = folderOf({ 'a.halo': 'pipeline Main() : 1' })
    expect(await halo(folder, 'run', 'a.halo', '--scenari=x')).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no option --scenari\. Do you mean --scenario\?\nUsage: halo run F/) })
    expect((await halo(folder, 'test', 'a.halo', '--zzzz')).stderr).toMatch(/^There is no option --zzzz\.\nUsage/)
  })

  test('format leaves a file with syntax faults as it is', async () => {
    const folder = folderOf({ 'p.halo': 'pipeline P( : 1\n' })
    expect(await halo(folder, 'format', 'p.halo')).toMatchObject({ code: 1 })
    expect(readFileSync(join(folder, 'p.halo'), 'utf8')).toBe('pipeline P( : 1\n')
  })

  test('tools lists providers as text and JSON', async () => {
    const folder = folderOf({})
    const all = await halo(folder, 'tools')
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toContain('Workspace.read(path')
    const web = await halo(folder, 'tools', 'Web')
    expect(web.stdout).toMatch(/^ {2}Web\.fetch\(.*\): external, read with method GET or HEAD$/m)
    expect(web.stdout).toMatch(/^ {6}format \("markdown" \| "text" \| "html" \| "json", optional\)/m)
    const one = await halo(folder, 'tools', 'Workspace', '--json')
    const provider = JSON.parse(one.stdout) as { name: string; methods: { name: string; effect: string }[] }
    expect(provider.name).toBe('Workspace')
    expect(provider.methods.find(({ name }) => name === 'write')?.effect).toBe('write')
    expect(await halo(folder, 'tools', 'Nope')).toMatchObject({ code: 2 })
  })

  test('plan prints the plan, and JSON with prices of a file', async () => {
    const folder = folderOf({ 'tidy.halo': TIDY, 'prices.json': '{ "openai/gpt-4o": { "input": 5, "output": 15 } }' })
    const text = await halo(folder, 'plan', 'tidy.halo', '--prices', 'prices.json')
    expect(text.code).toBe(0)
    expect(text.stdout).toMatch(/^Plan for Tidy\n\n {2}1 {6}Clerk\.work \[openai\/gpt-4o\] ≤ \$/)
    const json = await halo(folder, 'plan', 'tidy.halo', '--json')
    expect(JSON.parse(json.stdout)).toHaveProperty('pipelines')
    expect(await halo(folder, 'plan', 'tidy.halo', '--pipeline', 'Nope')).toMatchObject({ code: 2 })
    writeFileSync(join(folder, 'none.halo'), 'policy Few : MaxSteps(3)\n')
    const none = await halo(folder, 'plan', 'none.halo')
    expect(none).toMatchObject({ code: 0, stdout: '' })
    expect(none.stderr).toContain('none.halo has no pipeline')
  })
})

describe.concurrent('halo run', () => {
  test('puts the output on stdout, everything else on stderr, and keeps a recording', async () => {
    const folder = folderOf({ 'sum.halo': SUM })
    const { code, stdout, stderr } = await halo(folder, 'run', 'sum.halo', '--arg', 'a=40', '--arg', 'names=["x"]')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ sum: 42, names: ['x'] })
    const [, runId = ''] = /^\d+ms · 0 LLM call\(s\) · 0 tool call\(s\) · \$0\.0000 · run (\S+) \(halo replay sum\.halo \1\)$/m.exec(stderr) ?? []
    expect(readdirSync(join(folder, '.halo/recordings'))).toEqual([`${runId}.jsonl`])
    const lines = readFileSync(join(folder, '.halo/recordings', `${runId}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { kind: string })
    expect(lines.at(0)).toMatchObject({ kind: 'start', pipeline: 'Sum', args: { a: 40, b: 2, names: ['x'] } })
    expect(lines.at(-1)).toMatchObject({ kind: 'end', status: 'completed' })
    const listed = await halo(folder, 'recordings')
    expect(listed.stdout).toContain(`${runId}  `)
    expect(listed.stdout).toContain('completed  Sum')
  })

  test('keeps no recording with --no-record or --mock', async () => {
    const folder = folderOf({ 'sum.halo': SUM })
    expect(await halo(folder, 'run', 'sum.halo', '--args', '{"a":1}', '--no-record')).toMatchObject({ code: 0 })
    expect(await halo(folder, 'run', 'sum.halo', '--args', '{"a":1}', '--mock')).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, '.halo/recordings'))).toBe(false)
    const { stderr } = await halo(folder, 'run', 'sum.halo', '--args', '{"a":1}', '--no-record')
    expect(stderr).not.toContain('halo replay')
    expect(readdirSync(join(folder, '.halo'), { recursive: true }).filter((name) => String(name).endsWith('.jsonl'))).toEqual([])
  })

  test('says all that is wrong with the arguments at once, before anything happens', async () => {
    const folder = folderOf({ 'sum.halo': SUM })
    const { code, stdout, stderr } = await halo(folder, 'run', 'sum.halo', '--arg', 'b=x', '--arg', 'c=1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^sum\.halo:1:10 VALIDATION /m)
    for (const name of ['a', 'b', 'c']) expect(stderr).toMatch(new RegExp(`\\b${name}\\b`))
  })

  test('asks which pipeline when there are several, and takes Main when there is one', async () => {
    const folder = folderOf({ 'two.halo': 'pipeline One() : 1\npipeline Two() : 2\n', 'main.halo': 'pipeline One() : 1\npipeline Main() : "main"\n' })
    const { code, stderr } = await halo(folder, 'run', 'two.halo')
    expect(code).toBe(2)
    expect(stderr).toMatch(/One[\s\S]*Two/)
    expect(await halo(folder, 'run', 'two.halo', '--pipeline', 'Two')).toMatchObject({ code: 0, stdout: '2\n' })
    expect(await halo(folder, 'run', 'main.halo')).toMatchObject({ code: 0, stdout: 'main\n' })
    expect(await halo(folder, 'run', 'main.halo', '--pipeline', 'Three')).toMatchObject({ code: 2 })
  })

  test('a failed run prints where, and exits 1', async () => {
    const folder = folderOf({ 'fail.halo': 'pipeline P(x: Any = null) :\n  1\n    |> System.Value(x.y.z > 1 ? "a" : "b")\n    |> System.Fail("because {{input}}")\n' })
    const { code, stdout, stderr } = await halo(folder, 'run', 'fail.halo')
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^fail\.halo:\d:\d+ [A-Z_]+ /m)
    expect(stderr).toMatch(/\^/)
  })

  test('--json gives the whole result', async () => {
    const folder = folderOf({ 'sum.halo': SUM })
    const { stdout } = await halo(folder, 'run', 'sum.halo', '--args', '{"a":1}', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', output: { sum: 3 }, context: { args: { a: 1 }, meta: { cost: 0 } } })
  })

  test('--mock answers for every agent, touches no file and asks nobody', async () => {
    const folder = folderOf({ 'tidy.halo': TIDY, 'notes/a.md': 'mine' })
    const { code, stdout } = await halo(folder, 'run', 'tidy.halo', '--arg', 'task=x', '--mock')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '[mock Clerk.work]\n' })
    expect(existsSync(join(folder, '.halo'))).toBe(false)
  })

  test('a scenario pauses where a person is needed, and resume goes on with the same files', async () => {
    const folder = folderOf({ 'tidy.halo': TIDY })
    const paused = await halo(folder, 'run', 'tidy.halo', '--scenario', 'writes')
    expect(paused).toMatchObject({ code: 3, stdout: '' })
    expect(paused.stderr).toMatch(/Allow Clerk to call Files\.write with .*\? \(policy Careful\)/)
    const [, runId = ''] = /halo resume tidy\.halo (\S+) --payload approve/.exec(paused.stderr) ?? []
    expect(existsSync(join(folder, 'notes/b.md'))).toBe(false)
    const done = await halo(folder, 'resume', 'tidy.halo', runId, '--payload', 'approve')
    expect(done).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(readFileSync(join(folder, 'notes/b.md'), 'utf8')).toBe('second')
    const again = await halo(folder, 'resume', 'tidy.halo', runId, '--payload', 'approve')
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('ended')
  })

  test('a declined call is told with the reason, and a resumed run keeps the text it began with', async () => {
    const folder = folderOf({ 'tidy.halo': TIDY })
    const paused = await halo(folder, 'run', 'tidy.halo', '--scenario', 'writes', '--no-record')
    const [, runId = ''] = /halo resume tidy\.halo (\S+) /.exec(paused.stderr) ?? []
    writeFileSync(join(folder, 'tidy.halo'), 'pipeline Other() : 1\n')
    const done = await halo(folder, 'resume', 'tidy.halo', runId, '--payload', 'no, write to drafts/')
    expect(done).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(done.stderr).toContain('has changed')
    expect(done.stderr).toContain('write to drafts/')
    expect(existsSync(join(folder, 'notes/b.md'))).toBe(false)
    // It was not to be recorded: now that it is over nothing is left of it.
    expect(readdirSync(join(folder, '.halo'), { recursive: true }).filter((name) => String(name).endsWith('.jsonl'))).toEqual([])
  })

  test('--auto-approve asks nobody', async () => {
    const folder = folderOf({ 'tidy.halo': TIDY, 'yield.halo': 'pipeline P() : "value" |! yield("go on?")\n' })
    expect(await halo(folder, 'run', 'tidy.halo', '--scenario', 'writes', '--auto-approve')).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(await halo(folder, 'run', 'yield.halo', '--auto-approve')).toMatchObject({ code: 0, stdout: 'value\n' })
  })

  test("a scenario does not overwrite the person's own files", async () => {
    const folder = folderOf({ 'tidy.halo': TIDY, 'notes/a.md': 'mine' })
    expect(await halo(folder, 'run', 'tidy.halo', '--scenario', 'writes')).toMatchObject({ code: 2 })
    expect(readFileSync(join(folder, 'notes/a.md'), 'utf8')).toBe('mine')
  })

  test('an event comes by resume, as JSON; an unknown run is said to be unknown', async () => {
    const folder = folderOf({ 'wait.halo': 'pipeline P() : 1 ~> listen("paid", timeout: 1h) as p |> System.Value(p.amount + 1)\n' })
    const paused = await halo(folder, 'run', 'wait.halo')
    expect(paused.code).toBe(3)
    const [, runId = ''] = /halo resume wait\.halo (\S+) /.exec(paused.stderr) ?? []
    expect(await halo(folder, 'resume', 'wait.halo', runId)).toMatchObject({ code: 2 })
    expect(await halo(folder, 'resume', 'wait.halo', runId, '--payload', '{"amount":41}')).toMatchObject({ code: 0, stdout: '42\n' })
    const unknown = await halo(folder, 'resume', 'wait.halo', 'nope', '--payload', 'x')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('nope')
  })

  test('a program gets the variables it names, and their values are kept out of what is said', async () => {
    const folder = folderOf({ 'env.halo': 'tool Shell : Bash(env: { TOKEN: Env.HALO_TEST_TOKEN })\npipeline P() : 1 |> Shell.run(command: "echo $TOKEN && pwd") as r |> System.Value(r.stdout)\n' })
    process.env.HALO_TEST_TOKEN = 'a-secret-of-length'
    try {
      const { code, stdout } = await halo(folder, 'run', 'env.halo', '--no-record')
      expect({ code, stdout }).toEqual({ code: 0, stdout: `[secret HALO_TEST_TOKEN]\n${folder}\n` })
    } finally {
      delete process.env.HALO_TEST_TOKEN
    }
  })

  test('a declined yield exits 1', async () => {
    const folder = folderOf({ 'yield.halo': 'pipeline P() : "value" |! yield("go on?")\n' })
    const paused = await halo(folder, 'run', 'yield.halo')
    const [, runId = ''] = /halo resume yield\.halo (\S+) /.exec(paused.stderr) ?? []
    const declined = await halo(folder, 'resume', 'yield.halo', runId, '--payload', 'no')
    expect(declined.code).toBe(1)
    expect(declined.stderr).toContain('Declined')
  })

  test('Ctrl-C cancels with 130', async () => {
    const folder = folderOf({ 'slow.halo': 'tool Shell : Bash()\npipeline P() : 1 |> System.Log("started") |> Shell.run(command: "sleep 30")\n' })
    const child = spawn(process.execPath, [bin, 'run', 'slow.halo'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stderr.on('data', (chunk) => String(chunk).includes('started') && setTimeout(() => child.kill('SIGINT'), 300))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(130)
  })
})

describe('options that do not fit', () => {
  const sum = join(folderOf({ 'sum.halo': SUM }), 'sum.halo')
  test.each([['--nope'], ['--args', '[1]'], ['--args', '{'], ['--arg', 'a'], ['--arg', 'a=1', '--args', '{}'], ['--mock', '--scenario', 'x'], ['--scenario', 'x'], ['more']])(
    'are wrong usage, said in words: %s %s %s %s',
    async (...words) => {
      const said: string[] = []
      const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
      try {
        expect(await main(['run', sum, ...words.filter((word) => word !== undefined)])).toBe(2)
      } finally {
        write.mockRestore()
      }
      expect(said.join('')).toMatch(/\w+ \w+/)
    },
  )
})

describe('at a terminal', () => {
  // `script` gives the command a terminal of its own.
  const script = spawnSync('script', ['--version']).status === 0
  const atTerminal = (cwd: string, input: string, ...words: string[]): string => {
    const command = [process.execPath, bin, ...words].map((word) => `'${word}'`).join(' ')
    return spawnSync('script', ['-qec', command, '/dev/null'], { cwd, input, encoding: 'utf8', timeout: 60_000 }).stdout.replaceAll('\r', '')
  }

  test.runIf(script)('a call that needs approval is asked for: y approves, Enter alone declines', () => {
    const folder = folderOf({ 'tidy.halo': TIDY })
    const allowed = atTerminal(folder, 'y\n', 'run', 'tidy.halo', '--scenario', 'writes')
    expect(allowed).toContain('Allow? [y/N, or say why not]')
    expect(readFileSync(join(folder, 'notes/b.md'), 'utf8')).toBe('second')
    const other = folderOf({ 'tidy.halo': TIDY })
    expect(atTerminal(other, '\n', 'run', 'tidy.halo', '--scenario', 'writes')).toContain('declined')
    expect(existsSync(join(other, 'notes/b.md'))).toBe(false)
  })
})

describe.concurrent('halo test', () => {
  test('runs the blocks of files and the pipelines without one, and counts', async () => {
    const folder = folderOf({ 'tidy.halo': `${TIDY}pipeline Extra(n: Number) : n |> System.Value(n + 1)\n`, 'notes/keep.md': 'mine' })
    const { code, stdout, stderr } = await halo(folder, 'test', 'tidy.halo')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^✓ writes \(\d+ms\)\n✓ Extra runs with made-up arguments \(\d+ms\)\n$/)
    expect(stderr).toMatch(/^2 passed, 0 failed$/m)
    expect(readdirSync(join(folder, 'notes'))).toEqual(['keep.md'])
    expect(existsSync(join(folder, '.halo'))).toBe(false)
  })

  test('shows where and how an expectation failed, and exits 1', async () => {
    const folder = folderOf({ 'p.halo': 'pipeline P() : 1\ntest "two" runs P() :\n  expect output == 2\n' })
    const { code, stdout } = await halo(folder, 'test', 'p.halo')
    expect(code).toBe(1)
    expect(stdout).toContain('✗ two')
    expect(stdout).toMatch(/p\.halo:3:10 expect expected output == 2; output was 1/)
    const json = await halo(folder, 'test', 'p.halo', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ passed: 0, failed: 1, tests: [{ name: 'two', passed: false, failures: [{ kind: 'expect' }], output: 1 }] })
  })
})
