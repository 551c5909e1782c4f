/** Answers given one after the other: what a test's `mock … then …` makes. */
import { HaloError, type Span } from '../errors.ts'
import { targetWords } from './words.ts'

export interface RunOut {
  target: string
  /** How many answers the mock has. */
  answers: number
  /** The number of the request that found none, from 1. */
  request: number
  message: string
  span: Span
}

/**
 * A mock that answers request by request, and says so when it is asked for one more than it has.
 * @param first the number of requests that were answered before, in an earlier part of the same run
 */
export function answersInTurn(target: string, answers: readonly unknown[], about: { agent: boolean; span: Span; first?: number; onRunOut?(runOut: RunOut): void }): (asked?: unknown) => unknown {
  let request = about.first ?? 0
  return (asked) => {
    const index = request++
    if (index < answers.length) return answers[index]
    const message = `The mock of ${target} has ${answers.length === 1 ? '1 answer' : `${answers.length} answers`}, and request ${request} came${about.agent ? targetWords(asked) : ''}. Add ${request === 1 ? 'one' : '"then …"'} to the mock.`
    about.onRunOut?.({ target, answers: answers.length, request, message, span: about.span })
    throw new HaloError(about.agent ? 'MODEL_ERROR' : 'TOOL_ERROR', message, { span: about.span })
  }
}
