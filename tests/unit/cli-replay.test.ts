import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLibrary } from '../../scripts/build-lib.js'
import { recordingsFolder } from '../../src/cli/recordings-folder.ts'
import { endLine, startLine } from '../../src/lib/halo/recordings/lines.ts'

const bin = fileURLToPath(new URL('../../bin/halo.js', import.meta.url))
const folders: string[] = []
beforeAll(() => buildLibrary(), 120_000)
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'halo-replay-cli-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

function halo(cwd: string, ...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...words], { cwd, timeout: 60_000 }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }))
  })
}

const TIDY = `policy Careful : ApproveEffects(write)
tool Files : Workspace("./notes", write: true)
agent Clerk [openai/gpt-4o]
  equips Files
  requires Careful
pipeline Tidy(task: String) -> Result:
  task
    |> Clerk.work(tools: [Files]) as report
    |> Files.write(path: "log.md", content: "{{report}}")
    |> System.Value(report)

test "writes" runs Tidy(task: "merge") :
  files "./notes" : { "a.md": "first" }
  mock Clerk.work : call("Files.read", { path: "a.md" }) then call("Files.write", { path: "b.md", content: "second" }) then "done"
  expect output == "done"
`

async function recordTidy() {
  const folder = folderOf({ 'tidy.halo': TIDY })
  const ran = await halo(folder, 'run', 'tidy.halo', '--scenario', 'writes', '--auto-approve')
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' })
  const found = /^\d+ms · 3 LLM call\(s\) · 3 tool call\(s\) · \$0\.0000 · run (\S+) \(halo replay tidy\.halo (\S+)\)$/m.exec(ran.stderr)
  const id = found?.[1] ?? ''
  expect(found?.[2]).toBe(id)
  return { folder, id }
}

