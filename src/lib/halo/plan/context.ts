/** What planning one pipeline needs at hand, and what it finds. */
import type { Program } from '../check/program.ts'
import { messageOf, spanWithin, type Span } from '../errors.ts'
import type { PriceList } from '../models/types.ts'
import { compilePolicies, type PolicySet } from '../policy/index.ts'
import type { Name, Node, PipelineDeclaration } from '../syntax/ast.ts'
import type { PlannedStage, TimesFactor } from './types.ts'

export interface Planning {
  program: Program
  prices?: PriceList
  stages: PlannedStage[]
  /** Sentences, each once. */
  unknown: Map<string, { about: 'methods' | 'figures' | 'policies'; span?: Span }>
  /** Something that is called isn't planned: no figure holds for the whole. */
  cut: boolean
  policySets: Map<string, PolicySet | undefined>
}

/** Where a stage stands, beside its number and path. */
export interface Here {
  pipeline: PipelineDeclaration
  factors: readonly TimesFactor[]
  conditions: readonly string[]
  /** Policies of all enclosing pipelines, and of agents that called one. */
  requires: readonly Name[]
  /** Pipelines being planned, outermost first. */
  within: readonly string[]
}

export function spanAt(here: Here, node: Node): Span {
  return spanWithin(node, here.pipeline.file)
}

/** The text that the pipeline stands in. */
export function sourceAt({ program }: Planning, here: Here): string {
  const { file } = here.pipeline
  return (program.files.find(({ path }) => path === file) ?? program.file).source
}

export function notKnown(planning: Planning, message: string, span?: Span, about: 'methods' | 'figures' | 'policies' = 'figures'): void {
  if (!planning.unknown.has(message)) planning.unknown.set(message, { about, ...(span === undefined ? {} : { span }) })
}

/** The policies of these names; undefined where there are none, or where they are faulty, which is said. */
export function policiesOf(planning: Planning, requires: readonly Name[]): PolicySet | undefined {
  const names = requires.filter((name, i) => requires.findIndex((other) => other.name === name.name) === i)
  if (names.length === 0) return undefined
  const key = names.map(({ name }) => name).join(' ')
  if (!planning.policySets.has(key)) planning.policySets.set(key, compiled(planning, names))
  return planning.policySets.get(key)
}

function compiled(planning: Planning, names: readonly Name[]): PolicySet | undefined {
  try {
    return compilePolicies(names, planning.program, { regexRunner: NEVER_RUN })
  } catch (error) {
    notKnown(planning, `The policies ${names.map(({ name }) => name).join(', ')} can't be read: ${messageOf(error)}`, undefined, 'policies')
    return undefined
  }
}

/** Planning asks policies about names and effects only; with a runner, rules whose regexes need one can be compiled. */
const NEVER_RUN = { test: (): Promise<boolean> => Promise.reject(new Error('a plan runs nothing')) }
