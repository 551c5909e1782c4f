/** `|> Agent.task(…)`, `|> Tool.method(…)`, `|> Pipeline(…)`, `|> System.Value(…)`. */
import { HaloError } from '../../errors.ts'
import { callAgent } from '../../agent/call.ts'
import type { Argument, CallStage, PipelineDeclaration } from '../../syntax/ast.ts'
import { argumentsError, checkArguments } from '../arguments.ts'
import { describeTool } from '../binding.ts'
import { callTool, ownCallError, type CallOutcome, type ToolCallRequest } from '../calls.ts'
import { policiesOf, spanIn, valueOf, type Frame } from '../frame.ts'
import { runPipeline, type Place } from '../interpreter.ts'
import { toText } from '../template.ts'
import { toolEvents } from '../tool-events.ts'

export async function runCall(frame: Frame, call: CallStage, place: Place): Promise<unknown> {
  const { program } = frame.run.world
  const name = call.callee.name
  if (name === 'System') return runSystem(frame, call, place)
  const agent = program.agents.get(name)
  if (agent !== undefined) return callAgent(frame, agent, call, place)
  const pipeline = program.pipelines.get(name)
  if (pipeline !== undefined) return runNested(frame, pipeline, call, place)
  if (program.tools.has(name) || program.stores.has(name)) return runTool(frame, call, place)
  throw new HaloError('VALIDATION', `There is no agent, tool, store or pipeline ${name}.`, { path: place.path, span: spanIn(frame, call.callee) })
}

async function runSystem(frame: Frame, call: CallStage, { path }: Place): Promise<unknown> {
  const arg = call.args?.[0]
  const value = arg === undefined ? frame.input : await valueOf(frame, arg.value, path)
  const span = spanIn(frame, call)
  switch (call.member?.name) {
    case 'Value':
      return value
    case 'Log':
      frame.run.emit({ type: 'log', level: 'info', path, span, message: toText(value), value })
      return frame.input
    case 'Fail':
      throw new HaloError('TOOL_ERROR', toText(value), { path, span, data: value })
    default:
      throw new HaloError('VALIDATION', `System has Value, Log and Fail, not ${call.member?.name ?? 'a call of its own'}.`, { path, span })
  }
}

async function runNested(frame: Frame, pipeline: PipelineDeclaration, call: CallStage, { path }: Place): Promise<unknown> {
  const given: Record<string, unknown> = {}
  for (const [i, arg] of (call.args ?? []).entries()) {
    const name = arg.name ?? pipeline.params[i]?.name
    if (name === undefined) throw new HaloError('VALIDATION', `${pipeline.name} takes ${pipeline.params.length} arguments.`, { path, span: spanIn(frame, arg) })
    given[name] = await valueOf(frame, arg.value, path)
  }
  const first = pipeline.params[0]
  if (first !== undefined && given[first.name] === undefined && !(frame.input === null && first.default !== undefined)) given[first.name] = frame.input
  const { args, faults } = checkArguments(pipeline, given, frame.run.world.program)
  if (faults.length > 0) throw argumentsError(pipeline.name, faults)
  return runPipeline(frame, { pipeline, args, base: `${path}>${pipeline.name}`, requires: frame.requires })
}

async function runTool(frame: Frame, call: CallStage, { path }: Place): Promise<unknown> {
  const { value } = await ownCall(frame, { call, path, requires: frame.requires })
  return value
}

type Ran = Extract<CallOutcome, { value: unknown }>

/** What a pipeline's own call needs: as a stage, or as an agent's `tool:`. */
interface OwnCall {
  call: { callee: { name: string }; member?: { name: string }; args?: readonly Argument[]; decorators?: CallStage['decorators']; from: number; to: number }
  path: string
  requires: Frame['requires']
}

/** A call that the pipeline makes itself: refused, declined and failed ones end the run. */
export async function ownCall(frame: Frame, { call, path, requires }: OwnCall): Promise<Ran> {
  const { run } = frame
  const tool = call.callee.name
  const span = spanIn(frame, call)
  const about = describeTool(run, tool)
  const methods = Object.keys(about.info ?? {})
  const method = call.member?.name ?? (methods.length === 1 ? methods[0] : undefined)
  if (method === undefined) throw new HaloError('VALIDATION', `Say which method of ${tool}: ${methods.length === 0 ? `${tool}.method(…)` : methods.join(', ')}.`, { path, span })

  const parameters = Object.keys((about.info?.[method]?.parameters as { properties?: object } | undefined)?.properties ?? {})
  const args: Record<string, unknown> = {}
  for (const [i, arg] of (call.args ?? []).entries()) {
    const name = arg.name ?? parameters[i]
    if (name === undefined) throw new HaloError('VALIDATION', `The arguments of ${calleeText(call)} are given by name.`, { path, span: spanIn(frame, arg) })
    args[name] = await valueOf(frame, arg.value, path)
  }
  // A provider that doesn't describe its methods gets the flowing value when the call says nothing at all.
  const takesInput = about.info?.[method] === undefined ? Object.keys(args).length === 0 && frame.input !== null : parameters.includes('input')
  if (takesInput && !Object.hasOwn(args, 'input')) args.input = frame.input

  const policies = policiesOf(run, requires)
  const request: ToolCallRequest = { frame, path, tool, method, args, policies, requires, decorators: call.decorators ?? [], span }
  const outcome = await callTool(request)
  await toolEvents(request, outcome)
  if ('value' in outcome) return outcome
  throw ownCallError(request, outcome)
}

function calleeText(call: OwnCall['call']): string {
  return call.member === undefined ? call.callee.name : `${call.callee.name}.${call.member.name}`
}