describe.concurrent('halo replay', { timeout: 180_000 }, () => {
  test('runs a recorded run again without a model, a tool or a person, and says that it is the same', async () => {
    const { folder, id } = await recordTidy()
    rmSync(join(folder, 'notes'), { recursive: true })
    const { code, stdout, stderr } = await halo(folder, 'replay', 'tidy.halo', id)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' })
    expect(stderr).toContain(`✓ Same output as the recorded run ${id}\n`)
    expect(existsSync(join(folder, 'notes'))).toBe(false)
    expect(readdirSync(join(folder, '.halo/recordings'))).toEqual([`${id}.jsonl`])

    const json = await halo(folder, 'replay', 'tidy.halo', id, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'completed', output: 'done', replayed: { runId: id, same: true, differences: [], recorded: { status: 'completed', output: 'done' } } })
  })

  test('a run that failed is the same when it fails the same way, and that is said', async () => {
    const folder = folderOf({ 'f.halo': 'pipeline P() : System.Fail("no more")' })
    const ran = await halo(folder, 'run', 'f.halo')
    expect(ran.code).toBe(1)
    const [file = ''] = readdirSync(join(folder, '.halo/recordings'))
    const id = file.replace('.jsonl', '')
    const { code, stderr } = await halo(folder, 'replay', 'f.halo', id)
    expect(code).toBe(1)
    expect(stderr).toContain(`✓ Same output as the recorded run ${id}, which ended as failed: TOOL_ERROR no more`)
  })

  test('files that can not be read or would be written over are told in words', async () => {
    const { folder, id } = await recordTidy()
    expect((await halo(folder, 'recordings', 'import', 'none.jsonl')).stderr).toBe("none.jsonl can't be read: there is no such file.\n")
    expect((await halo(folder, 'replay', 'tidy.halo', './none.jsonl')).stderr).toBe("./none.jsonl can't be read: there is no such file.\n")
    expect((await halo(folder, 'recordings', 'export', id, 'tidy.halo')).stderr).toBe("tidy.halo can't be written: there is a file of that name already.\n")
  })

  test('says how the recorded run ended when this one ends differently, and where they part', async () => {
    const { folder, id } = await recordTidy()
    writeFileSync(join(folder, 'tidy.halo'), TIDY.replace('System.Value(report)', 'System.Value("{{report}}!")').replace('content: "{{report}}")', 'content: "It is {{report}}")'))
    const { code, stdout, stderr } = await halo(folder, 'replay', 'tidy.halo', id)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done!\n' })
    expect(stderr).toContain(`≠ Different from the recorded run ${id}, which ended with:\ndone\n`)
    expect(stderr).toMatch(/^tidy\.halo:9:\d+ difference Files\.write at stage 2: content: "done" was recorded, "It is done" is asked for/m)
  })

  test('fails with REPLAY_MISMATCH at the stage that the recording knows nothing of', async () => {
    const { folder, id } = await recordTidy()
    writeFileSync(join(folder, 'tidy.halo'), TIDY.replace('    |> System', '    |> Files.search(pattern: "x")\n    |> System'))
    const { code, stderr } = await halo(folder, 'replay', 'tidy.halo', id)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^tidy\.halo:10:5 REPLAY_MISMATCH .*the pipeline or its input changed/m)
    expect(stderr).toContain('≠ Different from the recorded run')
  })

  test('--live-tools runs the tools again with the recorded answers', async () => {
    const { folder, id } = await recordTidy()
    rmSync(join(folder, 'notes/b.md'))
    const { code, stderr } = await halo(folder, 'replay', 'tidy.halo', id, '--live-tools')
    expect(code, stderr).toBe(0)
    expect(readFileSync(join(folder, 'notes/b.md'), 'utf8')).toBe('second')
  })

  test('--live-models asks the models, here without a key', async () => {
    const { folder, id } = await recordTidy()
    const { code, stderr } = await halo(folder, 'replay', 'tidy.halo', id, '--live-models')
    expect(code).toBe(1)
    expect(stderr).toMatch(/OPENAI_API_KEY|key/)
  })

  test('--policies says what the changed policies would have said, and runs nothing', async () => {
    const { folder, id } = await recordTidy()
    writeFileSync(join(folder, 'tidy.halo'), TIDY.replace('ApproveEffects(write)', 'DenyTools("Files.read")'))
    const { code, stdout } = await halo(folder, 'replay', 'tidy.halo', id, '--policies')
    expect(code).toBe(0)
    expect(stdout).toMatch(/1\/step:1\/call:0 {2}Files\.read by Clerk: ran then, would be refused \(Careful: /)
    const named = await halo(folder, 'replay', 'tidy.halo', id, '--policy', 'Careful', '--json')
    expect(JSON.parse(named.stdout)).toMatchObject({ calls: [{ would: 'refuse' }, { would: 'allow' }, { would: 'allow' }] })
    expect(await halo(folder, 'replay', 'tidy.halo', id, '--policy', 'Nobody')).toMatchObject({ code: 2 })
  })

  test('words for a run that is not there, and for recordings that are foreign, cut off or from a newer version', async () => {
    const { folder, id } = await recordTidy()
    const path = join(folder, '.halo/recordings')
    const text = readFileSync(join(path, `${id}.jsonl`), 'utf8')
    writeFileSync(join(path, 'foreign.jsonl'), '{"hello":"world"}\n')
    writeFileSync(join(path, 'newer.jsonl'), text.replace('"format":1', '"format":99'))
    writeFileSync(join(path, 'cut.jsonl'), text.slice(0, text.length * 0.6))
    const words = async (run: string) => (await halo(folder, 'replay', 'tidy.halo', run)).stderr
    expect(await words('missing')).toContain('There is no run missing')
    expect(await words('foreign')).toMatch(/not a recording that can be read: line 1/)
    expect(await words('newer')).toMatch(/made by a newer version/)
    expect(await words('cut')).toMatch(/cut off before it ended/)
    expect(await words('../../etc/passwd')).toMatch(/can't be the id of a run/)
    expect(readFileSync(join(path, 'foreign.jsonl'), 'utf8')).toBe('{"hello":"world"}\n')
    expect((await halo(folder, 'recordings')).stdout).toContain(id)
  })

  test('--no-record leaves nothing behind', async () => {
    const folder = folderOf({ 'a.halo': 'pipeline A() : 1 |> System.Value(input)\n' })
    const { code, stderr } = await halo(folder, 'run', 'a.halo', '--no-record')
    expect(code).toBe(0)
    expect(stderr).not.toContain('halo replay')
    expect(existsSync(join(folder, '.halo/recordings'))).toBe(false)
    expect(existsSync(join(folder, '.halo/unrecorded')) ? readdirSync(join(folder, '.halo/unrecorded')) : []).toEqual([])
  })
})

