/** Goes through a pipeline's stages, and through what they hold and call, as a run would. */
import type { Arm, CallStage, Chain, EachStage, Expression, LoopStage, PipelineDeclaration, Stage } from '../syntax/ast.ts'
import type { ExpressionSource } from '../syntax/ast.ts'
import { planAgent } from './agent.ts'
import { ownCall } from './calls.ts'
import { notKnown, policiesOf, sourceAt, spanAt, type Here, type Planning } from './context.ts'
import type { PlannedStage, Times, TimesFactor } from './types.ts'
import { argumentNamed, writtenNumber } from './written.ts'

type Step = CallStage | ExpressionSource | Stage

/** A plan with more stages than this is cut: pipelines that call pipelines can unfold without end. */
const MAX_STAGES = 5000
const DEFAULT_LOOP_MAX = 3

interface ChainPlace {
  number: string
  path: string
  /** One call alone has the place of what holds it. */
  alone: boolean
  first: number
}

/** Plans a pipeline's stages into `planning`; `number` and `path` are those of the stage that calls it. */
export function walkPipeline(planning: Planning, pipeline: PipelineDeclaration, from: { number: string; path: string }, outer: Omit<Here, 'pipeline'>): void {
  const here: Here = { ...outer, pipeline, requires: [...outer.requires, ...pipeline.requires], within: [...outer.within, pipeline.name] }
  walkChain(planning, here, pipeline.body, { ...from, alone: false, first: pipeline.body.source === undefined ? 1 : 0 })
}

function walkBody(planning: Planning, here: Here, body: Chain, number: string, path: string): void {
  const steps = stepsOf(body)
  walkChain(planning, here, body, { number, path, alone: steps.length === 1 && steps[0]?.kind === 'Call', first: 1 })
}

function stepsOf(chain: Chain): Step[] {
  return chain.source === undefined ? chain.stages : [chain.source, ...chain.stages]
}

function walkChain(planning: Planning, here: Here, chain: Chain, place: ChainPlace): void {
  const steps = stepsOf(chain)
  const loops = loopsOf(planning, here, steps)
  /** How long the list is that flows in, where it is written out. */
  let items: number | undefined
  steps.forEach((step, i) => {
    const n = place.first + i
    const at = (base: string): string => (place.alone ? base : base === '' ? `${n}` : `${base}.${n}`)
    const around: Here = { ...here, factors: [...here.factors, ...factorsAt(loops, i)] }
    // The last loop that goes back to it is the one whose words are longest known.
    const feedback = loops.findLast(({ to }) => to === i)?.check
    walkStep(planning, around, step, { number: at(place.number), path: at(place.path), feedback, items })
    items = itemsAfter(step, items)
  })
}

interface StepPlace {
  number: string
  path: string
  feedback?: string
  items?: number
}

function walkStep(planning: Planning, here: Here, step: Step, place: StepPlace): void {
  const { number, path } = place
  switch (step.kind) {
    case 'Expression':
      return
    case 'Call':
      return walkCall(planning, here, step, place)
    case 'Parallel':
      step.branches.forEach((branch, i) => walkBody(planning, here, branch, `${number}${branchLetters(i)}`, `${path}${branchLetters(i)}`))
      return
    case 'Each':
      return walkBody(planning, { ...here, factors: [...here.factors, eachFactor(planning, here, step, place.items)] }, step.body, number, `${path}[*]`)
    case 'Branch':
      step.arms.forEach((arm, i) => {
        const conditions = [...here.conditions, conditionText(planning, here, arm)]
        walkBody(planning, { ...here, conditions }, arm.body, `${number}?${i + 1}`, `${path}?${i + 1}`)
      })
      return
    case 'Block':
      return walkBody(planning, here, step.body, number, path)
    case 'Loop':
      return add(planning, here, step, place, { kind: 'loop', target: 'loop', note: loopText(planning, here, step) })
    case 'Yield':
      return add(planning, here, step, place, { kind: 'yield', target: 'yield', note: noteOf(planning, here, step.args[0]?.value) })
    case 'Listen':
      return add(planning, here, step, place, { kind: 'listen', target: 'listen', note: noteOf(planning, here, step.args[0]?.value) })
  }
}

