import { test } from 'vitest'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
test('try', async () => {
  const t0 = performance.now()
  const box = memorySandbox({ files: { '/p/add.ts': 'export function add(a: number, b: number): number { return a - b }\n', '/p/add.test.ts': `import { test, expect } from "bun:test"
import { add } from "./add"
test("adds", () => { expect(add(1, 2)).toBe(3) })
test("zero", () => { expect(add(1, 0)).toBe(1) })
`, '/p/n.test.mjs': `import test, { describe, it } from 'node:test';
import assert from 'node:assert/strict';
test('adds', () => { assert.equal(1 + 1, 2); });
test('fails', () => { assert.equal(1, 2); });
test('deep', () => { assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }); });
test('throws', async () => { throw new TypeError('boom'); });
describe('suite', () => { it('inner', () => {}); it('inner fails', () => { assert.ok(false); }); });
test('sub', async (t) => { await t.test('one', () => {}); t.diagnostic('hello'); });
` } })
  const run = async (c: string, o = {}) => { const t = performance.now(); const r = await box.exec(c, { cwd: '/p', ...o }); console.log('$ ' + c + '\n' + r.stdout + (r.stderr ? '[stderr] ' + r.stderr : '') + '[exit ' + r.exitCode + (r.limit ? ' limit ' + r.limit : '') + '] ' + Math.round(performance.now() - t) + ' ms ' + JSON.stringify(r.changed.map((c) => c.path))); return r }
  await run('echo hi; pwd; ls -la; echo x > new.txt; cat new.txt')
  console.log('first', performance.now() - t0)
  await run('node -e "console.log(1+1, process.version, {a:[1,2,{b:new Map([[1,2]])}]})"')
  await run('node -p "6*7"')
  await run('bun test 2>&1 | tail -40')
  await run("sed -i 's/a - b/a + b/' add.ts && bun test")
  await run('node --test n.test.mjs')
  await run('node nothere.js')
  await run('git status; python3 x; make')
  await run('node -e "while(true){}"', { timeoutMs: 500 })
  await run('while true; do :; done', { timeoutMs: 500 })
  await run(`node -e "'x'.repeat(1e9)"`, { timeoutMs: 3000 })
  await run(`node -e "const a=[]; for(;;) a.push(new Array(1e5).fill(1))"`, { timeoutMs: 9000 })
  await run(`node -e "for(;;) console.log('y'.repeat(1e5))"`, { timeoutMs: 9000 })
  await run(`f() { f | f & }; f`, { timeoutMs: 3000 })
}, 60000)