describe.concurrent('halo recordings', { timeout: 180_000 }, () => {
  test('pins, names, exports, imports and deletes', async () => {
    const { folder, id } = await recordTidy()
    expect(await halo(folder, 'recordings', 'pin', id)).toMatchObject({ code: 0 })
    expect(await halo(folder, 'recordings', 'rename', id, 'the good one')).toMatchObject({ code: 0 })
    expect((await halo(folder, 'recordings', 'list')).stdout).toMatch(new RegExp(`^${id} .*the good one {2}pinned$`, 'm'))
    const exported = await halo(folder, 'recordings', 'export', id, 'out.jsonl')
    expect(exported).toMatchObject({ code: 0 })
    expect(exported.stderr).toContain('not redacted')
    expect(await halo(folder, 'replay', 'tidy.halo', 'out.jsonl')).toMatchObject({ code: 0 })
    expect((await halo(folder, 'recordings', 'import', 'out.jsonl')).stderr).toContain('already')
    expect(await halo(folder, 'recordings', 'delete', id)).toMatchObject({ code: 0 })
    expect((await halo(folder, 'recordings', '--json')).stdout).toBe('[]\n')
    expect(await halo(folder, 'recordings', 'import', 'out.jsonl')).toMatchObject({ code: 0 })
    expect(await halo(folder, 'replay', 'tidy.halo', id)).toMatchObject({ code: 0 })
    expect(await halo(folder, 'recordings', 'delete', 'missing')).toMatchObject({ code: 1 })
    expect(await halo(folder, 'recordings', 'burn')).toMatchObject({ code: 2 })
    writeFileSync(join(folder, 'bad.jsonl'), 'no json\n')
    expect(await halo(folder, 'recordings', 'import', 'bad.jsonl', 'out.jsonl')).toMatchObject({ code: 1 })
  })
})

describe('the folder of recordings', () => {
  const start = (runId: string) => ({ runId, pipeline: 'P', args: {}, main: 'p.halo', sources: { 'p.halo': '' }, at: 1, version: '0.1.0' })
  const end = { status: 'completed' as const, output: null, at: 2 }

  function fill(count: number) {
    const path = join(folderOf({}), 'recordings')
    mkdirSync(path, { recursive: true })
    for (let i = 0; i < count; i++) {
      const file = join(path, `r${i}.jsonl`)
      writeFileSync(file, startLine(start(`r${i}`)) + endLine(end))
      utimesSync(file, 1000 + i, 1000 + i)
    }
    return { path, folder: recordingsFolder(path), files: () => readdirSync(path).filter((name) => name.endsWith('.jsonl')) }
  }

  test('keeps the newest 50 when a run begins, and pinned and open ones beside them', async () => {
    const { path, folder, files } = fill(60)
    folder.mark('r0', { pinned: true })
    folder.mark('r2', { name: 'only a name' })
    writeFileSync(join(path, 'open.jsonl'), startLine(start('open')))
    writeFileSync(join(path, 'strange.jsonl'), 'what is this\n')
    for (const name of ['open', 'strange']) utimesSync(join(path, `${name}.jsonl`), 1, 1)
    await folder.create(start('new'))
    const left = files()
    expect(left).toHaveLength(50 + 3)
    for (const name of ['r0', 'open', 'strange', 'new', 'r59', 'r11']) expect(left).toContain(`${name}.jsonl`)
    expect(left).not.toContain('r10.jsonl')
    expect(readFileSync(join(path, 'marks.json'), 'utf8')).not.toContain('only a name')
  })

  test('throws nothing away while it can not tell what is pinned', async () => {
    const { path, folder, files } = fill(60)
    writeFileSync(join(path, 'marks.json'), '{"r0": {"pinn')
    await folder.create(start('new'))
    expect(files()).toHaveLength(61)
  })

  test('a result that comes after the end does not open a run again', async () => {
    const { folder } = fill(0)
    await folder.create(start('a'))
    await folder.end('a', end)
    await folder.append('a', { seq: 5, at: 3, path: '1', kind: 'tool', target: 'T.m', state: 'late', value: 1 })
    expect(folder.load('a')).toMatchObject({ end, entries: [{ state: 'late' }] })
    expect(folder.all().summaries).toMatchObject([{ status: 'completed' }])
  })
})
