import { HaloError } from '../lib/halo/errors.ts'
import { readLines } from '../lib/halo/recordings/lines.ts'
import { replay } from '../lib/halo/run/replay.ts'
import type { Difference } from '../lib/halo/run/replay-source.ts'
import { goesOtherwise, replayPolicies, type PolicyReplay } from '../lib/halo/recordings/under-policies.ts'
import type { JournalEnd, JournalRecord } from '../lib/halo/run/types.ts'
import { differenceText } from '../lib/halo/run/difference.ts'
import { DONE, FAILED, UsageError } from './exit.ts'
import { textOf } from './file-words.ts'
import { interruptible } from './interrupt.ts'
import { command, readWords } from './options.ts'
import { faultText, give, say } from './print.ts'
import { progress } from './progress.ts'
import { readProgram, sayDiagnostics, type ProgramFile } from './program-file.ts'
import { findRun } from './run-store.ts'
import { tell } from './summary.ts'
import { atTerminal, terminalAsker } from './terminal.ts'
import { environmentOf, keys, worldOfFolder } from './world.ts'

export const replayCommand = command({
  usage: 'replay F ID [--live-models] [--live-tools] [--policies | --policy P …] [--json]',
  about: 'Runs a recorded run again, against the file as it is now, with the answers it got: no model is called, no tool runs, nobody is asked.\n--policies says what the file\'s policies, and --policy what the named ones, would have refused or asked in it; then nothing runs at all.',
  options: {
    'live-models': { type: 'boolean', default: false },
    'live-tools': { type: 'boolean', default: false },
    policies: { type: 'boolean', default: false },
    policy: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
  least: 2,
  most: 2,
})

export async function replayRun(words: string[]): Promise<number> {
  const { positionals, values } = readWords(words, replayCommand)
  const [path = '', id = ''] = positionals
  const program = readProgram(path)
  const record = recordingNamed(id)
  if (sayDiagnostics(program)) return FAILED
  if (values.policies || values.policy !== undefined) return underPolicies(program, record, values.policy, values.json)

  const liveModels = values['live-models']
  const liveTools = values['live-tools']
  const { signal, interrupt } = interruptible()
  const world = worldOfFolder()
  const started = performance.now()
  try {
    const outcome = await replay(program.file, record, {
      liveModels,
      liveTools,
      signal,
      config: {
        sandbox: world.sandbox,
        regexRunner: world.regexRunner,
        env: liveModels || liveTools ? environmentOf(program.sources.values()) : {},
        keys,
        onEvent: progress(values.json),
        ...(liveTools && atTerminal() ? { onInterrupt: terminalAsker(signal, interrupt) } : {}),
      },
    })
    const { result, same, recorded, differences } = outcome
    const { runId } = record.start
    const ms = performance.now() - started
    const extra = { replayed: { runId, same, recorded: recorded ?? null, differences } }
    const code = tell({ result, path, sources: program.sources, ms, recorded: false, json: values.json, extra, replay: true })
    // What was not recorded at all the error says, or the agent's call that it was.
    const others = differences.flatMap((difference) => differenceLine(difference, program) ?? [])
    for (const line of others.slice(0, SHOWN)) say(line)
    if (others.length > SHOWN) say(`… and ${others.length - SHOWN} more.`)
    const ended = recorded && recorded.status !== 'completed' ? `, ${ending(recorded)}` : ''
    say(same ? `✓ Same output as the recorded run ${runId}${ended}` : `≠ Different from the recorded run ${runId}, ${ending(recorded)}`)
    return code
  } finally {
    await world.dispose()
  }
}

/** Differences that are printed; `--json` has them all. */
const SHOWN = 10

/** By run id, or the path of a recording that came from elsewhere. */
function recordingNamed(id: string): JournalRecord {
  if (!id.endsWith('.jsonl')) return findRun(id).record
  return readLines(textOf(id)).record
}

function differenceLine({ path, target, span, recorded, actual }: Difference, { sources }: ProgramFile): string | undefined {
  if (recorded === undefined) return undefined
  return faultText('difference', `${target} at stage ${path}: ${differenceText(recorded.request, actual.request) ?? 'the same request'}.`, span, sources)
}

function ending(recorded: JournalEnd | undefined): string {
  if (recorded === undefined) return 'which has not ended.'
  const { status, output, error } = recorded
  if (status === 'completed') return `which ended with:\n${typeof output === 'string' ? output : JSON.stringify(output, null, 2)}`
  return `which ended as ${status}${error === undefined ? '.' : `: ${error.code} ${error.message}`}`
}

async function underPolicies(program: ProgramFile, record: JournalRecord, names: string[] | undefined, json: boolean): Promise<number> {
  const world = worldOfFolder()
  try {
    const found = await replayPolicies(program.file, record, names, { regexRunner: world.regexRunner })
    if (json) give(found)
    else sayPolicies(found, record)
    return DONE
  } catch (thrown) {
    if (thrown instanceof HaloError && thrown.code === 'VALIDATION' && names !== undefined) throw new UsageError(thrown.message)
    throw thrown
  } finally {
    await world.dispose()
  }
}

function sayPolicies({ calls, texts, spend }: PolicyReplay, { start }: JournalRecord): void {
  const words = { ran: 'ran', approved: 'approved and ran', declined: 'declined', 'not made': 'not made' }
  const lines = calls.map((call) => {
    const { path, target, agent, was, would, policy, reason } = call
    const who = agent === undefined ? '' : ` by ${agent}`
    const verdict = would === 'allow' ? 'would run' : would === 'approve' ? `would need approval (${policy})` : `would be refused (${policy}: ${reason})`
    return `  ${path}  ${target}${who}: ${words[was]} then, ${verdict} now${goesOtherwise(call) ? '  ←' : ''}`
  })
  const withheld = texts.map(({ path, target, what, would, policy }) => `  ${path}  ${what} of ${target}: would be ${would}${policy === undefined ? '' : ` (${policy})`}`)
  const limits = spend.map(({ path, target, policy, reason }) => `  ${path}  ${target}: would be stopped (${policy}: ${reason})`)
  give([`Run ${start.runId} under other policies`, ...lines, ...withheld, ...limits, ...(lines.length + withheld.length + limits.length === 0 ? ['  It made no calls, and nothing would be withheld.'] : [])].join('\n'))
}
