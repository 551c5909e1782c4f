/** Loads imported files. Paths are relative to the file that imports and written with `/`, on every system. */
import type { Diagnostic } from '../errors.ts'
import type { HaloFile, ImportDeclaration } from '../syntax/ast.ts'
import type { Code } from './codes.ts'
import { parseSource } from '../syntax/index.ts'

/**
 * Gives the text of an imported file, or undefined where there is none. It is asked with the path as written and the path of
 * the importing file; where that gives nothing, once more with the two joined (`lib/names.halo`), so that a plain
 * lookup by path will do.
 */
export type Resolve = (path: string, from?: string) => string | undefined

/** What was found while importing: faults at the import, and the syntax faults of each imported file. */
export interface Imported {
  diagnostics: Diagnostic[]
  /** By imported file. */
  faults: Map<HaloFile, Diagnostic[]>
}

/** Loads all imports of a file, and theirs, and sets each import's `target`. A file imported twice is loaded once. */
export function loadImports(file: HaloFile, resolve: Resolve | undefined): Imported {
  const diagnostics: Diagnostic[] = []
  const faults = new Map<HaloFile, Diagnostic[]>()
  const loaded = new Map<string, HaloFile>()
  if (file.path !== undefined) loaded.set(joinPath('', file.path), file)
  const open = new Set<HaloFile>()

  const fault = (from: HaloFile, at: ImportDeclaration, code: Code, message: string) =>
    diagnostics.push({ ...spanIn(from, at), code, severity: 'error', message })

  const visit = (importing: HaloFile) => {
    open.add(importing)
    const seen = new Set<string>()
    for (const declaration of importing.imports) {
      const { path } = declaration
      const full = joinPath(folderOf(importing.path), path)
      if (!path.startsWith('./') && !path.startsWith('../')) {
        fault(importing, declaration, 'import-path', `"${path}" is not a relative path. Write "./${path.replace(/^\/+/, '')}".`)
        continue
      }
      if (seen.has(full)) {
        diagnostics.push({
          ...spanIn(importing, declaration),
          code: 'import-repeated',
          severity: 'warning',
          message: `"${path}" is imported twice.`,
        })
        continue
      }
      seen.add(full)
      const target = declaration.target ?? loaded.get(full) ?? read(importing, declaration, full)
      if (!target) continue
      if (open.has(target)) {
        fault(importing, declaration, 'import-cycle', cycleMessage(open, target, path))
        continue
      }
      declaration.target = target
      if (!loaded.has(full)) loaded.set(full, target)
      visit(target)
    }
    open.delete(importing)
  }

  const read = (importing: HaloFile, declaration: ImportDeclaration, full: string): HaloFile | undefined => {
    const { path } = declaration
    if (!resolve) {
      fault(importing, declaration, 'import-missing', `"${path}" can't be imported: there is nothing here to load files with.`)
      return undefined
    }
    const text = resolve(path, importing.path) ?? (full === path ? undefined : resolve(full))
    if (text === undefined) {
      fault(importing, declaration, 'import-missing', `There is no file "${path}"${importing.path ? ` beside ${importing.path}` : ''}.`)
      return undefined
    }
    const parsed = parseSource(text, { path: full })
    loaded.set(full, parsed.file)
    if (parsed.diagnostics.length) faults.set(parsed.file, parsed.diagnostics)
    return parsed.file
  }

  visit(file)
  return { diagnostics, faults }
}

function cycleMessage(open: ReadonlySet<HaloFile>, target: HaloFile, path: string): string {
  const files = [...open]
  const around = files.slice(files.indexOf(target)).map((f) => f.path ?? 'this file')
  return around.length === 1
    ? `"${path}" is this file itself.`
    : `These files import each other: ${[...around, target.path ?? 'this file'].join(' → ')}.`
}

function spanIn(file: HaloFile, declaration: ImportDeclaration) {
  const { from, to } = declaration.pathSpan
  return file.path === undefined ? { from, to } : { from, to, file: file.path }
}

function folderOf(path: string | undefined): string {
  if (path === undefined) return ''
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash + 1)
}

/** `lib/` and `../names.halo` make `names.halo`. A leading `/` stays; `..` above the start stays too. */
export function joinPath(folder: string, path: string): string {
  const joined = path.startsWith('/') ? path : folder + path
  const parts: string[] = []
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return (joined.startsWith('/') ? '/' : '') + parts.join('/')
}
