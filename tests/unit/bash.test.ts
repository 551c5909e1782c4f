import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { gate } from '../../src/lib/halo/sandbox/engine/dispatch.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { bash } from '../../src/lib/halo/tools/providers/bash.ts'
import type { Method, ToolContext } from '../../src/lib/halo/tools/types.ts'
import { expectDescribed } from './tool-results.ts'

async function shell(config: Record<string, unknown>, files: Record<string, string> = {}, box: Sandbox = memorySandbox({ files })) {
  const { run } = await bash.provider(config, { tool: 'Sh', fetch, env: {}, runId: 'r' })
  const none = () => Promise.reject(new Error('no one to ask'))
  const context: ToolContext = { signal: new AbortController().signal, runId: 'r', callId: 'c', path: '1', fetch, env: {}, sandbox: box, log() {}, progress() {}, requestHumanInput: none, interrupt: none }
  return {
    box,
    run: async (command: string, more = {}) => {
      const result = (await (run as Method)({ command, ...more }, context)) as { exitCode: number; stdout: string; stderr: string; durationMs: number; changed: unknown[]; limit?: string }
      expectDescribed(bash, 'run', result)
      return result
    },
  }
}

test('run gives exit code, output, duration and the files it changed, relative to its folder', async () => {
  const { run } = await shell({ cwd: './p', env: { WHO: 'me' } }, { '/p/a.txt': '1', '/p/b.txt': '2' })
  const result = await run('echo $WHO; pwd; echo 2 > a.txt; rm b.txt; mkdir d; echo > d/c; ls nothing')
  expect(result).toMatchObject({ stdout: 'me\n/p\n', changed: [{ path: 'a.txt', change: 'modified' }, { path: 'b.txt', change: 'deleted' }, { path: 'd/c', change: 'created' }] })
  expect(result.exitCode).not.toBe(0)
  expect(result.stderr).toContain('nothing')
  expect(result.durationMs).toBeGreaterThanOrEqual(0)
})

test('a pipeline fails when any of its commands does', async () => {
  const { run } = await shell({})
  expect((await run('false | tail -40')).exitCode).toBe(1)
  expect((await run('bun test nothing 2>&1 | tail -40')).exitCode).toBe(1)
  expect((await run('set +o pipefail; false | true')).exitCode).toBe(0)
})

test('the time limit of the tool holds, a call can only shorten it', async () => {
  const { run } = await shell({ timeout_ms: 300 })
  expect(await run('sleep 5', { timeout_ms: 60_000 })).toMatchObject({ exitCode: 124, limit: 'time' })
  expect(await run('sleep 5', { timeout_ms: 100 })).toMatchObject({ exitCode: 124, stderr: 'The command was stopped: it ran longer than its 100 ms.\n' })
})

test('env and cwd of one run are not those of the next, files are', async () => {
  const { run } = await shell({ cwd: 'p' }, { '/p/x': '' })
  await run('export A=1; cd /; f() { :; }; echo kept > /p/y; echo t > /tmp/t')
  expect((await run('echo "$A-$PWD-$(cat y)-$(cat /tmp/t)"; type f 2>/dev/null')).stdout).toBe('-/p-kept-t\n')
})

describe('globs of allow and deny', () => {
  const allows = (glob: string, line: string) => gate([glob], []).refuses(line.split(' ')) === undefined
  test('* is any run of characters; a trailing " *" stands for no arguments too', () => {
    expect(allows('bun test *', 'bun test')).toBe(true)
    expect(allows('bun test *', 'bun test a b/c')).toBe(true)
    expect(allows('bun test *', 'bun testing')).toBe(false)
    expect(allows('bun test', 'bun test a')).toBe(false)
    expect(allows('*', 'anything at all')).toBe(true)
    expect(allows('cat *.md', 'cat a.md')).toBe(true)
    expect(allows('cat *.md', 'cat a.mdx')).toBe(false)
    expect(allows('a*a', 'a')).toBe(false)
  })
  test('a glob without a star matches itself only, whatever characters it has', () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }).filter((s) => !s.includes('*') && s.trim() === s), fc.string(), (glob, line) => {
      expect(gate([glob], []).refuses([glob])).toBeUndefined()
      expect(gate([glob], []).refuses([line]) === undefined).toBe(line === glob)
    }))
  })
  test('deny wins over allow', () => {
    expect(gate(['rm *'], ['rm -rf *']).refuses(['rm', '-rf', '/'])).toContain('denied')
    expect(gate(['rm *'], ['rm -rf *']).refuses(['rm', 'a'])).toBeUndefined()
  })
})

