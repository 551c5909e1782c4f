/** node:path, fs, os, url, buffer, crypto and the web's globals. */
export const path = String.raw`
function check(p, name) { if (typeof p !== 'string') throw Object.assign(new TypeError('The "' + (name || 'path') + '" argument must be of type string. Received ' + (p === null ? 'null' : typeof p)), { code: 'ERR_INVALID_ARG_TYPE' }); }
function parts(p, absolute) { var out = []; p.split('/').forEach(function (s) { if (s === '' || s === '.') return; if (s === '..') { if (out.length && out[out.length - 1] !== '..') out.pop(); else if (!absolute) out.push('..'); } else out.push(s); }); return out; }
var path = {
  sep: '/', delimiter: ':',
  normalize: function (p) { check(p); if (p === '') return '.'; var abs = p[0] === '/', end = p[p.length - 1] === '/', out = parts(p, abs).join('/'); if (!out && !abs) out = '.'; if (out && end) out += '/'; return abs ? '/' + out : out; },
  join: function () { var j = Array.prototype.filter.call(arguments, function (s) { check(s); return s !== ''; }).join('/'); return j === '' ? '.' : path.normalize(j); },
  resolve: function () { var r = ''; for (var i = arguments.length - 1; i >= 0 && r[0] !== '/'; i--) { check(arguments[i], 'paths[' + i + ']'); if (arguments[i] !== '') r = arguments[i] + (r ? '/' + r : ''); } if (r[0] !== '/') r = require('process').cwd() + '/' + r; return '/' + parts(r, true).join('/'); },
  isAbsolute: function (p) { check(p); return p[0] === '/'; },
  relative: function (a, b) { check(a, 'from'); check(b, 'to'); a = path.resolve(a).split('/').filter(Boolean); b = path.resolve(b).split('/').filter(Boolean); var i = 0; while (i < a.length && i < b.length && a[i] === b[i]) i++; return a.slice(i).map(function () { return '..'; }).concat(b.slice(i)).join('/'); },
  dirname: function (p) { check(p); if (p === '') return '.'; var t = p.replace(/(.)\/+$/, '$1'), i = t.lastIndexOf('/'); if (i < 0) return '.'; if (i === 0) return '/'; return t.slice(0, i).replace(/(.)\/+$/, '$1'); },
  basename: function (p, ext) { check(p); var t = p.replace(/\/+$/, ''), b = t.slice(t.lastIndexOf('/') + 1); return ext && b !== ext && b.endsWith(ext) ? b.slice(0, -ext.length) : b; },
  extname: function (p) { check(p); var b = path.basename(p), i = b.lastIndexOf('.'); return i <= 0 || b === '..' ? '' : b.slice(i); },
  parse: function (p) { check(p); var base = path.basename(p), ext = path.extname(p), root = p[0] === '/' ? '/' : '', dir = p.replace(/\/+$/, ''); dir = dir.slice(0, Math.max(0, dir.length - base.length)); if (!dir) dir = root; if (dir !== root) dir = dir.replace(/\/+$/, ''); return { root: root, dir: dir, base: base, ext: ext, name: ext ? base.slice(0, -ext.length) : base }; },
  format: function (o) { var dir = o.dir || o.root, base = o.base || (o.name || '') + (o.ext ? (o.ext[0] === '.' ? '' : '.') + o.ext : ''); return !dir ? base : dir === o.root ? dir + base : dir + '/' + base; },
  toNamespacedPath: function (p) { return p; }, matchesGlob: function (p, g) { return internal.host('glob', String(p), String(g)); },
};
path.posix = path; path.win32 = path;
module.exports = path;
`

