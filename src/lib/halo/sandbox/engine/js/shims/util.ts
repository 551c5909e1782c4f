/** node:util, console, events, timers and process. */
export const util = String.raw`
var host = internal.host;
var simple = /^[A-Za-z_$][\w$]*$/;
function quote(s) {
  var q = s.indexOf("'") < 0 ? "'" : s.indexOf('"') < 0 ? '"' : s.indexOf(String.fromCharCode(96)) < 0 ? String.fromCharCode(96) : "'";
  return q + s.replace(/[\\\n\r\t\x00-\x1f]/g, function (c) { return c === '\n' ? '\\n' : c === '\r' ? '\\r' : c === '\t' ? '\\t' : c === '\\' ? '\\\\' : '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase(); }).split(q).join(q === "'" ? "\\'" : q) + q;
}
function nameOf(v) { for (var p = v; p; p = Object.getPrototypeOf(p)) { var d = Object.getOwnPropertyDescriptor(p, 'constructor'); if (d && typeof d.value === 'function' && d.value.name) return d.value.name; } return null; }
function stackOf(e) {
  var head = (e.name || 'Error') + (e.message ? ': ' + e.message : '');
  if (e.code && e.name && head.indexOf('[' + e.code + ']') < 0 && /^ERR_/.test(e.code)) head = e.name + ' [' + e.code + ']' + (e.message ? ': ' + e.message : '');
  var lines = String(e.stack || '').split('\n').filter(function (l) { return /^\s+at /.test(l) && !/\((node:|<boot>|<input>)|at (node:|<boot>)|\(native\)|^\s+at <anonymous> \(native\)/.test(l); });
  return head + (lines.length ? '\n' + lines.join('\n') : '');
}
function inspect(value, options, depthArg, colors) {
  var o = Object.assign({ depth: 2, compact: 3, breakLength: 80, maxArrayLength: 100, maxStringLength: 10000, sorted: false, showHidden: false }, typeof options === 'object' && options || {});
  if (typeof options === 'boolean') { o.showHidden = options; if (depthArg !== undefined) o.depth = depthArg; }
  if (o.depth === null) o.depth = Infinity;
  var seen = [], currentDepth = 0;
  return show(value, 0, 0, true);
  function show(v, depth, indent, top) {
    switch (typeof v) {
      case 'string': return quote(v.length > o.maxStringLength ? v.slice(0, o.maxStringLength) : v) + (v.length > o.maxStringLength ? '... ' + (v.length - o.maxStringLength) + ' more characters' : '');
      case 'number': return Object.is(v, -0) ? '-0' : String(v);
      case 'bigint': return v + 'n';
      case 'symbol': case 'undefined': case 'boolean': return String(v);
    }
    if (v === null) return 'null';
    if (seen.indexOf(v) >= 0) return '[Circular *1]';
    var custom = v[inspect.custom];
    if (typeof custom === 'function' && custom !== inspect) { var r = custom.call(v, o.depth - depth, o, inspect); return typeof r === 'string' ? r : show(r, depth, indent); }
    var name = nameOf(v), tag = v[Symbol.toStringTag], keys = Object.keys(v), symbols = Object.getOwnPropertySymbols(v).filter(function (s) { return Object.prototype.propertyIsEnumerable.call(v, s); });
    var open = '{', close = '}', prefix = '', items = [], isArray = false;
    var label = name === null ? '[Object: null prototype]' : name;
    if (Array.isArray(v)) { isArray = true; open = '['; close = ']'; keys = keys.filter(function (k) { return !/^\d+$/.test(k); }); prefix = name === 'Array' ? '' : name + '(' + v.length + ') '; }
    else if (v instanceof Map) prefix = label + '(' + v.size + ') ';
    else if (v instanceof Set) prefix = label + '(' + v.size + ') ';
    else if (ArrayBuffer.isView(v) && !(v instanceof DataView)) {
      if (name === 'Buffer') return '<Buffer' + Array.prototype.slice.call(v, 0, 50).map(function (b) { return ' ' + b.toString(16).padStart(2, '0'); }).join('') + (v.length > 50 ? ' ... ' + (v.length - 50) + ' more bytes' : '') + '>';
      isArray = true; open = '['; close = ']'; keys = []; prefix = name + '(' + v.length + ') ';
    }
    else if (typeof v === 'function') {
      var isClass = /^class[\s{]/.test(Function.prototype.toString.call(v));
      var kind = isClass ? 'class' : name === 'AsyncFunction' || name === 'GeneratorFunction' || name === 'AsyncGeneratorFunction' ? name : 'Function';
      var parent = isClass && Object.getPrototypeOf(v).name;
      prefix = isClass ? '[class ' + (v.name || '(anonymous)') + (parent ? ' extends ' + parent : '') + ']' : '[' + kind + (v.name ? ': ' + v.name : ' (anonymous)') + ']';
      if (!keys.length) return prefix;
      prefix += ' ';
    }
    else if (v instanceof Error) {
      prefix = stackOf(v);
      if (!/\n\s+at /.test(prefix) && depth) prefix = '[' + prefix + ']';
      keys = keys.filter(function (k) { return ['stack', 'message', 'name', 'fileName', 'lineNumber', 'columnNumber'].indexOf(k) < 0; });
      if (Object.prototype.hasOwnProperty.call(v, 'cause')) items.push('[cause]: ' + show(v.cause, depth + 1, indent + 2));
      if (v.errors && name === 'AggregateError') items.push('[errors]: ' + show(v.errors, depth + 1, indent + 2));
      if (!keys.length && !items.length) return prefix;
      prefix += ' ';
    }
    else if (v instanceof Date) { prefix = isNaN(v) ? 'Invalid Date' : v.toISOString(); if (!keys.length) return prefix; prefix += ' '; }
    else if (v instanceof RegExp) { prefix = String(v); if (!keys.length) return prefix; prefix += ' '; }
    else if (v instanceof Promise) { prefix = 'Promise '; items.push('<pending or settled>'); }
    else if (v instanceof WeakMap || v instanceof WeakSet) return label + ' { <items unknown> }';
    else if (v instanceof Number || v instanceof String || v instanceof Boolean) return '[' + label + ': ' + show(v.valueOf(), depth, indent) + ']';
    else if (v instanceof ArrayBuffer) return 'ArrayBuffer { byteLength: ' + v.byteLength + ' }';
    else { prefix = name === 'Object' && !tag ? '' : label + ' '; if (Object.prototype.toString.call(v) === '[object Arguments]') { prefix = '[Arguments] '; isArray = true; open = '['; close = ']'; keys = []; } }
    if (tag && typeof tag === 'string' && tag !== name && !isArray && !(v instanceof Map) && !(v instanceof Set) && !(v instanceof Promise)) prefix = (prefix || 'Object ') + '[' + tag + '] ';
    if (depth > o.depth) return isArray ? '[' + (name || 'Array') + ']' : '[' + (name === null ? 'Object: null prototype' : (name || 'Object')) + ']';
    seen.push(v); currentDepth = depth;
    if (isArray) {
      var count = Math.min(v.length, o.maxArrayLength), holes = 0;
      for (var i = 0; i < count; i++) {
        if (Array.isArray(v) && !(i in v)) { holes++; if (i + 1 < count && !((i + 1) in v)) continue; items.push('<' + holes + ' empty item' + (holes > 1 ? 's' : '') + '>'); holes = 0; continue; }
        items.push(show(v[i], depth + 1, indent + 2));
      }
      if (v.length > count) items.push('... ' + (v.length - count) + ' more item' + (v.length - count > 1 ? 's' : ''));
    }
    if (v instanceof Map) v.forEach(function (x, k) { items.push(show(k, depth + 1, indent + 2) + ' => ' + show(x, depth + 1, indent + 2)); });
    if (v instanceof Set) v.forEach(function (x) { items.push(show(x, depth + 1, indent + 2)); });
    if (o.sorted) keys.sort();
    keys.concat(symbols).forEach(function (k) {
      var d = Object.getOwnPropertyDescriptor(v, k), shown;
      if (!d) return;
      if (d.get || d.set) shown = d.get && d.set ? '[Getter/Setter]' : d.get ? '[Getter]' : '[Setter]';
      else shown = show(d.value, depth + 1, indent + 2);
      items.push((typeof k === 'symbol' ? '[' + String(k) + ']' : simple.test(k) ? k : quote(k)) + ': ' + shown);
    });
    seen.pop();
    if (!items.length) return prefix + open + close;
    // As Node lays out: short enough and not too deep on one line, long lists in columns, else a line each.
    var entries = items.length, opening = prefix + open;
    if (typeof o.compact === 'number' && o.compact >= 1) {
      if (isArray && entries > 6) items = group(items, v, indent);
      if (currentDepth - depth < o.compact && entries === items.length) {
        var total = items.length + entries + indent + opening.length + 10;
        items.forEach(function (s) { total += s.length; });
        if (total <= o.breakLength && prefix.indexOf('\n') < 0 && items.every(function (s) { return s.indexOf('\n') < 0; })) return opening + ' ' + items.join(', ') + ' ' + close;
      }
    } else if (o.compact === true) return opening + ' ' + items.join(', ') + ' ' + close;
    var pad = '\n' + ' '.repeat(indent + 2);
    return opening + pad + items.join(',' + pad) + '\n' + ' '.repeat(indent) + close;
  }
  function group(items, value, indent) {
    var more = value.length > o.maxArrayLength, count = more ? items.length - 1 : items.length, total = 0, longest = 0, lengths = [];
    for (var i = 0; i < count; i++) { lengths[i] = items[i].length; total += lengths[i] + 2; if (longest < lengths[i]) longest = lengths[i]; }
    var width = longest + 2;
    if (!(width * 3 + indent < o.breakLength && (total / width > 5 || longest <= 6))) return items;
    var biased = Math.max(width - 3 - Math.sqrt(width - total / items.length), 1);
    var columns = Math.min(Math.round(Math.sqrt(2.5 * biased * count) / biased), Math.floor((o.breakLength - indent) / width), o.compact * 4, 15);
    if (columns <= 1) return items;
    var rows = [], widths = [], numbers = Array.prototype.every.call(value, function (x) { return typeof x === 'number' || typeof x === 'bigint'; });
    for (var c = 0; c < columns; c++) { var w = 0; for (var j = c; j < count; j += columns) if (lengths[j] > w) w = lengths[j]; widths.push(w + 2); }
    for (var r = 0; r < count; r += columns) {
      var last = Math.min(r + columns, count), row = '';
      for (var k = r; k < last - 1; k++) row += numbers ? (items[k] + ', ').padStart(widths[k - r]) : (items[k] + ', ').padEnd(widths[k - r]);
      row += numbers ? items[k].padStart(widths[k - r] - 2) : items[k];
      rows.push(row);
    }
    if (more) rows.push(items[count]);
    return rows;
  }
}
inspect.custom = Symbol.for('nodejs.util.inspect.custom');
inspect.defaultOptions = {};
function format(first) {
  var args = Array.prototype.slice.call(arguments), i = 0, text = '';
  if (typeof first === 'string') {
    i = 1;
    if (args.length === 1) return first;
    text = first.replace(/%[sdifjoOc%]/g, function (spec) {
      if (spec === '%%') return '%';
      if (i >= args.length) return spec;
      var a = args[i++];
      switch (spec) {
        case '%s': return typeof a === 'string' ? a : typeof a === 'bigint' ? a + 'n' : typeof a === 'object' && a !== null && !(a instanceof Error && false) ? (a.toString !== Object.prototype.toString && typeof a.toString === 'function' && !Array.isArray(a) ? String(a) : inspect(a, { depth: 0 })) : Object.is(a, -0) ? '-0' : String(a);
        case '%d': return typeof a === 'bigint' ? a + 'n' : typeof a === 'object' ? 'NaN' : String(Number(a));
        case '%i': return typeof a === 'bigint' ? a + 'n' : String(parseInt(a, 10));
        case '%f': return String(parseFloat(a));
        case '%j': try { return JSON.stringify(a); } catch (e) { return '[Circular]'; }
        case '%o': return inspect(a, { depth: 4 });
        case '%O': return inspect(a);
        case '%c': return '';
      }
    });
  }
  for (; i < args.length; i++) text += (i || text ? ' ' : '') + (typeof args[i] === 'string' ? args[i] : inspect(args[i]));
  return text;
}
function TextEncoder() {}
Object.defineProperty(TextEncoder.prototype, 'encoding', { get: function () { return 'utf-8'; } });
TextEncoder.prototype.encode = function (s) { return new Uint8Array(host('encode', s === undefined ? '' : String(s), 'utf8')); };
TextEncoder.prototype.encodeInto = function (s, target) { var b = this.encode(s), n = Math.min(b.length, target.length); target.set(b.subarray(0, n)); return { read: s.length, written: n }; };
function TextDecoder(label, options) { this.encoding = String(label || 'utf-8').toLowerCase(); this.fatal = !!(options && options.fatal); this.ignoreBOM = !!(options && options.ignoreBOM); }
TextDecoder.prototype.decode = function (b) {
  if (b === undefined) return '';
  var bytes = b instanceof ArrayBuffer ? new Uint8Array(b) : new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
  return host('decode', bytes, this.encoding === 'utf-8' || this.encoding === 'utf8' ? (this.fatal ? 'fatal' : 'text') : this.encoding === 'utf-16le' ? 'utf16le' : 'latin1');
};
function promisify(fn) {
  if (fn[promisify.custom]) return fn[promisify.custom];
  return function () { var self = this, args = Array.prototype.slice.call(arguments); return new Promise(function (resolve, reject) { fn.apply(self, args.concat(function (e, v) { if (e) reject(e); else resolve(v); })); }); };
}
promisify.custom = Symbol.for('nodejs.util.promisify.custom');
function isObject(v) { return typeof v === 'object' && v !== null; }
/** Deep equality as assert's: strict compares prototypes and uses Object.is. */
function isDeepEqual(a, b, strict, memo) {
  if (strict ? Object.is(a, b) : (a == b || (a !== a && b !== b))) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
  memo = memo || [];
  for (var i = 0; i < memo.length; i++) if (memo[i][0] === a && memo[i][1] === b) return true;
  memo.push([a, b]);
  try {
    if (a instanceof Date && b instanceof Date) { if (!Object.is(a.getTime(), b.getTime())) return false; }
    else if (a instanceof RegExp && b instanceof RegExp) { if (String(a) !== String(b) || a.lastIndex !== b.lastIndex) return false; }
    else if (a instanceof Error && b instanceof Error) { if (a.message !== b.message || a.name !== b.name) return false; }
    else if ((a instanceof Number || a instanceof String || a instanceof Boolean)) { if (!Object.is(a.valueOf(), b.valueOf())) return false; }
    else if (a instanceof Promise || a instanceof WeakMap || a instanceof WeakSet) return false;
    if (a instanceof ArrayBuffer) { a = new Uint8Array(a); b = new Uint8Array(b); }
    if (ArrayBuffer.isView(a)) { if (a.length !== b.length) return false; for (var j = 0; j < a.length; j++) if (!(strict ? Object.is(a[j], b[j]) : a[j] == b[j])) return false; return true; }
    if (a instanceof Set) { if (a.size !== b.size) return false; var left = Array.from(b); return Array.from(a).every(function (x) { var at = left.findIndex(function (y) { return isDeepEqual(x, y, strict, memo); }); if (at < 0) return false; left.splice(at, 1); return true; }); }
    if (a instanceof Map) { if (a.size !== b.size) return false; var pairs = Array.from(b); return Array.from(a).every(function (x) { var at = pairs.findIndex(function (y) { return isDeepEqual(x[0], y[0], strict, memo) && isDeepEqual(x[1], y[1], strict, memo); }); if (at < 0) return false; pairs.splice(at, 1); return true; }); }
    if (Array.isArray(a) && a.length !== b.length) return false;
    var ka = Object.keys(a), kb = Object.keys(b);
    if (strict) { ka = ka.concat(Object.getOwnPropertySymbols(a).filter(function (s) { return Object.prototype.propertyIsEnumerable.call(a, s); })); kb = kb.concat(Object.getOwnPropertySymbols(b).filter(function (s) { return Object.prototype.propertyIsEnumerable.call(b, s); })); }
    if (ka.length !== kb.length) return false;
    return ka.every(function (k) { return Object.prototype.hasOwnProperty.call(b, k) && isDeepEqual(a[k], b[k], strict, memo); });
  } finally { memo.pop(); }
}
function typeCheck(name) { return function (v) { return Object.prototype.toString.call(v) === '[object ' + name + ']'; }; }
module.exports = {
  inspect: inspect, format: format, formatWithOptions: function (o) { return format.apply(null, Array.prototype.slice.call(arguments, 1)); }, promisify: promisify,
  callbackify: function (fn) { return function () { var a = Array.prototype.slice.call(arguments), cb = a.pop(); fn.apply(this, a).then(function (v) { cb(null, v); }, function (e) { cb(e); }); }; },
  inherits: function (c, p) { c.super_ = p; Object.setPrototypeOf(c.prototype, p.prototype); }, deprecate: function (fn) { return fn; }, debuglog: function () { return function () {}; }, debug: function () { return function () {}; },
  isDeepStrictEqual: function (a, b) { return isDeepEqual(a, b, true); }, isArray: Array.isArray, TextEncoder: TextEncoder, TextDecoder: TextDecoder,
  stripVTControlCharacters: function (s) { return String(s).replace(/\x1b\[[0-9;]*[A-Za-z]/g, ''); }, toUSVString: function (s) { return String(s).toWellFormed(); },
  styleText: function (f, s) { return s; },
  types: { isPromise: function (v) { return v instanceof Promise; }, isRegExp: typeCheck('RegExp'), isDate: typeCheck('Date'), isMap: function (v) { return v instanceof Map; }, isSet: function (v) { return v instanceof Set; }, isNativeError: function (v) { return v instanceof Error; }, isProxy: function () { return false; }, isTypedArray: function (v) { return ArrayBuffer.isView(v) && !(v instanceof DataView); }, isUint8Array: function (v) { return v instanceof Uint8Array; }, isArrayBuffer: function (v) { return v instanceof ArrayBuffer; }, isAsyncFunction: function (f) { return typeof f === 'function' && nameOf(f) === 'AsyncFunction'; }, isGeneratorFunction: function (f) { return typeof f === 'function' && nameOf(f) === 'GeneratorFunction'; } },
  parseArgs: function (config) {
    config = config || {}; var options = config.options || {}, values = {}, positionals = [], args = config.args || builtin('process').argv.slice(2), strict = config.strict !== false;
    var bad = function (code, m) { throw Object.assign(new TypeError(m), { code: code }); };
    var put = function (name, v) { if (options[name] && options[name].multiple) (values[name] = values[name] || []).push(v); else values[name] = v; };
    for (var i = 0; i < args.length; i++) {
      var a = args[i], m;
      if (a === '--') { positionals = positionals.concat(args.slice(i + 1)); break; }
      if ((m = /^--([^=]+)(?:=([\s\S]*))?$/.exec(a)) || (m = /^-([A-Za-z0-9])([\s\S]+)?$/.exec(a))) {
        var name = m[1]; if (a[1] !== '-') { var full = Object.keys(options).find(function (k) { return options[k].short === m[1]; }); name = full || m[1]; }
        var off = strict && config.allowNegative && /^no-/.test(name) && options[name.slice(3)]; if (off) { put(name.slice(3), false); continue; }
        if (!options[name]) { if (strict) bad('ERR_PARSE_ARGS_UNKNOWN_OPTION', "Unknown option '" + a.split('=')[0] + "'"); put(name, m[2] === undefined ? true : m[2]); continue; }
        if (options[name].type === 'boolean') { put(name, true); if (m[2] !== undefined && a[1] !== '-') args.splice(i + 1, 0, '-' + m[2]); }
        else { var v = m[2]; if (v === undefined) v = args[++i]; if (v === undefined) bad('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', "Option '--" + name + " <value>' argument missing"); put(name, v); }
      } else { if (strict && !config.allowPositionals) bad('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', "Unexpected argument '" + a + "'. This command does not take positional arguments"); positionals.push(a); }
    }
    Object.keys(options).forEach(function (k) { if (values[k] === undefined && options[k].default !== undefined) values[k] = options[k].default; });
    return { values: values, positionals: positionals };
  },
  _isDeepEqual: isDeepEqual, _stackOf: stackOf,
};
var builtin = require;
`