function walkCall(planning: Planning, here: Here, stage: CallStage, place: StepPlace): void {
  const { program } = planning
  const name = stage.callee.name
  const target = stage.member === undefined ? name : `${name}.${stage.member.name}`
  if (name === 'System') return add(planning, here, stage, place, { kind: 'system', target })
  const agent = program.agents.get(name)
  if (agent !== undefined) {
    const plan = planAgent(planning, here, stage, agent, place.feedback)
    add(planning, here, stage, place, { kind: 'agent', target, calls: plan.calls, agent: plan.agent })
    const requires = [...here.requires, ...agent.requires]
    if (plan.first?.pipeline !== undefined) enter(planning, { ...here, requires }, plan.first.pipeline, place.number, `${place.path}/tool`)
    for (const { tool, max, assumed } of plan.pipelines) {
      if (tool.pipeline === undefined) continue
      const factor: TimesFactor = { by: 'agent', assumed, ...(max === undefined ? {} : { max }) }
      enter(planning, { ...here, requires, factors: [...here.factors, factor] }, tool.pipeline, place.number, `${place.path}/step:*/call:*`)
    }
    return
  }
  const pipeline = program.pipelines.get(name)
  if (pipeline !== undefined) {
    add(planning, here, stage, place, { kind: 'pipeline', target })
    return enter(planning, here, pipeline, place.number, place.path)
  }
  const written = { tool: name, ...(stage.member === undefined ? {} : { method: stage.member.name }), args: stage.args ?? [], from: stage.from, to: stage.to }
  const { call, tool } = ownCall(planning, here, written, policiesOf(planning, here.requires))
  add(planning, here, stage, place, { kind: 'tool', target: call.target, calls: [call], provider: tool?.provider })
  if (tool?.pipeline !== undefined && call.pipeline !== undefined) enter(planning, here, tool.pipeline, place.number, place.path)
}

function enter(planning: Planning, here: Here, pipeline: PipelineDeclaration, number: string, path: string): void {
  if (here.within.includes(pipeline.name)) {
    planning.cut = true
    return notKnown(planning, `${pipeline.name} calls itself, by way of ${here.within.at(-1) ?? pipeline.name}: the plan stops there.`, spanAt(here, pipeline))
  }
  if (planning.stages.length >= MAX_STAGES) {
    planning.cut = true
    return notKnown(planning, `The plan stops at ${MAX_STAGES} stages: pipelines that call pipelines unfold to more.`)
  }
  walkPipeline(planning, pipeline, { number, path: `${path}>${pipeline.name}` }, here)
}

/** a, b, … z, aa, ab, … as in journal paths. */
function branchLetters(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26))
  return index < 26 ? letter : branchLetters(Math.floor(index / 26) - 1) + letter
}

type StageParts = Pick<PlannedStage, 'kind' | 'target'> & Partial<Pick<PlannedStage, 'calls' | 'agent' | 'provider' | 'note'>>

function add(planning: Planning, here: Here, step: Step, { number, path }: StepPlace, parts: StageParts): void {
  const { kind, target, calls = [], agent, provider, note } = parts
  planning.stages.push({
    number,
    path,
    span: spanAt(here, step),
    kind,
    target,
    times: timesOf(here.factors),
    conditions: [...here.conditions],
    calls,
    ...(provider === undefined ? {} : { provider }),
    ...(note === undefined ? {} : { note }),
    ...(agent === undefined ? {} : { agent }),
  })
}

function timesOf(factors: readonly TimesFactor[]): Times {
  let max: number | undefined = 1
  for (const factor of factors) max = max === undefined || factor.max === undefined ? undefined : max * factor.max
  return { ...(max === undefined ? {} : { max }), factors: [...factors] }
}

