import { consoleModule, events, processModule, timers, timersPromises, util } from './util.ts'
import { buffer, fs, fsPromises, os, path, small, url, web } from './system.ts'
import { assert, assertStrict, bunTest, test } from './testing.ts'

export { core } from './core.ts'

/** Guest sources by module name, each the body of a function `(module, exports, require, internal)`. */
export const builtins: Readonly<Record<string, string>> = {
  ...small,
  assert, 'assert/strict': assertStrict, buffer, 'bun:test': bunTest, console: consoleModule, events, fs, 'fs/promises': fsPromises, os,
  path, 'path/posix': 'module.exports = require("path");', 'path/win32': 'module.exports = require("path");', process: processModule, test,
  timers, 'timers/promises': timersPromises, url, util, 'util/types': 'module.exports = require("util").types;', web,
}

/** Those that a program can name; the others only stand behind globals. */
const HIDDEN = new Set(['web'])
/** Only with the prefix, as in Node. */
const PREFIXED = new Set(['test'])

/** The module's name here, when the specifier means a built-in one. */
export function builtinName(specifier: string, flavour: 'node' | 'bun'): string | undefined {
  if (specifier === 'bun' || specifier === 'bun:test') return flavour === 'bun' ? specifier : undefined
  const prefixed = specifier.startsWith('node:')
  const name = prefixed ? specifier.slice(5) : specifier
  if (!Object.hasOwn(builtins, name) || HIDDEN.has(name) || name.startsWith('bun')) return undefined
  return !prefixed && PREFIXED.has(name) ? undefined : name
}

/** Modules of Node that are not here, so that an import of one says so instead of "not found". */
export const ABSENT = new Set(['http', 'https', 'http2', 'net', 'tls', 'dns', 'dgram', 'zlib', 'stream', 'stream/promises', 'stream/web', 'cluster', 'vm', 'repl', 'inspector', 'wasi', 'sqlite', 'sea', 'trace_events', 'punycode', 'domain'])
