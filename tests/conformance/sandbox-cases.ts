/** What every sandbox must do, as cases that any runner can take: Vitest here, a page in the browser tests. No test framework is imported. */
import type { ExecResult, FileChange, Sandbox } from '../../src/lib/halo/sandbox/types.ts'

export interface SandboxCase {
  name: string
  /** Only where files and engine are of this kind. */
  run(box: Sandbox): Promise<void>
}

class Failed extends Error {}
function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Failed(message)
}
function same(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== e) throw new Failed(`${what}\nexpected ${e}\nactual   ${a}`)
}
async function refused(act: Promise<unknown>, code: string, what: string): Promise<void> {
  try {
    await act
  } catch (error) {
    same((error as { code?: string }).code, code, `${what}: wrong refusal (${String(error)})`)
    return
  }
  throw new Failed(`${what}: not refused`)
}
const text = async (box: Pick<Sandbox, 'read'>, path: string) => new TextDecoder().decode(await box.read(path))
const shown = (result: ExecResult) => JSON.stringify({ exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr, limit: result.limit })
async function prints(box: Pick<Sandbox, 'exec'>, command: string, stdout: string, exitCode = 0): Promise<void> {
  const result = await box.exec(command, { timeoutMs: 20_000 })
  check(result.stdout === stdout && result.exitCode === exitCode, `${command}\nexpected ${JSON.stringify(stdout)} (${exitCode})\ngot ${shown(result)}`)
}
const places = (base: string, changes: readonly FileChange[]) => changes.map((c) => `${c.before === undefined ? '+' : c.after === undefined ? '-' : '~'}${c.path.slice(base === '/' ? 1 : base.length + 1)}`)

const PROJECT: Record<string, string> = {
  'package.json': '{ "name": "sums", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test", "hello": "echo hello" } }\n',
  'src/add.ts': 'export function add(a: number, b: number): number {\n  return a - b\n}\n',
  'src/join.ts': 'export const join = (parts: string[]): string => parts.join("")\n',
  'tests/a.test.ts': 'import test from "node:test"\nimport assert from "node:assert/strict"\nimport { add } from "../src/add.ts"\ntest("adds", () => assert.equal(add(2, 3), 5))\ntest("adds nothing", () => assert.equal(add(2, 0), 2))\n',
  'tests/b.test.ts': 'import { describe, it } from "node:test"\nimport assert from "node:assert"\nimport { add } from "../src/add.ts"\ndescribe("sums", () => { it("is commutative", () => assert.strictEqual(add(1, 2), add(2, 1))) })\n',
  'tests/c.test.ts': 'import test from "node:test"\nimport assert from "node:assert/strict"\nimport { join } from "../src/join.ts"\ntest("joins", async () => { await null; assert.deepEqual([join(["a", "b"])], ["ab"]) })\n',
}
async function put(box: Sandbox, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await box.write(path, content)
}

