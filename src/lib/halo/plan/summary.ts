/** What all stages come to. */
import { unpricedModels } from './agent.ts'
import type { Planning } from './context.ts'
import { BOUND_ASSUMPTIONS } from './cost.ts'
import type { PlannedCall, PlannedStage, PlanSummary, Times } from './types.ts'

export function summarise(planning: Planning): PlanSummary {
  const { stages, unknown, cut } = planning
  const calls = stages.flatMap((stage) => stage.calls).filter(({ refused, pipeline }) => !refused && pipeline === undefined)
  const targets = (pick: (call: PlannedCall) => boolean): string[] => [...new Set(calls.filter(pick).map(({ target }) => target))]
  const agents = stages.flatMap(({ agent }) => (agent === undefined ? [] : [agent]))
  const limits = new Map(agents.flatMap(({ name, maxSpend }) => (maxSpend === undefined ? [] : [[`${name} ${maxSpend.policy} ${maxSpend.dollars}`, { agent: name, ...maxSpend }]])))
  const spendLimits = agents.map(({ maxSpend }) => maxSpend?.dollars)
  const stopsAt = spendLimits.length > 0 && spendLimits.every((limit) => limit !== undefined) ? Math.max(...spendLimits) : undefined
  const cost = cut ? undefined : totalOf(stages, ({ agent, times }) => ({ once: agent?.costOnce, times: times.max }))
  const bound = cut ? undefined : totalOf(stages, ({ agent, times }) => ({ once: agent?.boundOnce, times: assumedTimes(times) }))
  const cached = cut ? undefined : totalOf(stages, ({ agent, times }) => ({ once: agent?.cachedOnce, times: times.max }))
  return {
    actsWithoutAsking: targets(({ effect, approval }) => effect === 'external' && approval === undefined),
    needsApproval: targets(({ approval }) => approval !== undefined),
    notDescribed: targets(({ effect }) => effect === undefined),
    callsModels: agents.length > 0,
    ...(cost === undefined ? {} : { cost }),
    ...(bound === undefined ? {} : { bound }),
    assumptions: [...BOUND_ASSUMPTIONS],
    ...(cached === undefined ? {} : { cached }),
    unbounded: stages.filter(({ agent, times }) => (agent?.costOnce ?? 0) > 0 && times.max === undefined).map(({ number }) => number),
    unpriced: [...new Set(agents.flatMap((agent) => unpricedModels(planning, agent)))],
    ...(stopsAt === undefined ? {} : { stopsAt }),
    limits: [...limits.values()],
    unknown: [...unknown].map(([message, about]) => ({ message, ...about })),
  }
}

/** Worst case of all runs of a stage; undefined: no bound. */
export function stageCost({ agent, times }: PlannedStage): number | undefined {
  return costOf(agent?.costOnce ?? 0, times.max)
}

function totalOf(stages: readonly PlannedStage[], read: (stage: PlannedStage) => { once?: number; times?: number }): number | undefined {
  let total = 0
  for (const stage of stages) {
    const { once = 0, times } = read(stage)
    const cost = costOf(once, times)
    if (cost === undefined) return undefined
    total += cost
  }
  return total
}

function costOf(once: number, times: number | undefined): number | undefined {
  return once === 0 ? 0 : times === undefined ? undefined : once * times
}

function assumedTimes({ factors }: Times): number | undefined {
  let times = 1
  for (const factor of factors) {
    const max = factor.by === 'agent' ? factor.assumed : factor.max
    if (max === undefined) return undefined
    times *= max
  }
  return times
}
