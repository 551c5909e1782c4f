import type { CallOutcome, ToolCallRequest } from './calls.ts'
import { effectOf } from '../tools/effect.ts'
import { describeTool } from './binding.ts'

/** A call that ran is told of, and one that policy refused is a violation. Results are shown as the policies let them be. */
export async function toolEvents(call: ToolCallRequest, outcome: CallOutcome): Promise<void> {
  const { frame, path, span, policies, agent } = call
  const { run } = frame
  const target = `${call.tool}.${call.method}`
  if (outcome.decision === 'refused') {
    const violation = { phase: 'tool' as const, policy: outcome.policy, message: outcome.reason, target, path, ...(agent === undefined ? {} : { agent }) }
    run.meta.violations.push(violation)
    run.emit({ type: 'violation', path, span, violation })
    return
  }
  if (!run.listening || outcome.decision === 'declined') return
  const info = describeTool(run, call.tool).info?.[call.method]
  const effect = info && effectOf(info, outcome.args)
  const common = { type: 'tool' as const, path, span, target, args: await policies.redactArgs(outcome.args), effect, ...(agent === undefined ? {} : { agent }) }
  if (outcome.decision === 'error') {
    // Arguments that don't fit never reached the tool.
    if (outcome.error.code !== 'VALIDATION') run.emit({ ...common, error: (await policies.redactValue(outcome.error.message)) as string, ms: 0 })
    return
  }
  const { entry, value } = outcome
  run.emit({ ...common, result: await policies.redactValue(value), ms: entry?.ms ?? 0, ...(entry?.cached ? { cached: true } : {}), ...(entry?.files === undefined ? {} : { files: entry.files }) })
}
