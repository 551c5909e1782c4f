import { HaloRuntime } from '../lib/halo/run/runtime.ts'
import { valueFromText } from '../lib/halo/run/schema.ts'
import type { Mock } from '../lib/halo/run/types.ts'
import { runMocked, scenarioOf, type Scenario } from '../lib/halo/testing/index.ts'
import type { PipelineDeclaration } from '../lib/halo/syntax/ast.ts'
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { FAILED, UsageError } from './exit.ts'
import { interruptible } from './interrupt.ts'
import { command, readWords } from './options.ts'
import { give, say } from './print.ts'
import { progress } from './progress.ts'
import { choosePipeline, readProgram, sayDiagnostics, type ProgramFile } from './program-file.ts'
import { runStore } from './run-store.ts'
import { writeScenarioFiles } from './scenario-files.ts'
import { tell } from './summary.ts'
import { atTerminal, terminalAsker } from './terminal.ts'
import { environmentOf, keys, worldOfFolder } from './world.ts'

export const runCommand = command({
  usage: 'run F [--pipeline P] [--arg k=v | --args JSON] [--mock | --scenario "test name"] [--auto-approve] [--no-record] [--json]',
  about: 'Runs a pipeline on the files of the current folder.',
  options: {
    pipeline: { type: 'string' },
    arg: { type: 'string', multiple: true },
    args: { type: 'string' },
    mock: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    'auto-approve': { type: 'boolean', default: false },
    'no-record': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  least: 1,
  most: 1,
})

const GIVE_ARGUMENTS = `Arguments are given with --arg name=value, once for each, or all together with --args '{ "name": value }'.`

/** Says yes to every call and every yield without asking. */
export const AUTO_APPROVE: Record<string, Mock> = { approval: { approved: true }, yield: { approved: true } }

export async function run(words: string[]): Promise<number> {
  const { positionals, values } = readWords(words, runCommand)
  const [path = ''] = positionals
  if (values.mock && values.scenario !== undefined) throw new UsageError('--mock and --scenario are two ways to run: choose one.')
  if (values.arg !== undefined && values.args !== undefined) throw new UsageError('--arg and --args are two ways to give arguments: choose one.')
  const program = readProgram(path)
  if (sayDiagnostics(program)) {
    const faults = program.diagnostics.filter(({ severity }) => severity === 'error')
    if (values.json) give({ status: 'failed', output: null, error: new HaloError('VALIDATION', `${path} has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}.`, { diagnostics: faults }) })
    return FAILED
  }
  const scenario = values.scenario === undefined ? undefined : findScenario(program, values.scenario)
  const pipeline = choosePipeline(program, values.pipeline ?? scenario?.pipeline)
  const args = { ...scenario?.args, ...argumentsOf(pipeline, values.arg, values.args) }

  const { signal, interrupt } = interruptible()
  const world = worldOfFolder()
  const started = performance.now()
  const told = { path, sources: program.sources, json: values.json }
  const onEvent = progress(values.json)
  try {
    if (values.mock) {
      const result = await runMocked(program.file, pipeline.name, args, { ...world, signal, onEvent, timeoutMs: undefined })
      const code = tell({ ...told, result, ms: performance.now() - started, recorded: false })
      if (result.error?.code === 'VALIDATION' && result.error.path === undefined) say(GIVE_ARGUMENTS)
      return code
    }
    if (scenario !== undefined) await writeScenarioFiles(scenario, await world.sandbox(), values['auto-approve'])
    const { journal, recorded } = runStore(!values['no-record'])
    const runtime = new HaloRuntime({
      sandbox: world.sandbox,
      regexRunner: world.regexRunner,
      env: environmentOf(program.sources.values()),
      keys,
      onEvent,
      journal,
      ...(atTerminal() ? { onInterrupt: terminalAsker(signal, interrupt) } : {}),
    })
    runtime.load(program.file).mockAll({ ...scenario?.mocks, ...(values['auto-approve'] ? AUTO_APPROVE : {}) })
    const result = await runtime.run(pipeline.name, args, {
      signal,
      // Resuming a scenario's run needs its agents' answers again.
      ...(scenario === undefined ? {} : { about: { scenario: scenario.name } }),
    })
    // A run whose arguments don't do never began, and there is nothing to replay.
    const began = (await journal.load(result.runId)) !== undefined
    const code = tell({ ...told, result, ms: performance.now() - started, recorded: recorded && began })
    if (!began && result.error?.code === 'VALIDATION') say(GIVE_ARGUMENTS)
    return code
  } finally {
    await world.dispose()
  }
}

function findScenario(program: ProgramFile, name: string): Scenario {
  const test = program.file.tests.find((each) => each.name === name)
  if (test !== undefined) return scenarioOf(test, program.file)
  const names = program.file.tests.map((each) => `  ${each.name}`).join('\n')
  throw new UsageError(names === '' ? `${program.path} has no tests, so it has no scenarios.` : `${program.path} has no test ${JSON.stringify(name)}. It has\n${names}`)
}

function argumentsOf(pipeline: PipelineDeclaration, pairs: string[] | undefined, json: string | undefined): Record<string, unknown> {
  if (json !== undefined) return objectOf(json)
  const args: Record<string, unknown> = {}
  for (const pair of pairs ?? []) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--arg takes name=value, not ${JSON.stringify(pair)}.`)
    const name = pair.slice(0, at)
    const text = pair.slice(at + 1)
    const type = pipeline.params.find((param) => param.name === name)?.type
    Object.defineProperty(args, name, { value: type === undefined ? text : valueFromText(type, text), enumerable: true, configurable: true, writable: true })
  }
  return args
}

function objectOf(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new UsageError(`--args takes JSON: ${messageOf(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('--args takes a JSON object of arguments by name.')
  return { ...value }
}

