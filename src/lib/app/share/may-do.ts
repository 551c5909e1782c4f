/** What a program may do, in the few words a person reads before saying yes. */
import { link } from '../../halo/check/program.ts'
import { plan, planText, type PipelinePlan } from '../../halo/plan/index.ts'
import { loadPrices } from '../../halo/models/prices.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import { shareWords as words } from './words.ts'

export interface MayDo {
  plans: PipelinePlan[]
  /** Each completes “It may: …”. */
  sentences: { text: string; careful: boolean }[]
  /** The plans as text. */
  text: string
}

/** @throws HaloError VALIDATION when the file has no such pipeline */
export async function mayDo(file: HaloFile, pipelines: readonly string[]): Promise<MayDo> {
  await loadPrices()
  const made = pipelines.map((pipeline) => plan(file, { pipeline }))
  const plans = made.flatMap((one) => one.pipelines)
  const calls = plans.flatMap(({ stages }) => stages.flatMap((stage) => stage.calls)).filter(({ refused, pipeline }) => !refused && pipeline === undefined)
  const agents = plans.flatMap(({ stages }) => stages.flatMap(({ agent }) => agent ?? []))
  const targets = (pick: (call: (typeof calls)[number]) => boolean) => unique(calls.filter(pick).map(({ target }) => target))
  const { variables, addresses } = named(file)
  const free = (effect: string) => targets((call) => call.effect === effect && call.approval === undefined)
  const does = words.does
  const parts: [readonly string[], (names: readonly string[]) => string, boolean][] = [
    [free('external'), does.acts, true],
    [targets((call) => call.effect === undefined && call.approval === undefined), does.unknown, true],
    [free('write'), does.changes, false],
    [targets((call) => call.approval !== undefined), does.asks, false],
    [free('read'), does.reads, false],
    [unique(agents.flatMap(({ model, shadows }) => [model, ...shadows])), does.models, false],
    [variables, does.variables, true],
    [addresses, does.addresses, true],
  ]
  const sentences = parts.flatMap(([names, say, careful]) => (names.length > 0 ? [{ text: say(names), careful }] : []))
  return { plans, sentences: sentences.length > 0 ? sentences : [{ text: does.nothing, careful: false }], text: made.map((one) => planText(one, { bound: true })).join('\n\n') }
}

const unique = (names: readonly string[]): string[] => [...new Set(names)]

/** Names of `Env` and addresses that the program or anything it imports holds, wherever they stand. */
function named(file: HaloFile): { variables: string[]; addresses: string[] } {
  const variables = new Set<string>()
  const addresses = new Set<string>()
  const waiting: unknown[] = link(file).files.map((one) => [one.tools, one.stores, one.agents, one.pipelines])
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') for (const [address] of value.matchAll(/\b(?:https?|wss?):\/\/[^\s/?#"'\\]+/gi)) addresses.add(address)
    if (typeof value !== 'object' || value === null) continue
    const { kind, base, steps } = value as { kind?: unknown; base?: { kind?: unknown; name?: unknown }; steps?: { kind?: unknown; name?: unknown }[] }
    const name = steps?.[0]?.name
    if (kind === 'Access' && base?.kind === 'Variable' && base.name === 'Env' && typeof name === 'string') variables.add(name)
    waiting.push(...Object.values(value))
  }
  return { variables: [...variables].sort(), addresses: [...addresses].sort() }
}
