import picomatch from 'picomatch'
import type { FileSystem } from '../../filesystem.ts'
import { child, dirname, normalise } from '../../paths.ts'
import { ABSENT, builtinName } from './shims/index.ts'

export type Flavour = 'node' | 'bun'
export type Resolved = { builtin: string } | { path: string }

const EXTENSIONS = ['.js', '.json', '.cjs', '.mjs', '.ts', '.tsx', '.mts', '.cts', '.jsx']
const TYPESCRIPT = /\.(?:ts|tsx|mts|cts)$/

export class ResolveError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Where a specifier leads, as Node resolves it. @throws ResolveError with Node's code and words. */
export function resolve(files: FileSystem, specifier: string, from: string, kind: 'require' | 'import', flavour: Flavour): Resolved {
  const builtin = builtinName(specifier, flavour)
  if (builtin !== undefined) return { builtin }
  const bare = specifier.replace(/^node:/, '')
  const folder = dirname(from)
  if (specifier.startsWith('node:') || (ABSENT.has(bare) && !packageFolder(files, bare, folder))) {
    if (ABSENT.has(bare)) throw new ResolveError('ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `The module "${specifier}" is not in this sandbox's JavaScript engine.`)
    throw new ResolveError('ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${specifier}`)
  }
  if (specifier.startsWith('bun:') || specifier === 'bun') throw new ResolveError('ERR_UNSUPPORTED_ESM_URL_SCHEME', `"${specifier}" is a module of Bun: run this with bun.`)
  const path = specifier.startsWith('file:') ? decodeURIComponent(new URL(specifier).pathname) : specifier
  if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(path)) {
    const target = normalise(path, folder)
    // Node wants whole file names in imports; runners of TypeScript and Bun don't.
    const strict = kind === 'import' && flavour === 'node' && !TYPESCRIPT.test(from)
    const found = strict ? exactFile(files, target) : (path.endsWith('/') ? undefined : asFile(files, target)) ?? asFolder(files, target)
    if (found === undefined) throw notFound(specifier, target, from, kind)
    return { path: files.realpath(found) }
  }
  if (path.startsWith('#')) {
    const scope = packageScope(files, folder)
    const target = scope && mapped(scope.json.imports, path, kind, flavour)
    if (!scope || target === undefined) throw new ResolveError('ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${path}" is not defined imported from ${from}`)
    return target.startsWith('.') ? { path: files.realpath(normalise(target, scope.folder)) } : resolve(files, target, from, kind, flavour)
  }
  return { path: files.realpath(fromPackage(files, path, from, kind, flavour)) }
}

function exactFile(files: FileSystem, path: string): string | undefined {
  return files.stat(path)?.type === 'file' ? path : undefined
}

function asFile(files: FileSystem, path: string): string | undefined {
  const exact = exactFile(files, path)
  if (exact) return exact
  for (const extension of EXTENSIONS) if (exactFile(files, path + extension)) return path + extension
  // TypeScript sources import the names of what they compile to.
  const compiled = /^(.*)\.([cm]?)js(x?)$/.exec(path)
  if (compiled) for (const extension of [`.${compiled[2]}ts${compiled[3]}`, `.${compiled[2]}tsx`]) if (exactFile(files, compiled[1] + extension)) return compiled[1] + extension
  return undefined
}

function asFolder(files: FileSystem, path: string): string | undefined {
  if (files.stat(path)?.type !== 'directory') return undefined
  const main = packageJson(files, path)?.main
  if (typeof main === 'string') {
    const target = normalise(main, path)
    const found = asFile(files, target) ?? asFile(files, child(target, 'index'))
    if (found) return found
  }
  return asFile(files, child(path, 'index'))
}

function notFound(specifier: string, target: string, from: string, kind: 'require' | 'import'): ResolveError {
  return kind === 'require'
    ? new ResolveError('MODULE_NOT_FOUND', `Cannot find module '${specifier}'\nRequire stack:\n- ${from}`)
    : new ResolveError('ERR_MODULE_NOT_FOUND', `Cannot find module '${target}' imported from ${from}`)
}

