/** A plan as people read it in a terminal. */
import { stageCost } from './summary.ts'
import type { Plan, PipelinePlan, PlannedCall, PlannedStage, PlanSummary, Times } from './types.ts'

/** The width of the column of stage numbers, where they aren't longer. */
const NUMBER_WIDTH = 7

/** The plan of each pipeline, one below the other. `bound`: with the second figure. */
export function planText(plan: Plan, options: { bound?: boolean } = {}): string {
  return plan.pipelines.map((pipeline) => pipelineText(pipeline, options.bound === true)).join('\n\n')
}

function pipelineText({ pipeline, stages, summary }: PipelinePlan, bound: boolean): string {
  const shown = stages.filter(({ kind }) => kind !== 'loop' && kind !== 'system')
  const width = Math.max(NUMBER_WIDTH, ...shown.map(({ number }) => number.length + 1))
  const lines = shown.flatMap((stage) => {
    const [head = '', ...details] = stageLines(stage)
    return [`  ${stage.number.padEnd(width)}${head}`, ...details.map((line) => `${' '.repeat(width + 2)}${line}`)]
  })
  if (lines.length === 0) lines.push('  No stage calls a model or a tool.')
  return [`Plan for ${pipeline}`, '', ...lines, '', ...summaryLines(summary, bound)].join('\n')
}

function stageLines(stage: PlannedStage): string[] {
  const { kind, target, agent, calls, provider, note = '' } = stage
  const head = [target, ...(agent === undefined ? [] : [`[${agent.model}]`]), ...timesTexts(stage.times), ...conditionTexts(stage), ...costTexts(stage)].join(' ')
  const details = calls.map(callText)
  if (kind === 'tool' && provider !== undefined && calls.every((call) => call.pipeline === undefined)) details.push(provider)
  if (kind === 'yield') details.push(note === '' ? 'waits for a person' : `waits for a person: ${note}`)
  if (kind === 'listen') details.push(`waits for the event ${note}`)
  if (agent !== undefined) {
    if (agent.choosesCalls) details.push(`chooses its own calls, up to ${agent.maxSteps} ${agent.maxSteps === 1 ? 'step' : 'steps'}`)
    for (const store of agent.stores) details.push(`reads ${store} for context`)
    for (const model of agent.shadows) details.push(`asks ${model} the same, to compare`)
  }
  return [head, ...details]
}

function callText({ target, how, effect, approval, refused, pipeline }: PlannedCall): string {
  const does = pipeline === undefined ? (effect ?? 'effect not described') : `runs ${pipeline}`
  const approved = approval === undefined ? '' : ` · needs approval (${approval})`
  return `${how} ${target}: ${does}${approved}${refused ? ' · refused by policy' : ''}`
}

function timesTexts({ factors }: Times): string[] {
  const fixed = factors.reduce((product, factor) => (factor.by === 'loop' ? product * factor.max : product), 1)
  const texts = fixed > 1 ? [`×${fixed}`] : []
  for (const factor of factors) {
    if (factor.by === 'each') texts.push(factor.max === undefined ? '× each item' : `× each item (at most ${factor.max})`)
    if (factor.by === 'agent') texts.push(factor.max === undefined ? '× each time it is called' : `× each time it is called (at most ${factor.max})`)
  }
  return texts
}

function conditionTexts({ conditions }: PlannedStage): string[] {
  return conditions.length === 0 ? [] : [conditions.join(', ')]
}

function costTexts(stage: PlannedStage): string[] {
  const { agent } = stage
  if (agent === undefined) return []
  if (agent.costOnce === undefined) return ['(no price known)']
  const cost = stageCost(stage)
  return [cost === undefined ? `≤ ${cents(agent.costOnce)} each time` : `≤ ${cents(cost)}`]
}

function summaryLines(summary: PlanSummary, bound: boolean): string[] {
  const lines: string[] = []
  const list = (words: string, names: readonly string[]): void => {
    if (names.length > 0) lines.push(`${words}: ${names.join(', ')}`)
  }
  list('Acts on the world without asking', summary.actsWithoutAsking)
  list("Needs a person's approval", summary.needsApproval)
  list('Effect not described', summary.notDescribed)
  lines.push(costLine(summary))
  if (bound && summary.callsModels) lines.push(boundLine(summary))
  if (bound && summary.cached !== undefined && summary.cached < (summary.cost ?? 0) - 1e-9) lines.push(`With prompt caching: ${cents(summary.cached)}, if all that is sent again is read from the cache`)
  for (const { agent, dollars, policy } of summary.limits) lines.push(`Spend limit: ${agent} stops once the run has spent ${money(dollars)} (policy ${policy})`)
  if (summary.unpriced.length > 0) lines.push(`No price known for ${summary.unpriced.join(', ')}: left out of the cost`)
  // Calls that aren't described are listed as such above.
  for (const { about, message } of summary.unknown) if (about !== 'methods') lines.push(`Not known: ${message}`)
  return lines
}

function costLine({ callsModels, cost, unbounded, stopsAt, unpriced }: PlanSummary): string {
  if (!callsModels) return 'Worst-case model cost: $0.0000 (no model is called)'
  const worst = cost !== undefined ? cents(cost) : unbounded.length === 0 ? 'not known' : unboundedText(unbounded)
  const stops = stopsAt !== undefined && (cost === undefined || cost > stopsAt || unpriced.length > 0)
  return `Worst-case model cost: ${worst}${stops ? `, but MaxSpend stops the run at ${money(stopsAt)}` : ''}`
}

function unboundedText(numbers: readonly string[]): string {
  const [stages, run] = numbers.length === 1 ? ['stage', 'runs'] : ['stages', 'run']
  return `unbounded (how often ${stages} ${numbers.join(', ')} ${run} is only known in a run)`
}

function boundLine({ bound, assumptions }: PlanSummary): string {
  return bound === undefined ? 'With tool results: unbounded' : `With tool results: ${cents(bound)}, for ${assumptions.join('; ')}`
}

/** US dollars to four decimals, nearest. */
export function cents(dollars: number): string {
  // 12 significant digits first: what binary fractions add to a figure must not decide its last digit.
  const tenThousandths = Math.round(Number((dollars * 1e4).toPrecision(12)))
  return `$${(tenThousandths / 1e4).toFixed(4)}`
}

/** A limit as it is written: at least two decimals. */
function money(dollars: number): string {
  return `$${dollars.toFixed(Math.max(2, (String(dollars).split('.')[1] ?? '').length))}`
}