export const consoleModule = String.raw`
var util = require('util'), host = internal.host, depth = 0, counts = {}, timers = {};
function print(fd, args) { var text = util.format.apply(null, args); if (depth) text = text.replace(/^/gm, ' '.repeat(depth)); host('out', fd, text + '\n'); }
var c = {
  log: function () { print(1, arguments); }, info: function () { print(1, arguments); }, debug: function () { print(1, arguments); },
  error: function () { print(2, arguments); }, warn: function () { print(2, arguments); },
  trace: function () { print(2, ['Trace: ' + util.format.apply(null, arguments) + '\n' + String(new Error().stack).split('\n').slice(1).join('\n')]); },
  dir: function (v, o) { print(1, [util.inspect(v, o)]); }, dirxml: function () { print(1, arguments); },
  assert: function (ok) { if (!ok) { var rest = Array.prototype.slice.call(arguments, 1); if (typeof rest[0] === 'string') rest[0] = 'Assertion failed: ' + rest[0]; else rest.unshift('Assertion failed'); print(2, rest); } },
  group: function () { if (arguments.length) print(1, arguments); depth += 2; }, groupCollapsed: function () { if (arguments.length) print(1, arguments); depth += 2; }, groupEnd: function () { depth = Math.max(0, depth - 2); },
  count: function (l) { l = l === undefined ? 'default' : l; counts[l] = (counts[l] || 0) + 1; print(1, [l + ': ' + counts[l]]); }, countReset: function (l) { delete counts[l === undefined ? 'default' : l]; },
  time: function (l) { timers[l === undefined ? 'default' : l] = host('now'); }, timeEnd: function (l) { l = l === undefined ? 'default' : l; if (l in timers) { print(1, [l + ': ' + (host('now') - timers[l]).toFixed(3) + 'ms']); delete timers[l]; } }, timeLog: function (l) { l = l === undefined ? 'default' : l; if (l in timers) print(1, [l + ': ' + (host('now') - timers[l]).toFixed(3) + 'ms']); },
  table: function (data) {
    if (typeof data !== 'object' || data === null) return print(1, arguments);
    var rows = Object.keys(data), cols = [], plain = false;
    rows.forEach(function (r) { if (typeof data[r] === 'object' && data[r] !== null) Object.keys(data[r]).forEach(function (k) { if (cols.indexOf(k) < 0) cols.push(k); }); else plain = true; });
    var head = ['(index)'].concat(cols, plain ? ['Values'] : []);
    var body = rows.map(function (r) { var v = data[r], o = typeof v === 'object' && v !== null; return [r].concat(cols.map(function (k) { return o && k in v ? util.inspect(v[k], { depth: 0 }) : ''; }), plain ? [o ? '' : util.inspect(v)] : []); });
    var widths = head.map(function (h, i) { return Math.max(h.length, Math.max.apply(null, body.map(function (b) { return b[i].length; }).concat(0))) + 2; });
    var center = function (s, w) { var l = Math.floor((w - s.length) / 2); return ' '.repeat(l) + s + ' '.repeat(w - s.length - l); };
    var rule = function (a, b, c) { return a + widths.map(function (w) { return '\u2500'.repeat(w); }).join(b) + c; };
    var line = function (cells) { return '\u2502' + cells.map(function (s, i) { return center(s, widths[i]); }).join('\u2502') + '\u2502'; };
    print(1, [[rule('\u250c', '\u252c', '\u2510'), line(head), rule('\u251c', '\u253c', '\u2524')].concat(body.map(line), rule('\u2514', '\u2534', '\u2518')).join('\n')]);
  },
};
c.Console = function () { return c; };
module.exports = c;
`

