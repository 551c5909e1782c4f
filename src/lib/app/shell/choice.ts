/** What of the shown file is to be run: a mode and a pipeline, as chosen, or as the file suggests. */
import type { PipelineDeclaration, TestDeclaration } from '../../halo/syntax/ast.ts'
import type { Analysis } from '../editor/analysis.svelte.ts'
import type { Project } from '../project/project.svelte.ts'

/** `live`, `mock`, `tests`, or `scenario:` and a test's name. */
export type Mode = string
export const scenarioMode = (test: string): Mode => `scenario:${test}`

type Chosen = Pick<Project, 'mode' | 'pipeline'> | undefined

export function modeOf(project: Chosen, { tests }: Analysis): Mode {
  const chosen = project?.mode
  if (chosen === 'live' || chosen === 'mock' || chosen === 'tests') return chosen
  const known = tests.find((test) => scenarioMode(test.name) === chosen) ?? tests.find((test) => test.pipeline.name === project?.pipeline) ?? tests[0]
  return known ? scenarioMode(known.name) : 'mock'
}

/** The test whose scenario is chosen. */
export function scenarioOf(project: Chosen, analysis: Analysis): TestDeclaration | undefined {
  const mode = modeOf(project, analysis)
  return analysis.tests.find((test) => scenarioMode(test.name) === mode)
}

export function pipelineOf(project: Chosen, analysis: Analysis): PipelineDeclaration | undefined {
  const { pipelines, tests } = analysis
  const name = scenarioOf(project, analysis)?.pipeline.name ?? project?.pipeline
  return pipelines.find((one) => one.name === name) ?? pipelines.find((one) => one.name === 'Main') ?? pipelines.find((one) => one.name === tests[0]?.pipeline.name) ?? pipelines[0]
}

/** A scenario of another pipeline makes place for one of this. */
export function choosePipeline(project: Project, analysis: Analysis, name: string): void {
  project.pipeline = name
  const scenario = scenarioOf(project, analysis)
  if (!scenario || scenario.pipeline.name === name) return
  const other = analysis.tests.find((test) => test.pipeline.name === name)
  project.mode = other ? scenarioMode(other.name) : 'mock'
}