export const sandboxCases: SandboxCase[] = [
  {
    name: 'writes, reads, lists and removes files and folders',
    async run(box) {
      await box.write('a/b/c.txt', 'one')
      await box.write('a/bytes', new Uint8Array([0, 255, 128]))
      same(await text(box, 'a/b/c.txt'), 'one', 'content')
      same([...(await box.read('a/bytes'))], [0, 255, 128], 'bytes')
      same((await box.list('a')).map((e) => [e.path.split('/').pop(), e.type, e.type === 'file' ? e.size : 0]), [['b', 'directory', 0], ['bytes', 'file', 3]], 'list')
      await refused(box.remove('a/b'), 'not_empty', 'a folder with something in it')
      await box.remove('a/b/c.txt')
      await box.remove('a/b')
      same(await box.stat('a/b'), undefined, 'stat of nothing')
      await refused(box.read('a/b/c.txt'), 'not_found', 'reading what is not there')
      await refused(box.read('a'), 'is_directory', 'reading a folder')
      await refused(box.write('a/bytes/x', 'x'), 'exists', 'a file as a folder')
    },
  },
  {
    name: 'reports every change with hashes of the content before and after, in order',
    async run(box) {
      const seen: FileChange[] = []
      const stop = box.watch((change) => seen.push(change))
      await box.write('x.txt', 'one')
      await box.write('x.txt', 'two')
      await box.rename('x.txt', 'y.txt')
      await box.remove('y.txt')
      await box.write('z.txt', 'z')
      await box.write('z.txt', 'z')
      stop()
      await box.write('unseen.txt', '1')
      same(places(box.base, seen), ['+x.txt', '~x.txt', '-x.txt', '+y.txt', '-y.txt', '+z.txt'], 'changes')
      check(seen[0]?.after === seen[1]?.before && seen[2]?.before === seen[3]?.after, 'hashes are of contents')
      same(seen[0]?.after, '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 'SHA-256 of "one"')
      same(new TextDecoder().decode(await box.content(seen[1]?.before ?? '')), 'one', 'content by hash')
      same(await box.content('0'.repeat(64)), undefined, 'content never seen')
    },
  },
  {
    name: 'a handle sees nothing outside of its roots and changes nothing that is protected',
    async run(box) {
      await put(box, { 'in/a.txt': 'a', 'in/a.test.ts': 't', 'out/b.txt': 'b' })
      const changes: string[] = []
      const inner = box.open({ roots: ['in'], protect: ['**/*.test.*'] }, (c) => changes.push(c.path))
      same(await text(inner, 'in/a.test.ts'), 't', 'protected files can be read')
      await refused(inner.read('out/b.txt'), 'outside', 'read outside')
      await refused(inner.read('in/../out/b.txt'), 'outside', 'read by ..')
      await refused(inner.write('out/new', ''), 'outside', 'write outside')
      await refused(inner.rename('in/a.txt', 'out/a.txt'), 'outside', 'move out')
      await refused(inner.write('in/a.test.ts', ''), 'protected', 'write protected')
      await refused(inner.write('in/sub/B.TEST.js', ''), 'protected', 'create protected, other case')
      await refused(inner.remove('in/a.test.ts'), 'protected', 'remove protected')
      await refused(inner.rename('in/a.test.ts', 'in/x'), 'protected', 'move protected')
      await refused(inner.rename('in/a.txt', 'in/a.test.ts'), 'protected', 'replace protected')
      await refused(inner.rename('in', 'elsewhere'), 'outside', 'move the root')
      await inner.write('in/ok.txt', 'ok')
      same(changes.length, 1, 'own changes reported')
      const frozen = inner.open({ write: false })
      await refused(frozen.write('in/ok.txt', ''), 'read_only', 'rules add up')
      await refused(inner.open({ roots: ['out'] }).read('out/b.txt'), 'outside', 'a narrower view is never wider')
    },
  },
  {
    name: 'links lead nowhere that the path itself may not go',
    async run(box) {
      await put(box, { 'in/a.test.ts': 't', 'in/ok.txt': 'ok', 'out/secret': 's' })
      await box.exec('ln -s ../out in/door; ln -s a.test.ts in/alias; ln -s ok.txt in/fine')
      const inner = box.open({ roots: ['in'], protect: ['*.test.ts'] })
      await refused(inner.read('in/door/secret'), 'outside', 'a link out')
      await refused(inner.write('in/door/new', ''), 'outside', 'a write through a link out')
      await refused(inner.write('in/alias', 'x'), 'protected', 'a link to a protected file')
      await inner.write('in/fine', 'changed')
      same(await text(inner, 'in/ok.txt'), 'changed', 'links inside work')
      const result = await inner.exec('ln -s /out in/two; echo x > in/alias; echo y > in/door/secret; cat in/door/secret; cat in/two/secret')
      check(!result.stdout.includes('s\n') && result.exitCode !== 0, `shell: ${shown(result)}`)
      same([await text(box, 'in/a.test.ts'), await text(box, 'out/secret')], ['t', 's'], 'contents')
      check((await inner.realpath('in/door/secret')).endsWith('/out/secret'), 'realpath resolves links')
      check((await inner.realpath('in/none/../new')).endsWith('/in/new'), 'realpath of what is not there')
    },
  },
  {
    name: 'a fork is independent',
    async run(box) {
      await box.write('f.txt', 'old')
      const fork = await box.fork()
      await fork.write('f.txt', 'new')
      await fork.exec('echo more > g.txt; rm -f h.txt')
      same([await text(box, 'f.txt'), await box.stat('g.txt'), await text(fork, 'f.txt'), await text(fork, 'g.txt')], ['old', undefined, 'new', 'more\n'], 'contents')
      await fork.dispose()
    },
  },
  {
    name: 'runs shell commands with pipes, redirections, variables, here-documents and functions',
    async run(box) {
      await prints(box, 'printf "b\\na\\n" | sort | head -1', 'a\n')
      await prints(box, 'x=1; f() { echo "$1-$x"; }; f two; cat <<EOF\n$x\nEOF', 'two-1\n1\n')
      await prints(box, 'echo hi > a.txt; cat a.txt; ls', 'hi\na.txt\n')
      await prints(box, 'false | tail -1', '', 1)
      await prints(box, 'echo "${HOME}"; pwd >/dev/null', '/home/user\n')
      const env = await box.exec('echo $A; cat; exit 3', { env: { A: 'b' }, stdin: 'in' })
      same([env.stdout, env.exitCode], ['b\nin', 3], 'env, stdin, exit code')
      await box.write('sub/x', '')
      same((await box.exec('ls', { cwd: 'sub' })).stdout, 'x\n', 'cwd')
      const missing = await box.exec('ls', { cwd: 'nowhere' })
      check(missing.exitCode !== 0 && missing.stderr.includes('nowhere'), 'a cwd that is not there')
    },
  },
  {
    name: 'lists what a command changed',
    async run(box) {
      await put(box, { 'a.txt': '1', 'b.txt': '2' })
      const result = await box.exec('echo more >> a.txt; rm b.txt; mkdir d; echo new > d/c.txt; touch a.txt; cat a.txt > /dev/null; echo t > /tmp/scratch')
      same(places(box.base, result.changed), ['~a.txt', '-b.txt', '+d/c.txt'], 'changes')
    },
  },
  {
    name: 'the commands of everyday work are there, or say that they are not',
    async run(box) {
      await put(box, { 'd/a.txt': 'one\ntwo\n', 'd/b.txt': 'one\n2\n' })
      await prints(box, 'tar czf t.tgz d && mkdir o && tar xzf t.tgz -C o && cat o/d/a.txt && tar tf t.tgz', 'one\ntwo\nd/\nd/a.txt\nd/b.txt\n')
      await prints(box, 'diff -u d/a.txt d/b.txt > p.diff; patch d/a.txt p.diff && cmp d/a.txt d/b.txt && echo same', 'patching file d/a.txt\nsame\n', 0)
      await prints(box, 'f=$(mktemp) && test -f "$f" && echo made', 'made\n')
      await prints(box, 'seq 5 | shuf | sort | tr "\\n" " "; yes | head -2; nproc; uname -s; basename "$(realpath d/../d/a.txt)"', '1 2 3 4 5 y\ny\n1\nLinux\na.txt\n')
      await prints(box, 'echo hello | gzip | gunzip; echo hi | sha256sum | cut -c1-8; echo aGk= | base64 -d', 'hello\n98ea6e4f\nhi')
      for (const name of ['git', 'python3', 'make', 'npx']) {
        const result = await box.exec(`${name} something`)
        check(result.exitCode === 127 && result.stderr.includes(`${name}: it is not in this sandbox`), `${name}: ${shown(result)}`)
      }
    },
  },
  {
    name: 'allow and deny are tried on each command as the shell is about to run it',
    async run(box) {
      await put(box, { 'a.txt': 'a', 'x.test.mjs': 'import test from "node:test"; test("t", () => {})' })
      const tests = { allow: ['node --test *'], timeoutMs: 20_000 }
      same((await box.exec('node --test x.test.mjs > /dev/null && cd . && true', tests)).exitCode, 0, 'allowed')
      for (const command of ['rm a.txt', 'echo x', 'node -e 1', 'bash -c "rm a.txt"', ': > a.txt', '> a.txt', 'node --test x.test.mjs > a.txt', 'eval rm a.txt', 'r=r; ${r}m a.txt', "$'\\x72m' a.txt", 'find . -delete', 'echo a.txt | xargs rm', './a.txt', 'env rm a.txt', 'timeout 5 rm a.txt']) {
        const result = await box.exec(command, tests)
        check(result.exitCode !== 0, `${command} ran: ${shown(result)}`)
        same(await text(box, 'a.txt'), 'a', command)
      }
      const denied = await box.exec('echo fine; command rm a.txt', { deny: ['rm *'] })
      check(denied.stdout === 'fine\n' && denied.stderr.includes('denied'), `deny: ${shown(denied)}`)
      same(await text(box, 'a.txt'), 'a', 'denied')
    },
  },
  {
    name: 'runs JavaScript: scripts, evaluation, both kinds of modules, packages of the workspace',
    async run(box) {
      await put(box, {
        'main.mjs': 'import fs, { readFileSync } from "node:fs"\nimport { join } from "node:path"\nimport cjs, { named } from "./lib.cjs"\nimport pkg from "left"\nimport data from "./data.json" with { type: "json" }\nfs.writeFileSync("out.txt", readFileSync(join(import.meta.dirname, "data.json")))\nconsole.log(cjs.named, named, pkg(2), data.n, process.argv.slice(2), await Promise.resolve("tla"))\n',
        'lib.cjs': 'exports.named = "cjs " + typeof require("fs").readFileSync\n',
        'data.json': '{ "n": 1 }',
        'node_modules/left/package.json': '{ "name": "left", "exports": { ".": { "import": "./i.mjs", "require": "./i.cjs" } } }',
        'node_modules/left/i.mjs': 'export default (n) => n * 2',
        'node_modules/left/i.cjs': 'module.exports = (n) => n * 3',
        'types.ts': 'enum Colour { Red = 1, Green }\ninterface P { name: string }\nconst p: P = { name: Colour[2]! }\nexport const say = <T,>(x: T): T => x\nconsole.log(say(p.name))\n',
        'names.ts': 'namespace A { export const x = 1 }\nconsole.log(A.x)\n',
        'fail.js': 'setTimeout(() => { throw new RangeError("late") }, 5)\n',
      })
      await prints(box, 'node main.mjs x "y z"', 'cjs function cjs function 4 1 [ \'x\', \'y z\' ] tla\n')
      same(await text(box, 'out.txt'), '{ "n": 1 }', 'written by the program')
      await prints(box, 'node -p "require(\'left\')(2)"; node -e "console.log({ a: [1, new Map([[1, 2]])] })"', "6\n{ a: [ 1, Map(1) { 1 => 2 } ] }\n")
      await prints(box, 'echo "console.log(process.argv.length)" | node - a; echo text | node -e "process.stdin.on(\'data\', d => console.log(String(d).trim().toUpperCase()))"', '3\nTEXT\n')
      await prints(box, 'tsx types.ts; node types.ts; bun run types.ts', 'Green\nGreen\nGreen\n')
      const namespaces = await box.exec('tsx names.ts')
      check(namespaces.exitCode === 1 && namespaces.stderr.includes('namespaces'), `namespaces are refused in words: ${shown(namespaces)}`)
      const late = await box.exec('node fail.js')
      check(late.exitCode === 1 && late.stderr.includes('RangeError: late'), `an error in a timer ends it: ${shown(late)}`)
      await put(box, { 'reject.js': 'async function main() {\n  await null\n  throw new TypeError("nobody waits")\n}\nmain()\n', 'caught.mjs': 'const f = async () => { throw new Error("x") }\nf().catch((e) => console.log("caught", e.message))\nPromise.resolve(1).then(console.log)\n' })
      const rejected = await box.exec('node reject.js')
      check(rejected.exitCode === 1 && rejected.stderr.includes('TypeError: nobody waits') && rejected.stderr.includes('reject.js:3'), `an unhandled rejection ends it: ${shown(rejected)}`)
      await prints(box, 'node caught.mjs', 'caught x\n1\n')
      await prints(box, 'node -e "process.exitCode = 4; setTimeout(() => console.log(1), 10)"', '1\n', 4)
      await prints(box, 'node -e "process.exit(2); console.log(1)"', '', 2)
      const syntax = await box.exec('node -e "let ="')
      check(syntax.exitCode === 1 && syntax.stderr.includes('SyntaxError'), `syntax: ${shown(syntax)}`)
      const gone = await box.exec('node gone.js; node -e "require(\'./gone\')"')
      check(gone.exitCode === 1 && gone.stderr.includes('Cannot find module') && gone.stderr.includes('MODULE_NOT_FOUND'), `missing: ${shown(gone)}`)
      const child = await box.exec('node -e "require(\'child_process\').execSync(\'ls\')"')
      check(child.exitCode === 1 && child.stderr.includes('not here'), `child_process: ${shown(child)}`)
    },
  },
  {
    name: 'node --test runs a project of three test files red, then green',
    async run(box) {
      await put(box, PROJECT)
      const red = await box.exec('node --test')
      check(red.exitCode === 1, `red: ${shown(red)}`)
      for (const line of ['TAP version 13', 'not ok 1 - adds', 'ok 2 - adds nothing', "location: '", '-1 !== 5', '# pass 2', '# fail 2', '# tests 4']) check(red.stdout.includes(line), `red lacks ${line}\n${red.stdout}${red.stderr}`)
      await prints(box, "sed -i 's/a - b/a + b/' src/add.ts", '')
      const green = await box.exec('npm test')
      check(green.exitCode === 0 && green.stdout.includes('> sums@1.0.0 test') && green.stdout.includes('# pass 4') && green.stdout.includes('# fail 0'), `green: ${shown(green)}`)
      const one = await box.exec('node --test --test-reporter=spec tests/c.test.ts')
      check(one.exitCode === 0 && one.stdout.includes('✔ joins'), `spec: ${shown(one)}`)
    },
  },
  {
    name: 'bun test runs a project of three test files red, then green, also through a pipe',
    async run(box) {
      await put(box, PROJECT)
      for (const name of ['a', 'b', 'c']) {
        const source = PROJECT[`tests/${name}.test.ts`] ?? ''
        const body = source.replace(/import .* from "node:(?:test|assert.*)"\n/g, '').replace(/assert\.(?:strictEqual|equal)\((add\([^)]*\)), ([^)]*\)?)\)/g, 'expect($1).toBe($2)').replace(/assert\.deepEqual\((\[.*?\]\)\]), (\[.*?\])\)/, 'expect($1).toEqual($2)')
        await box.write(`tests/${name}.test.ts`, `import { test, expect, describe, it } from "bun:test"\n${body}`)
      }
      const red = await box.exec('bun test 2>&1 | tail -40')
      check(red.exitCode === 1, `red: ${shown(red)}`)
      for (const part of ['tests/a.test.ts:', '(fail) adds [', '(pass) adds nothing [', 'error: expect(received).toBe(expected)', 'Expected: 5', 'Received: -1', ' 2 pass', ' 2 fail', 'Ran 4 tests across 3 files.']) check(red.stdout.includes(part), `red lacks ${part}\n${red.stdout}`)
      await box.write('src/add.ts', 'export const add = (a: number, b: number) => a + b\n')
      const green = await box.exec('bun test')
      check(green.exitCode === 0 && green.stderr.includes(' 4 pass') && green.stderr.includes(' 0 fail'), `green: ${shown(green)}`)
      const named = await box.exec('bun test tests/c.test.ts')
      check(named.exitCode === 0 && named.stderr.includes('Ran 1 test across 1 file.'), `named: ${shown(named)}`)
      const none = await box.exec('bun test nothing')
      check(none.exitCode === 1 && none.stderr.includes('did not match'), `none: ${shown(none)}`)
    },
  },
  {
    name: 'programs keep to the rules of the handle that runs them, and have no network',
    async run(box) {
      await put(box, { 'in/a.test.ts': 't', 'in/w.cjs': 'for (const f of process.argv.slice(2)) try { require("fs").writeFileSync(f, "x"); console.log("wrote", f) } catch (e) { console.log(e.code) }', 'out/b': 'b' })
      const inner = box.open({ roots: ['in'], protect: ['*.test.ts'] })
      same((await inner.exec('node w.cjs a.test.ts ../out/b new.txt A.TEST.TS', { cwd: 'in' })).stdout, 'EACCES\nEACCES\nwrote new.txt\nEACCES\n', 'writes')
      same([await text(box, 'in/a.test.ts'), await text(box, 'out/b')], ['t', 'b'], 'contents')
      const fetched = await box.exec('node -e "fetch(\'https://example.com\').catch(e => console.log(e.message))"; curl https://example.com')
      check(fetched.stdout.includes('no network') && fetched.exitCode !== 0, `network: ${shown(fetched)}`)
    },
  },
  {
    name: 'time limits hold for busy loops, and say so with exit code 124',
    async run(box) {
      const busy = ['while true; do :; done', 'node -e "while(true){}"', 'node -e "(async()=>{for(;;) await null})()"', 'node -e "/^(a+)+$/.test(\'a\'.repeat(40)+\'!\')"', 'sleep 30', 'node -e "setInterval(()=>{},1000)"', 'yes | while read x; do :; done; while true; do bash -c "true"; done']
      for (const command of busy) {
        const started = performance.now()
        const result = await box.exec(command, { timeoutMs: 400 })
        check(result.exitCode === 124 && result.limit === 'time', `${command}: ${shown(result)}`)
        check(/it ran longer than its 400 ms\.\n$/.test(result.stderr), `${command}: words ${shown(result)}`)
        check(performance.now() - started < 6000, `${command}: took ${performance.now() - started} ms`)
      }
      await prints(box, 'echo still here', 'still here\n')
    },
  },
  {
    name: 'limits on memory, output and files hold, in words',
    async run(box) {
      const big = await box.exec('node -e "const s = \'x\'.repeat(1e9)"', { timeoutMs: 60_000 })
      check(big.exitCode !== 0 && big.limit === 'memory' && big.stderr.includes('memory'), `repeat: ${shown(big)}`)
      const hoard = await box.exec('node -e "const a = []; for (;;) a.push(new Uint8Array(1e6))"', { timeoutMs: 60_000 })
      check(hoard.exitCode !== 0 && hoard.stderr.includes('memory'), `hoard: ${shown(hoard)}`)
      const loud = await box.exec('node -e "for (;;) console.log(\'y\'.repeat(1e6))"', { timeoutMs: 60_000 })
      check(loud.exitCode !== 0 && loud.limit === 'output' && loud.stdout.length < 2e6, `output: ${loud.exitCode} ${loud.limit} ${loud.stdout.length}`)
      const long = await box.exec('seq 1 400000', { timeoutMs: 60_000 })
      check(long.stdout.includes('characters were cut here') && long.stdout.endsWith('400000\n') && long.stdout.length < 1.2e6, `cut: ${long.stdout.length}`)
      const bomb = await box.exec('f() { f | f & }; f', { timeoutMs: 5000 })
      check(bomb.exitCode !== 0, `bomb: ${shown(bomb)}`)
    },
  },
  {
    name: 'a stopped command ends within a second and keeps what was done before',
    async run(box) {
      for (const command of ['echo kept > kept.txt; sleep 30', 'echo kept > kept.txt; node -e "setTimeout(() => {}, 30000)"']) {
        const controller = new AbortController()
        const run = box.exec(command, { signal: controller.signal, timeoutMs: 30_000 })
        await new Promise((resolve) => setTimeout(resolve, 1500))
        const stopped = performance.now()
        controller.abort()
        const result = await run
        check(performance.now() - stopped < 1000, `${command}: ${performance.now() - stopped} ms`)
        check(result.limit === 'cancelled' && result.exitCode === 130 && result.stderr.includes('stopped'), `${command}: ${shown(result)}`)
        same(await text(box, 'kept.txt'), 'kept\n', command)
        await box.remove('kept.txt')
      }
      await prints(box, 'echo again', 'again\n')
    },
  },
]

/** Only where the engine has a thread of its own: a busy command in this thread can't be told anything. */
export const workerCases: SandboxCase[] = [
  {
    name: 'a busy command is stopped within a second, and files written meanwhile are not lost',
    async run(box) {
      await prints(box, 'echo warm', 'warm\n')
      for (const command of ['while true; do :; done', 'node -e "for(;;);"', 'node -e "/^(a+)+$/.test(\'a\'.repeat(50)+\'!\')"']) {
        const controller = new AbortController()
        const run = box.exec(`echo before > before.txt; sleep 0.1; ls > /dev/null; ${command}`, { signal: controller.signal, timeoutMs: 30_000 })
        await box.write('meanwhile.txt', 'here')
        await new Promise((resolve) => setTimeout(resolve, 700))
        const stopped = performance.now()
        controller.abort()
        const result = await run
        check(performance.now() - stopped < 1000, `${command}: ${performance.now() - stopped} ms`)
        same([result.limit, result.exitCode], ['cancelled', 130], command)
        same([await text(box, 'before.txt'), await text(box, 'meanwhile.txt')], ['before\n', 'here'], command)
        await prints(box, 'cat before.txt meanwhile.txt; rm before.txt', 'before\nhere')
      }
    },
  },
]
