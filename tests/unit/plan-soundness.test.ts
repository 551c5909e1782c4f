/** What happens in a run is within its plan: over programs made at random, with models, tools and people at their worst. */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import type { ModelAdapter, ModelChunk, ModelRequest } from '../../src/lib/halo/models/types.ts'
import { plan, type PipelinePlan, type PlannedStage } from '../../src/lib/halo/plan/index.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import type { HaloEvent } from '../../src/lib/halo/run/types.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { hashOf, personAnswer, programs, WORLD_INFO, worldProvider } from './support-programs.ts'

const prices = Object.fromEntries(['worker', 'plain', 'bound', 'caller', 'shadow'].map((id) => [`test/${id}`, { input: 5, output: 15, cacheWrite: 6 }]))
const MAX_TOKENS = 300
const RESULT_CHARS = 400

beforeAll(() => {
  registerToolProvider('TestWorld', worldProvider(() => {}), WORLD_INFO)
})

/** The programs on models that cost money, with a shadow, corrections, and an agent that calls a pipeline. */
function dear(source: string): string {
  return source
    .replaceAll('mock/', 'test/')
    .replaceAll(/\[test\/(\w+)/g, `[test/$1, max_tokens: ${MAX_TOKENS}, tool_result_chars: ${RESULT_CHARS}`)
    .replaceAll('|> Plain.think("Think")', '|> Plain.think("Think") @shadow(test/shadow) @correct(1)')
    .replace('pipeline Main', `agent Caller [test/caller, max_steps: 2, max_tokens: ${MAX_TOKENS}, tool_result_chars: ${RESULT_CHARS}]\n  equips Helper\ntool Helper : Pipeline(Leaf, description: "Looks.")\npipeline Leaf(topic: Any) -> Result: topic |> Worker.leaf("Leaf", tools: [World]) |> World.send(value: 1)\npipeline Main`)
    .replace('    start', '    start\n    |> Caller.call(tools: [Helper])')
}

/** Every agent with a MaxSpend that many of the runs come up against. */
function withLimits(source: string): string {
  return source
    .replace('policy Asks :', 'policy Limit : MaxSpend(0.05)\npolicy Asks : Limit &')
    .replace('policy Strict :', 'policy Strict : Limit &')
    .replaceAll(/(agent (?:Plain|Caller) [^\n]*)/g, '$1\n  requires Limit')
}

const bytes = (value: unknown): number => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length

/** Asks for several calls a step, says as much as it may, and counts a token a byte, all written to the cache. */
const adapter: ModelAdapter = {
  *stream(request: ModelRequest): Generator<ModelChunk> {
    const hash = hashOf(JSON.stringify(request.messages.length === 1 ? request.messages : request.messages.slice(-2)))
    const input = bytes(request.system ?? '') + request.messages.reduce((sum, { content, toolCalls }) => sum + bytes(content) + (toolCalls === undefined ? 0 : bytes(toolCalls)), 0) + bytes(request.tools) + bytes(request.schema ?? '')
    const calls = request.toolChoice === 'none' || request.tools.length === 0 || hash % 4 === 0 ? 0 : 1 + (hash % 4)
    for (let i = 0; i < calls; i++) {
      const offered = request.tools[(hash + i) % request.tools.length]
      const name = hash % 7 === 0 ? 'World__send' : (offered?.name ?? 'nothing')
      const args = name.startsWith('Helper') ? { topic: i } : { value: (hash + i) % 50 }
      yield { type: 'tool_call', call: { id: `c${i}`, name, args } }
    }
    if (calls === 0) yield { type: 'text', text: 'x'.repeat(1 + (hash % request.maxTokens)) }
    yield { type: 'usage', usage: { input, output: request.maxTokens, cacheWrite: input } }
    yield { type: 'stop', reason: calls > 0 ? 'tool_calls' : 'stop' }
  },
}

/** A place in a journal as a plan names it. */
function planned(path: string): string {
  return path.replaceAll(/~\d+/g, '').replaceAll(/\[\d+\]/g, '[*]').replaceAll(/\/correct:\d+/g, '').replaceAll(/step:\d+/g, 'step:*').replaceAll(/call:\d+/g, 'call:*')
}

const SHOWN = new Set(['Call', 'Loop', 'Yield', 'Listen'])

function faultsOf(found: PipelinePlan, events: readonly HaloEvent[], cost: number): string[] {
  const faults: string[] = []
  const stages = new Map(found.stages.map((stage): [string, PlannedStage] => [stage.path, stage]))
  const ran = new Map<string, number>()
  const callsAt = (path: string): PlannedStage['calls'] => stages.get(planned(path).replace(/\/(step|tool).*$/, ''))?.calls ?? stages.get(planned(path))?.calls ?? []
  /** A call an agent chose stands below its stage; the last `/step:` is its own. */
  const chosenAt = (path: string): PlannedStage['calls'] => stages.get(planned(path).replace(/\/step:\*\/call:\*(\/.*)?$/, '').replace(/\/step:\*$/, ''))?.calls ?? []
  for (const event of events) {
    if (event.type === 'stage_start' && SHOWN.has(event.stage)) {
      const at = planned(event.path)
      const stage = stages.get(at)
      if (stage === undefined) faults.push(`stage ${event.path} (${event.stage} ${event.target ?? ''}) is not planned`)
      else if (stage.kind !== 'loop' && event.target !== undefined && stage.target !== event.target) faults.push(`stage ${event.path} is ${event.target}, planned as ${stage.target}`)
      ran.set(at, (ran.get(at) ?? 0) + 1)
    }
    if (event.type === 'agent_tool' && (event.decision === 'allowed' || event.decision === 'approved')) {
      const call = chosenAt(event.path).find(({ how, target }) => how === 'may call' && target === event.target)
      if (call === undefined) faults.push(`${event.target} at ${event.path} was called by ${event.agent} and is not planned`)
      else if ((call.approval !== undefined) !== (event.decision === 'approved')) faults.push(`${event.target} at ${event.path} was ${event.decision}, planned ${call.approval ?? 'without approval'}`)
    }
    if (event.type === 'tool' && event.agent === undefined) {
      if (!callsAt(event.path).some(({ how, target }) => how === 'calls' && target === event.target)) faults.push(`${event.target} at ${event.path} was called and is not planned`)
    }
  }
  for (const [path, count] of ran) {
    const max = stages.get(path)?.times.max
    if (max !== undefined && count > max && stages.get(path)?.kind !== 'loop') faults.push(`stage ${path} ran ${count} times, planned ×${max}`)
  }
  const { bound, stopsAt } = found.summary
  if (bound === undefined || cost > bound + 1e-9) faults.push(`it cost ${cost}, the second figure is ${bound}`)
  if (stopsAt !== undefined && cost > stopsAt + 1e-9) faults.push(`it cost ${cost}, and MaxSpend is ${stopsAt}`)
  return faults
}

async function runOf(source: string): Promise<{ events: HaloEvent[]; cost: number }> {
  const events: HaloEvent[] = []
  const runtime = new HaloRuntime({
    sandbox: () => ({ open: () => ({}) }) as unknown as Sandbox,
    models: { test: adapter },
    prices,
    onInterrupt: personAnswer,
    onEvent: (event) => events.push(event),
    clock: { now: () => 0, sleep: () => new Promise(() => {}), uuid: () => 'id' },
  }).load(parse(source))
  const { context } = await runtime.run('Main', { start: 5 })
  return { events, cost: context.meta.cost }
}

describe('what happens in a run', () => {
  const seen = { runs: 0, stages: 0, chosen: 0, dearest: 0 }

  test('is in its plan: stages, how often, calls, approvals, and the money (1,000 programs)', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.boolean(), async (made, limited) => {
        const source = limited ? withLimits(dear(made)) : dear(made)
        const [found] = plan(parse(source), { pipeline: 'Main', prices }).pipelines
        if (found === undefined) throw new Error('no plan')
        const { events, cost } = await runOf(source)
        seen.runs++
        seen.stages += events.filter(({ type }) => type === 'stage_start').length
        seen.chosen += events.filter(({ type }) => type === 'agent_tool').length
        seen.dearest = Math.max(seen.dearest, cost)
        expect(faultsOf(found, events, cost)).toEqual([])
      }),
      { numRuns: 1000, seed: 20261130 },
    )
    // The runs do something to be measured by.
    expect(seen.stages).toBeGreaterThan(5000)
    expect(seen.chosen).toBeGreaterThan(3000)
    expect(seen.dearest).toBeGreaterThan(0.01)
  })

  test('is caught when it is not: a call, a stage or a cost beyond the plan', async () => {
    const source = `
tool World : TestWorld()
agent Worker [test/worker, max_tokens: ${MAX_TOKENS}]
  equips World
pipeline Main(start: Any): start |> World.look() |> Worker.work("Do it", tools: [World]) |> World.put(value: 1)`
    const [found] = plan(parse(source), { pipeline: 'Main', prices }).pipelines
    if (found === undefined) throw new Error('no plan')
    const { events, cost } = await runOf(source)
    expect(faultsOf({ ...found, stages: found.stages.slice(1) }, events, cost)).not.toEqual([])
    expect(faultsOf({ ...found, stages: found.stages.map((stage) => ({ ...stage, calls: [] })) }, events, cost)).not.toEqual([])
    expect(faultsOf({ ...found, summary: { ...found.summary, bound: cost / 2 } }, events, cost)).not.toEqual([])
  })
})
