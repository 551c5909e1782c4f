import { writeFileSync } from 'node:fs'
import { format, parseSource } from '../lib/halo/syntax/index.ts'
import { DONE, FAILED, UsageError } from './exit.ts'
import { whyNot } from './file-words.ts'
import { command, readWords } from './options.ts'
import { diagnosticText, quoted, say } from './print.ts'
import { readText } from './program-file.ts'

export const formatCommand = command({
  usage: 'format F… [--check]',
  about: 'Rewrites files in the one layout; with --check only says which are not in it.',
  options: { check: { type: 'boolean', default: false } },
  least: 1,
  most: Infinity,
})

export function formatFiles(words: string[]): number {
  const { positionals, values } = readWords(words, formatCommand)
  let code = DONE
  for (const path of positionals) {
    const source = readText(path)
    const { diagnostics } = parseSource(source, { path })
    if (diagnostics.length > 0) {
      for (const diagnostic of diagnostics) say(diagnosticText(diagnostic, new Map([[path, source]])))
      code = FAILED
      continue
    }
    const formatted = format(source)
    if (formatted === source) continue
    if (values.check) {
      say(`${path} is not formatted. Run: halo format ${quoted(path)}`)
      code = FAILED
    } else {
      try {
        writeFileSync(path, formatted)
      } catch (error) {
        throw new UsageError(`${path} can't be written: ${whyNot(error)}.`)
      }
      say(`Formatted ${path}`)
    }
  }
  return code
}