export const fs = String.raw`
var host = internal.host, path = require('path'), process = require('process');
function name(p) { if (p instanceof URL) return require('url').fileURLToPath(p); if (Buffer.isBuffer(p)) return p.toString(); if (typeof p !== 'string') throw Object.assign(new TypeError('The "path" argument must be of type string or an instance of Buffer or URL. Received ' + (p === undefined ? 'undefined' : typeof p)), { code: 'ERR_INVALID_ARG_TYPE' }); return path.resolve(p); }
function enc(o) { return typeof o === 'string' ? o : o && o.encoding; }
function bytes(d, o) { if (typeof d === 'string') return Buffer.from(d, enc(o) || 'utf8'); if (ArrayBuffer.isView(d)) return d; throw Object.assign(new TypeError('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ' + (d === undefined ? 'undefined' : typeof d)), { code: 'ERR_INVALID_ARG_TYPE' }); }
function Stats(s) { this.dev = 1; this.ino = 1; this.nlink = 1; this.uid = this.gid = 1000; this.size = s.size; this.mode = s.mode | (s.type === 'file' ? 32768 : s.type === 'directory' ? 16384 : 40960); this.mtimeMs = this.atimeMs = this.ctimeMs = this.birthtimeMs = s.modified; this.mtime = this.atime = this.ctime = this.birthtime = new Date(s.modified); this.blksize = 4096; this.blocks = Math.ceil(s.size / 512); Object.defineProperty(this, '_t', { value: s.type }); }
function Dirent(n, t, dir) { this.name = n; this.parentPath = this.path = dir; Object.defineProperty(this, '_t', { value: t }); }
[Stats, Dirent].forEach(function (C) { C.prototype.isFile = function () { return this._t === 'file'; }; C.prototype.isDirectory = function () { return this._t === 'directory'; }; C.prototype.isSymbolicLink = function () { return this._t === 'symlink'; }; ['isFIFO', 'isSocket', 'isBlockDevice', 'isCharacterDevice'].forEach(function (m) { C.prototype[m] = function () { return false; }; }); });
var open = new Map(), lastFd = 2;
function fdOf(fd) { var f = open.get(fd); if (!f) throw Object.assign(new Error('EBADF: bad file descriptor'), { code: 'EBADF', syscall: 'fd' }); return f; }
function tmp() { return Math.random().toString(36).slice(2, 8).padEnd(6, '0'); }
var sync = {
  readFile: function (p, o) {
    if (p === 0 || p === '/dev/stdin') { var t = host('stdin'); return enc(o) ? t : Buffer.from(t); }
    var file = typeof p === 'number' ? fdOf(p).path : name(p), e = enc(o);
    return e ? host('read', file, e) : Buffer.from(host('bytes', file));
  },
  writeFile: function (p, d, o) { if (p === 1 || p === 2) { host('out', p, typeof d === 'string' ? d : bytes(d).toString()); return; } if (typeof p === 'number') return sync.write(p, d); var flag = o && o.flag; if (flag && flag[0] === 'a') return sync.appendFile(p, d, o); if (flag && flag.indexOf('x') >= 0 && sync.exists(p)) throw host('throw', 'EEXIST', 'open', name(p)); host('write', name(p), bytes(d, o)); if (o && o.mode !== undefined) host('chmod', name(p), o.mode); },
  appendFile: function (p, d, o) { if (typeof p === 'number') return sync.write(p, d); host('append', name(p), bytes(d, o)); },
  exists: function (p) { try { return host('stat', name(p), true, false) !== null; } catch (e) { return false; } },
  stat: function (p, o) { var s = host('stat', name(p), true, !(o && o.throwIfNoEntry === false)); return s ? new Stats(s) : undefined; },
  lstat: function (p, o) { var s = host('stat', name(p), false, !(o && o.throwIfNoEntry === false)); return s ? new Stats(s) : undefined; },
  fstat: function (fd) { return sync.stat(fdOf(fd).path); },
  readdir: function (p, o) {
    var dir = name(p), out = [], recursive = o && o.recursive, typed = o && o.withFileTypes;
    (function walk(d, prefix) { host('list', d).forEach(function (e) { out.push(typed ? new Dirent(e.name, e.type, d) : prefix + e.name); if (recursive && e.type === 'directory') walk(d + '/' + e.name, prefix + e.name + '/'); }); })(dir, '');
    return out;
  },
  mkdir: function (p, o) { var made = host('mkdir', name(p), !!(o && (o === true || o.recursive))); return made || undefined; },
  mkdtemp: function (prefix) { var d = path.resolve(prefix + tmp()); host('mkdir', d, false); return d; },
  rmdir: function (p, o) { host(o && o.recursive ? 'rmtree' : 'rmdir', name(p)); },
  rm: function (p, o) { o = o || {}; host('rm', name(p), !!o.recursive, !!o.force); },
  unlink: function (p) { host('unlink', name(p)); },
  rename: function (a, b) { host('rename', name(a), name(b)); },
  copyFile: function (a, b, mode) { if (mode & 1 && sync.exists(b)) throw host('throw', 'EEXIST', 'copyfile', name(b)); host('copy', name(a), name(b), false); },
  cp: function (a, b, o) { host('copy', name(a), name(b), !!(o && o.recursive)); },
  symlink: function (t, p) { host('symlink', String(t), name(p)); }, link: function (a, b) { host('link', name(a), name(b)); },
  readlink: function (p) { return host('readlink', name(p)); }, realpath: function (p) { return host('realpath', name(p)); },
  chmod: function (p, m) { host('chmod', name(p), typeof m === 'string' ? parseInt(m, 8) : m); }, chown: function () {}, lchown: function () {},
  utimes: function (p, a, m) { host('utimes', name(p), m instanceof Date ? +m : m * 1000); },
  access: function (p) { host('stat', name(p), true, true, 'access'); },
  truncate: function (p, n) { var b = Buffer.from(host('bytes', name(p))), out = Buffer.alloc(n || 0); out.set(b.subarray(0, n || 0)); host('write', name(p), out); },
  open: function (p, flags) { flags = String(flags === undefined ? 'r' : flags); var file = name(p); if (flags[0] === 'r') host('stat', file, true, true, 'open'); if (flags[0] === 'w') { if (flags.indexOf('x') >= 0 && sync.exists(p)) throw host('throw', 'EEXIST', 'open', file); host('write', file, new Uint8Array(0)); } if (flags[0] === 'a' && !sync.exists(p)) host('write', file, new Uint8Array(0)); open.set(++lastFd, { path: file, at: 0, append: flags[0] === 'a' }); return lastFd; },
  close: function (fd) { fdOf(fd); open.delete(fd); },
  read: function (fd, buf, off, len, pos) { if (off && typeof off === 'object') { len = off.length; pos = off.position; off = off.offset; } if (fd === 0) { var all = Buffer.from(host('stdin')), s = internal.stdinAt || 0, part = all.subarray(s, s + (len === undefined ? buf.length : len)); buf.set(part, off || 0); internal.stdinAt = s + part.length; return part.length; } var f = fdOf(fd), data = new Uint8Array(host('bytes', f.path)), from = pos == null || pos < 0 ? f.at : Number(pos); var got = data.subarray(from, from + (len === undefined ? buf.byteLength - (off || 0) : len)); buf.set(got, off || 0); if (pos == null || pos < 0) f.at += got.length; return got.length; },
  write: function (fd, d, a, b, c) { if (fd === 1 || fd === 2) { host('out', fd, typeof d === 'string' ? d : Buffer.from(d).toString()); return d.length; } var f = fdOf(fd), data = typeof d === 'string' ? Buffer.from(d) : d.subarray(a || 0, b === undefined ? undefined : (a || 0) + b), pos = typeof d === 'string' ? a : c; if (f.append) { host('append', f.path, data); return data.length; } var old = new Uint8Array(host('bytes', f.path)), at = typeof pos === 'number' ? pos : f.at; if (at === old.length) host('append', f.path, data); else { var out = new Uint8Array(Math.max(old.length, at + data.length)); out.set(old); out.set(data, at); host('write', f.path, out); } if (typeof pos !== 'number') f.at = at + data.length; return data.length; },
  fsync: function () {}, fdatasync: function () {}, ftruncate: function (fd, n) { sync.truncate(fdOf(fd).path, n); }, futimes: function () {}, fchmod: function () {}, lutimes: function () {}, opendir: function (p) { var list = sync.readdir(p, { withFileTypes: true }), i = 0; return { path: p, readSync: function () { return list[i++] || null; }, read: async function () { return list[i++] || null; }, closeSync: function () {}, close: async function () {}, [Symbol.asyncIterator]: async function* () { yield* list; } }; },
};
var fs = { Stats: Stats, Dirent: Dirent, constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64 }, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 }, promises = { constants: fs.constants };
// Errors name the path as the program gave it.
Object.keys(sync).forEach(function (k) { var act = sync[k]; sync[k] = function (p) { try { return act.apply(null, arguments); } catch (e) { if (e && e.path && typeof p === 'string' && p !== e.path && path.resolve(p) === e.path) { e.message = e.message.split("'" + e.path + "'").join("'" + p + "'"); e.path = p; } throw e; } }; });
Object.keys(sync).forEach(function (k) {
  fs[k + 'Sync'] = sync[k];
  promises[k] = function () { var a = arguments; return new Promise(function (resolve, reject) { internal.timers.setImmediate(function () { try { resolve(sync[k].apply(null, a)); } catch (e) { reject(e); } }); }); };
  fs[k] = function () {
    var a = Array.prototype.slice.call(arguments), cb = a.pop();
    if (typeof cb !== 'function') throw Object.assign(new TypeError('The "cb" argument must be of type function. Received ' + typeof cb), { code: 'ERR_INVALID_ARG_TYPE' });
    internal.timers.setImmediate(function () { var v, e = null; try { v = sync[k].apply(null, a); } catch (x) { e = x; } if (k === 'exists') cb(v); else if (e) cb(e); else if (v === undefined) cb(null); else cb(null, v); });
  };
});
delete promises.exists;
fs.realpathSync.native = fs.realpathSync;
promises.open = async function (p, flags) { var fd = sync.open(p, flags); return { fd: fd, read: async function (b, o, l, x) { return { bytesRead: sync.read(fd, b, o, l, x), buffer: b }; }, write: async function (d) { return { bytesWritten: sync.write(fd, d), buffer: d }; }, readFile: async function (o) { return sync.readFile(fd, o); }, writeFile: async function (d, o) { sync.writeFile(fdOf(fd).path, d, o); }, appendFile: async function (d) { sync.write(fd, d); }, stat: async function () { return sync.fstat(fd); }, close: async function () { sync.close(fd); } }; };
function Stream() {}
fs.createReadStream = function (p, o) {
  var E = require('events'), s = new E(), e = enc(o), started = false, on = s.on;
  function start() { if (started) return; started = true; internal.timers.setImmediate(function () { try { var d = sync.readFile(p, e); if (d.length) s.emit('data', d); s.emit('end'); s.emit('close'); } catch (x) { s.emit('error', x); } }); }
  s.on = function (n, fn) { on.call(s, n, fn); if (n === 'data' || n === 'end') start(); return s; };
  s.setEncoding = function (x) { e = x; return s; }; s.resume = function () { start(); return s; }; s.pause = function () { return s; }; s.destroy = function () {}; s.close = function () {}; s.path = p;
  s.pipe = function (to) { s.on('data', function (d) { to.write(d); }); s.on('end', function () { if (to.end && to.fd === undefined) to.end(); }); return to; };
  s[Symbol.asyncIterator] = async function* () { started = true; var d = sync.readFile(p, e); if (d.length) yield d; };
  return s;
};
fs.createWriteStream = function (p, o) {
  var E = require('events'), s = new E(), appending = o && o.flags && o.flags[0] === 'a';
  if (!appending) sync.writeFile(p, ''); s.path = p; s.writable = true;
  s.write = function (d, e, cb) { sync.appendFile(p, d, typeof e === 'string' ? e : undefined); cb = typeof e === 'function' ? e : cb; if (cb) queueMicrotask(cb); return true; };
  s.end = function (d, e, cb) { if (d !== undefined && typeof d !== 'function') s.write(d); cb = [d, e, cb].find(function (f) { return typeof f === 'function'; }); if (cb) s.once('finish', cb); internal.timers.setImmediate(function () { s.emit('finish'); s.emit('close'); }); return s; };
  s.close = s.destroy = function () {};
  return s;
};
function noWatch() { throw Object.assign(new Error('Watching files is not here: commands run to their end.'), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' }); }
fs.watch = fs.watchFile = noWatch; fs.unwatchFile = function () {};
fs.globSync = function (g) { var m = [].concat(g); return sync.readdir(process.cwd(), { recursive: true }).filter(function (f) { return m.some(function (x) { return path.matchesGlob(f, x); }); }); };
promises.access = promises.access; fs.promises = promises;
module.exports = fs;
`
export const fsPromises = String.raw`module.exports = require('fs').promises;`

