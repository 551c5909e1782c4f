/** A program from the disk, with what it imports. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { analyse } from '../lib/halo/check/index.ts'
import { link } from '../lib/halo/check/program.ts'
import { HaloError, type Diagnostic } from '../lib/halo/errors.ts'
import type { HaloFile, PipelineDeclaration } from '../lib/halo/syntax/ast.ts'
import { UsageError } from './exit.ts'
import { whyNot } from './file-words.ts'
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
      return readText(from === undefined ? imported : join(dirname(from), imported))
    } catch (error) {
      if (error instanceof HaloError) throw error
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

/**
 * A text file, without the mark that some editors put at the beginning.
 * @throws UsageError when it can't be read, HaloError when it isn't UTF-8: read all the same, it would be written back damaged
 */
export function readText(path: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${whyNot(error)}.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new HaloError('PARSE_ERROR', `${path} is not a text in UTF-8: ${faultyByte(bytes)}. Save it as UTF-8.`, { cause: error })
  }
}

function faultyByte(bytes: Buffer): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return 'it begins as UTF-16 does'
  let at = 0
  // Whatever isn't UTF-8 is read as U+FFFD, which may also stand there itself.
  for (const part of bytes.toString('utf8').split('\ufffd')) {
    at += Buffer.byteLength(part)
    if (!(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) break
    at += 3
  }
  const line = bytes.subarray(0, at).filter((byte) => byte === 10).length + 1
  return `byte ${at + 1}, on line ${line}, is 0x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}`
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
