/**
 * What plays runs: the runtime with its sandbox, journal and mocks. Loaded when something is run for the first time; the
 * page's first load must not carry it.
 */
import { HaloRuntime, programOf } from '../../halo/run/runtime.ts'
import { link } from '../../halo/check/program.ts'
import { checkArguments } from '../../halo/run/arguments.ts'
import { faultsText, valueFromText } from '../../halo/run/schema.ts'
import { HaloError, messageOf } from '../../halo/errors.ts'
import { loadPrices } from '../../halo/models/prices.ts'
import { mockMode, noNetwork, runTests, scenarioOf, type TestOutcome } from '../../halo/testing/index.ts'
import type { HaloFile, PipelineDeclaration, ToolDeclaration } from '../../halo/syntax/ast.ts'
import type { JournalRecord, JournalStore, Mock, RunResult, RuntimeConfig } from '../../halo/run/types.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'
import { declaredOrigins, originOf, providerOrigins } from '../egress/declared.ts'
import { gatedFetch, gatedSandbox } from '../egress/gate.ts'
import type { ProjectGate } from '../egress/egress.svelte.ts'
import { absolutePath as joinPath } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.svelte.ts'
import type { Keys } from '../settings/keys.svelte.ts'
import { regexRunner } from './regex-worker.ts'
import type { Driver, Hooks } from './session.svelte.ts'

export { Session } from './session.svelte.ts'

export interface Prepared {
  file: HaloFile
  pipeline: PipelineDeclaration
  args: Record<string, unknown>
  files: Record<string, string>
  mocks: Record<string, Mock>
  tools: Map<string, ToolDeclaration>
  limit?: number
}

/** Reads the texts of the form into arguments. @throws HaloError VALIDATION with every fault */
export function argumentsFrom(pipeline: PipelineDeclaration, texts: Record<string, string | undefined>, file: HaloFile): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  const faults: string[] = []
  for (const { name, type } of pipeline.params) {
    const text = texts[name]
    if (text === undefined) continue
    try {
      given[name] = valueFromText(type, text)
    } catch (thrown) {
      faults.push(`${name}: ${messageOf(thrown)}`)
    }
  }
  if (faults.length > 0) throw new HaloError('VALIDATION', faults.join('\n'))
  const checked = checkArguments(pipeline, given, link(file))
  if (checked.faults.length > 0) throw new HaloError('VALIDATION', faultsText(checked.faults))
  return given
}

/** What a scenario brings along; `record` where its run is taken up again. */
export function prepareScenario(file: HaloFile, testName: string, record?: JournalRecord): Prepared {
  const test = file.tests.find((one) => one.name === testName)
  if (!test) throw new HaloError('VALIDATION', `The file has no test “${testName}”.`)
  const scenario = scenarioOf(test, file, record)
  return { ...prepare(file, scenario.pipeline), args: scenario.args, files: absolute(scenario.files), mocks: scenario.mocks }
}
export function prepare(file: HaloFile, name: string): Prepared {
  const program = link(file)
  const pipeline = program.pipelines.get(name)
  if (!pipeline) throw new HaloError('VALIDATION', `The file has no pipeline “${name}”.`)
  return { file, pipeline, args: {}, files: {}, mocks: {}, tools: program.tools, limit: spendLimit(file) }
}

/** The file as the journal of a run has it: a run goes on with the source it began with. */
export function fileOf(record: JournalRecord): HaloFile {
  return programOf(record.start).file
}

export interface Play {
  runId: string
  pipeline: string
  args: Record<string, unknown>
  file: HaloFile
  mocks: Record<string, Mock>
  mode: 'live' | 'scenario' | 'mock'
  /** The test's name. */
  scenario?: string
  workspace: Workspace
  journal: JournalStore
  /** Absent: nothing of this browser's keys and variables can be reached. */
  keys?: Keys
  /** Asks the person where requests may go. */
  gate: ProjectGate
}

/** Addresses that need no question: what the program's brackets name, the providers' own, and what is set in Settings. */
export function knownTo({ file, keys }: Pick<Play, 'file' | 'keys'>): (origin: string) => boolean {
  const declared = declaredOrigins(link(file))
  return (origin) => declared.has(origin) || providerOrigins.has(origin) || (keys?.addresses().some((address) => originOf(address) === origin) ?? false)
}

/** The driver of one run. */
export function createDriver(play: Play): Driver {
  const permit = play.gate(knownTo(play))
  const make = (hooks: Hooks): HaloRuntime => {
    const { workspace, journal, mode, keys } = play
    const config: RuntimeConfig = { onEvent: hooks.onEvent, onInterrupt: hooks.onInterrupt, files: workspace.contents, regexRunner: regexRunner(), prices: keys?.prices }
    const runtime =
      mode === 'mock'
        ? new HaloRuntime({ ...config, onInterrupt: undefined, sandbox: async () => (await workspace.sandbox()).fork(), env: {}, fetch: noNetwork, mockDefaults: mockMode })
        : new HaloRuntime({ ...config, sandbox: async () => gatedSandbox(await workspace.sandbox(), permit), fetch: gatedFetch(permit), journal, keys: keys ? keys.credentials : () => undefined, env: keys ? keys.env() : {} })
    return runtime.load(play.file).mockAll(play.mocks)
  }
  return {
    start: async (hooks) => {
      // Costs are counted from the first request on, so the prices have to be there before it.
      await loadPrices()
      return make(hooks).run(play.pipeline, play.args, { runId: play.runId, signal: hooks.signal, about: play.scenario === undefined ? {} : { scenario: play.scenario } })
    },
    // The answer itself waits at the gate, which the run asks again when it gets to the question.
    goOn: async (hooks): Promise<RunResult> => {
      await loadPrices()
      return make(hooks).resume(play.runId, { signal: hooks.signal })
    },
  }
}

export const toolsOf = (file: HaloFile): Map<string, ToolDeclaration> => link(file).tools

export function runAllTests(file: HaloFile, workspace: Workspace, signal: AbortSignal): AsyncIterable<TestOutcome> {
  return runTests(file, { sandbox: (): Promise<Sandbox> => workspace.sandbox(), signal, regexRunner: regexRunner() })
}

/** The one MaxSpend of a file, in US dollars; undefined where there is none, or more than one. */
function spendLimit(file: HaloFile): number | undefined {
  const limits = new Set<number>()
  for (const policy of link(file).policies.values()) {
    for (const rule of policy.rules) {
      const value = rule.name === 'MaxSpend' ? rule.args?.[0]?.value : undefined
      if (value?.kind === 'Number') limits.add(value.value)
    }
  }
  return limits.size === 1 ? [...limits][0] : undefined
}

function absolute(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [joinPath(path), text]))
}
