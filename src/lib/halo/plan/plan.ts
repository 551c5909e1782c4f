/** What a run of a file could do and cost, before it runs: no model, no tool, no key is used. */
import { link } from '../check/program.ts'
import { HaloError, spanWithin } from '../errors.ts'
import { loadedPrices } from '../models/prices.ts'
import type { PriceList } from '../models/types.ts'
import type { HaloFile, PipelineDeclaration } from '../syntax/ast.ts'
import type { Planning } from './context.ts'
import { summarise } from './summary.ts'
import type { Plan, PipelinePlan } from './types.ts'
import { walkPipeline } from './walk.ts'

export interface PlanOptions {
  /** One pipeline; by default every pipeline of the file. */
  pipeline?: string
  /** US dollars per million tokens, before the known prices: `{ "openai/gpt-4o": { input: 5, output: 15 } }`. */
  prices?: PriceList
}

/**
 * The plan of a file's pipelines, as plain data. Known prices are those loaded (`loadPrices`) and given. A file with faults
 * gives the plan of what is right in it.
 * @throws HaloError VALIDATION when there is no such pipeline.
 */
export function plan(file: HaloFile, options: PlanOptions = {}): Plan {
  const program = link(file)
  const { pipeline: name, prices } = options
  const chosen = name === undefined ? file.pipelines : [program.pipelines.get(name)]
  const date = loadedPrices()?.date
  return {
    ...(date === undefined ? {} : { priceDate: date }),
    pipelines: chosen.map((pipeline) => {
      if (pipeline === undefined) throw new HaloError('VALIDATION', `There is no pipeline ${name}.${pipelinesText(file)}`)
      return planOf(pipeline, { program, stages: [], cut: false, unknown: new Map(), policySets: new Map(), ...(prices === undefined ? {} : { prices }) })
    }),
  }
}

function planOf(pipeline: PipelineDeclaration, planning: Planning): PipelinePlan {
  walkPipeline(planning, pipeline, { number: '', path: '' }, { factors: [], conditions: [], requires: [], within: [] })
  return { pipeline: pipeline.name, span: spanWithin(pipeline, pipeline.file), stages: planning.stages, summary: summarise(planning) }
}

function pipelinesText({ pipelines }: HaloFile): string {
  return pipelines.length === 0 ? ' The file has none.' : ` There are ${pipelines.map(({ name }) => name).join(', ')}.`
}