interface PackageJson {
  name?: unknown
  type?: unknown
  main?: unknown
  module?: unknown
  exports?: unknown
  imports?: unknown
  scripts?: unknown
}

export function packageJson(files: FileSystem, folder: string): PackageJson | undefined {
  const path = child(folder, 'package.json')
  try {
    if (files.stat(path)?.type !== 'file') return undefined
    const json: unknown = JSON.parse(new TextDecoder().decode(files.read(path)))
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    // An unreadable package.json is as none, to the resolver; npm itself says what is wrong with it.
    return undefined
  }
}

/** The nearest package.json at or above a folder. */
export function packageScope(files: FileSystem, folder: string): { folder: string; json: PackageJson } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const json = packageJson(files, at)
    if (json) return { folder: at, json }
    if (at === '/' || at.endsWith('/node_modules')) return undefined
  }
}

function packageFolder(files: FileSystem, name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = child(child(at, 'node_modules'), name)
    if (!at.endsWith('/node_modules') && files.stat(folder)?.type === 'directory') return folder
    if (at === '/') return undefined
  }
}

function fromPackage(files: FileSystem, specifier: string, from: string, kind: 'require' | 'import', flavour: Flavour): string {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? []
  const own = packageScope(files, dirname(from))
  const folder = packageFolder(files, name, dirname(from)) ?? (own?.json.name === name && own.json.exports !== undefined ? own.folder : undefined)
  if (!folder) {
    throw kind === 'require'
      ? new ResolveError('MODULE_NOT_FOUND', `Cannot find module '${specifier}'\nRequire stack:\n- ${from}`)
      : new ResolveError('ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from ${from}`)
  }
  const json = packageJson(files, folder)
  if (json?.exports !== undefined && json.exports !== null) {
    const target = mapped(exportsTable(json.exports), `.${rest}`, kind, flavour)
    const path = target && exactFile(files, normalise(target, folder))
    if (!path) throw new ResolveError('ERR_PACKAGE_PATH_NOT_EXPORTED', `Package subpath '.${rest}' is not defined by "exports" in ${folder}/package.json`)
    return path
  }
  const target = rest === '' ? asFolder(files, folder) : asFile(files, folder + rest) ?? asFolder(files, folder + rest)
  if (!target) throw notFound(specifier, folder + rest, from, kind)
  return target
}

function exportsTable(exports: unknown): unknown {
  const isTable = typeof exports === 'object' && exports !== null && !Array.isArray(exports) && Object.keys(exports).every((key) => key.startsWith('.'))
  return isTable ? exports : { '.': exports }
}

/** The target of a subpath in an exports or imports table, patterns and conditions resolved. */
function mapped(table: unknown, key: string, kind: 'require' | 'import', flavour: Flavour): string | undefined {
  if (typeof table !== 'object' || table === null) return undefined
  const conditions = new Set([kind, 'node', 'default', ...(flavour === 'bun' ? ['bun'] : [])])
  const entries = Object.entries(table)
  const exact = entries.find(([pattern]) => pattern === key)
  if (exact) return target(exact[1], '')
  const patterns = entries.filter(([pattern]) => pattern.includes('*')).sort(([a], [b]) => b.length - a.length)
  for (const [pattern, value] of patterns) {
    const [before = '', after = ''] = pattern.split('*')
    if (key.length >= before.length + after.length && key.startsWith(before) && key.endsWith(after)) return target(value, key.slice(before.length, key.length - after.length))
  }
  return undefined

  function target(value: unknown, star: string): string | undefined {
    if (typeof value === 'string') return value.replaceAll('*', star)
    if (Array.isArray(value)) return value.map((v) => target(v, star)).find((v) => v !== undefined)
    if (typeof value !== 'object' || value === null) return undefined
    for (const [condition, inner] of Object.entries(value)) {
      const found = conditions.has(condition) ? target(inner, star) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

export function matchesGlob(path: string, glob: string): boolean {
  return picomatch(glob, { dot: true })(path)
}
