import { DONE, FAILED } from './exit.ts'
import { command, readWords } from './options.ts'
import { say } from './print.ts'
import { readProgram, sayDiagnostics } from './program-file.ts'

export const validateCommand = command({
  usage: 'validate F…',
  about: 'Checks files and prints every error and warning.',
  options: {},
  least: 1,
  most: Infinity,
})

export function validate(words: string[]): number {
  const { positionals } = readWords(words, validateCommand)
  let faulty = false
  for (const path of positionals) {
    const program = readProgram(path, process.env)
    if (sayDiagnostics(program)) faulty = true
    else say(`✓ ${path}`)
  }
  return faulty ? FAILED : DONE
}
