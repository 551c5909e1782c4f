/** A pipeline as a picture has it: stages in order, branches beside each other, what it calls inside. */
import type { Program } from '../../halo/check/program.ts'
import type { Span } from '../../halo/errors.ts'
import { writtenCall } from '../../halo/plan/calls.ts'
import { offeredTools, plannedTool } from '../../halo/plan/tools.ts'
import { argumentNamed } from '../../halo/plan/written.ts'
import type { AgentDeclaration, CallStage, Chain, LoopStage, PipelineDeclaration, Source, Stage } from '../../halo/syntax/ast.ts'

type Step = Source | Stage

export type StageKind = 'agent' | 'tool' | 'pipeline' | 'system' | 'source' | 'parallel' | 'each' | 'branch' | 'loop' | 'yield' | 'listen' | 'block'

export interface StageNode {
  /** Its place in a journal without rounds and indices: `4[*]`, `6>Other.1`. */
  path: string
  /** As a reader counts: `3`, `3a`, `6.1`. */
  number: string
  kind: StageKind
  label: string
  /** Conditions of a loop, what a yield says. */
  note?: string
  span: Span
  /** What stands in it: branches, arms, the stages of an item, those of a pipeline it calls. */
  lanes: Lane[]
  /** Lanes that are shown only once asked for: those of called pipelines. */
  nested: boolean
  /** Of a loop: the path of the stage it goes back to. */
  back?: string
}
export interface Lane {
  /** The condition of an arm, the name of a called pipeline. */
  label?: string
  stages: StageNode[]
}

interface Place {
  number: string
  path: string
  alone: boolean
  first: number
}
interface Here {
  program: Program
  pipeline: PipelineDeclaration
  source: string
  within: readonly string[]
}

/** Pipelines that call pipelines can unfold without end; a picture of so many stages says nothing any more. */
const MOST_STAGES = 2000

/** The stages of a pipeline; none when the program has no such pipeline. */
export function shapeOf(program: Program, name: string): StageNode[] {
  const pipeline = program.pipelines.get(name)
  if (pipeline === undefined) return []
  const budget = { left: MOST_STAGES }
  return pipelineStages({ program, within: [] }, pipeline, { number: '', path: '' }, budget)
}

type Budget = { left: number }

function pipelineStages(outer: Pick<Here, 'program' | 'within'>, pipeline: PipelineDeclaration, { number, path }: Pick<Place, 'number' | 'path'>, budget: Budget): StageNode[] {
  const { program, within } = outer
  const source = program.files.find((file) => file.path === pipeline.file)?.source ?? program.file.source
  const here: Here = { program, pipeline, source, within: [...within, pipeline.name] }
  return chainStages(here, pipeline.body, { number, path, alone: false, first: pipeline.body.source === undefined ? 1 : 0 }, budget)
}

function bodyStages(here: Here, body: Chain, number: string, path: string, budget: Budget): StageNode[] {
  const steps = stepsOf(body)
  return chainStages(here, body, { number, path, alone: steps.length === 1 && steps[0]?.kind === 'Call', first: 1 }, budget)
}

function chainStages(here: Here, chain: Chain, place: Place, budget: Budget): StageNode[] {
  const steps = stepsOf(chain)
  const pathOf = (i: number): string => at(place.path, place, i)
  return steps.flatMap((step, i): StageNode[] => {
    if (--budget.left < 0) return []
    const node = stageNode(here, step, at(place.number, place, i), pathOf(i), budget)
    if (step.kind === 'Loop') {
      const to = backTo(steps, step, i)
      if (to >= 0) node.back = pathOf(to)
    }
    return [node]
  })
}

function stepsOf({ source, stages }: Chain): Step[] {
  return source === undefined ? stages : [source, ...stages]
}

function at(base: string, { alone, first }: Place, i: number): string {
  return alone ? base : base === '' ? `${first + i}` : `${base}.${first + i}`
}

