/** Asks the person at the terminal, one question after the other. */
import { createInterface } from 'node:readline/promises'
import type { InterruptRequest } from '../lib/halo/run/types.ts'
import { promptFor, typedAnswer } from './answers.ts'
import { say } from './print.ts'

export function atTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** @param signal ends a question that is being asked */
export function terminalAsker(signal: AbortSignal, onInterrupted: () => void): (request: InterruptRequest) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  const put = async (request: InterruptRequest): Promise<unknown> => {
    const reader = createInterface({ input: process.stdin, output: process.stderr })
    // While a question stands the terminal is in raw mode: Ctrl-C comes here, not as a signal.
    reader.on('SIGINT', onInterrupted)
    try {
      say(`\n${request.message}`)
      // The end of the input is an answer too: the empty one.
      const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
      return typedAnswer(request, await Promise.race([reader.question(promptFor(request), { signal }), ended]))
    } finally {
      reader.close()
    }
  }
  return (request) => {
    const answer = last.then(() => put(request))
    last = answer.catch(() => undefined)
    return answer
  }
}
