/** Who says what when a run asks: the `approve`, `decline` and `answer` lines of a test. */
import { HaloError } from '../errors.ts'
import { targetMatches } from './targets.ts'
import type { InterruptRequest } from '../run/types.ts'
import type { Decision, TestBlock } from './block.ts'
import { testMode } from './mock-mode.ts'

/**
 * The answer to an interrupt. Lines for the same `answer` are taken in turn, the last goes on answering; what no line speaks
 * of is approved, but an event no line sends would be waited for in vain: that is an error.
 */
export function answersOf({ decisions, answers }: TestBlock, onUnanswered: (message: string) => void): (request: InterruptRequest) => unknown {
  const taken = new Map<string, number>()
  const next = (name: string): { value: unknown } | undefined => {
    const values = answers.get(name)
    if (values === undefined) return undefined
    const index = taken.get(name) ?? 0
    taken.set(name, index + 1)
    return { value: values[Math.min(index, values.length - 1)] }
  }
  return (request) => {
    const { channel, named } = request
    if (channel === 'approval') {
      const decision = decisionFor(decisions, named.target ?? '')
      if (decision === undefined || decision.approved) return { approved: true }
      return { approved: false, ...(decision.reason === undefined ? {} : { reason: decision.reason }) }
    }
    const answer = next(channel === 'listen' ? (named.event ?? 'listen') : channel)
    if (answer !== undefined) return answer.value
    if (channel !== 'listen') return testMode.interrupt?.(request)
    const message = `The run waits for the event ${JSON.stringify(named.event)}, which no line of the test sends. Add: answer ${JSON.stringify(named.event)} : …`
    onUnanswered(message)
    throw new HaloError('VALIDATION', message)
  }
}

/** The line that speaks of a target most exactly: its name before a glob, a longer glob before a shorter one; else the first. */
export function decisionFor(decisions: readonly Decision[], target: string): Decision | undefined {
  let best: { decision: Decision; weight: number } | undefined
  for (const decision of decisions) {
    if (!targetMatches(decision.glob, target)) continue
    const weight = decision.glob === target ? Infinity : decision.glob.replaceAll('*', '').length
    if (best === undefined || weight > best.weight) best = { decision, weight }
  }
  return best?.decision
}
