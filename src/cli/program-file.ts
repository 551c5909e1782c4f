/** A program from the disk, with what it imports. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { analyse } from '../lib/halo/check/index.ts'
import { link } from '../lib/halo/check/program.ts'
import { messageOf, type Diagnostic } from '../lib/halo/errors.ts'
import type { HaloFile, PipelineDeclaration } from '../lib/halo/syntax/ast.ts'
import { UsageError } from './exit.ts'
import { diagnosticText, say, type Sources } from './print.ts'

export interface ProgramFile {
  /** As it was named on the command line, and so in every message. */
  path: string
  file: HaloFile
  diagnostics: Diagnostic[]
  sources: Sources
}

/**
 * `env`: the variables it would run with, for whoever is to hear of those that are missing.
 * @throws UsageError when the file can't be read
 */
export function readProgram(path: string, env?: object): ProgramFile {
  const load = (imported: string, from?: string) => {
    try {
      return readFileSync(from === undefined ? imported : join(dirname(from), imported), 'utf8')
    } catch {
      // The checker says so, at the import.
      return undefined
    }
  }
  return programOf(path, readText(path), load, env)
}

/** A program whose texts are at hand already, as a recording has them. */
export function programOf(path: string, source: string, resolve: (path: string, from?: string) => string | undefined, env?: object): ProgramFile {
  // Regular expressions that may take long run in a thread with a time limit here.
  const { file, diagnostics } = analyse(source, { path, resolve, everyFile: true, regexRunner: true, ...(env ? { env } : {}) })
  const [, ...imported] = link(file).files
  return { path, file, diagnostics, sources: new Map([[path, source], ...imported.map((each): [string, string] => [each.path ?? path, each.source])]) }
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