// ---------------------------------------------------------------------- loops

interface PlannedLoop {
  /** The loop's own place, and that of the stage it goes back to. */
  at: number
  to: number
  max: number
  check: string
}

function loopsOf(planning: Planning, here: Here, steps: readonly Step[]): PlannedLoop[] {
  return steps.flatMap((step, at): PlannedLoop[] => {
    if (step.kind !== 'Loop') return []
    const positional = step.args.filter(({ name }) => name === undefined).map(({ value }) => value)
    const [agent, check, third] = positional
    const name = agent?.kind === 'Variable' ? agent.name : undefined
    const to = steps.findLastIndex((other, i) => i < at && other.kind === 'Call' && other.callee.name === name)
    if (name === undefined || to < 0) return []
    const written = argumentNamed(step.args, 'max') ?? third
    const max = written === undefined ? DEFAULT_LOOP_MAX : writtenNumber(written)
    if (max === undefined) notKnown(planning, `The max of the loop back to ${name} is only known in a run; counted as ${DEFAULT_LOOP_MAX}.`, spanAt(here, step))
    const condition = argumentNamed(step.args, 'while') ?? check
    return [{ at, to, max: Math.max(1, max ?? DEFAULT_LOOP_MAX), check: noteOf(planning, here, condition) ?? '' }]
  })
}

/**
 * The loops that repeat a step, the outermost first: those that go back over it, and those that go back over such a loop,
 * which then counts anew.
 */
function factorsAt(loops: readonly PlannedLoop[], i: number): TimesFactor[] {
  const repeating = new Set<PlannedLoop>()
  const waiting = [i]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const loop of loops) {
      if (loop.to > at || at >= loop.at || repeating.has(loop)) continue
      repeating.add(loop)
      waiting.push(loop.at)
    }
  }
  return [...repeating].sort((a, b) => b.at - a.at).map(({ max }) => ({ by: 'loop', max }))
}

// ----------------------------------------------------------------------- each

function eachFactor(planning: Planning, here: Here, stage: EachStage, items: number | undefined): TimesFactor {
  const written = argumentNamed(stage.args, 'max')
  const max = writtenNumber(written)
  if (written !== undefined && max === undefined) notKnown(planning, 'The max of an each is only known in a run; counted as none.', spanAt(here, stage))
  const bounds = [max, items].filter((bound) => bound !== undefined)
  return bounds.length === 0 ? { by: 'each' } : { by: 'each', max: Math.min(...bounds) }
}

/** The length of the list that flows on, where it is known. */
function itemsAfter(step: Step, items: number | undefined): number | undefined {
  switch (step.kind) {
    case 'Expression':
      return lengthOf(step.value)
    case 'Each':
    case 'Loop':
      return items
    case 'Call': {
      if (step.callee.name !== 'System') return undefined
      const value = step.args?.[0]?.value
      if (step.member?.name === 'Log') return items
      return step.member?.name === 'Value' && value !== undefined ? lengthOf(value) : undefined
    }
    default:
      return undefined
  }
}

function lengthOf(value: Expression): number | undefined {
  return value.kind === 'List' ? value.items.length : undefined
}

// ---------------------------------------------------------------------- texts

function conditionText(planning: Planning, here: Here, { condition }: Arm): string {
  return condition === undefined ? 'otherwise' : `if ${noteOf(planning, here, condition) ?? ''}`
}

function loopText(planning: Planning, here: Here, stage: LoopStage): string {
  return stage.args.map(({ name, value }) => `${name === undefined ? '' : `${name}: `}${noteOf(planning, here, value) ?? ''}`).join(', ')
}

/** A text as it is, anything else as it is written, on one line. */
function noteOf(planning: Planning, here: Here, value: Expression | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = value.kind === 'String' ? value.value : sourceAt(planning, here).slice(value.from, value.to)
  return text.replace(/\s+/g, ' ').trim()
}
