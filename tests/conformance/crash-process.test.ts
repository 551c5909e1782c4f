/** The command itself, killed with SIGKILL while it runs, and resumed by another process. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLibrary } from '../../scripts/build-lib.js'
import { readLines } from '../../src/lib/halo/recordings/lines.ts'

const bin = fileURLToPath(new URL('../../bin/halo.js', import.meta.url))
const folders: string[] = []
beforeAll(() => buildLibrary(), 120_000)
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Each note is a file of its own: one that is written twice, or not at all, is seen. */
const PROGRAM = `tool Notes : Workspace("./notes", write: true)
tool Shell : Bash(cwd: "./notes")
store Log  : File("./log.md")
agent Clerk [openai/gpt-4o]
  equips Notes
pipeline Main() -> Result:
  "go"
    |> Log.append(text: "one")
    |> Notes.write(path: "1.md", content: "first")
    |> Shell.run(command: "sleep 0.2 && echo ran >> ran.txt")
    |> Clerk.work("Write two more", tools: [Notes])
    |> Log.append(text: "two")
    |* { Notes.write(path: "4.md", content: "fourth") as a, Shell.run(command: "sleep 0.2; echo beside >> beside.txt") as b }
    |> Log.append(text: "three")
    |> System.Value("done")

test "runs" runs Main() :
  mock Clerk.work : call("Notes.write", { path: "2.md", content: "second" }) then call("Notes.write", { path: "3.md", content: "third" }) then "written"
  expect output == "done"
`

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function halo(cwd: string, ...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...words], { cwd, timeout: 120_000 }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }))
  })
}

/** Runs and kills once the journal has so many lines; gives the run's id, and whether it was killed before it ended. */
async function killedAfter(cwd: string, lines: number): Promise<{ runId: string; killed: boolean }> {
  const child = spawn(process.execPath, [bin, 'run', 'main.halo', '--scenario', 'runs', '--auto-approve'], { cwd, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const folder = join(cwd, '.halo/recordings')
  let over = false
  void ended.then(() => (over = true))
  for (;;) {
    const file = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.jsonl')) : undefined
    const count = file === undefined ? 0 : readFileSync(join(folder, file), 'utf8').split('\n').length - 1
    if (over || count >= lines) {
      const killed = !over
      child.kill('SIGKILL')
      await ended
      if (file === undefined) throw new Error('it ended before it began')
      return { runId: file.replace('.jsonl', ''), killed }
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

describe('halo run that is killed', () => {
  test('is resumed by another process: nothing is lost, and nothing is done twice', { timeout: 600_000 }, async () => {
    let killed = 0
    for (const lines of [1, 4, 6, 9, 12, 15, 18, 22]) {
      const folder = mkdtempSync(join(tmpdir(), 'halo-kill-'))
      folders.push(folder)
      writeFileSync(join(folder, 'main.halo'), PROGRAM)
      const run = await killedAfter(folder, lines)
      if (run.killed) killed++
      let ended = await halo(folder, 'resume', 'main.halo', run.runId, '--payload', 'retry', '--auto-approve')
      const asked: string[] = []
      // What was under way is asked about, one question after the other.
      for (let i = 0; i < 4 && ended.code === 3; i++) {
        const entries = readLines(readFileSync(join(folder, `.halo/recordings/${run.runId}.jsonl`), 'utf8')).record.entries
        const open = entries.find((entry) => entry.state === 'asked' && !entries.some(({ ref }) => ref === entry.seq))
        asked.push(open?.target ?? '')
        const happened = open !== undefined && isDone(folder, open.path, open.target)
        ended = await halo(folder, 'resume', 'main.halo', run.runId, '--payload', happened ? '{"done":null}' : 'retry', '--auto-approve')
      }
      const at = `killed after ${lines} lines\n${ended.stderr}`
      if (ended.code === 1) expect(ended.stderr, at).toContain('has ended')
      else expect(ended, at).toMatchObject({ code: 0, stdout: 'done\n' })
      const text = (name: string) => readFileSync(join(folder, name), 'utf8')
      expect(['1', '2', '3', '4'].map((name) => text(`notes/${name}.md`)), at).toEqual(['first', 'second', 'third', 'fourth'])
      expect(text('log.md').match(/one|two|three/g), at).toEqual(['one', 'two', 'three'])
      expect(text('notes/ran.txt').trim(), at).toBe('ran')
      expect(text('notes/beside.txt').trim(), at).toBe('beside')
      expect(await halo(folder, 'replay', 'main.halo', run.runId), at).toMatchObject({ code: 0, stdout: 'done\n' })
    }
    console.log(`${killed} processes killed`)
    expect(killed).toBeGreaterThan(4)
  })
})

/** What the person sees who looks: is the file that the call makes there? */
function isDone(folder: string, path: string, target: string): boolean {
  if (target === 'Notes.write') return false
  const has = (name: string, part: string) => existsSync(join(folder, name)) && readFileSync(join(folder, name), 'utf8').includes(part)
  if (target === 'Shell.run') return path.startsWith('3') ? has('notes/ran.txt', 'ran') : has('notes/beside.txt', 'beside')
  return has('log.md', path === '1' ? 'one' : path === '5' ? 'two' : 'three')
}
