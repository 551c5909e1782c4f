/** The check of a whole file: everything that can be said without running it, in one pass. */
import type { Diagnostic } from '../errors.ts'
import type { Declaration, HaloFile } from '../syntax/ast.ts'
import { parseSource } from '../syntax/index.ts'
import { checkAgent } from './agents.ts'
import type { CheckOptions as ContextOptions, Context } from './context.ts'
import { doubtfulNames, mayFollow } from './doubt.ts'
import { loadImports, type Resolve } from './imports.ts'
import { checkNames, importsOf, lineOf } from './names.ts'
import { checkPipeline } from './pipelines.ts'
import { checkPolicy } from './policies.ts'
import { link } from './program.ts'
import { checkReach } from './reach.ts'
import { checkTests } from './test-blocks.ts'
import { checkToolDeclaration } from './tool-declarations.ts'
import { checkSchema } from './types.ts'

export interface CheckOptions extends ContextOptions {
  /** Loads imported files; without it, imports that aren't loaded yet are errors. */
  resolve?: Resolve
  /** Faults of imported files stand in those files (`file` says which), not at the import. */
  everyFile?: boolean
}
export interface AnalyseOptions extends CheckOptions {
  /** What the file is called in spans, and what its imports are relative to. */
  path?: string
}

/**
 * Parses and checks a text; never throws. The diagnostics are those of the syntax (`syntax`) and of the check together, in
 * the order of the text; faults of imported files stand at their import.
 */
export function analyse(source: string, options: AnalyseOptions = {}): { file: HaloFile; diagnostics: Diagnostic[] } {
  const { file, diagnostics } = parseSource(source, options.path === undefined ? {} : { path: options.path })
  const { found } = run(file, options, diagnostics)
  return { file, diagnostics: inOrder([...diagnostics, ...found]) }
}

/** Checks a parsed file. Loads its imports through `resolve` and links them in place. */
export function check(file: HaloFile, options: CheckOptions = {}): Diagnostic[] {
  return inOrder(run(file, options, undefined).found)
}

/** Checks and gives the context too, for what the editor asks about names. */
export function run(file: HaloFile, options: CheckOptions, faults: Diagnostic[] | undefined, probe?: Context['probe']): { found: Diagnostic[]; context: Context } {
  const imported = loadImports(file, options.resolve)
  const program = link(file)
  const doubt = doubtfulNames(program.files, new Map([...imported.faults, ...(faults ? [[file, faults] as const] : [])]))
  const context: Context = {
    program, options, file, found: [], references: [], reach: new Map(), tasks: new Map(), events: new Set(), templateNames: new Map(),
    doubtful: doubt.names, nameless: doubt.nameless,
    damaged: program.files.some((f) => f.declarations.some((d) => d.faulty)) || (faults?.length ?? 0) > 0, ...(probe ? { probe } : {}),
  }
  const importOf = importsOf(file)
  checkNames(context, importOf)
  for (const each of program.files) {
    for (const declaration of each.declarations) {
      context.file = each
      context.faulty = declaration.faulty ?? false
      checkDeclaration(context, declaration)
    }
  }
  checkReach(context)
  context.file = file
  checkTests(context, program.tests)

  const faulty = new Map(program.files.map((f) => [f, f.declarations.filter((d) => d.faulty)]))
  const found: Diagnostic[] = [...imported.diagnostics.filter((d) => d.file === file.path)]
  const elsewhere = imported.diagnostics.filter((d) => d.file !== file.path)
  for (const { file: at, diagnostic } of context.found) {
    const own = faulty.get(at) ?? []
    if (own.length && mayFollow(at, diagnostic, at === file ? faults : imported.faults.get(at), own)) continue
    if (at === file) found.push(diagnostic)
    else elsewhere.push(diagnostic)
  }
  for (const list of imported.faults.values()) elsewhere.push(...list)
  if (options.everyFile) return { found: [...found, ...elsewhere], context }
  // A fault of another file can't be shown in this one: it stands at the import that brings that file in.
  for (const diagnostic of elsewhere) {
    const at = program.files.find((f) => f !== file && f.path === diagnostic.file)
    const declaration = at && importOf.get(at)
    if (!at || !declaration || diagnostic.severity !== 'error') continue
    const { from, to } = declaration.pathSpan
    const where = `${at.path ?? declaration.path}:${lineOf(at.source, diagnostic.from)}`
    found.push({ code: diagnostic.code, severity: 'error', message: `${where}: ${diagnostic.message}`, from, to, ...(file.path === undefined ? {} : { file: file.path }) })
  }
  return { found, context }
}

function checkDeclaration(context: Context, declaration: Declaration): void {
  switch (declaration.kind) {
    case 'Policy':
      return checkPolicy(context, declaration)
    case 'Tool':
    case 'Store':
      return checkToolDeclaration(context, declaration)
    case 'Schema':
      return checkSchema(context, declaration)
    case 'Agent':
      return checkAgent(context, declaration)
    case 'Pipeline':
      return checkPipeline(context, declaration)
    case 'Import':
    case 'Test':
      return
  }
}

/** Diagnostics of several files stand file by file. */
function order(a = '', b = ''): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function inOrder(diagnostics: Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>()
  return diagnostics
    .sort((a, b) => order(a.file, b.file) || a.from - b.from || a.to - b.to)
    .filter((d) => {
      const key = `${d.file ?? ''} ${d.from} ${d.to} ${d.code} ${d.message}`
      return !seen.has(key) && seen.add(key)
    })
}