export const events = String.raw`
function EventEmitter() { EventEmitter.init.call(this); }
EventEmitter.init = function () { if (!this._events || this._events === Object.getPrototypeOf(this)._events) this._events = Object.create(null); };
var P = EventEmitter.prototype;
function get(e, n) { return (e._events || (e._events = Object.create(null)))[n] || []; }
function add(e, n, fn, front, once) {
  if (typeof fn !== 'function') throw Object.assign(new TypeError('The "listener" argument must be of type function. Received ' + typeof fn), { code: 'ERR_INVALID_ARG_TYPE' });
  var list = get(e, n).slice();
  if (n !== 'newListener' && get(e, 'newListener').length) e.emit('newListener', n, fn);
  var item = fn;
  if (once) { item = function () { e.removeListener(n, item); return fn.apply(e, arguments); }; item.listener = fn; }
  if (front) list.unshift(item); else list.push(item);
  e._events[n] = list; return e;
}
P.on = P.addListener = function (n, fn) { return add(this, n, fn); };
P.prependListener = function (n, fn) { return add(this, n, fn, true); };
P.once = function (n, fn) { return add(this, n, fn, false, true); };
P.prependOnceListener = function (n, fn) { return add(this, n, fn, true, true); };
P.off = P.removeListener = function (n, fn) { var list = get(this, n), at = -1; for (var i = list.length - 1; i >= 0; i--) if (list[i] === fn || list[i].listener === fn) { at = i; break; } if (at >= 0) { list = list.slice(); list.splice(at, 1); if (list.length) this._events[n] = list; else delete this._events[n]; if (get(this, 'removeListener').length) this.emit('removeListener', n, fn); } return this; };
P.removeAllListeners = function (n) { if (n === undefined) this._events = Object.create(null); else if (this._events) delete this._events[n]; return this; };
P.emit = function (n) {
  var args = Array.prototype.slice.call(arguments, 1), list = get(this, n);
  if (!list.length) { if (n === 'error') { if (args[0] instanceof Error) throw args[0]; throw Object.assign(new Error('Unhandled error. (' + String(args[0]) + ')'), { code: 'ERR_UNHANDLED_ERROR', context: args[0] }); } return false; }
  for (var i = 0; i < list.length; i++) list[i].apply(this, args);
  return true;
};
P.listeners = function (n) { return get(this, n).map(function (f) { return f.listener || f; }); };
P.rawListeners = function (n) { return get(this, n).slice(); };
P.listenerCount = function (n) { return get(this, n).length; };
P.eventNames = function () { return Reflect.ownKeys(this._events || {}); };
P.setMaxListeners = function () { return this; }; P.getMaxListeners = function () { return 10; };
EventEmitter.EventEmitter = EventEmitter; EventEmitter.default = EventEmitter; EventEmitter.defaultMaxListeners = 10;
EventEmitter.once = function (e, n) { return new Promise(function (resolve, reject) { var err = function (x) { e.removeListener(n, ok); reject(x); }; var ok = function () { e.removeListener('error', err); resolve(Array.prototype.slice.call(arguments)); }; e.once(n, ok); if (n !== 'error') e.once('error', err); }); };
EventEmitter.listenerCount = function (e, n) { return e.listenerCount(n); };
module.exports = EventEmitter;
`

