import { messageOf } from '../lib/halo/errors.ts'
import { loadPrices } from '../lib/halo/models/prices.ts'
import type { PriceList } from '../lib/halo/models/types.ts'
import { plan, planText } from '../lib/halo/plan/index.ts'
import { DONE, FAILED, UsageError } from './exit.ts'
import { command, readWords } from './options.ts'
import { give, say } from './print.ts'
import { choosePipeline, readProgram, readText, sayDiagnostics } from './program-file.ts'

export const planCommand = command({
  usage: 'plan F [--pipeline P] [--json] [--prices FILE]',
  about: 'Says what a run could do and cost at most. Runs nothing.',
  options: { pipeline: { type: 'string' }, json: { type: 'boolean', default: false }, prices: { type: 'string' } },
  least: 1,
  most: 1,
})

export async function planFile(words: string[]): Promise<number> {
  const { positionals, values } = readWords(words, planCommand)
  const program = readProgram(positionals[0] ?? '')
  const faulty = sayDiagnostics(program)
  const prices = values.prices === undefined ? undefined : readPrices(values.prices)
  if (values.pipeline !== undefined) choosePipeline(program, values.pipeline)
  await loadPrices()
  const planned = plan(program.file, { ...(values.pipeline === undefined ? {} : { pipeline: values.pipeline }), ...(prices === undefined ? {} : { prices }) })
  if (planned.pipelines.length === 0) say(`${program.path} has no pipeline, so there is nothing to plan.`)
  if (values.json) give(planned)
  else if (planned.pipelines.length > 0) give(planText(planned))
  return faulty ? FAILED : DONE
}

/** `{ "openai/gpt-4o": { "input": 5, "output": 15 } }`, in US dollars per million tokens. */
function readPrices(path: string): PriceList {
  let value: unknown
  try {
    value = JSON.parse(readText(path))
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${path} is not JSON: ${messageOf(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError(`${path} must hold an object of prices by model.`)
  const prices: PriceList = {}
  for (const [model, price] of Object.entries(value) as [string, unknown][]) {
    if (typeof price !== 'object' || price === null) throw new UsageError(`${path}: the price of ${model} must be an object.`)
    const { input, output, cacheRead, cacheWrite } = price as Record<string, unknown>
    if (!isPrice(input) || !isPrice(output)) throw new UsageError(`${path}: ${model} needs "input" and "output", in US dollars per million tokens.`)
    prices[model] = { input, output, ...(isPrice(cacheRead) ? { cacheRead } : {}), ...(isPrice(cacheWrite) ? { cacheWrite } : {}) }
  }
  return prices
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
