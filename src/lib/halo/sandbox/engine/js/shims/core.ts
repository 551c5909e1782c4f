/**
 * What stands before any program in the JavaScript engine: modules, globals, timers. Guest code, evaluated inside QuickJS;
 * `__host(json, bytes?)` is its only way out. No template strings in here: the file holds one.
 */
export const core = String.raw`
(function () {
'use strict';
var raw = globalThis.__host; delete globalThis.__host;
var boot = JSON.parse(globalThis.__boot); delete globalThis.__boot;
function host() {
  var args = [], bytes;
  for (var i = 0; i < arguments.length; i++) {
    var a = arguments[i];
    if (ArrayBuffer.isView(a)) { bytes = a.byteLength === a.buffer.byteLength ? a.buffer : a.buffer.slice(a.byteOffset, a.byteOffset + a.byteLength); args.push(null); }
    else args.push(a === undefined ? null : a);
  }
  var answer = raw(JSON.stringify(args), bytes);
  if (typeof answer !== 'string') return answer;
  var value = JSON.parse(answer);
  if (value && value.thrown) {
    var e = new Error(value.thrown.message);
    for (var k in value.thrown.props) e[k] = value.thrown.props[k];
    throw e;
  }
  return value ? value.value : undefined;
}

// ------------------------------------------------------------------ modules
var builtins = new Map(), cache = Object.create(null);
function builtin(name) {
  name = name.replace(/^node:/, '');
  if (builtins.has(name)) return builtins.get(name).exports;
  var wrapper = host('source', name) ? raw(JSON.stringify(['wrapper', name])) : undefined;
  if (!wrapper) return undefined;
  var module = { exports: {} };
  builtins.set(name, module);
  wrapper(module, module.exports, builtin, internal);
  return module.exports;
}
function Module(id, parent) { this.id = id; this.filename = id; this.loaded = false; this.exports = {}; this.children = []; this.paths = []; this.parent = parent || null; this.path = id.slice(0, id.lastIndexOf('/')) || '/'; }
function load(path, parent) {
  var known = cache[path];
  if (known) return known.exports;
  var module = cache[path] = new Module(path, parent);
  if (!internal.main) { internal.main = module; module.id = '.'; }
  try {
    if (/\.json$/.test(path)) {
      var text = host('read', path, 'utf8');
      try { module.exports = JSON.parse(text.replace(/^\uFEFF/, '')); } catch (e) { e.message = path + ': ' + e.message; throw e; }
    } else {
      var dir = path.slice(0, path.lastIndexOf('/')) || '/';
      raw(JSON.stringify(['commonjs', path])).call(module.exports, module.exports, requireFrom(path, module), module, path, dir);
    }
    module.loaded = true;
  } catch (e) { delete cache[path]; throw e; }
  return module.exports;
}
function requireFrom(path, parent) {
  function require(id) {
    if (typeof id !== 'string') throw Object.assign(new TypeError('The "id" argument must be of type string. Received ' + typeof id), { code: 'ERR_INVALID_ARG_TYPE' });
    var found = host('resolve', id, path, 'require');
    return found.builtin ? builtin(found.builtin) : load(found.path, parent);
  }
  require.resolve = function (id) { var found = host('resolve', id, path, 'require'); return found.builtin || found.path; };
  require.cache = cache;
  require.main = internal.main;
  return require;
}

// ------------------------------------------------------------------- timers
var timers = new Map(), lastTimer = 0, order = 0, immediates = [];
function now() { return host('now'); }
function Timeout(id, fn, ms, args, every) { this._id = id; this._fn = fn; this._ms = ms; this._args = args; this._every = every; this._at = now() + ms; this._order = ++order; this._ref = true; }
Timeout.prototype.ref = function () { this._ref = true; return this; };
Timeout.prototype.unref = function () { this._ref = false; return this; };
Timeout.prototype.hasRef = function () { return this._ref; };
Timeout.prototype.refresh = function () { this._at = now() + this._ms; timers.set(this._id, this); return this; };
Timeout.prototype.close = function () { timers.delete(this._id); return this; };
Timeout.prototype[Symbol.toPrimitive] = function () { return this._id; };
function schedule(fn, ms, args, every) {
  if (typeof fn !== 'function') throw Object.assign(new TypeError('The "callback" argument must be of type function. Received ' + typeof fn), { code: 'ERR_INVALID_ARG_TYPE' });
  ms = +ms; if (!(ms >= 1 && ms <= 2147483647)) ms = 1;
  var timer = new Timeout(++lastTimer, fn, ms, args, every);
  timers.set(timer._id, timer);
  return timer;
}
function rest(args, from) { return Array.prototype.slice.call(args, from); }
function clear(timer) { if (timer == null) return; timers.delete(typeof timer === 'object' ? timer._id : +timer); }
var timerFunctions = {
  setTimeout: function (fn, ms) { return schedule(fn, ms, rest(arguments, 2), false); },
  setInterval: function (fn, ms) { return schedule(fn, ms, rest(arguments, 2), true); },
  setImmediate: function (fn) { var i = { fn: fn, args: rest(arguments, 1), ref: function () { return i; }, unref: function () { return i; } }; immediates.push(i); return i; },
  clearTimeout: clear, clearInterval: clear,
  clearImmediate: function (i) { if (i) i.fn = null; },
};
/** Runs what is due; milliseconds to the next timer that holds the process, -1 without one. */
var internalTick = function () {
  var batch = immediates; immediates = [];
  for (var i = 0; i < batch.length; i++) if (batch[i].fn) return guarded(batch[i], batch, i);
  var time = now(), due = null, next = -1;
  timers.forEach(function (t) { if (t._at <= time && (!due || t._at < due._at || (t._at === due._at && t._order < due._order))) due = t; });
  if (due) {
    if (due._every) due._at = Math.max(time, due._at + due._ms); else timers.delete(due._id);
    due._fn.apply(due, due._args);
    return 0;
  }
  if (immediates.length) return 0;
  timers.forEach(function (t) { if (t._ref) { var left = Math.max(0, t._at - time); if (next < 0 || left < next) next = left; } });
  return next;
};
function guarded(item, batch, i) {
  immediates = batch.slice(i + 1).concat(immediates);
  item.fn.apply(undefined, item.args);
  return 0;
}

// ------------------------------------------------------- asynchronous answers
var waiting = new Map(), lastWait = 0;
function later(op, a, b) {
  return new Promise(function (resolve, reject) { var id = ++lastWait; waiting.set(id, [resolve, reject]); host(op, id, a, b); });
}
function settle(id, json, bytes) {
  var pair = waiting.get(id); waiting.delete(id);
  var answer = JSON.parse(json);
  if (answer.error) pair[1](Object.assign(new TypeError(answer.error), answer.props || {})); else { if (bytes) answer.bytes = bytes; pair[0](answer); }
}

var internal = { host: host, boot: boot, load: load, requireFrom: requireFrom, builtin: builtin, cache: cache, timers: timerFunctions, later: later, main: undefined, exitHandlers: [], Module: Module };
globalThis.global = globalThis;
Object.keys(timerFunctions).forEach(function (name) { globalThis[name] = timerFunctions[name]; });
globalThis.queueMicrotask = function (fn) { Promise.resolve().then(fn).catch(function (e) { internal.fail(e); }); };

function lazyGlobal(name, from, key) {
  Object.defineProperty(globalThis, name, {
    configurable: true, enumerable: false,
    get: function () { var v = key === null ? builtin(from) : builtin(from)[key || name]; Object.defineProperty(globalThis, name, { value: v, writable: true, configurable: true, enumerable: false }); return v; },
    set: function (v) { Object.defineProperty(globalThis, name, { value: v, writable: true, configurable: true, enumerable: false }); },
  });
}
lazyGlobal('process', 'process', null); lazyGlobal('console', 'console', null);
['Buffer', 'atob', 'btoa', 'Blob'].forEach(function (n) { lazyGlobal(n, 'buffer'); });
['URL', 'URLSearchParams'].forEach(function (n) { lazyGlobal(n, 'url'); });
['TextEncoder', 'TextDecoder'].forEach(function (n) { lazyGlobal(n, 'util'); });
['AbortController', 'AbortSignal', 'Event', 'EventTarget', 'CustomEvent', 'DOMException', 'structuredClone', 'fetch', 'Headers', 'Response', 'Request', 'navigator'].forEach(function (n) { lazyGlobal(n, 'web'); });
lazyGlobal('performance', 'perf_hooks'); lazyGlobal('crypto', 'crypto', 'webcrypto');
if (boot.flavour === 'bun') lazyGlobal('Bun', 'bun', null);

// --------------------------------------------------------------- start and end
internal.fail = function (error) {
  if (internal.ended) return;
  var handlers = builtin('process').listeners('uncaughtException');
  if (handlers.length && !internal.failing) { internal.failing = true; try { handlers.forEach(function (h) { h(error, 'uncaughtException'); }); internal.failing = false; return; } catch (e) { error = e; } }
  if (error instanceof Error && error.message === 'out of memory') host('memory');
  host('out', 2, internal.report(error)); internal.exit(builtin('process').exitCode || 1, true);
};
internal.report = function (error) {
  var text = error instanceof Error ? describe(error) : 'Uncaught:\n' + builtin('util').inspect(error);
  var at = /\(?(\/[^\s():]+):(\d+)(?::(\d+))?\)?/.exec(error instanceof Error ? String(error.stack) : '');
  var line = at && host('line', at[1], +at[2]);
  return (line != null ? at[1] + ':' + at[2] + '\n' + line + '\n' + ' '.repeat(Math.max(0, (+at[3] || 1) - 1)) + '^\n\n' : '') + text + '\n\nNode.js ' + boot.version + '\n';
};
function describe(error) { return builtin('util').inspect(error); }
internal.exit = function (code, failed) {
  if (!internal.ended) {
    internal.ended = true;
    var process = builtin('process');
    process.exitCode = code;
    try { process.emit('exit', code | 0); } catch (e) { if (!failed) { host('out', 2, internal.report(e)); code = 1; } }
    host('exit', (process.exitCode === undefined ? code : process.exitCode) | 0);
  }
  for (;;) {} // The host interrupts here: nothing of the program runs after its exit.
};
function testModules() { return ['test', 'bun:test'].filter(function (n) { return builtins.has(n); }).map(function (n) { return builtin(n)._internal; }); }
function runTests() { return testModules().reduce(function (before, m) { return before.then(function () { return m.run(); }); }, Promise.resolve()); }
globalThis.__floating = function (value) { if (value instanceof Promise) Promise.prototype.then.call(value, undefined, internal.fail); return value; };
Object.defineProperty(globalThis, '__floating', { enumerable: false });
globalThis.__internal = {
  tick: internalTick, settle: settle,
  fail: internal.fail,
  finish: function () { testModules().forEach(function (m) { m.abandon(); }); var process = builtin('process'); if (!internal.ended) { process.emit('beforeExit', process.exitCode | 0); } },
  exit: function () { internal.exit(builtin('process').exitCode | 0); },
  exports: function (path) { return load(path); },
  builtin: builtin, requireFrom: requireFrom,
  names: function (path) { var m = load(path); return m !== null && (typeof m === 'object' || typeof m === 'function') ? JSON.stringify(Object.keys(m)) : '[]'; },
  builtinNames: function (name) { return JSON.stringify(Object.keys(builtin(name))); },
  source: function () { return boot; },
  start: function (importer) {
    if (boot.prelude) boot.prelude.forEach(function (name) { builtin(name); });
    var done = function () {}, fail = function (e) { internal.fail(e); };
    var run = function (index) {
      if (index >= boot.entries.length) return runTests();
      var entry = boot.entries[index];
      if (entry.esm) return importer(entry.path).then(function () { return run(index + 1); });
      if (entry.code !== undefined) {
        var value = raw(JSON.stringify(['script', entry.code, entry.path, !!entry.print]));
        if (entry.print) builtin('console').log(value);
      } else load(entry.path);
      return run(index + 1);
    };
    var scriptModule = new Module(boot.entries.length ? boot.entries[0].path : '/');
    globalThis.require = boot.script ? requireFrom(boot.script, scriptModule) : undefined;
    if (boot.script) { globalThis.module = scriptModule; globalThis.exports = scriptModule.exports; globalThis.__filename = '[eval]'; globalThis.__dirname = '.'; ['fs', 'path', 'os', 'util', 'assert', 'events', 'url', 'child_process'].forEach(function (n) { lazyGlobal(n, n, null); }); } else delete globalThis.require;
    try { var p = run(0); if (p && p.then) p.then(done, fail); } catch (e) { fail(e); }
  },
};
Object.defineProperty(globalThis, '__internal', { enumerable: false, configurable: true });
})();
`
