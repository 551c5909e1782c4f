/** node:assert, node:test and bun:test. */
export const assert = String.raw`
var util = require('util'), inspect = util.inspect, same = util._isDeepEqual;
function show(v) { return inspect(v, { compact: false, sorted: true, depth: 1000, maxArrayLength: Infinity, maxStringLength: Infinity }); }
class AssertionError extends Error {
  constructor(o) { super(String(o.message)); Object.defineProperty(this, 'name', { value: 'AssertionError', configurable: true, writable: true }); this.generatedMessage = !!o.generated; this.code = 'ERR_ASSERTION'; this.actual = o.actual; this.expected = o.expected; this.operator = o.operator; }
}
function diffLines(a, b) {
  var n = a.length, m = b.length;
  if (n * m > 4e6) return a.map(function (l) { return '+ ' + l; }).concat(b.map(function (l) { return '- ' + l; }));
  var t = []; for (var i = 0; i <= n; i++) t.push(new Uint16Array(m + 1));
  for (i = n - 1; i >= 0; i--) for (var j = m - 1; j >= 0; j--) t[i][j] = a[i] === b[j] ? t[i + 1][j + 1] + 1 : Math.max(t[i + 1][j], t[i][j + 1]);
  var out = []; i = j = 0;
  while (i < n || j < m) { if (i < n && j < m && a[i] === b[j]) { out.push('  ' + a[i]); i++; j++; } else if (i < n && (j >= m || t[i + 1][j] >= t[i][j + 1])) out.push('+ ' + a[i++]); else out.push('- ' + b[j++]); }
  return out;
}
function comma(lines) { return lines; }
function shortened(lines) {
  if (lines.length <= 50) return lines;
  var keep = lines.map(function (l, i) { for (var k = Math.max(0, i - 2); k <= Math.min(lines.length - 1, i + 2); k++) if (lines[k][0] !== ' ') return true; return false; }), out = [];
  lines.forEach(function (l, i) { if (keep[i]) out.push(l); else if (i === 0 || keep[i - 1]) out.push('...'); });
  return out.slice(0, 200);
}
function difference(a, b) { return '+ actual - expected\n\n' + shortened(diffLines(show(a).split('\n'), show(b).split('\n'))).join('\n'); }
function fail(actual, expected, message, operator, made) { if (message instanceof Error) throw message; throw new AssertionError({ message: message !== undefined ? message : made, generated: message === undefined, actual: actual, expected: expected, operator: operator }); }
function primitive(v) { return (typeof v !== 'object' && typeof v !== 'function') || v === null; }
function caller() { var at = /\(?(\/[^\s():]+):(\d+)(?::(\d+))?\)?/.exec(String(new Error().stack).split('\n').filter(function (l) { return !/node:|<boot>|native/.test(l); }).join('\n')); var line = at && internal.host('line', at[1], +at[2]); if (line == null) return null; var m = /assert(?:\.\w+)*\s*\([\s\S]*\)/.exec(line); return m ? balanced(m[0]) : null; }
function balanced(s) { var d = 0; for (var i = 0; i < s.length; i++) { if (s[i] === '(') d++; else if (s[i] === ')' && --d === 0) return s.slice(0, i + 1); } return s; }
function ok(v, message) {
  if (v) return;
  if (arguments.length === 0) fail(v, true, undefined, '==', 'No value argument passed to ' + String.fromCharCode(96) + 'assert.ok()' + String.fromCharCode(96));
  var text = message === undefined ? caller() : null;
  fail(v, true, message, '==', text ? 'The expression evaluated to a falsy value:\n\n  ' + text + '\n' : 'The expression evaluated to a falsy value');
}
function strictEqual(a, b, m) {
  if (Object.is(a, b)) return;
  var made;
  if (primitive(a) && primitive(b)) { var x = inspect(a), y = inspect(b); made = 'Expected values to be strictly equal:\n' + (x.length + y.length > 60 || /\n/.test(x + y) || (typeof a === 'string' && typeof b === 'string' && x.length + y.length > 10 && (a.length > 5 || b.length > 5)) ? '+ actual - expected\n\n+ ' + x + '\n- ' + y : '\n' + x + ' !== ' + y + '\n'); }
  else if (same(a, b, true)) made = 'Values have same structure but are not reference-equal:\n\n' + show(a) + '\n';
  else made = 'Expected values to be strictly equal:\n' + difference(a, b);
  fail(a, b, m, 'strictEqual', made);
}
function matches(e, expected, message, fn) {
  if (expected === undefined) return;
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && e instanceof expected) return;
    if (Error.isPrototypeOf(expected) || expected === Error) fail(e, expected, message, fn, 'The error is expected to be an instance of "' + expected.name + '". Received ' + (e instanceof Error ? '"' + e.constructor.name + '"\n\nError message:\n\n' + e.message : inspect(e)));
    if (expected.call({}, e) === true) return;
    fail(e, expected, message, fn, 'The ' + (expected.name ? '"' + expected.name + '" ' : '') + 'validation function is expected to return "true". Received ' + inspect(expected.call({}, e)) + '\n\nCaught error:\n\n' + inspect(e));
  }
  if (expected instanceof RegExp) { if (expected.test(String(e))) return; fail(e, expected, message, fn, 'The input did not match the regular expression ' + inspect(expected) + '. Input:\n\n' + inspect(String(e)) + '\n'); }
  if (typeof expected === 'object') { var keys = Object.keys(expected); if (expected instanceof Error) keys.push('name', 'message'); keys.forEach(function (k) { if (expected[k] instanceof RegExp && typeof e[k] === 'string' ? !expected[k].test(e[k]) : !same(e[k], expected[k], true)) fail(e, expected, message, fn, 'Expected values to be strictly deep-equal:\n' + difference(pick(e, keys), pick(expected, keys))); }); }
}
function pick(o, keys) { var r = {}; keys.forEach(function (k) { if (o && k in Object(o)) r[k] = o[k]; }); return r; }
function missing(expected, message, word) { if (typeof expected === 'string') { message = expected; expected = undefined; } fail(undefined, expected, undefined, word === 'rejection' ? 'rejects' : 'throws', 'Missing expected ' + word + (expected && expected.name ? ' (' + expected.name + ').' : message ? ': ' + message : '.')); }
var assert = function (v, m) { if (!arguments.length) return ok(); ok(v, m); };
var api = {
  ok: ok, AssertionError: AssertionError,
  fail: function (m) { fail(undefined, undefined, m, 'fail', 'Failed'); },
  equal: function (a, b, m) { if (!(a == b || (a !== a && b !== b))) fail(a, b, m, '==', inspect(a) + ' == ' + inspect(b)); },
  notEqual: function (a, b, m) { if (a == b) fail(a, b, m, '!=', inspect(a) + ' != ' + inspect(b)); },
  strictEqual: strictEqual,
  notStrictEqual: function (a, b, m) { if (Object.is(a, b)) fail(a, b, m, 'notStrictEqual', 'Expected "actual" to be strictly unequal to: ' + inspect(b)); },
  deepEqual: function (a, b, m) { if (!same(a, b, false)) fail(a, b, m, 'deepEqual', 'Expected values to be loosely deep-equal:\n\n' + show(a) + '\n\nshould loosely deep-equal\n\n' + show(b)); },
  notDeepEqual: function (a, b, m) { if (same(a, b, false)) fail(a, b, m, 'notDeepEqual', 'Expected "actual" not to be loosely deep-equal to: ' + show(b)); },
  deepStrictEqual: function (a, b, m) { if (!same(a, b, true)) fail(a, b, m, 'deepStrictEqual', 'Expected values to be strictly deep-equal:\n' + difference(a, b)); },
  notDeepStrictEqual: function (a, b, m) { if (same(a, b, true)) fail(a, b, m, 'notDeepStrictEqual', 'Expected "actual" not to be strictly deep-equal to: ' + show(b)); },
  match: function (s, r, m) { if (typeof s !== 'string' || !r.test(s)) fail(s, r, m, 'match', typeof s !== 'string' ? 'The "string" argument must be of type string. Received ' + inspect(s) : 'The input did not match the regular expression ' + inspect(r) + '. Input:\n\n' + inspect(s) + '\n'); },
  doesNotMatch: function (s, r, m) { if (typeof s === 'string' && r.test(s)) fail(s, r, m, 'doesNotMatch', 'The input was expected to not match the regular expression ' + inspect(r) + '. Input:\n\n' + inspect(s) + '\n'); },
  throws: function (fn, expected, m) { if (typeof fn !== 'function') throw new TypeError('The "fn" argument must be of type function. Received ' + inspect(fn)); var e, threw = false; try { fn(); } catch (x) { threw = true; e = x; } if (!threw) missing(expected, m, 'exception'); if (typeof expected !== 'string') matches(e, expected, m, 'throws'); },
  doesNotThrow: function (fn, m) { try { fn(); } catch (e) { fail(e, undefined, typeof m === 'string' ? m : undefined, 'doesNotThrow', 'Got unwanted exception.\nActual message: "' + (e && e.message) + '"'); } },
  rejects: async function (p, expected, m) { var e, threw = false; try { await (typeof p === 'function' ? p() : p); } catch (x) { threw = true; e = x; } if (!threw) missing(expected, m, 'rejection'); if (typeof expected !== 'string') matches(e, expected, m, 'rejects'); },
  doesNotReject: async function (p, m) { try { await (typeof p === 'function' ? p() : p); } catch (e) { fail(e, undefined, typeof m === 'string' ? m : undefined, 'doesNotReject', 'Got unwanted rejection.\nActual message: "' + (e && e.message) + '"'); } },
  ifError: function (e) { if (e !== null && e !== undefined) throw e instanceof Error ? new AssertionError({ message: 'ifError got unwanted exception: ' + e.message, actual: e, expected: null, operator: 'ifError', generated: true }) : new AssertionError({ message: 'ifError got unwanted exception: ' + inspect(e), actual: e, expected: null, operator: 'ifError', generated: true }); },
};
Object.assign(assert, api);
assert.strict = Object.assign(function (v, m) { if (!arguments.length) return ok(); ok(v, m); }, api, { equal: api.strictEqual, notEqual: api.notStrictEqual, deepEqual: api.deepStrictEqual, notDeepEqual: api.notDeepStrictEqual });
assert.strict.strict = assert.strict;
module.exports = assert;
`
export const assertStrict = String.raw`module.exports = require('assert').strict;`