/** Ways to delete, damage, move or replace `victim.test.ts` in the working folder. */
const attacks = [
  'rm victim.test.ts', 'rm -f victim.test.ts', 'rm -rf .', 'rm -rf ../p', 'rm -rf /p', 'r"m" victim.test.ts', "'rm' victim.test.ts", '\\rm victim.test.ts', "$'\\x72m' victim.test.ts", 'a=r; b=m; $a$b victim.test.ts',
  'eval "r""m victim.test.ts"', 'echo victim.test.ts | xargs rm', 'find . -name "victim*" -delete', 'find . -name "victim*" -exec rm {} \\;', 'bash -c "rm victim.test.ts"', 'sh -c "rm victim.test.ts"', 'command rm victim.test.ts', 'env rm victim.test.ts', '/bin/rm victim.test.ts', 'unlink victim.test.ts',
  ': > victim.test.ts', '> victim.test.ts', 'echo x > victim.test.ts', 'echo x >> victim.test.ts', 'echo x >| victim.test.ts', 'cat /dev/null > victim.test.ts', 'printf "" | tee victim.test.ts', 'truncate -s 0 victim.test.ts', 'cp other.txt victim.test.ts', 'cp /dev/null victim.test.ts',
  'mv victim.test.ts gone', 'mv other.txt victim.test.ts', 'mv ../p ../q', 'mv /p /q; mkdir /p', "sed -i 's/keep/lose/' victim.test.ts", "awk 'BEGIN { print \"x\" > \"victim.test.ts\" }'", 'sort -o victim.test.ts other.txt', 'ln -sf other.txt victim.test.ts', 'ln victim.test.ts hard; echo x > hard; rm hard', 'ln -s victim.test.ts soft; echo x > soft',
  'ln -s /p door; echo x > door/victim.test.ts', 'dd if=/dev/zero of=victim.test.ts', 'node -e "require(\'fs\').unlinkSync(\'victim.test.ts\')"', 'node -e "require(\'fs\').writeFileSync(\'victim.test.ts\', \'\')"', 'node -e "require(\'fs\').renameSync(\'victim.test.ts\', \'x\')"', 'node -e "require(\'fs\').rmSync(\'/p\', { recursive: true, force: true })"', 'node -e "require(\'fs\').renameSync(\'/p\', \'/r\')"', 'bun -e "await Bun.write(\'victim.test.ts\', \'\')"', 'tar cf t.tar other.txt && tar xf t.tar --transform s/other.txt/victim.test.ts/', "mkdir e; echo x > e/victim.test.ts; tar cf e.tar -C e victim.test.ts; tar xf e.tar",
  'printf -- "--- a/victim.test.ts\\n+++ b/victim.test.ts\\n@@ -1 +1 @@\\n-keep\\n+lose\\n" | patch -p1', 'while read f; do rm "$f"; done <<< victim.test.ts', 'rm $(ls | grep victim)', 'rm vic*', 'rm {victim,other}.test.ts', 'f() { rm "$@"; }; f victim.test.ts', 'alias x=rm; x victim.test.ts', 'echo "rm victim.test.ts" > s.sh; bash s.sh', 'echo "rm victim.test.ts" | bash', 'cat <<EOF > victim.test.ts\nx\nEOF',
  'exec rm victim.test.ts', '. <(echo rm victim.test.ts)', 'echo cm0gdmljdGltLnRlc3QudHM= | base64 -d | bash', 'gzip victim.test.ts', 'split -b 1 victim.test.ts; rm victim.test.ts', 'rmdir victim.test.ts; rm -d victim.test.ts', 'touch -d 2000-01-01 VICTIM.TEST.TS', 'chmod 000 victim.test.ts; cat other.txt > Victim.Test.ts', 'echo x 1<> victim.test.ts', 'exec 3> victim.test.ts; echo x >&3',
]

describe('ways to damage a file', () => {
  const files = () => ({ '/p/victim.test.ts': 'keep\n', '/p/other.txt': 'other\n' })
  const content = async (box: Sandbox) => new TextDecoder().decode(await box.read('/p/victim.test.ts'))

  test('there are enough of them, and most do work where nothing holds them', async () => {
    expect(attacks.length).toBeGreaterThanOrEqual(50)
    let damaged = 0
    for (const attack of attacks) {
      const { box, run } = await shell({ cwd: '/p' }, files())
      await run(attack)
      if ((await content(box).catch(() => 'gone')) !== 'keep\n') damaged++
    }
    expect(damaged).toBeGreaterThanOrEqual(50)
  }, 120_000)

  test('none gets past protect', async () => {
    for (const attack of attacks) {
      const { box, run } = await shell({ cwd: '/p', root: '/p', protect: ['**/*.test.*'] }, files())
      await run(attack)
      expect(await content(box).catch(() => 'gone'), attack).toBe('keep\n')
    }
  }, 120_000)

  test('none gets past an allow list that lets tests run', async () => {
    for (const attack of attacks) {
      const { box, run } = await shell({ cwd: '/p', allow: ['bun test *'] }, files())
      const result = await run(attack)
      expect(await content(box).catch(() => 'gone'), `${attack}: ${result.stderr}`).toBe('keep\n')
    }
  }, 120_000)

  test('none that runs rm gets past deny: rm', async () => {
    for (const attack of attacks.filter((a) => /\brm |'rm'|r"m"|\\rm|x72m|\$a\$b|"rm|cm0gdm/.test(a) && !/hard; echo|touch|split|node|bun|rmdir/.test(a))) {
      const { box, run } = await shell({ cwd: '/p', deny: ['rm *', '* rm *'] }, files())
      await run(attack)
      expect(await content(box).catch(() => 'gone'), attack).toBe('keep\n')
    }
  }, 120_000)
})

test('scripts of package.json run what they say inside of an allowed npm, held by the files alone', async () => {
  const { run, box } = await shell({ cwd: '/p', allow: ['npm test *'], protect: ['p/safe.txt'] }, { '/p/package.json': '{"scripts":{"test":"echo in script; rm other.txt; rm safe.txt"}}', '/p/other.txt': '', '/p/safe.txt': 's' })
  const result = await run('npm test')
  expect(result.stdout).toContain('in script')
  expect(await box.stat('/p/other.txt')).toBeUndefined()
  expect(await box.stat('/p/safe.txt')).toBeDefined()
})
