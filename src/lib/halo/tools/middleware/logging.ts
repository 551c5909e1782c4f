/** A line before and after each call. */
import { messageOf } from '../../errors.ts'
import type { Tool } from '../define.ts'
import { inOrder, type Middleware } from './compose.ts'
import { settle } from './settle.ts'

export interface CallLog {
  tool: string
  phase: 'start' | 'end' | 'error'
  callId: string
  runId: string
  args: Record<string, unknown>
  /** On `end`. */
  result?: unknown
  /** On `error`, its message. */
  error?: string
  /** On `end` and `error`: milliseconds since the start. */
  ms?: number
}

/**
 * Tells `log` of each call's start and end. Without one a line without arguments and results, which may be secret, goes to
 * the call's own log. A log that throws changes nothing.
 */
export function withLogging(log?: (entry: CallLog) => void, now: () => number = () => performance.now()): Middleware {
  return inOrder('logging', (tool: Tool): Tool => ({
    ...tool,
    async execute(args, context) {
      const write = (entry: Pick<CallLog, 'phase' | 'result' | 'error' | 'ms'>): void => {
        if (log === undefined) return context.log(line(tool.name, entry))
        try {
          log({ tool: tool.name, callId: context.callId, runId: context.runId, args, ...entry })
        } catch {
          // Watching a call must not be able to fail it.
        }
      }
      const start = now()
      write({ phase: 'start' })
      try {
        const result = await settle(tool.execute(args, context), context)
        write({ phase: 'end', result, ms: now() - start })
        return result
      } catch (error) {
        write({ phase: 'error', error: messageOf(error), ms: now() - start })
        throw error
      }
    },
  }))
}

function line(name: string, { phase, error, ms = 0 }: Pick<CallLog, 'phase' | 'error' | 'ms'>): string {
  switch (phase) {
    case 'start':
      return `${name} called`
    case 'end':
      return `${name} done in ${Math.round(ms)} ms`
    case 'error':
      return `${name} failed after ${Math.round(ms)} ms: ${error}`
  }
}