/** Functions that record their calls, for node:test's mock and bun:test's. */
const mocks = String.raw`
function recorder(impl, wrap) {
  var once = [], calls = [];
  function fn() {
    var args = Array.prototype.slice.call(arguments), call = { arguments: args, this: this, stack: new Error(), target: new.target, result: undefined, error: undefined }, f = once.length ? once.shift() : current;
    try { call.result = f ? (new.target ? Reflect.construct(f, args, new.target) : f.apply(this, args)) : undefined; return call.result; } catch (e) { call.error = e; throw e; } finally { calls.push(call); }
  }
  var current = impl;
  return wrap(fn, { calls: calls, set: function (f) { current = f; }, once: function (f) { once.push(f); }, reset: function () { calls.length = 0; once.length = 0; }, get: function () { return current; } });
}
`

export const test = mocks + String.raw`
var host = internal.host, process = require('process'), boot = internal.boot, util = require('util');
var options = boot.testOptions || {}, only = !!options.only, names = (options.names || []).map(function (n) { var m = /^\/(.*)\/(\w*)$/.exec(n); return m ? new RegExp(m[1], m[2]) : new RegExp(n); });
function location() { var lines = String(new Error().stack).split('\n'); for (var i = 0; i < lines.length; i++) { var m = /\(?(\/[^\s():]+):(\d+)(?::(\d+))?\)?/.exec(lines[i]); if (m && !/node:/.test(lines[i])) return { file: m[1], line: +m[2], column: +(m[3] || 1) }; } return null; }
function Node(parent, kind, name, opts, fn, at) { this.parent = parent; this.kind = kind; this.name = name; this.opts = opts; this.fn = fn; this.at = at; this.children = []; this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] }; this.result = { name: name, type: kind === 'suite' ? 'suite' : 'test', ok: true, ms: 0, location: at, children: [], diagnostics: [], skip: opts.skip, todo: opts.todo }; }
var root = new Node(null, 'root', '<root>', {}, null, null), current = root, running = false, finished = false, active = [];
function args(a) { a = Array.prototype.slice.call(a); var fn = a.find(function (x) { return typeof x === 'function'; }), o = a.find(function (x) { return x && typeof x === 'object'; }) || {}; return { name: typeof a[0] === 'string' ? a[0] : (fn && fn.name) || '<anonymous>', opts: Object.assign({}, o), fn: fn }; }
function declare(kind, a, extra) {
  var p = args(a), node = new Node(current, kind, p.name, Object.assign(p.opts, extra), p.fn, location());
  current.children.push(node); node.done = new Promise(function (r) { node.finish = r; });
  if (kind === 'suite' && node.fn && !node.opts.skip) { var saved = current; current = node; try { var r = node.fn(node); if (r && r.then) { node.collecting = r.catch(function (e) { node.failed = e; }); } } catch (e) { node.failed = e; } current = saved; }
  return node.done;
}
function make(kind) { var f = function () { return declare(kind, arguments); }; f.skip = function () { return declare(kind, arguments, { skip: true }); }; f.todo = function () { return declare(kind, arguments, { todo: true }); }; f.only = function () { return declare(kind, arguments, { only: true }); }; return f; }
function hook(name) { return function (fn) { (current || root).hooks[name].push(fn); }; }
async function call(fn, node, ctx) {
  var limit = node.opts.timeout === undefined || node.opts.timeout === null || node.opts.timeout === Infinity ? 0 : node.opts.timeout, timer;
  var work = fn.length > 1 && fn !== ctx ? new Promise(function (ok, no) { var r = fn.call(ctx, ctx, function (e) { if (e) no(e); else ok(); }); if (r && r.then) no(Object.assign(new Error('passed a callback but also returned a Promise'), { code: 'ERR_TEST_FAILURE' })); }) : Promise.resolve(fn.call(ctx, ctx));
  if (!limit) return work;
  try { return await Promise.race([work, new Promise(function (_, no) { timer = internal.timers.setTimeout(function () { no(Object.assign(new Error('test timed out after ' + limit + 'ms'), { failureType: 'testTimeoutFailure', code: 'ERR_TEST_FAILURE' })); }, limit); })]); } finally { internal.timers.clearTimeout(timer); }
}
function failure(e, type) {
  var isError = e instanceof Error, out = { failureType: (e && e.failureType) || type || 'testCodeFailure', message: isError ? e.message : util.inspect(e), code: (isError && e.code) || 'ERR_TEST_FAILURE', name: isError ? e.name : undefined, stack: isError ? util._stackOf(e).split('\n').filter(function (l) { return /^\s+at /.test(l); }).map(function (l) { return l.trim().replace(/^at /, ''); }) : [], inspected: util.inspect(e) };
  if (isError && e.code === 'ERR_ASSERTION') { out.assertion = true; out.operator = e.operator; out.expected = plain(e.expected, 0); out.actual = plain(e.actual, 0); }
  return out;
}
function plain(v, depth) { if (v === undefined) return { u: 1 }; if (typeof v === 'number' && !isFinite(v)) return { s: String(v) }; if (typeof v === 'bigint' || typeof v === 'symbol' || typeof v === 'function') return { s: util.inspect(v) }; if (typeof v !== 'object' || v === null) return { v: v }; if (depth > 6) return { s: util.inspect(v, { depth: 0 }) }; if (v instanceof RegExp || v instanceof Error || v instanceof Date || v instanceof Map || v instanceof Set) return { s: util.inspect(v) }; return { o: Object.keys(v).slice(0, 100).map(function (k) { return [k, plain(v[k], depth + 1)]; }) }; }
function chain(node, name) { var out = []; for (var n = node; n; n = n.parent) out.unshift.apply(out, n.hooks[name]); return out; }
function selected(node) { if (names.length && node.kind !== 'suite' && !(function up(n) { return n && n.kind !== 'root' && (names.some(function (r) { return r.test(n.name); }) || up(n.parent)); })(node)) return false; if (only && node.kind !== 'suite') { for (var n = node; n; n = n.parent) if (n.opts.only) return true; return false; } return true; }
function anySelected(node) { return node.kind !== 'suite' ? selected(node) : node.children.some(anySelected); }
async function runChildren(node) {
  var limit = node.opts.concurrency === true ? Infinity : node.opts.concurrency || 1, started = 0;
  for (var i = 0; i < node.children.length; i++) { if (limit > 1 && limit !== 1) { var batch = node.children.slice(i, i + (limit === Infinity ? node.children.length : limit)); await Promise.all(batch.map(runNode)); i += batch.length - 1; } else await runNode(node.children[i]); }
}
async function runNode(node) {
  if (!anySelected(node)) { node.finish(); return; }
  var started = host('now'), r = node.result, parent = node.parent;
  if (parent) parent.result.children.push(r);
  active.push(node);
  try {
    if (node.opts.skip) return;
    if (!node.fn && node.kind !== 'suite') return;
    if (node.kind === 'suite') {
      if (node.collecting) await node.collecting;
      if (node.failed) throw node.failed;
      for (var b of node.hooks.before) await b.call(node, node);
      await runChildren(node);
      for (var a of node.hooks.after) await a.call(node, node);
    } else {
      var ctx = context(node);
      try {
        for (var be of chain(parent, 'beforeEach')) await be.call(ctx, ctx);
        await call(node.fn, node, ctx);
        await runChildren(node);
      } finally {
        for (var ae of chain(parent, 'afterEach').concat(node.hooks.after)) await ae.call(ctx, ctx);
        mock.restoreAll(node);
      }
    }
    var bad = r.children.filter(function (c) { return !c.ok && !c.todo; });
    if (bad.length) { r.ok = false; r.error = { failureType: 'subtestsFailed', message: bad.length + ' subtest' + (bad.length > 1 ? 's' : '') + ' failed', code: 'ERR_TEST_FAILURE', stack: [] }; }
  } catch (e) { r.ok = false; r.error = failure(e); }
  finally { r.ms = host('now') - started; active.splice(active.indexOf(node), 1); node.finish(); }
}
function context(node) {
  var ctx = { name: node.name, get fullName() { return node.name; }, signal: new AbortController().signal, diagnostic: function (m) { node.result.diagnostics.push(String(m)); }, skip: function (m) { node.result.skip = m || true; }, todo: function (m) { node.result.todo = m || true; }, plan: function (n) { node.plan = n; }, runOnly: function () {}, mock: mock, assert: require('assert'),
    before: function (f) { return Promise.resolve(f(ctx)); }, after: function (f) { node.hooks.after.push(f); }, beforeEach: function (f) { node.hooks.beforeEach.push(f); }, afterEach: function (f) { node.hooks.afterEach.push(f); },
    test: function () { var p = args(arguments), child = new Node(node, 'test', p.name, p.opts, p.fn, location()); child.done = new Promise(function (x) { child.finish = x; }); var turn = (node.turn || Promise.resolve()).then(function () { return runNode(child); }); node.turn = turn; node.pendingSubtests = turn; return turn; } };
  return ctx;
}
var restores = [];
var mock = {
  fn: function (original, impl) { if (original && typeof original === 'object') { impl = undefined; original = undefined; } return recorder(impl || original || function () {}, function (fn, c) { fn.mock = { calls: c.calls, get callCount() { return function () { return c.calls.length; }; }, resetCalls: function () { c.calls.length = 0; }, mockImplementation: function (f) { c.set(f); }, mockImplementationOnce: function (f) { c.once(f); }, restore: function () { c.set(original || function () {}); } }; return fn; }); },
  method: function (object, name, impl, o) { if (impl && typeof impl === 'object') impl = undefined; var original = object[name], had = Object.prototype.hasOwnProperty.call(object, name), fn = mock.fn(original, impl || original); object[name] = fn; var restore = function () { if (had) object[name] = original; else delete object[name]; }; fn.mock.restore = restore; restores.push(restore); return fn; },
  getter: function (o, n, impl) { var d = Object.getOwnPropertyDescriptor(o, n), fn = mock.fn(d && d.get, impl); Object.defineProperty(o, n, { get: fn, configurable: true }); restores.push(function () { Object.defineProperty(o, n, d); }); return fn; },
  reset: function () { restores.splice(0).reverse().forEach(function (f) { f(); }); }, restoreAll: function () { restores.splice(0).reverse().forEach(function (f) { f(); }); },
  timers: { enable: function () { throw new Error('mock.timers is not here.'); }, reset: function () {} }, module: function () { throw new Error('mock.module is not here.'); },
};
var test = make('test'), describe = make('suite');
Object.assign(test, { test: test, it: test, describe: describe, suite: describe, before: hook('before'), after: hook('after'), beforeEach: hook('beforeEach'), afterEach: hook('afterEach'), mock: mock, default: test, run: undefined });
function count(r, totals) { r.children.forEach(function (c) { if (c.type === 'suite') totals.suites++; else { totals.tests++; } count(c, totals); }); }
function report() { if (finished) return; finished = true; var failed = root.result.children.some(function (c) { return !c.ok && !c.todo; }); host('tests', root.result.children, root.result.diagnostics); if (failed && !process.exitCode) process.exitCode = 1; }
Object.defineProperty(test, '_internal', { value: {
  run: async function () { running = true; var at = 0; try { for (var b of root.hooks.before) await b(); while (at < root.children.length) await runNode(root.children[at++]); for (var a of root.hooks.after) await a(); } catch (e) { root.result.children.push({ name: '<hook>', type: 'test', ok: false, ms: 0, children: [], diagnostics: [], error: failure(e, 'hookFailed') }); } report(); },
  abandon: function () { if (finished || !running) return; active.slice().reverse().forEach(function (n) { n.result.ok = false; n.result.cancelled = true; n.result.error = { failureType: 'cancelledByParent', message: 'Promise resolution is still pending but the event loop has already resolved', code: 'ERR_TEST_FAILURE', stack: [] }; }); report(); },
} });
module.exports = test;
`

