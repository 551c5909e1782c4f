/** Runs pipelines: chains of stages, each of which takes the value flowing in and gives one on. */
import { HaloError } from '../errors.ts'
import type { CallStage, Chain, ExpressionSource, Name, PipelineDeclaration, Stage } from '../syntax/ast.ts'
import { conform, schemaOf } from './arguments.ts'
import { Cancelled } from './cancel.ts'
import { located, policiesOf, spanIn, valueOf, type Frame } from './frame.ts'
import { faultsText } from './schema.ts'
import { runBranch } from './stages/branch.ts'
import { runCall } from './stages/call.ts'
import { runEach } from './stages/each.ts'
import { runListen } from './stages/listen.ts'
import { Loops, type Feedback } from './stages/loop.ts'
import { runParallel } from './stages/parallel.ts'
import { runYield } from './stages/yield.ts'
import { State } from './state.ts'

/** One thing of a chain that is run: its source, or a stage. */
export type Step = CallStage | ExpressionSource | Stage

/** What a stage is run with, beside its frame. */
export interface Place {
  path: string
  /** What a loop says to the agent it goes back to. */
  feedback?: Feedback
}

/**
 * Where the stages of a chain stand. `base` is empty for the pipeline that a run starts with. The body of a branch, an arm or
 * an item that is one call alone has the path of the body.
 */
export interface ChainPlace {
  base: string
  alone: boolean
  /** The number of the first step: a pipeline's source is 0, a body's first step is 1. */
  first: number
}

export function bodyPlace(base: string, body: Chain): ChainPlace {
  const steps = stepsOf(body)
  return { base, alone: steps.length === 1 && steps[0]?.kind === 'Call', first: 1 }
}

export function stepsOf(chain: Chain): Step[] {
  return chain.source === undefined ? chain.stages : [chain.source, ...chain.stages]
}

/** Runs a chain to its end and gives the value that flows out. */
export async function runChain(frame: Frame, chain: Chain, place: ChainPlace): Promise<unknown> {
  const steps = stepsOf(chain)
  const loops = new Loops(steps)
  const visits: number[] = new Array<number>(steps.length).fill(0)
  let { input, inputNames } = frame
  for (let i = 0; i < steps.length; ) {
    const step = steps[i]
    if (step === undefined) break
    const visit = (visits[i] = (visits[i] ?? 0) + 1)
    const number = place.first + i
    const path = (place.alone ? place.base : place.base === '' ? `${number}` : `${place.base}.${number}`) + (visit > 1 ? `~${visit}` : '')
    const here: Frame = { ...frame, input, inputNames }
    loops.enter(i, input, inputNames)
    if (step.kind === 'Loop') {
      const back = await stage(here, step, path, () => loops.decide(here, i, step, path))
      if (back !== undefined) {
        input = back.input
        inputNames = back.inputNames
        i = back.to
        continue
      }
      if (step.as !== undefined) frame.state.set(step.as.name, input)
    } else {
      const output = await stage(here, step, path, () => runStep(here, step, { path, feedback: loops.feedbackFor(i) }))
      loops.leave(i, output)
      // A yield binds the whole answer itself: what flows on may be a part of it.
      if (step.as !== undefined && step.kind !== 'Yield') frame.state.set(step.as.name, output)
      const names = namesOf(step, output === input ? inputNames : [])
      input = output
      inputNames = names
    }
    i++
  }
  return input
}

/** What else the value that flows on is called: what it was bound to, and a variable that is the whole source. */
function namesOf(step: Step, kept: readonly string[]): readonly string[] {
  const bound = step.as === undefined ? [] : [step.as.name]
  if (step.kind === 'Expression' && step.value.kind === 'Variable') return [step.value.name, ...bound]
  return step.kind === 'Call' && step.callee.name !== 'System' ? bound : [...kept, ...bound]
}

