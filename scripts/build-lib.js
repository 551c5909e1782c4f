/**
 * Builds what Node needs into dist/: the library `halo` and the command line. One build at a time, however many
 * processes find it stale at once.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, tool } from './run.js'

const DIST = `${root}dist`
const STAMP = `${DIST}/.built`
const LOCK = `${root}node_modules/.halo-build`
const SOURCES = ['src/lib/halo', 'src/cli', 'grammar', 'package.json', 'vite.lib.config.js'].map((path) => root + path)
/** A lock this old was left by a process that died. */
const LOCK_MS = 120_000

/** The newest change under a path, in milliseconds. @param {string} path @returns {number} */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** Is dist/ missing, or older than a source? An installed package has no sources and is never stale. */
export function isStale() {
  const stamp = statSync(STAMP, { throwIfNoEntry: false })
  return !stamp || SOURCES.some((path) => newest(path) > stamp.mtimeMs)
}

/** @returns {boolean} whether this process got the lock */
function lock() {
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    const stat = statSync(LOCK, { throwIfNoEntry: false })
    if (stat && Date.now() - stat.mtimeMs > LOCK_MS) rmSync(LOCK, { recursive: true, force: true })
    return false
  }
}

/** Builds when there is something to build. Throws an Error whose message is the build's output. */
export async function buildLibrary() {
  while (!lock()) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    if (!existsSync(LOCK) && !isStale()) return
  }
  try {
    if (!isStale()) return
    const started = new Date()
    // All but the types, which are made less often.
    for (const name of existsSync(DIST) ? readdirSync(DIST) : []) if (name !== 'types') rmSync(join(DIST, name), { recursive: true })
    const { code, output } = await tool('vite', ['build', '-c', 'vite.lib.config.js', '--emptyOutDir', 'false', '--logLevel', 'warn'], { quiet: true })
    if (code !== 0) throw new Error(`The library could not be built.\n${output.trim()}`)
    writeFileSync(STAMP, '')
    // A source changed while the build ran is newer than the stamp.
    utimesSync(STAMP, started, started)
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

/** Writes the library's declarations to dist/types: programs elsewhere must not check our sources by their own rules. */
export async function buildTypes() {
  rmSync(join(DIST, 'types'), { recursive: true, force: true })
  const { code, output } = await tool('tsc', ['-p', 'tsconfig.types.json'], { quiet: true })
  if (code !== 0) throw new Error(`The library's types could not be built.\n${output.trim()}`)
}