export const os = String.raw`
module.exports = { EOL: '\n', platform: function () { return 'linux'; }, type: function () { return 'Linux'; }, arch: function () { return 'wasm32'; }, release: function () { return '6.0.0'; }, version: function () { return ''; }, machine: function () { return 'wasm32'; }, hostname: function () { return 'halo'; }, homedir: function () { return process.env.HOME || '/home/user'; }, tmpdir: function () { return '/tmp'; }, cpus: function () { return [{ model: 'wasm', speed: 0, times: {} }]; }, availableParallelism: function () { return 1; }, totalmem: function () { return 268435456; }, freemem: function () { return 134217728; }, uptime: function () { return 1; }, loadavg: function () { return [0, 0, 0]; }, userInfo: function () { return { uid: 1000, gid: 1000, username: 'user', homedir: '/home/user', shell: '/bin/bash' }; }, networkInterfaces: function () { return {}; }, endianness: function () { return 'LE'; }, devNull: '/dev/null', constants: { signals: {}, errno: {} } };
`

export const url = String.raw`
var host = internal.host;
function parse(href, base) { var r = host('url', String(href), base === undefined ? null : String(base)); if (!r) throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: String(href) }); return r; }
class URLSearchParams {
  constructor(init) { this._list = []; this._url = null; if (init == null) return; if (typeof init === 'string') { init.replace(/^\?/, '').split('&').forEach((p) => { if (!p) return; var i = p.indexOf('='), d = (s) => host('unescape', s.replace(/\+/g, ' ')); this._list.push(i < 0 ? [d(p), ''] : [d(p.slice(0, i)), d(p.slice(i + 1))]); }); } else if (typeof init[Symbol.iterator] === 'function') for (var p of init) this._list.push([String(p[0]), String(p[1])]); else Object.keys(init).forEach((k) => this._list.push([k, String(init[k])])); }
  _changed() { if (this._url) this._url._set('search', this.toString()); }
  append(k, v) { this._list.push([String(k), String(v)]); this._changed(); }
  delete(k, v) { this._list = this._list.filter((p) => p[0] !== k || (v !== undefined && p[1] !== v)); this._changed(); }
  get(k) { var p = this._list.find((p) => p[0] === k); return p ? p[1] : null; }
  getAll(k) { return this._list.filter((p) => p[0] === k).map((p) => p[1]); }
  has(k, v) { return this._list.some((p) => p[0] === k && (v === undefined || p[1] === v)); }
  set(k, v) { var at = this._list.findIndex((p) => p[0] === k); if (at < 0) this._list.push([String(k), String(v)]); else { this._list[at] = [String(k), String(v)]; this._list = this._list.filter((p, i) => i <= at || p[0] !== k); } this._changed(); }
  sort() { this._list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this._changed(); }
  forEach(fn, self) { this._list.forEach((p) => fn.call(self, p[1], p[0], this)); }
  get size() { return this._list.length; }
  *keys() { for (var p of this._list) yield p[0]; } *values() { for (var p of this._list) yield p[1]; } *entries() { for (var p of this._list) yield [p[0], p[1]]; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { var e = (s) => encodeURIComponent(s.toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()); return this._list.map((p) => e(p[0]) + '=' + e(p[1])).join('&'); }
  [Symbol.for('nodejs.util.inspect.custom')](d, o, inspect) { return this._list.length ? 'URLSearchParams { ' + this._list.map((p) => inspect(p[0]) + ' => ' + inspect(p[1])).join(', ') + ' }' : 'URLSearchParams {}'; }
}
class URL {
  constructor(href, base) { Object.defineProperty(this, '_p', { value: parse(href, base), writable: true }); Object.defineProperty(this, '_s', { value: null, writable: true }); }
  static canParse(href, base) { return !!host('url', String(href), base === undefined ? null : String(base)); }
  static parse(href, base) { try { return new URL(href, base); } catch (e) { return null; } }
  _set(k, v) { this._p = host('urlset', this._p.href, k, String(v)) || this._p; if (k !== 'search' && this._s) { this._s._list = new URLSearchParams(this._p.search)._list; } }
  get searchParams() { if (!this._s) { this._s = new URLSearchParams(this._p.search); this._s._url = this; } return this._s; }
  get origin() { return this._p.origin; } toString() { return this._p.href; } toJSON() { return this._p.href; }
  [Symbol.for('nodejs.util.inspect.custom')](d, o, inspect) { var p = this._p; return 'URL ' + inspect({ href: p.href, origin: p.origin, protocol: p.protocol, username: p.username, password: p.password, host: p.host, hostname: p.hostname, port: p.port, pathname: p.pathname, search: p.search, searchParams: this.searchParams, hash: p.hash }); }
}
['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'].forEach(function (k) { Object.defineProperty(URL.prototype, k, { enumerable: true, configurable: true, get: function () { return this._p[k]; }, set: function (v) { this._set(k, v); if (k === 'search' && this._s) this._s._list = new URLSearchParams(this._p.search)._list; } }); });
module.exports = { URL: URL, URLSearchParams: URLSearchParams,
  fileURLToPath: function (u) { var p = u instanceof URL ? u : new URL(u); if (p.protocol !== 'file:') throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' }); return decodeURIComponent(p.pathname); },
  pathToFileURL: function (p) { return new URL('file://' + require('path').resolve(p).split('/').map(function (s) { return encodeURIComponent(s).replace(/%3A/g, ':').replace(/%40/g, '@'); }).join('/')); },
  parse: function (s) { var u = URL.parse(s); if (!u) return { protocol: null, host: null, hostname: null, port: null, pathname: s.split(/[?#]/)[0], search: (/\?[^#]*/.exec(s) || [null])[0], query: (/\?([^#]*)/.exec(s) || [null, null])[1], hash: (/#.*/.exec(s) || [null])[0], path: s.split('#')[0], href: s }; return { protocol: u.protocol, slashes: true, auth: u.username ? u.username + (u.password ? ':' + u.password : '') : null, host: u.host, hostname: u.hostname, port: u.port || null, pathname: u.pathname, search: u.search || null, query: u.search ? u.search.slice(1) : null, hash: u.hash || null, path: u.pathname + u.search, href: u.href }; },
  format: function (u) { return String(u.href || u); }, resolve: function (a, b) { return new URL(b, new URL(a, 'resolve://')).href.replace(/^resolve:\/\//, ''); }, domainToASCII: function (d) { return d; } };
`