export const processModule = String.raw`
var EventEmitter = require('events'), host = internal.host, boot = internal.boot;
var process = new EventEmitter();
function stream(fd) { var s = new EventEmitter(); return Object.assign(s, { fd: fd, isTTY: undefined, writable: true, columns: undefined, write: function (d, e, cb) { if (typeof d === 'string') host('out', fd, d); else host('out', fd, d, true); cb = typeof e === 'function' ? e : cb; if (cb) queueMicrotask(cb); return true; }, end: function (d, e, cb) { if (d !== undefined && typeof d !== 'function') s.write(d); cb = [d, e, cb].find(function (f) { return typeof f === 'function'; }); if (cb) queueMicrotask(cb); }, cork: function () {}, uncork: function () {}, getColorDepth: function () { return 1; }, hasColors: function () { return false; } }); }
var stdin = new EventEmitter(), flowing = false, text, encoding = null;
function input() { if (text === undefined) text = host('stdin'); return text; }
function flow() { if (flowing) return; flowing = true; setImmediate(function () { var all = input(); if (all !== '') stdin.emit('data', encoding ? all : Buffer.from(all)); stdin.emit('end'); stdin.emit('close'); }); }
var on = stdin.on;
Object.assign(stdin, { fd: 0, isTTY: undefined, setEncoding: function (e) { encoding = e || 'utf8'; return stdin; }, resume: function () { flow(); return stdin; }, pause: function () { return stdin; }, unref: function () { return stdin; }, ref: function () { return stdin; }, read: function () { var all = input(); if (all === '' || flowing) return null; flowing = true; setImmediate(function () { stdin.emit('end'); }); return encoding ? all : Buffer.from(all); }, pipe: function (to) { stdin.on('data', function (d) { to.write(d); }); return to; } });
stdin.on = stdin.addListener = function (n, fn) { on.call(stdin, n, fn); if (n === 'data' || n === 'end') flow(); if (n === 'readable') setImmediate(function () { stdin.emit('readable'); }); return stdin; };
stdin[Symbol.asyncIterator] = async function* () { var all = input(); flowing = true; if (all !== '') yield encoding ? all : Buffer.from(all); };
var env = Object.assign({}, boot.env);
var cwd = boot.cwd, started = host('now');
Object.assign(process, {
  title: 'node', pid: 2, ppid: 1, platform: 'linux', arch: 'wasm32', version: boot.version, versions: { node: boot.version.slice(1), quickjs: '2025' }, release: { name: 'node' },
  argv: boot.argv, argv0: boot.argv[0], execArgv: boot.execArgv || [], execPath: boot.argv[0], exitCode: undefined,
  env: new Proxy(env, { set: function (t, k, v) { t[k] = String(v); return true; } }),
  cwd: function () { return cwd; }, chdir: function (d) { cwd = host('chdir', d); },
  exit: function (code) { internal.exit(code === undefined ? (process.exitCode === undefined ? 0 : process.exitCode) : code); }, abort: function () { internal.exit(134); }, reallyExit: function (c) { internal.exit(c); },
  nextTick: function (fn) { var args = Array.prototype.slice.call(arguments, 1); Promise.resolve().then(function () { fn.apply(undefined, args); }).catch(internal.fail); },
  hrtime: Object.assign(function (since) { var t = host('now'), s = Math.floor(t / 1000), n = Math.floor((t % 1000) * 1e6); if (since) { s -= since[0]; n -= since[1]; if (n < 0) { s--; n += 1e9; } } return [s, n]; }, { bigint: function () { return BigInt(Math.floor(host('now') * 1e6)); } }),
  uptime: function () { return (host('now') - started) / 1000; }, memoryUsage: Object.assign(function () { return { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }; }, { rss: function () { return 0; } }), cpuUsage: function () { return { user: 0, system: 0 }; }, resourceUsage: function () { return {}; },
  umask: function () { return 18; }, getuid: function () { return 1000; }, geteuid: function () { return 1000; }, getgid: function () { return 1000; }, getegid: function () { return 1000; },
  emitWarning: function (w) { host('out', 2, '(node:2) ' + (w && w.name && w.message ? w.name + ': ' + w.message : 'Warning: ' + w) + '\n'); },
  kill: function (pid, signal) { if (pid === 2 && signal !== 0) internal.exit(143); throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', errno: -3, syscall: 'kill' }); },
  stdout: stream(1), stderr: stream(2), stdin: stdin, features: {}, config: { variables: {} }, allowedNodeEnvironmentFlags: new Set(), binding: function () { throw new Error('process.binding is not here.'); },
});
module.exports = process;
`

export const timers = String.raw`
module.exports = Object.assign({}, internal.timers, { promises: require('timers/promises') });
`
export const timersPromises = String.raw`
var t = internal.timers;
function aborted(s) { return (s && s.reason) || Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }); }
function wait(start, stop) { return function (ms, value, o) { return new Promise(function (resolve, reject) { var s = o && o.signal; if (s && s.aborted) return reject(aborted(s)); var id = start(function () { resolve(value); }, ms); if (o && o.ref === false && id.unref) id.unref(); if (s) s.addEventListener('abort', function () { stop(id); reject(aborted(s)); }, { once: true }); }); }; }
module.exports = { setTimeout: wait(t.setTimeout, t.clearTimeout), setImmediate: function (v) { return new Promise(function (r) { t.setImmediate(function () { r(v); }); }); },
  setInterval: async function* (ms, value) { for (;;) { await module.exports.setTimeout(ms); yield value; } }, scheduler: { wait: function (ms, o) { return module.exports.setTimeout(ms, undefined, o); }, yield: function () { return module.exports.setImmediate(); } } };
`