export const bunTest = mocks + String.raw`
var host = internal.host, util = require('util'), boot = internal.boot, options = boot.testOptions || {};
var inspect = function (v) { return util.inspect(v, { depth: 8, compact: false, sorted: false }).replace(/'((?:[^'\\]|\\.)*)'/g, function (m, s) { return s.indexOf('"') < 0 ? '"' + s.replace(/\\'/g, "'") + '"' : m; }).replace(/([^\s,{[(])\n(\s*[}\]])/g, '$1,\n$2'); };
var names = (options.names || []).map(function (n) { return new RegExp(n); });
// ---- equality
function Asymmetric(name, test, shown) { this.name = name; this.test = test; this.shown = shown; }
Asymmetric.prototype[Symbol.for('nodejs.util.inspect.custom')] = function () { return this.shown || this.name; };
function equal(a, b, strict, memo) {
  if (b instanceof Asymmetric) return b.test(a); if (a instanceof Asymmetric) return a.test(b);
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  memo = memo || []; for (var i = 0; i < memo.length; i++) if (memo[i][0] === a && memo[i][1] === b) return true;
  memo.push([a, b]);
  try {
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (a instanceof Date) return Object.is(+a, +b); if (a instanceof RegExp) return String(a) === String(b);
    if (a instanceof Error) return a.message === b.message && a.name === b.name;
    if (a instanceof Number || a instanceof String || a instanceof Boolean) return Object.is(a.valueOf(), b.valueOf());
    if (a instanceof ArrayBuffer) { a = new Uint8Array(a); b = new Uint8Array(b); }
    if (ArrayBuffer.isView(a)) { if (a.length !== b.length) return false; for (var j = 0; j < a.length; j++) if (!Object.is(a[j], b[j])) return false; return true; }
    if (a instanceof Set) { if (a.size !== b.size) return false; var left = Array.from(b); return Array.from(a).every(function (x) { var at = left.findIndex(function (y) { return equal(x, y, strict, memo); }); if (at < 0) return false; left.splice(at, 1); return true; }); }
    if (a instanceof Map) { if (a.size !== b.size) return false; var pairs = Array.from(b); return Array.from(a).every(function (x) { var at = pairs.findIndex(function (y) { return equal(x[0], y[0], strict, memo) && equal(x[1], y[1], strict, memo); }); if (at < 0) return false; pairs.splice(at, 1); return true; }); }
    if (Array.isArray(a) && a.length !== b.length) return false;
    var own = function (o) { return Object.keys(o).concat(Object.getOwnPropertySymbols(o).filter(function (s) { return Object.prototype.propertyIsEnumerable.call(o, s); })).filter(function (k) { return strict || o[k] !== undefined; }); };
    var ka = own(a), kb = own(b);
    return ka.length === kb.length && ka.every(function (k) { return Object.prototype.hasOwnProperty.call(b, k) && equal(a[k], b[k], strict, memo); });
  } finally { memo.pop(); }
}
function subset(a, b) { if (b instanceof Asymmetric) return b.test(a); if (Array.isArray(b)) return Array.isArray(a) && a.length === b.length && b.every(function (x, i) { return subset(a[i], x); }); if (typeof b === 'object' && b !== null && !(b instanceof Date) && !(b instanceof RegExp) && !(b instanceof Set) && !(b instanceof Map)) return typeof a === 'object' && a !== null && Object.keys(b).every(function (k) { return k in a && subset(a[k], b[k]); }); return equal(a, b, false); }
// ---- expect
var expects = 0, promised = null;
function Expectation(actual, not, mode) { this.actual = actual; this._not = not; this._mode = mode; }
function failed(message) { var e = new Error(message); Object.defineProperty(e, '_expect', { value: true }); throw e; }
function at(path) { return Array.isArray(path) ? path : String(path).replace(/\[(\w+)\]/g, '.$1').split('.').filter(Boolean); }
function lines(expected, received) { return '\n\nExpected: ' + expected + '\nReceived: ' + received + '\n'; }
function diff(a, b) { var x = inspect(b).split('\n'), y = inspect(a).split('\n'); if (x.length * y.length > 1e6) return ''; var n = x.length, m = y.length, t = []; for (var i = 0; i <= n; i++) t.push(new Uint16Array(m + 1)); for (i = n - 1; i >= 0; i--) for (var j = m - 1; j >= 0; j--) t[i][j] = x[i] === y[j] ? t[i + 1][j + 1] + 1 : Math.max(t[i + 1][j], t[i][j + 1]); var out = [], minus = 0, plus = 0; i = j = 0; while (i < n || j < m) { if (i < n && j < m && x[i] === y[j]) { out.push('  ' + x[i]); i++; j++; } else if (i < n && (j >= m || t[i + 1][j] >= t[i][j + 1])) { out.push('- ' + x[i++]); minus++; } else { out.push('+ ' + y[j++]); plus++; } } return '\n\n' + out.join('\n') + '\n\n- Expected  - ' + minus + '\n+ Received  + ' + plus + '\n'; }
var matchers = {
  toBe: function (a, b) { return [Object.is(a, b), function (not) { return typeof a === 'object' && typeof b === 'object' && a && b && !not ? diff(a, b) + (equal(a, b, true) ? '\nIf this test should pass, replace "toBe" with "toEqual" or "toStrictEqual"' : '') : lines((not ? 'not ' : '') + inspect(b), inspect(a)); }]; },
  toEqual: function (a, b) { return [equal(a, b, false), structural(a, b)]; },
  toStrictEqual: function (a, b) { return [equal(a, b, true), structural(a, b)]; },
  toMatchObject: function (a, b) { return [subset(a, b), structural(a, b)]; },
  toBeTruthy: function (a) { return [!!a, received(a)]; }, toBeFalsy: function (a) { return [!a, received(a)]; },
  toBeNull: function (a) { return [a === null, received(a)]; }, toBeUndefined: function (a) { return [a === undefined, received(a)]; }, toBeDefined: function (a) { return [a !== undefined, received(a)]; }, toBeNaN: function (a) { return [a !== a, received(a)]; }, toBeNil: function (a) { return [a == null, received(a)]; },
  toBeTrue: function (a) { return [a === true, received(a)]; }, toBeFalse: function (a) { return [a === false, received(a)]; },
  toBeGreaterThan: function (a, b) { return [a > b, bound('>', a, b)]; }, toBeGreaterThanOrEqual: function (a, b) { return [a >= b, bound('>=', a, b)]; }, toBeLessThan: function (a, b) { return [a < b, bound('<', a, b)]; }, toBeLessThanOrEqual: function (a, b) { return [a <= b, bound('<=', a, b)]; },
  toBeWithin: function (a, x, y) { return [a >= x && a < y, received(a)]; },
  toBeCloseTo: function (a, b, d) { d = d === undefined ? 2 : d; return [a === b || Math.abs(a - b) < Math.pow(10, -d) / 2, function () { return lines(inspect(b), inspect(a)) + 'Expected precision: ' + d + '\nExpected difference: < ' + Math.pow(10, -d) / 2 + '\nReceived difference: ' + Math.abs(a - b) + '\n'; }]; },
  toBeInstanceOf: function (a, C) { return [a instanceof C, function (not) { return '\n\nExpected constructor: ' + (not ? 'not ' : '') + C.name + '\nReceived value: ' + inspect(a) + '\n'; }]; },
  toBeTypeOf: function (a, t) { return [typeof a === t, function () { return lines('type ' + inspect(t), inspect(a)); }]; },
  toBeArray: function (a) { return [Array.isArray(a), received(a)]; }, toBeArrayOfSize: function (a, n) { return [Array.isArray(a) && a.length === n, received(a)]; }, toBeObject: function (a) { return [typeof a === 'object' && a !== null, received(a)]; }, toBeFunction: function (a) { return [typeof a === 'function', received(a)]; }, toBeString: function (a) { return [typeof a === 'string', received(a)]; }, toBeNumber: function (a) { return [typeof a === 'number', received(a)]; }, toBeBoolean: function (a) { return [typeof a === 'boolean', received(a)]; }, toBeInteger: function (a) { return [Number.isInteger(a), received(a)]; }, toBeFinite: function (a) { return [Number.isFinite(a), received(a)]; }, toBePositive: function (a) { return [a > 0, received(a)]; }, toBeNegative: function (a) { return [a < 0, received(a)]; }, toBeDate: function (a) { return [a instanceof Date, received(a)]; }, toBeEven: function (a) { return [a % 2 === 0, received(a)]; }, toBeOdd: function (a) { return [Math.abs(a % 2) === 1, received(a)]; }, toBeSymbol: function (a) { return [typeof a === 'symbol', received(a)]; },
  toBeEmpty: function (a) { return [a != null && (typeof a === 'string' || Array.isArray(a) ? a.length === 0 : a.size !== undefined ? a.size === 0 : Object.keys(a).length === 0), received(a)]; }, toBeEmptyObject: function (a) { return [typeof a === 'object' && a !== null && !Object.keys(a).length, received(a)]; },
  toBeOneOf: function (a, l) { return [l.some(function (x) { return equal(a, x, false); }), received(a)]; },
  toContain: function (a, b) { var ok = typeof a === 'string' ? a.indexOf(b) >= 0 : Array.from(a).some(function (x) { return Object.is(x, b); }); return [ok, function (not) { return '\n\nExpected to ' + (not ? 'not ' : '') + 'contain: ' + inspect(b) + '\nReceived: ' + inspect(a) + '\n'; }]; },
  toContainEqual: function (a, b) { return [Array.from(a).some(function (x) { return equal(x, b, false); }), function (not) { return '\n\nExpected to ' + (not ? 'not ' : '') + 'contain: ' + inspect(b) + '\nReceived: ' + inspect(a) + '\n'; }]; },
  toContainKey: function (a, k) { return [Object.prototype.hasOwnProperty.call(a, k), received(a)]; }, toContainKeys: function (a, l) { return [l.every(function (k) { return Object.prototype.hasOwnProperty.call(a, k); }), received(a)]; }, toContainAllKeys: function (a, l) { return [equal(Object.keys(a).sort(), l.slice().sort(), false), received(a)]; },
  toHaveLength: function (a, n) { return [a != null && a.length === n, function (not) { return '\n\nExpected length: ' + (not ? 'not ' : '') + n + '\nReceived length: ' + (a == null ? a : a.length) + '\n'; }]; },
  toHaveProperty: function (a, path, v) { var has = true, o = a, has3 = arguments.length > 2; var keys = typeof path === 'string' && a != null && Object.prototype.hasOwnProperty.call(Object(a), path) ? [path] : at(path); keys.forEach(function (k) { if (has && o !== null && o !== undefined && k in Object(o)) o = o[k]; else has = false; }); return [has && (!has3 || equal(o, v, false)), function (not) { return '\n\nExpected path: ' + (not ? 'not ' : '') + inspect(path) + '\n' + (has3 ? '\nExpected value: ' + (not ? 'not ' : '') + inspect(v) + '\n' + (has ? 'Received value: ' + inspect(o) + '\n' : '') : '') + (has ? '' : '\nUnable to find property\n'); }]; },
  toMatch: function (a, r) { return [typeof a === 'string' && (typeof r === 'string' ? a.indexOf(r) >= 0 : new RegExp(r.source, r.flags.replace('g', '')).test(a)), function (not) { return '\n\nExpected substring or pattern: ' + (not ? 'not ' : '') + inspect(r) + '\nReceived: ' + inspect(a) + '\n'; }]; },
  toStartWith: function (a, s) { return [typeof a === 'string' && a.startsWith(s), received(a)]; }, toEndWith: function (a, s) { return [typeof a === 'string' && a.endsWith(s), received(a)]; }, toInclude: function (a, s) { return [typeof a === 'string' && a.indexOf(s) >= 0, received(a)]; }, toEqualIgnoringWhitespace: function (a, s) { return [a.replace(/\s/g, '') === s.replace(/\s/g, ''), received(a)]; },
  toSatisfy: function (a, f) { return [!!f(a), received(a)]; },
  toThrow: function (a, expected, thrown) {
    var error, threw = false;
    if (thrown) { error = a; threw = true; } else { if (typeof a !== 'function') failed('Expected value must be a function'); try { var r = a(); if (r && typeof r.then === 'function' && false) r; } catch (e) { error = e; threw = true; } }
    var message = error instanceof Error ? error.message : typeof error === 'object' && error && 'message' in error ? error.message : String(error), ok = threw;
    if (threw && expected !== undefined) ok = typeof expected === 'string' ? message.indexOf(expected) >= 0 : expected instanceof RegExp ? expected.test(message) : typeof expected === 'function' ? error instanceof expected : expected instanceof Asymmetric ? expected.test(error) : message === expected.message;
    return [ok, function (not) { if (not) return '\n\n' + (expected === undefined ? 'Thrown error: ' + inspect(error) : 'Expected not to throw: ' + inspect(expected)) + '\n'; var want = expected === undefined ? '' : typeof expected === 'string' ? 'Expected substring: ' + inspect(expected) : expected instanceof RegExp ? 'Expected pattern: ' + expected : typeof expected === 'function' ? 'Expected constructor: ' + expected.name : 'Expected message: ' + inspect(expected.message); return '\n\n' + (want ? want + '\n' : '') + (threw ? (typeof expected === 'function' ? 'Received constructor: ' + (error && error.constructor && error.constructor.name) + '\n\nReceived message: ' : 'Received message: ') + inspect(message) + '\n' : 'Received function did not throw\n'); }];
  },
  toHaveBeenCalled: function (a) { return [calls(a).length > 0, function () { return '\n\nExpected number of calls: >= 1\nReceived number of calls: ' + calls(a).length + '\n'; }]; },
  toHaveBeenCalledTimes: function (a, n) { return [calls(a).length === n, function (not) { return '\n\nExpected number of calls: ' + (not ? 'not ' : '') + n + '\nReceived number of calls: ' + calls(a).length + '\n'; }]; },
  toHaveBeenCalledWith: function (a) { var want = Array.prototype.slice.call(arguments, 1); return [calls(a).some(function (c) { return equal(c, want, false); }), function () { return lines(inspect(want), inspect(calls(a))); }]; },
  toHaveBeenLastCalledWith: function (a) { var want = Array.prototype.slice.call(arguments, 1), all = calls(a); return [all.length > 0 && equal(all[all.length - 1], want, false), function () { return lines(inspect(want), inspect(all[all.length - 1])); }]; },
  toHaveBeenNthCalledWith: function (a, n) { var want = Array.prototype.slice.call(arguments, 2), all = calls(a); return [all.length >= n && equal(all[n - 1], want, false), function () { return lines(inspect(want), inspect(all[n - 1])); }]; },
  toHaveReturned: function (a) { return [a.mock.results.some(function (r) { return r.type === 'return'; }), received(a)]; }, toHaveReturnedWith: function (a, v) { return [a.mock.results.some(function (r) { return r.type === 'return' && equal(r.value, v, false); }), received(a)]; }, toHaveReturnedTimes: function (a, n) { return [a.mock.results.filter(function (r) { return r.type === 'return'; }).length === n, received(a)]; },
  toMatchSnapshot: function () { failed('Snapshots are not kept in this sandbox: compare with toEqual.'); }, toMatchInlineSnapshot: function (a, s) { if (typeof s !== 'string') failed('Snapshots are not written in this sandbox: compare with toEqual.'); var want = s.trim(); return [inspect(a) === want, function () { return lines(want, inspect(a)); }]; },
};
matchers.toThrowError = matchers.toThrow; matchers.toBeCalled = matchers.toHaveBeenCalled; matchers.toBeCalledTimes = matchers.toHaveBeenCalledTimes; matchers.toBeCalledWith = matchers.toHaveBeenCalledWith; matchers.lastCalledWith = matchers.toHaveBeenLastCalledWith; matchers.nthCalledWith = matchers.toHaveBeenNthCalledWith;
function structural(a, b) { return function (not) { var p = function (v) { return typeof v !== 'object' || v === null; }; return not || p(a) || p(b) ? lines((not ? 'not ' : '') + inspect(b), inspect(a)) : diff(a, b); }; }
function received(a) { return function () { return '\n\nReceived: ' + inspect(a) + '\n'; }; }
function bound(op, a, b) { return function (not) { return lines((not ? 'not ' : '') + op + ' ' + inspect(b), inspect(a)); }; }
function calls(f) { if (!f || !f.mock) failed('Expected value must be a mock function: ' + inspect(f)); return f.mock.calls; }
function judge(name, e, actual, args, thrown) {
  var m = matchers[name], r = m.apply({ isNot: e._not, equals: function (a, b) { return equal(a, b, false); }, utils: { printExpected: inspect, printReceived: inspect, stringify: inspect } }, [actual].concat(args, name.indexOf('toThrow') === 0 && thrown ? (args.length ? [true] : [undefined, true]) : []));
  if (r && !Array.isArray(r)) { var custom = r; r = [custom.pass, function () { return '\n\n' + (typeof custom.message === 'function' ? custom.message() : custom.message || ''); }]; }
  if (!!r[0] === !!e._not) { if (custom) failed(r[1]().trim()); failed('expect(received)' + (e._mode ? '.' + e._mode : '') + (e._not ? '.not' : '') + '.' + name + '(' + (args.length ? 'expected' : '') + ')' + r[1](e._not)); }
}
function install(name) {
  Expectation.prototype[name] = function () {
    var self = this, args = Array.prototype.slice.call(arguments); expects++;
    if (!self._mode) return judge(name, self, self.actual, args);
    var p = Promise.resolve(typeof self.actual === 'function' && self._mode === 'rejects' ? self.actual() : self.actual);
    return self._mode === 'resolves' ? p.then(function (v) { judge(name, self, v, args); }, function (x) { failed('Expected promise that resolves\nReceived promise that rejected: ' + inspect(x)); }) : p.then(function (v) { failed('Expected promise that rejects\nReceived promise that resolved: ' + inspect(v)); }, function (x) { judge(name, self, x, args, true); });
  };
}
Object.keys(matchers).forEach(install);
Object.defineProperties(Expectation.prototype, { not: { get: function () { return new Expectation(this.actual, !this._not, this._mode); } }, resolves: { get: function () { return new Expectation(this.actual, this._not, 'resolves'); } }, rejects: { get: function () { return new Expectation(this.actual, this._not, 'rejects'); } }, pass: { value: function () { expects++; } }, fail: { value: function (m) { failed(m || 'fail() was called'); } } });
function expect(v) { return new Expectation(v, false, ''); }
Object.assign(expect, {
  any: function (C) { return new Asymmetric('Any<' + C.name + '>', function (v) { return C === String ? typeof v === 'string' || v instanceof String : C === Number ? typeof v === 'number' : C === Boolean ? typeof v === 'boolean' : C === Function ? typeof v === 'function' : C === Object ? typeof v === 'object' : C === BigInt ? typeof v === 'bigint' : C === Symbol ? typeof v === 'symbol' : v instanceof C; }); },
  anything: function () { return new Asymmetric('Anything', function (v) { return v !== null && v !== undefined; }); },
  objectContaining: function (o) { return new Asymmetric('ObjectContaining', function (v) { return typeof v === 'object' && v !== null && Object.keys(o).every(function (k) { return k in v && equal(v[k], o[k], false); }); }, 'ObjectContaining ' + util.inspect(o)); },
  arrayContaining: function (l) { return new Asymmetric('ArrayContaining', function (v) { return Array.isArray(v) && l.every(function (x) { return v.some(function (y) { return equal(y, x, false); }); }); }, 'ArrayContaining ' + util.inspect(l)); },
  stringContaining: function (s) { return new Asymmetric('StringContaining ' + util.inspect(s), function (v) { return typeof v === 'string' && v.indexOf(s) >= 0; }); }, stringMatching: function (r) { return new Asymmetric('StringMatching ' + util.inspect(r), function (v) { return typeof v === 'string' && new RegExp(r).test(v); }); }, closeTo: function (n, d) { return new Asymmetric('CloseTo ' + n, function (v) { return Math.abs(v - n) < Math.pow(10, -(d === undefined ? 2 : d)) / 2; }); },
  extend: function (more) { Object.keys(more).forEach(function (k) { matchers[k] = function () { return more[k].apply(this, arguments); }; install(k); }); },
  assertions: function (n) { promised = { exact: n, from: expects }; }, hasAssertions: function () { promised = { least: 1, from: expects }; }, unreachable: function (m) { failed(m || 'reached unreachable code'); }, addSnapshotSerializer: function () {},
});
['objectContaining', 'arrayContaining', 'stringContaining', 'stringMatching'].forEach(function (k) { (expect.not = expect.not || {})[k] = function (x) { var a = expect[k](x); return new Asymmetric('Not' + a.name, function (v) { return !a.test(v); }); }; });
// ---- mocks
function mock(impl) {
  return recorder(impl, function (fn, c) {
    var state = { get calls() { return c.calls.map(function (x) { return x.arguments; }); }, get results() { return c.calls.map(function (x) { return x.error !== undefined ? { type: 'throw', value: x.error } : { type: 'return', value: x.result }; }); }, get lastCall() { return c.calls.length ? c.calls[c.calls.length - 1].arguments : undefined; }, get contexts() { return c.calls.map(function (x) { return x.this; }); }, get instances() { return state.contexts; } };
    Object.defineProperty(fn, 'mock', { value: state });
    Object.assign(fn, { _isMockFunction: true, mockImplementation: function (f) { c.set(f); return fn; }, mockImplementationOnce: function (f) { c.once(f); return fn; }, mockReturnValue: function (v) { c.set(function () { return v; }); return fn; }, mockReturnValueOnce: function (v) { c.once(function () { return v; }); return fn; }, mockResolvedValue: function (v) { c.set(function () { return Promise.resolve(v); }); return fn; }, mockResolvedValueOnce: function (v) { c.once(function () { return Promise.resolve(v); }); return fn; }, mockRejectedValue: function (v) { c.set(function () { return Promise.reject(v); }); return fn; }, mockRejectedValueOnce: function (v) { c.once(function () { return Promise.reject(v); }); return fn; }, mockReturnThis: function () { c.set(function () { return this; }); return fn; }, mockClear: function () { c.calls.length = 0; return fn; }, mockReset: function () { c.reset(); c.set(undefined); return fn; }, mockRestore: function () { c.reset(); c.set(undefined); return fn; }, getMockImplementation: function () { return c.get(); }, mockName: function () { return fn; }, getMockName: function () { return 'mock'; } });
    mocked.push(fn); return fn;
  });
}
var mocked = [], spies = [];
function spyOn(o, k) { var original = o[k]; if (typeof original !== 'function') throw new TypeError('spyOn(target, prop) expects a function property, ' + String(k) + ' is ' + typeof original); var had = Object.prototype.hasOwnProperty.call(o, k), fn = mock(original); var restore = function () { if (had) o[k] = original; else delete o[k]; }; fn.mockRestore = function () { restore(); return fn; }; fn.mockReset = function () { return fn.mockClear(); }; o[k] = fn; spies.push(restore); return fn; }
mock.module = function () { throw new Error('mock.module is not here.'); }; mock.restore = function () { spies.splice(0).reverse().forEach(function (f) { f(); }); }; mock.clearAllMocks = function () { mocked.forEach(function (f) { f.mockClear(); }); };
// ---- tests
function Group(parent, name, mode) { this.parent = parent; this.name = name; this.mode = mode; this.items = []; this.hooks = { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }; }
var root = new Group(null, '', ''), current = root, hasOnly = false, results = { pass: 0, fail: 0, skip: 0, todo: 0 };
function label(name, row, i) { var n = 0; return String(name).replace(/%[psdifjo#%]/g, function (s) { if (s === '%%') return '%'; if (s === '%#') return i; var v = row[n++]; return s === '%s' ? (typeof v === 'object' ? util.inspect(v) : String(v)) : s === '%d' || s === '%i' || s === '%f' ? String(Number(v)) : s === '%j' ? JSON.stringify(v) : util.inspect(v); }).replace(/\$(\w+(?:\.\w+)*)/g, function (m, p) { var v = row[0]; p.split('.').forEach(function (k) { v = v == null ? undefined : v[k]; }); return v === undefined ? m : typeof v === 'string' ? v : util.inspect(v); }); }
function testFn(mode) { return function (name, fn, o) { if (typeof name === 'function' && fn === undefined) { fn = name; name = fn.name; } if (fn && typeof fn === 'object') { var swap = fn; fn = o; o = swap; } if (mode === 'only') hasOnly = true; current.items.push({ name: typeof name === 'function' ? name.name : String(name), fn: fn, mode: mode || (fn ? '' : 'todo'), timeout: typeof o === 'number' ? o : o && o.timeout, group: current }); }; }
function describeFn(mode) { return function (name, fn) { var g = new Group(current, typeof name === 'function' ? name.name : String(name), mode), saved = current; if (mode === 'only') hasOnly = true; current.items.push(g); current = g; try { var r = fn && fn(); if (r && r.then) g.pending = r; } finally { current = saved; } }; }
function family(make) {
  var f = make(''); ['skip', 'only', 'todo'].forEach(function (m) { f[m] = make(m); }); f.failing = make('failing'); f.concurrent = f; f.serial = f; f.if = function (c) { return c ? f : f.skip; }; f.skipIf = function (c) { return c ? f.skip : f; }; f.todoIf = function (c) { return c ? f.todo : f; };
  [f, f.skip, f.only, f.todo].forEach(function (g) { g.each = function (table) { return function (name, fn, o) { table.forEach(function (row, i) { var args = Array.isArray(row) ? row : [row]; g(label(name, args, i), function (done) { return fn.apply(this, args); }, o); }); }; }; });
  return f;
}
var test = family(testFn), describe = family(describeFn);
function hook(k) { return function (fn) { current.hooks[k].push(fn); }; }
function up(g, k, outward) { var out = []; for (; g; g = g.parent) out = outward ? out.concat(g.hooks[k]) : g.hooks[k].concat(out); return out; }
function invoke(fn, timeout) {
  var timer, work = fn.length ? new Promise(function (ok, no) { var r = fn(function (e) { if (e) no(e); else ok(); }); if (r && r.then) r.then(ok, no); }) : Promise.resolve().then(fn);
  return Promise.race([work, new Promise(function (_, no) { timer = setTimeout(function () { no(Object.assign(new Error('this test timed out after ' + timeout + 'ms.'), { _timeout: true })); }, timeout); })]).finally(function () { clearTimeout(timer); });
}
function only(item) { if (item instanceof Group) return item.mode === 'only' || item.items.some(only); return item.mode === 'only' || (function inOnly(g) { return g && ((g.mode === 'only' && !g.items.some(only)) || inOnly(g.parent)); })(item.group); }
function full(item) { var out = [item.name]; for (var g = item.group; g && g.name; g = g.parent) out.unshift(g.name); return out.join(' > '); }
function line(kind, item, ms) { host('out', 2, '(' + kind + ') ' + full(item) + (ms === undefined ? '' : ' [' + ms.toFixed(2) + 'ms]') + '\n'); }
function frame(e) {
  var stack = util._stackOf(e).split('\n').filter(function (l) { return /^\s+at /.test(l); }), m = stack.length && /\(?(\/[^\s():]+):(\d+)(?::(\d+))?\)?/.exec(stack[0]), text = '';
  if (m) { var n = +m[2], from = Math.max(1, n - 4); for (var i = from; i <= n; i++) { var src = host('line', m[1], i); if (src != null) text += String(i).padStart(String(n).length) + ' | ' + src + '\n'; } text += ' '.repeat(String(n).length + 3 + Math.max(0, (+m[3] || 1) - 1)) + '^\n'; }
  return text + (e._expect ? 'error: ' : (e.name && e.name !== 'Error' ? e.name : 'error') + ': ') + e.message + '\n' + (stack.length ? stack.map(function (l) { var f = /^\s+at (?:(.*?) \()?(\/[^\s()]+?)\)?$/.exec(l); return '      at ' + (f ? (f[1] || '<anonymous>') + ' (' + f[2] + ')' : l.trim().slice(3)); }).join('\n') + '\n' : '');
}
function shownError(e) { if (e && e._timeout) return ''; return e instanceof Error ? frame(e) : 'error: ' + util.inspect(e) + '\n'; }
async function runGroup(g, skipped) {
  if (g.pending) { current = g; await g.pending; }
  if (hasOnly && !only(g) && g !== root && !(function inOnly(p) { return p && (p.mode === 'only' || inOnly(p.parent)); })(g)) skipped = true;
  skipped = skipped || g.mode === 'skip' || g.mode === 'todo';
  var used = !skipped && g.items.length, error;
  if (used) for (var f of g.hooks.beforeAll) { try { await invoke(f, 5000); } catch (e) { error = e; break; } }
  if (error) host('out', 2, shownError(error));
  for (var item of g.items) { if (item instanceof Group) await runGroup(item, skipped); else await runTest(item, skipped, error); if (options.bail && results.fail >= options.bail) return; }
  if (used) for (var a of g.hooks.afterAll) { try { await invoke(a, 5000); } catch (e) { host('out', 2, shownError(e)); results.fail++; } }
}
async function runTest(item, skipped, hookError) {
  if (names.length && !names.some(function (r) { return r.test(full(item).replace(/ > /g, ' ')); })) { results.filtered = (results.filtered || 0) + 1; return; }
  if (item.mode === 'todo') { results.todo++; line('todo', item); return; }
  if (skipped || item.mode === 'skip' || (hasOnly && !only(item))) { results.skip++; if (item.mode === 'skip' || skipped) line('skip', item); return; }
  var started = host('now'), error = hookError, before = expects; promised = null;
  if (!error) {
    try { for (var b of up(item.group, 'beforeEach')) await invoke(b, 5000); await invoke(item.fn, item.timeout === undefined ? options.timeout || 5000 : item.timeout); if (promised && (promised.exact !== undefined ? expects - promised.from !== promised.exact : expects === promised.from)) failed('expected ' + (promised.exact === undefined ? 'at least 1' : promised.exact) + ' assertion' + (promised.exact === 1 ? '' : 's') + ', but test ended with ' + (expects - promised.from)); } catch (e) { error = e === undefined ? new Error('undefined was thrown') : e; }
    for (var a of up(item.group, 'afterEach', true)) { try { await invoke(a, 5000); } catch (e) { error = error || e; } }
  }
  var ms = host('now') - started;
  if (item.mode === 'failing') error = error ? undefined : new Error('this test is marked as failing but it passed.');
  if (error) { results.fail++; host('out', 2, shownError(error)); line('fail', item, ms); if (error._timeout) host('out', 2, '  ^ ' + error.message + '\n'); } else { results.pass++; line('pass', item, ms); }
}
var started = false, finished = false;
function report() { if (finished) return; finished = true; results.expects = expects; host('counts', results); if (results.fail) process.exitCode = 1; }
module.exports = { test: test, it: test, describe: describe, expect: expect, mock: mock, spyOn: spyOn, jest: { fn: mock, spyOn: spyOn, mock: mock.module, restoreAllMocks: mock.restore, clearAllMocks: mock.clearAllMocks, resetAllMocks: mock.clearAllMocks, useFakeTimers: function () { throw new Error('Fake timers are not here.'); }, useRealTimers: function () {}, setTimeout: function (ms) { options.timeout = ms; } }, vi: { fn: mock, spyOn: spyOn, restoreAllMocks: mock.restore, clearAllMocks: mock.clearAllMocks }, beforeAll: hook('beforeAll'), afterAll: hook('afterAll'), beforeEach: hook('beforeEach'), afterEach: hook('afterEach'), setDefaultTimeout: function (ms) { options.timeout = ms; }, setSystemTime: function () { throw new Error('setSystemTime is not here.'); }, expectTypeOf: function () { return new Proxy(function () {}, { get: function (t, k, p) { return p; }, apply: function (t, s, a) { return undefined; } }); } };
Object.defineProperty(module.exports, '_internal', { value: { run: async function () { started = true; await runGroup(root, false); report(); }, abandon: function () { if (started && !finished) { results.fail++; host('out', 2, 'error: a test is still waiting, but nothing is left that could end it.\n'); report(); } } } });
`
