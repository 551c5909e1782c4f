import { dollars, duration } from '../text/format.ts'
import type { StageFacts } from './facts.ts'
import type { StageNode } from './shape.ts'
import { graphWords as words } from './words.ts'

/** The facts of a stage in short, for the eye. */
export function shortFacts(facts: StageFacts | undefined): string {
  if (!facts) return ''
  return [facts.times > 1 ? words.times(facts.times) : '', facts.state === 'running' ? words.state.running : facts.state === 'failed' || facts.state === 'skipped' ? words.state[facts.state] : '', facts.ms > 0 ? duration(facts.ms) : '', facts.cost > 0 ? dollars(facts.cost) : ''].filter(Boolean).join(' · ')
}

/** The same whole, as it is read out. */
export function wholeFacts(facts: StageFacts | undefined): string {
  if (!facts) return words.state.waiting
  return [
    words.state[facts.state],
    facts.times > 1 ? words.timesSaid(facts.times) : '',
    facts.ms > 0 ? duration(facts.ms) : '',
    facts.requests > 0 ? words.requests(facts.requests) : '',
    facts.calls > 0 ? words.calls(facts.calls) : '',
    facts.requests > 0 ? dollars(facts.cost) : '',
  ].filter(Boolean).join(', ')
}

export const titleOf = ({ number, label, kind }: StageNode): string => (kind === 'source' ? label : `${number} ${label}`)
