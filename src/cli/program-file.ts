/** A program from the disk, with what it imports. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { analyse, check } from '../lib/halo/check/index.ts'
import { link } from '../lib/halo/check/program.ts'
import { messageOf, type Diagnostic } from '../lib/halo/errors.ts'
import type { HaloFile, PipelineDeclaration } from '../lib/halo/syntax/ast.ts'
import { parseSource } from '../lib/halo/syntax/index.ts'
import { UsageError } from './exit.ts'
import { diagnosticText, say, type Sources } from './print.ts'

export interface ProgramFile {
  /** As it was named on the command line, and so in every message. */
  path: string
  file: HaloFile
  diagnostics: Diagnostic[]
  sources: Sources
}

/** @throws UsageError when the file can't be read */
export function readProgram(path: string): ProgramFile {
  return programOf(path, readText(path), (imported, from) => {
    try {
      return readFileSync(from === undefined ? imported : join(dirname(from), imported), 'utf8')
    } catch {
      // The checker says so, at the import.
      return undefined
    }
  })
}

/** A program whose texts are at hand already, as a recording has them. */
export function programOf(path: string, source: string, resolve: (path: string, from?: string) => string | undefined): ProgramFile {
  const { file, diagnostics } = analyse(source, { path, resolve })
  const [, ...imported] = link(file).files
  // The checker names the faults of an imported file at the import, where an editor can show them. Here each is said in its
  // own place.
  const ownAlone = (found: Diagnostic[]): Diagnostic[] => found.filter(({ message }) => !imported.some((each) => message.startsWith(`${each.path}:`)))
  const inImports = imported.flatMap((each) => [...parseSource(each.source, { path: each.path }).diagnostics, ...ownAlone(check(each))])
  const sources = new Map([[path, source], ...imported.map((each): [string, string] => [each.path ?? path, each.source])])
  return { path, file, diagnostics: [...ownAlone(diagnostics), ...inImports], sources }
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${messageOf(error)}`)
  }
}

/** Prints what was found. Gives whether any of it is an error. */
export function sayDiagnostics({ diagnostics, sources }: ProgramFile): boolean {
  for (const diagnostic of diagnostics) say(diagnosticText(diagnostic, sources))
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** The pipeline that is meant: the one named, else the only one, else `Main`. */
export function choosePipeline(program: ProgramFile, wanted: string | undefined): PipelineDeclaration {
  const known = [...link(program.file).pipelines.values()]
  const own = program.file.pipelines
  const named = wanted ?? (own.length === 1 ? own[0]?.name : 'Main')
  const found = known.find(({ name }) => name === named)
  if (found) return found
  if (known.length === 0) throw new UsageError(`${program.path} has no pipeline.`)
  const list = known.map(({ name }) => `  ${name}`).join('\n')
  throw new UsageError(`${wanted === undefined ? 'Which pipeline? Name one with --pipeline' : `${program.path} has no pipeline ${wanted}. It has`}:\n${list}`)
}
