/** Calls of tools: the pipeline's own, and those an agent may choose. */
import { PIPELINE_METHOD } from '../check/tool-facts.ts'
import type { PolicySet } from '../policy/index.ts'
import { literalValue } from '../check/arguments.ts'
import { effectOf } from '../tools/effect.ts'
import type { MethodInfo } from '../tools/types.ts'
import type { Argument, Expression, Node } from '../syntax/ast.ts'
import { notKnown, spanAt, type Here, type Planning } from './context.ts'
import { plannedTool, type PlannedTool } from './tools.ts'
import type { PlannedCall } from './types.ts'

/** A call as it is written: a stage's, or the `tool:` of an agent's call. */
export interface WrittenCall extends Node {
  tool: string
  method?: string
  args: readonly Argument[]
}

/** What a call of the pipeline itself does. */
export function ownCall(planning: Planning, here: Here, written: WrittenCall, policies: PolicySet | undefined): { call: PlannedCall; tool?: PlannedTool } {
  const tool = plannedTool(planning.program, written.tool)
  const only = tool?.methods?.size === 1 ? [...tool.methods.keys()][0] : undefined
  const method = written.method ?? only ?? '*'
  if (tool?.unknown !== undefined) notKnown(planning, tool.unknown, spanAt(here, tool.declaration), 'methods')
  const info = tool?.methods?.get(method)
  const call = planned(here, written, `${written.tool}.${method}`, 'calls', tool, policies, info && effectOf(info, writtenArgs(info, written.args)))
  if (policies?.hides(call.target)) call.refused = true
  return { call, ...(tool === undefined ? {} : { tool }) }
}

/** What an agent that is offered the tool may call; policy-hidden methods aren't. */
export function offeredCalls(planning: Planning, here: Here, name: string, at: Node, policies: PolicySet | undefined): { calls: PlannedCall[]; tool?: PlannedTool } {
  const tool = plannedTool(planning.program, name)
  if (tool === undefined) return { calls: [] }
  if (tool.unknown !== undefined) notKnown(planning, tool.unknown, spanAt(here, tool.declaration), 'methods')
  // Of unknown methods any may be offered: what hides some of them can hide all, or not.
  const methods = tool.methods === undefined ? ['*'] : [...tool.methods.keys()].filter((method) => !policies?.hides(`${name}.${method}`))
  return { calls: methods.map((method) => planned(here, at, `${name}.${method}`, 'may call', tool, policies)), tool }
}

function planned(
  here: Here, at: Node, target: string, how: PlannedCall['how'], tool: PlannedTool | undefined, policies: PolicySet | undefined,
  effect = tool?.methods?.get(methodOf(target))?.effect,
): PlannedCall {
  const method = methodOf(target)
  const info = tool?.methods?.get(method)
  const categories = [...new Set([...(info?.categories ?? []), ...(tool?.categories ?? [])])]
  const approval = policies?.approvalFor(target, effect, categories)
  return {
    target,
    how,
    ...(effect === undefined ? {} : { effect }),
    categories,
    ...(approval === undefined ? {} : { approval }),
    ...(tool?.pipeline !== undefined && method === PIPELINE_METHOD ? { pipeline: tool.pipeline.name } : {}),
    span: spanAt(here, at),
  }
}

/** The arguments as far as they are written out; one that isn't has no value that anything depends on. */
function writtenArgs(info: MethodInfo, args: readonly Argument[]): Record<string, unknown> {
  const names = Object.keys((info.parameters as { properties?: object }).properties ?? {})
  return Object.fromEntries(args.map(({ name, value }, i) => [name ?? names[i] ?? '', literalValue(value) ?? null]))
}

function methodOf(target: string): string {
  return target.slice(target.indexOf('.') + 1)
}

/** `tool: T`, `tool: T.method` or `tool: T.method(…)`. */
export function writtenCall(value: Expression): WrittenCall | undefined {
  const { from, to } = value
  switch (value.kind) {
    case 'Variable':
      return { tool: value.name, args: [], from, to }
    case 'Access': {
      const [step] = value.steps
      if (value.base.kind !== 'Variable' || value.steps.length !== 1 || step?.kind !== 'Member') return undefined
      return { tool: value.base.name, method: step.name, args: [], from, to }
    }
    case 'FunctionCall': {
      const [tool = '', method] = value.name.split('.')
      return { tool, ...(method === undefined ? {} : { method }), args: value.args, from, to }
    }
    default:
      return undefined
  }
}
