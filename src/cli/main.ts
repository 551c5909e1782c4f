/** `halo`: finds the command and runs it. Gives the exit code. */
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { DONE, FAILED, UsageError, WRONG_USAGE } from './exit.ts'
import { formatCommand, formatFiles } from './format.ts'
import { errorText, say, give } from './print.ts'
import { recordings, recordingsCommand } from './recordings.ts'
import { resume, resumeCommand } from './resume.ts'
import { run, runCommand } from './run.ts'
import { test, testCommand } from './test.ts'
import { tools, toolsCommand } from './tools.ts'
import { validate, validateCommand } from './validate.ts'

const COMMANDS: Record<string, { command: { usage: string; about: string }; act(words: string[]): number | Promise<number> }> = {
  validate: { command: validateCommand, act: validate },
  format: { command: formatCommand, act: formatFiles },
  tools: { command: toolsCommand, act: tools },
  run: { command: runCommand, act: run },
  resume: { command: resumeCommand, act: resume },
  test: { command: testCommand, act: test },
  recordings: { command: recordingsCommand, act: recordings },
}

export async function main(words: string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    if (name === undefined) say(overview())
    else give(overview())
    return name === undefined ? WRONG_USAGE : DONE
  }
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (found === undefined) {
    say(`There is no command ${JSON.stringify(name)}.\n\n${overview()}`)
    return WRONG_USAGE
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    give(`halo ${found.command.usage}\n${found.command.about}`)
    return DONE
  }
  try {
    return await found.act(rest)
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      say(thrown.message)
      return WRONG_USAGE
    }
    // Errors of a run print where they happened; one that comes here knows no source.
    say(thrown instanceof HaloError ? errorText(thrown, new Map()) : messageOf(thrown))
    return FAILED
  }
}

function overview(): string {
  const lines = Object.values(COMMANDS).map(({ command }) => `  halo ${command.usage}\n      ${command.about}`)
  return `Halo runs agent pipelines.\n\n${lines.join('\n')}\n\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 paused, 130 cancelled.`
}