/** Announces a stage, runs it, and gives its errors their place. */
async function stage<T>(frame: Frame, step: Step, path: string, run: () => Promise<T>): Promise<T> {
  const { run: whole } = frame
  frame.scope.throwIfAborted()
  const span = spanIn(frame, step)
  const target = step.kind === 'Call' ? calleeOf(step) : undefined
  const started = whole.world.clock.now()
  const common = { path, span, stage: step.kind, ...(target === undefined ? {} : { target }) }
  if (whole.listening) whole.emit({ ...common, type: 'stage_start' })
  try {
    const output = await run()
    if (whole.listening) whole.emit({ ...common, type: 'stage_end', ms: whole.world.clock.now() - started, output: await watched(frame, output) })
    return output
  } catch (thrown) {
    const error = located(thrown, path, span)
    if (whole.listening && !(error instanceof Cancelled)) {
      const about = error instanceof HaloError ? { code: error.code, message: error.message } : { code: 'TOOL_ERROR' as const, message: String(error) }
      whole.emit({ ...common, type: 'stage_end', ms: whole.world.clock.now() - started, error: about })
    }
    throw error
  }
}

/** A value as whoever watches may see it, under the policies of the pipelines around. Journal and result have it as it is. */
async function watched({ run, requires }: Frame, value: unknown): Promise<unknown> {
  if (requires.length === 0) return value
  try {
    return await policiesOf(run, requires).redactValue(value)
  } catch (error) {
    // A policy that can't be used is told of where it is needed; what it would hide isn't shown.
    if (error instanceof HaloError) return undefined
    throw error
  }
}

export function calleeOf(call: CallStage): string {
  return call.member === undefined ? call.callee.name : `${call.callee.name}.${call.member.name}`
}

function runStep(frame: Frame, step: Exclude<Step, { kind: 'Loop' }>, place: Place): Promise<unknown> {
  switch (step.kind) {
    case 'Expression':
      return valueOf(frame, step.value, place.path)
    case 'Call':
      return runCall(frame, step, place)
    case 'Parallel':
      return runParallel(frame, step, place)
    case 'Each':
      return runEach(frame, step, place)
    case 'Branch':
      return runBranch(frame, step, place)
    case 'Yield':
      return runYield(frame, step, place)
    case 'Listen':
      return runListen(frame, step, place)
    case 'Block':
      return runChain(frame, step.body, bodyPlace(place.path, step.body))
  }
}

/** What a pipeline is called with, from wherever it is called. */
export interface PipelineCall {
  pipeline: PipelineDeclaration
  /** Complete: checked, defaults filled in. */
  args: Record<string, unknown>
  /** Where its stages stand: empty for a run's own pipeline. */
  base: string
  /** Policies that hold around it. */
  requires: readonly Name[]
}

/** Runs a pipeline and checks what it gives. */
export async function runPipeline(outer: Pick<Frame, 'run' | 'scope' | 'callers'> & { pipeline?: PipelineDeclaration }, call: PipelineCall, state = new State()): Promise<unknown> {
  const { pipeline, args } = call
  const callers = outer.pipeline === undefined ? outer.callers : [...outer.callers, outer.pipeline.name]
  // The checker says so too, but a file may be run without it, and this one would never end.
  if (callers.includes(pipeline.name)) throw new HaloError('VALIDATION', `${pipeline.name} calls itself: ${[...callers, pipeline.name].join(' → ')}.`)
  const first = pipeline.params[0]
  const frame: Frame = {
    callers,
    run: outer.run,
    scope: outer.scope,
    pipeline,
    args,
    state,
    requires: [...call.requires, ...pipeline.requires],
    // Without a source the first parameter flows.
    input: first === undefined ? null : (args[first.name] ?? null),
    inputNames: first === undefined ? [] : [first.name],
    bound: new Map(),
  }
  const output = await runChain(frame, pipeline.body, { base: call.base, alone: false, first: pipeline.body.source === undefined ? 1 : 0 })
  const { returns } = pipeline
  if (returns === undefined || (returns.kind === 'NamedType' && (returns.name === 'Result' || returns.name === 'Any'))) return output
  const { value, faults } = conform(schemaOf(returns, outer.run.world.program), output)
  if (faults.length > 0) {
    throw new HaloError('SCHEMA_MISMATCH', `${pipeline.name} gives something else than it says:\n${faultsText(faults, 'the output')}`, { path: call.base, span: spanIn(frame, returns), data: { faults } })
  }
  return value
}
