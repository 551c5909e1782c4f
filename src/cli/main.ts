/** `halo`: finds the command and runs it. Gives the exit code. */
import { nearest } from '../lib/halo/check/nearest.ts'
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { VERSION } from '../lib/halo/version.ts'
import { DONE, FAILED, UsageError, WRONG_USAGE } from './exit.ts'
import type { Described } from './options.ts'
import { errorText, give, say } from './print.ts'

interface Loaded {
  described: Described
  act(words: string[]): number | Promise<number>
}

/** Each is loaded when it is asked for: the smaller ones need little of the library. */
const COMMANDS: Record<string, () => Promise<Loaded>> = {
  validate: () => import('./validate.ts').then((it) => ({ described: it.validateCommand, act: it.validate })),
  format: () => import('./format.ts').then((it) => ({ described: it.formatCommand, act: it.formatFiles })),
  tools: () => import('./tools.ts').then((it) => ({ described: it.toolsCommand, act: it.tools })),
  plan: () => import('./plan.ts').then((it) => ({ described: it.planCommand, act: it.planFile })),
  run: () => import('./run.ts').then((it) => ({ described: it.runCommand, act: it.run })),
  resume: () => import('./resume.ts').then((it) => ({ described: it.resumeCommand, act: it.resume })),
  replay: () => import('./replay.ts').then((it) => ({ described: it.replayCommand, act: it.replayRun })),
  test: () => import('./test.ts').then((it) => ({ described: it.testCommand, act: it.test })),
  recordings: () => import('./recordings.ts').then((it) => ({ described: it.recordingsCommand, act: it.recordings })),
}

export async function main(words: string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined) {
    say(await overview())
    return WRONG_USAGE
  }
  if (name === 'help' || name === '--help' || name === '-h') {
    give(await overview())
    return DONE
  }
  if (name === '--version' || name === '-v') {
    give(VERSION)
    return DONE
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    const like = nearest(name, Object.keys(COMMANDS))
    say(`There is no command ${JSON.stringify(name)}.${like === undefined ? '' : ` Do you mean halo ${like}?`}\n\n${await overview()}`)
    return WRONG_USAGE
  }
  const { described, act } = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    give(`halo ${described.usage}\n${described.about}`)
    return DONE
  }
  try {
    return await act(rest)
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

async function overview(): Promise<string> {
  const all = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  const lines = all.map(({ described }) => `  halo ${described.usage}\n      ${described.about.replaceAll('\n', '\n      ')}`)
  return `Halo runs agent pipelines.\n\n${lines.join('\n')}\n\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 paused, 130 cancelled.`
}