export const buffer = String.raw`
var host = internal.host;
function norm(e) { e = String(e === undefined || e === null ? 'utf8' : e).toLowerCase(); if (e === 'utf-8') e = 'utf8'; if (e === 'ucs-2' || e === 'utf-16le') e = 'utf16le'; if (['utf8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf16le', 'ucs2'].indexOf(e) < 0) throw Object.assign(new TypeError('Unknown encoding: ' + e), { code: 'ERR_UNKNOWN_ENCODING' }); return e; }
class Buffer extends Uint8Array {
  static from(v, e, n) {
    if (typeof v === 'string') { var b = host('encode', v, norm(e)); return new Buffer(b); }
    if (v instanceof ArrayBuffer) return new Buffer(v, e, n);
    if (ArrayBuffer.isView(v) || Array.isArray(v)) { var c = new Buffer(v.length); for (var i = 0; i < v.length; i++) c[i] = v[i]; return c; }
    if (v && v.type === 'Buffer' && Array.isArray(v.data)) return Buffer.from(v.data);
    if (v && typeof v.length === 'number') return Buffer.from(Array.from(v));
    throw Object.assign(new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ' + (v === null ? 'null' : typeof v)), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  static alloc(n, fill, e) { var b = new Buffer(n); if (fill !== undefined) b.fill(fill, 0, n, e); return b; }
  static allocUnsafe(n) { return new Buffer(n); } static allocUnsafeSlow(n) { return new Buffer(n); }
  static isBuffer(b) { return b instanceof Buffer; } static isEncoding(e) { try { norm(e); return true; } catch (x) { return false; } }
  static byteLength(s, e) { return typeof s === 'string' ? Buffer.from(s, e).length : s.byteLength; }
  static concat(list, total) { if (total === undefined) total = list.reduce(function (n, b) { return n + b.length; }, 0); var out = Buffer.alloc(total), at = 0; list.forEach(function (b) { if (at + b.length > total) b = b.subarray(0, total - at); out.set(b, at); at += b.length; }); return out; }
  static compare(a, b) { for (var i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1; return a.length < b.length ? -1 : a.length > b.length ? 1 : 0; }
  toString(e, s, n) { var b = s === undefined && n === undefined ? this : this.subarray(s || 0, n); e = norm(e); return host('decode', b, e === 'utf8' ? 'utf8' : e); }
  toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
  equals(b) { return Buffer.compare(this, b) === 0; }
  compare(b) { return Buffer.compare(this, b); }
  slice(s, e) { return this.subarray(s, e); }
  subarray(s, e) { var u = super.subarray(s, e); Object.setPrototypeOf(u, Buffer.prototype); return u; }
  write(str, off, len, e) { if (typeof off === 'string') { e = off; off = 0; len = undefined; } else if (typeof len === 'string') { e = len; len = undefined; } var b = Buffer.from(str, e); off = off || 0; var n = Math.min(b.length, this.length - off, len === undefined ? Infinity : len); this.set(b.subarray(0, n), off); return n; }
  copy(t, ts, s, e) { var part = this.subarray(s || 0, e); part = part.subarray(0, Math.max(0, t.length - (ts || 0))); t.set(part, ts || 0); return part.length; }
  fill(v, s, e, enc) { if (typeof v === 'string') { if (typeof s === 'string') { enc = s; s = 0; e = this.length; } var b = Buffer.from(v, enc); s = s || 0; e = e === undefined ? this.length : e; if (!b.length) return super.fill(0, s, e); for (var i = s; i < e; i++) this[i] = b[(i - s) % b.length]; return this; } return super.fill(v, s, e); }
  indexOf(v, from, e) { if (typeof v === 'number') return super.indexOf(v, from); var n = typeof v === 'string' ? Buffer.from(v, e) : v; outer: for (var i = from || 0; i <= this.length - n.length; i++) { for (var j = 0; j < n.length; j++) if (this[i + j] !== n[j]) continue outer; return i; } return -1; }
  includes(v, f, e) { return this.indexOf(v, f, e) >= 0; }
}
var view = function (b) { return new DataView(b.buffer, b.byteOffset, b.byteLength); };
[['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]].forEach(function (t) {
  (t[2] === 1 ? [''] : ['LE', 'BE']).forEach(function (end) {
    var le = end === 'LE', range = function (b, o) { if (o + t[2] > b.length || o < 0) throw Object.assign(new RangeError('The value of "offset" is out of range. It must be >= 0 and <= ' + (b.length - t[2]) + '. Received ' + o), { code: 'ERR_OUT_OF_RANGE' }); };
    Buffer.prototype['read' + t[0] + end] = function (o) { o = o || 0; range(this, o); return view(this)['get' + t[1]](o, le); };
    Buffer.prototype['write' + t[0] + end] = function (v, o) { o = o || 0; range(this, o); view(this)['set' + t[1]](o, v, le); return o + t[2]; };
    if (/^UInt|^BigUInt/.test(t[0])) { Buffer.prototype['read' + t[0].replace('UInt', 'Uint') + end] = Buffer.prototype['read' + t[0] + end]; Buffer.prototype['write' + t[0].replace('UInt', 'Uint') + end] = Buffer.prototype['write' + t[0] + end]; }
  });
});
Object.defineProperty(Buffer.prototype, 'parent', { get: function () { return this.buffer; } });
Buffer.poolSize = 8192;
class Blob { constructor(parts, o) { this._b = Buffer.concat((parts || []).map(function (p) { return typeof p === 'string' ? Buffer.from(p) : p instanceof Blob ? p._b : Buffer.from(new Uint8Array(p.buffer || p)); })); this.size = this._b.length; this.type = (o && o.type) || ''; } async text() { return this._b.toString(); } async arrayBuffer() { return this._b.buffer.slice(0); } slice(a, b, t) { return new Blob([this._b.subarray(a, b)], { type: t }); } }
module.exports = { Buffer: Buffer, Blob: Blob, constants: { MAX_LENGTH: 4294967296 }, kMaxLength: 4294967296, atob: function (s) { return Buffer.from(String(s), 'base64').toString('latin1'); }, btoa: function (s) { return Buffer.from(String(s), 'latin1').toString('base64'); }, isUtf8: function () { return true; } };
`

