/** The command line beside others: two processes at one run, a killed one, a reader that leaves, a disk that is full. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLibrary } from '../../scripts/build-lib.js'
import { claim, release } from '../../src/cli/run-claim.ts'

const bin = fileURLToPath(new URL('../../bin/halo.js', import.meta.url))
const folders: string[] = []

beforeAll(() => buildLibrary(), 120_000)
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(program = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'halo-together-'))
  folders.push(folder)
  if (program !== '') writeFileSync(join(folder, 'p.halo'), program)
  return folder
}

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** @param onText told of each piece of stderr, with the process */
function halo(cwd: string, words: string[], onText: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => {}): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
    onText(stderr, (signal) => child.kill(signal))
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

/** In shell words, for redirections and pipes. */
function shell(cwd: string, line: string): Ended {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `halo() { '${process.execPath}' '${bin}' "$@"; }; ${line}`], { cwd, encoding: 'utf8', timeout: 60_000 })
  return { code: status, stdout, stderr }
}

const recordingIn = (folder: string): string[] => {
  const [name = ''] = readdirSync(join(folder, '.halo/recordings')).filter((each) => each.endsWith('.jsonl'))
  return readFileSync(join(folder, '.halo/recordings', name), 'utf8').trim().split('\n')
}

const STEPS = `tool Shell : Bash()
pipeline Main() :
  1 |! yield("go on?") |> Shell.run(command: "echo once >> log.txt; sleep 1")
`
const SLOW = `tool Shell : Bash()
pipeline Main() :
  1 |> System.Log("started") |> Shell.run(command: "sleep 30")
`

describe('one run', () => {
  test('goes on in one process only, and does its work once', async () => {
    const folder = newFolder(STEPS)
    const paused = await halo(folder, ['run', 'p.halo'])
    expect(paused.code).toBe(3)
    const [, id = ''] = /halo resume p\.halo (\S+)/.exec(paused.stderr) ?? []
    const ended = await Promise.all([1, 2, 3].map(() => halo(folder, ['resume', 'p.halo', id, '--payload', 'yes'])))
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 1, 1])
    for (const { code, stderr } of ended) if (code === 1) expect(stderr).toMatch(/is at run|has ended/)
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('once\n')
    const listed = await halo(folder, ['recordings'])
    expect(listed.stdout).toContain('completed')
    expect(listed.stderr).toBe('')
    expect(readdirSync(join(folder, '.halo/claims'))).toEqual([])
  }, 60_000)

  test('is not taken from the process that is at it, and can be once that was killed', async () => {
    const folder = newFolder(SLOW)
    let beside: Promise<Ended> | undefined
    const killed = await halo(folder, ['run', 'p.halo'], (text, kill) => {
      if (beside !== undefined || !text.includes('started')) return
      const [name = ''] = readdirSync(join(folder, '.halo/recordings'))
      beside = halo(folder, ['resume', 'p.halo', name.replace('.jsonl', ''), '--payload', 'retry'])
      void beside.then(() => kill('SIGKILL'))
    })
    expect(killed.code).toBe(null)
    const refused = await beside
    expect(refused?.code).toBe(1)
    expect(refused?.stderr).toMatch(/^VALIDATION Another process \(\d+\) is at run/)
    const [name = ''] = readdirSync(join(folder, '.halo/recordings'))
    const after = await halo(folder, ['resume', 'p.halo', name.replace('.jsonl', ''), '--payload', 'fail'])
    expect(after.stderr).not.toContain('is at run')
    expect(recordingIn(folder).length).toBeGreaterThan(1)
  }, 60_000)
})

describe('a claim', () => {
  test('of a process that is gone, of an earlier one with our number, and one cut short, count for nothing', () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    for (const words of [`${gone}\n`, `${process.pid}\n`, '']) {
      const file = join(newFolder(), 'claims/run.lock')
      claim(file, 'run')
      release(file)
      expect(existsSync(file)).toBe(false)
      writeFileSync(file, words)
      claim(file, 'run')
      expect(readFileSync(file, 'utf8')).toBe(`${process.pid}\n`)
      // Ours already.
      claim(file, 'run')
      release(file)
      expect(readdirSync(join(file, '..'))).toEqual([])
    }
  })

  test('of a living process holds, whosoever it is', () => {
    const file = join(newFolder(), 'run.lock')
    writeFileSync(file, `${process.ppid}\n`)
    expect(() => claim(file, 'r1')).toThrow(new RegExp(`Another process \\(${process.ppid}\\) is at run r1.*delete .*run\\.lock`))
    expect(readFileSync(file, 'utf8')).toBe(`${process.ppid}\n`)
  })
})

describe('the output', () => {
  const items = Array.from({ length: 400 }, (_, i) => i).join(', ')
  const MANY = `agent A [mock/a]\npipeline Main() : [${items}] |* each(max: 400) { A.t() } |> System.Value("end")\n`

  test('may lose its reader: the run goes to its end', () => {
    const folder = newFolder(MANY)
    const { stdout } = shell(folder, 'halo run p.halo --no-record 2>&1 >out.txt | head -1; echo "code ${PIPESTATUS[0]}"')
    expect(stdout).toMatch(/code 0\n$/)
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('end\n')
    expect(readdirSync(join(folder, '.halo/unrecorded'))).toEqual([])
  })

  test.runIf(existsSync('/dev/full'))('on a full disk is told in a sentence and fails', () => {
    const { code, stderr } = shell(newFolder(), 'halo tools > /dev/full')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The output could not be written: .*ENOSPC.*\n$/)
  })
})

describe('the list of recordings', () => {
  test('says of a folder where none can be read not that there are none', async () => {
    const folder = newFolder(STEPS)
    await halo(folder, ['run', 'p.halo'])
    const [name = ''] = readdirSync(join(folder, '.halo/recordings'))
    writeFileSync(join(folder, '.halo/recordings', name), 'something else\n')
    const { stdout, stderr } = await halo(folder, ['recordings'])
    expect(stdout).toBe('')
    expect(stderr).toContain(name)
    expect(stderr).not.toContain('no recordings')
  })
})

describe('words that do not fit', () => {
  test('are told by what is missing, and what is like it', async () => {
    const folder = newFolder(STEPS)
    expect((await halo(folder, ['run'])).stderr).toMatch(/^A file is missing\.\nUsage: halo run F/)
    expect((await halo(folder, ['resume', 'p.halo'])).stderr).toMatch(/^ID is missing\./)
    expect((await halo(folder, ['valdate'])).stderr).toContain('Do you mean halo validate?')
    expect(await halo(folder, ['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string })
  })
})