function stageNode(here: Here, step: Step, number: string, path: string, budget: Budget): StageNode {
  const { file } = here.pipeline
  const base: StageNode = { path, number, kind: 'block', label: '', span: { from: step.from, to: step.to, ...(file === undefined ? {} : { file }) }, lanes: [], nested: false }
  switch (step.kind) {
    case 'Expression':
      return { ...base, kind: 'source', label: written(here, step.value) }
    case 'Call':
      return callNode(here, step, base, budget)
    case 'Parallel':
      return { ...base, kind: 'parallel', label: 'parallel', lanes: step.branches.map((branch, i) => ({ stages: bodyStages(here, branch, `${number}${letters(i)}`, `${path}${letters(i)}`, budget) })) }
    case 'Each':
      return { ...base, kind: 'each', label: 'each item', lanes: [{ stages: bodyStages(here, step.body, number, `${path}[*]`, budget) }] }
    case 'Branch':
      return {
        ...base, kind: 'branch', label: 'branch',
        lanes: step.arms.map(({ condition, body }, i) => ({ label: condition === undefined ? 'otherwise' : written(here, condition), stages: bodyStages(here, body, `${number}?${i + 1}`, `${path}?${i + 1}`, budget) })),
      }
    case 'Block':
      return { ...base, label: 'block', lanes: [{ stages: bodyStages(here, step.body, number, path, budget) }] }
    case 'Loop':
      return { ...base, kind: 'loop', label: 'loop', note: step.args.map(({ name, value }) => `${name === undefined ? '' : `${name}: `}${written(here, value)}`).join(', ') }
    case 'Yield':
    case 'Listen': {
      const first = step.args[0]?.value
      return { ...base, kind: step.kind === 'Yield' ? 'yield' : 'listen', label: step.kind.toLowerCase(), ...(first === undefined ? {} : { note: written(here, first) }) }
    }
  }
}

function callNode(here: Here, call: CallStage, base: StageNode, budget: Budget): StageNode {
  const { program } = here
  const name = call.callee.name
  const label = call.member === undefined ? name : `${name}.${call.member.name}`
  if (name === 'System') return { ...base, kind: 'system', label }
  const agent = program.agents.get(name)
  if (agent !== undefined) {
    const lanes = calledBy(here, call, agent).map((pipeline) => ({ label: pipeline.name, stages: pipelineStages(here, pipeline, { number: base.number, path: `${base.path}>${pipeline.name}` }, budget) }))
    return { ...base, kind: 'agent', label, nested: lanes.length > 0, lanes }
  }
  const pipeline = program.pipelines.get(name) ?? plannedTool(program, name)?.pipeline
  if (pipeline === undefined) return { ...base, kind: 'tool', label }
  if (here.within.includes(pipeline.name)) return { ...base, kind: 'pipeline', label }
  const stages = pipelineStages(here, pipeline, { number: base.number, path: `${base.path}>${pipeline.name}` }, budget)
  return { ...base, kind: 'pipeline', label, nested: true, lanes: [{ label: pipeline.name, stages }] }
}

/** The pipelines that an agent may call as tools, or that are called for it first. */
function calledBy({ program, within }: Here, call: CallStage, agent: AgentDeclaration): PipelineDeclaration[] {
  const first = argumentNamed(call.args, 'tool')
  const before = first && writtenCall(first)?.tool
  const tools = [...(before === undefined ? [] : [before]), ...offeredTools(program, agent, argumentNamed(call.args, 'tools'))]
  const pipelines = tools.flatMap((tool) => program.pipelines.get(tool) ?? plannedTool(program, tool)?.pipeline ?? [])
  return [...new Set(pipelines)].filter(({ name }) => !within.includes(name))
}

function backTo(steps: readonly Step[], loop: LoopStage, at: number): number {
  const first = loop.args.find(({ name }) => name === undefined)?.value
  const name = first?.kind === 'Variable' ? first.name : undefined
  return steps.findLastIndex((step, i) => i < at && step.kind === 'Call' && step.callee.name === name)
}

function written({ source }: Here, { from, to }: { from: number; to: number }): string {
  return source.slice(from, to).replace(/\s+/g, ' ').trim()
}

function letters(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26))
  return index < 26 ? letter : letters(Math.floor(index / 26) - 1) + letter
}

/** A place in a journal as the picture knows it: without rounds, indices and steps, also of an agent whose call runs it. */
export function placeOf(path: string): string {
  return path.replaceAll(/\/[^>]*/g, '').replaceAll(/~\d+/g, '').replaceAll(/\[\d+\]/g, '[*]')
}

/** Every node, the outer ones before those in them. */
export function* allStages(stages: readonly StageNode[]): Generator<StageNode> {
  for (const stage of stages) {
    yield stage
    for (const lane of stage.lanes) yield* allStages(lane.stages)
  }
}

/** Where the stages of a program stand, by their place in a journal, also of those that an agent's calls run. */
export function stageFinder(program: Program, pipeline: string): (path: string) => StageNode | undefined {
  const known = new Map<string, Map<string, StageNode>>()
  const stagesOf = (name: string): Map<string, StageNode> => {
    let found = known.get(name)
    if (found === undefined) known.set(name, (found = new Map([...allStages(shapeOf(program, name))].map((stage) => [stage.path, stage]))))
    return found
  }
  return (path) => {
    const own = stagesOf(pipeline).get(placeOf(path))
    if (own !== undefined) return own
    // Where the picture ends: what a called pipeline does stands after the last `>`, whoever called it.
    const inner = /^.*>([A-Za-z_]\w*)\.?(.*)$/.exec(path)
    return inner === null ? undefined : stagesOf(inner[1] ?? '').get(placeOf(inner[2] ?? ''))
  }
}