export const web = String.raw`
var host = internal.host;
class DOMException extends Error { constructor(m, n) { super(m); Object.defineProperty(this, 'name', { value: (n && n.name) || n || 'Error', configurable: true }); this.code = 20; } }
class Event { constructor(t, o) { this.type = t; Object.assign(this, { defaultPrevented: false, cancelable: false, bubbles: false }, o); this.timeStamp = host('now'); } preventDefault() { if (this.cancelable) this.defaultPrevented = true; } stopPropagation() {} stopImmediatePropagation() { this._stop = true; } }
class CustomEvent extends Event { constructor(t, o) { super(t, o); this.detail = o && o.detail !== undefined ? o.detail : null; } }
class EventTarget {
  addEventListener(t, fn, o) { var m = this._l || Object.defineProperty(this, '_l', { value: new Map() })._l; if (!m.has(t)) m.set(t, []); if (fn && !m.get(t).some(function (x) { return x.fn === fn; })) m.get(t).push({ fn: fn, once: !!(o && o.once) }); }
  removeEventListener(t, fn) { var l = this._l && this._l.get(t); if (l) this._l.set(t, l.filter(function (x) { return x.fn !== fn; })); }
  dispatchEvent(e) { e.target = e.currentTarget = this; var l = (this._l && this._l.get(e.type)) || []; if (typeof this['on' + e.type] === 'function') this['on' + e.type](e); for (var x of l.slice()) { if (x.once) this.removeEventListener(e.type, x.fn); try { if (typeof x.fn === 'function') x.fn.call(this, e); else x.fn.handleEvent(e); } catch (err) { internal.fail(err); } if (e._stop) break; } return !e.defaultPrevented; }
}
class AbortSignal extends EventTarget {
  constructor() { super(); this.aborted = false; this.reason = undefined; this.onabort = null; }
  throwIfAborted() { if (this.aborted) throw this.reason; }
  static abort(r) { var c = new AbortController(); c.abort(r); return c.signal; }
  static timeout(ms) { var c = new AbortController(); internal.timers.setTimeout(function () { c.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')); }, ms).unref(); return c.signal; }
  static any(list) { var c = new AbortController(); list.forEach(function (s) { if (s.aborted) c.abort(s.reason); else s.addEventListener('abort', function () { c.abort(s.reason); }, { once: true }); }); return c.signal; }
}
class AbortController { constructor() { this.signal = new AbortSignal(); } abort(r) { var s = this.signal; if (s.aborted) return; s.aborted = true; s.reason = r === undefined ? new DOMException('This operation was aborted', 'AbortError') : r; s.dispatchEvent(new Event('abort')); } }
function structuredClone(v) {
  var seen = new Map();
  return copy(v);
  function copy(x) {
    if (typeof x === 'function' || typeof x === 'symbol') throw new DOMException((typeof x === 'function' ? String(x) : String(x)) + ' could not be cloned.', 'DataCloneError');
    if (typeof x !== 'object' || x === null) return x;
    if (seen.has(x)) return seen.get(x);
    var out;
    if (x instanceof Date) return new Date(+x); if (x instanceof RegExp) return new RegExp(x.source, x.flags);
    if (x instanceof ArrayBuffer) return x.slice(0); if (ArrayBuffer.isView(x)) return new x.constructor(x);
    if (Array.isArray(x)) { out = []; seen.set(x, out); for (var i = 0; i < x.length; i++) if (i in x) out[i] = copy(x[i]); out.length = x.length; return out; }
    if (x instanceof Map) { out = new Map(); seen.set(x, out); x.forEach(function (b, a) { out.set(copy(a), copy(b)); }); return out; }
    if (x instanceof Set) { out = new Set(); seen.set(x, out); x.forEach(function (a) { out.add(copy(a)); }); return out; }
    if (x instanceof Error) { out = new (globalThis[x.name] || Error)(x.message); out.stack = x.stack; seen.set(x, out); return out; }
    out = {}; seen.set(x, out); Object.keys(x).forEach(function (k) { out[k] = copy(x[k]); }); return out;
  }
}
class Headers { constructor(i) { this._m = new Map(); if (i) { if (i instanceof Headers) i.forEach((v, k) => this.append(k, v)); else if (typeof i[Symbol.iterator] === 'function') for (var p of i) this.append(p[0], p[1]); else Object.keys(i).forEach((k) => this.append(k, i[k])); } } append(k, v) { k = String(k).toLowerCase(); this._m.set(k, this._m.has(k) ? this._m.get(k) + ', ' + v : String(v)); } set(k, v) { this._m.set(String(k).toLowerCase(), String(v)); } get(k) { k = String(k).toLowerCase(); return this._m.has(k) ? this._m.get(k) : null; } has(k) { return this._m.has(String(k).toLowerCase()); } delete(k) { this._m.delete(String(k).toLowerCase()); } forEach(fn) { this._m.forEach((v, k) => fn(v, k, this)); } keys() { return this._m.keys(); } values() { return this._m.values(); } entries() { return this._m.entries(); } [Symbol.iterator]() { return this._m.entries(); } }
class Body { _take() { if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read'); this.bodyUsed = true; return this._body; } async arrayBuffer() { var b = this._take(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); } async bytes() { return new Uint8Array(this._take()); } async text() { return this._take().toString(); } async json() { return JSON.parse(await this.text()); } async blob() { return new Blob([this._take()]); } }
function bodyOf(b) { return b == null ? Buffer.alloc(0) : typeof b === 'string' ? Buffer.from(b) : b instanceof URLSearchParams ? Buffer.from(b.toString()) : Buffer.from(b); }
class Response extends Body { constructor(b, o) { super(); o = o || {}; this._body = bodyOf(b); this.bodyUsed = false; this.status = o.status === undefined ? 200 : o.status; this.statusText = o.statusText || ''; this.headers = new Headers(o.headers); this.ok = this.status >= 200 && this.status < 300; this.url = o.url || ''; this.redirected = false; this.type = 'default'; } static json(v, o) { var r = new Response(JSON.stringify(v), o); if (!r.headers.has('content-type')) r.headers.set('content-type', 'application/json'); return r; } static error() { return new Response(null, { status: 0 }); } clone() { var r = new Response(this._body, this); r.url = this.url; return r; } }
class Request extends Body { constructor(u, o) { super(); o = o || {}; this.url = String(u.url || u); this.method = (o.method || u.method || 'GET').toUpperCase(); this.headers = new Headers(o.headers || u.headers); this._body = bodyOf(o.body); this.bodyUsed = false; this.signal = o.signal || new AbortController().signal; } }
function fetch(input, init) {
  var r = new Request(input, init);
  return internal.later('fetch', r.url, { method: r.method, headers: Array.from(r.headers), body: r._body.length ? r._body.toString('base64') : null }).then(function (a) { return new Response(Buffer.from(a.body, 'base64'), a); });
}
module.exports = { DOMException: DOMException, Event: Event, CustomEvent: CustomEvent, EventTarget: EventTarget, AbortSignal: AbortSignal, AbortController: AbortController, structuredClone: structuredClone, Headers: Headers, Response: Response, Request: Request, fetch: fetch, navigator: { userAgent: 'Node.js/20', hardwareConcurrency: 1, language: 'en-US' } };
`

export const small: Record<string, string> = {
  perf_hooks: String.raw`var host = internal.host, start = host('now'); module.exports = { performance: { now: function () { return host('now') - start; }, timeOrigin: Date.now(), mark: function () {}, measure: function () {}, toJSON: function () { return {}; } }, PerformanceObserver: function () { this.observe = function () {}; this.disconnect = function () {}; } };`,
  crypto: String.raw`
var host = internal.host;
function randomBytes(n, cb) { var b = Buffer.from(host('random', n)); if (cb) queueMicrotask(function () { cb(null, b); }); else return b; }
function uuid() { var b = randomBytes(16); b[6] = (b[6] & 15) | 64; b[8] = (b[8] & 63) | 128; var h = b.toString('hex'); return [h.slice(0, 8), h.slice(8, 12), h.slice(12, 16), h.slice(16, 20), h.slice(20)].join('-'); }
function fill(a) { var b = new Uint8Array(host('random', a.byteLength)); new Uint8Array(a.buffer, a.byteOffset, a.byteLength).set(b); return a; }
function noHash() { throw Object.assign(new Error('crypto hashes are not here; sha256sum, sha1sum and md5sum are in the shell.'), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' }); }
module.exports = { randomUUID: uuid, randomBytes: randomBytes, randomFillSync: fill, randomInt: function (a, b) { if (b === undefined) { b = a; a = 0; } return a + Math.floor(Math.random() * (b - a)); }, getRandomValues: fill, createHash: noHash, createHmac: noHash, getHashes: function () { return []; }, timingSafeEqual: function (a, b) { return Buffer.compare(a, b) === 0; }, webcrypto: { getRandomValues: fill, randomUUID: uuid } };`,
  child_process: String.raw`
function absent(what) { return function () { throw Object.assign(new Error('child_process.' + what + ' is not here: programs in this sandbox cannot start others. Run the command from the shell instead.'), { code: 'ENOSYS' }); }; }
module.exports = {}; ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'].forEach(function (n) { module.exports[n] = absent(n); });`,
  module: String.raw`
var M = internal.Module; M.createRequire = function (p) { p = p instanceof URL || /^file:/.test(p) ? require('url').fileURLToPath(p) : String(p); return internal.requireFrom(p); };
M.builtinModules = internal.host('builtins'); M.isBuiltin = function (n) { return internal.host('builtin', String(n).replace(/^node:/, '')); }; M._cache = internal.cache; M._extensions = {}; M.Module = M; M.register = function () {}; module.exports = M;`,
  readline: String.raw`
var E = require('events');
function createInterface(o) {
  var r = new E(), input = (o && o.input) || process.stdin, output = o && o.output, queue = null, closed = false, asked = [];
  function lines() { if (queue) return; queue = []; }
  function start(all) { var list = all.split(/\r?\n/); if (list[list.length - 1] === '') list.pop(); queue = list; pump(); }
  function pump() { while (queue && queue.length && !closed && (asked.length || r.listenerCount('line'))) { var l = queue.shift(); if (asked.length) asked.shift()(l); else r.emit('line', l); } if (queue && !queue.length && !closed && !asked.length) r.close(); }
  var text = '';
  var begun = false; function begin() { if (begun) return; begun = true; input.on('data', function (d) { text += d; }); input.on('end', function () { start(text); }); }
  var on = r.on; r.on = r.addListener = function (n, f) { on.call(r, n, f); if (n === 'line') { begin(); if (queue) pump(); } return r; };
  r.question = function (q, opt, cb) { cb = typeof opt === 'function' ? opt : cb; if (output) output.write(q); asked.push(cb); begin(); if (queue) internal.timers.setImmediate(pump); };
  r.close = function () { if (!closed) { closed = true; r.emit('close'); } }; r.write = r.prompt = r.setPrompt = r.pause = r.resume = function () { return r; };
  r[Symbol.asyncIterator] = async function* () { begun = true; var all = ''; for await (var d of input) all += d; var list = all.split(/\r?\n/); if (list[list.length - 1] === '') list.pop(); yield* list; };
  return r;
}
module.exports = { createInterface: createInterface, clearLine: function () {}, cursorTo: function () {}, moveCursor: function () {}, emitKeypressEvents: function () {} };`,
  'readline/promises': String.raw`module.exports = { createInterface: function (o) { var r = require('readline').createInterface(o), q = r.question; r.question = function (t) { return new Promise(function (ok) { q.call(r, t, ok); }); }; return r; } };`,
  querystring: String.raw`module.exports = { parse: function (s) { var out = Object.create(null); new URLSearchParams(s).forEach(function (v, k) { if (k in out) out[k] = [].concat(out[k], v); else out[k] = v; }); return out; }, stringify: function (o) { return Object.keys(o || {}).map(function (k) { return [].concat(o[k]).map(function (v) { return encodeURIComponent(k) + '=' + encodeURIComponent(v == null ? '' : v); }).join('&'); }).join('&'); }, escape: encodeURIComponent, unescape: decodeURIComponent };`,
  tty: String.raw`module.exports = { isatty: function () { return false; }, ReadStream: function () {}, WriteStream: function () {} };`,
  worker_threads: String.raw`module.exports = { isMainThread: true, parentPort: null, workerData: null, threadId: 0, Worker: function () { throw Object.assign(new Error('worker_threads.Worker is not here: this sandbox runs one thread.'), { code: 'ENOSYS' }); } };`,
  constants: String.raw`module.exports = require('fs').constants;`,
  string_decoder: String.raw`module.exports = { StringDecoder: class { constructor(e) { this.encoding = e || 'utf8'; this._r = Buffer.alloc(0); } write(b) { b = Buffer.concat([this._r, b]); var n = b.length; if (/^utf-?8$/i.test(this.encoding)) { for (var i = 1; i <= Math.min(3, n); i++) { var c = b[n - i]; if (c >= 192) { if (c >= 240 ? i < 4 : c >= 224 ? i < 3 : i < 2) n -= i; break; } if (c < 128) break; } } this._r = b.subarray(n); return b.toString(this.encoding, 0, n); } end(b) { var s = b ? this.write(b) : ''; s += this._r.length ? this._r.toString(this.encoding) : ''; this._r = Buffer.alloc(0); return s; } } };`,
  async_hooks: String.raw`module.exports = { AsyncLocalStorage: class { run(s, f) { var old = this._s; this._s = s; try { return f.apply(null, Array.prototype.slice.call(arguments, 2)); } finally { this._s = old; } } getStore() { return this._s; } enterWith(s) { this._s = s; } exit(f) { return this.run(undefined, f); } disable() { this._s = undefined; } }, AsyncResource: class { constructor() {} runInAsyncScope(f, t) { return f.apply(t, Array.prototype.slice.call(arguments, 2)); } } };`,
  diagnostics_channel: String.raw`module.exports = { channel: function () { return { hasSubscribers: false, publish: function () {}, subscribe: function () {} }; } };`,
  v8: String.raw`module.exports = { serialize: function (v) { return Buffer.from(JSON.stringify(v)); }, deserialize: function (b) { return JSON.parse(b.toString()); }, getHeapStatistics: function () { return {}; } };`,
  bun: String.raw`
var fs = require('fs'), path = require('path');
function file(p) { p = p instanceof URL ? require('url').fileURLToPath(p) : String(p); return { name: p, get size() { return fs.existsSync(p) ? fs.statSync(p).size : 0; }, text: async function () { return fs.readFileSync(p, 'utf8'); }, json: async function () { return JSON.parse(fs.readFileSync(p, 'utf8')); }, arrayBuffer: async function () { var b = fs.readFileSync(p); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); }, bytes: async function () { return new Uint8Array(fs.readFileSync(p)); }, exists: async function () { return fs.existsSync(p); }, unlink: async function () { fs.unlinkSync(p); }, write: async function (d) { return write(p, d); } }; }
async function write(to, data) { var p = typeof to === 'string' ? to : to.name; if (data && typeof data.text === 'function') data = await data.text(); fs.mkdirSync(path.dirname(path.resolve(p)), { recursive: true }); fs.writeFileSync(p, data instanceof ArrayBuffer ? Buffer.from(data) : data); return typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength; }
module.exports = { version: internal.boot.bunVersion, revision: '', main: internal.boot.argv[1], env: process.env, argv: process.argv, file: file, write: write, sleep: function (ms) { return new Promise(function (r) { setTimeout(r, ms instanceof Date ? ms - Date.now() : ms); }); }, sleepSync: function (ms) { var t = Date.now() + ms; while (Date.now() < t); }, inspect: require('util').inspect, deepEquals: function (a, b, s) { return require('util')._isDeepEqual(a, b, true); }, nanoseconds: function () { return Math.round(performance.now() * 1e6); }, fileURLToPath: require('url').fileURLToPath, pathToFileURL: require('url').pathToFileURL, escapeHTML: function (s) { return String(s).replace(/[&<>"']/g, function (c) { return '&#' + c.charCodeAt(0) + ';'; }); }, stdin: { text: async function () { return internal.host('stdin'); } },
  serve: function () { throw new Error('Bun.serve is not here: this sandbox has no network ports.'); }, spawn: require('child_process').spawn, spawnSync: require('child_process').spawnSync, $: require('child_process').exec, hash: function (s) { var h = 0; s = String(s); for (var i = 0; i < s.length; i++) h = (Math.imul(31, h) + s.charCodeAt(i)) | 0; return h >>> 0; } };`,
}
