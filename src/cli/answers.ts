/** Turns what a person typed, or gave as `--payload`, into an answer. */
import type { InterruptRequest } from '../lib/halo/run/types.ts'

/** JSON where it is JSON, else the text itself. */
export function payloadOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The words that stand before the cursor, and what an empty line means. */
export function promptFor({ channel, named }: InterruptRequest): string {
  switch (channel) {
    case 'approval':
      return 'Allow? [y/N, or say why not] '
    case 'yield':
      return 'Go on? [y/N, or type the value that goes on] '
    case 'listen':
      return `What comes with ${JSON.stringify(named.event ?? 'the event')}? [JSON or text] `
    case 'input':
      return named.schema === undefined ? 'Your answer: ' : 'Your answer [JSON or text]: '
    case 'recovery':
      return 'Was it done? [retry, fail, or what it gave, as JSON] '
  }
}

export function typedAnswer({ channel }: InterruptRequest, typed: string): unknown {
  const text = typed.trim()
  switch (channel) {
    case 'approval':
      return text === '' ? 'no' : text
    case 'yield':
      return text === '' ? 'no' : payloadOf(text)
    case 'listen':
    case 'input':
      return payloadOf(text)
    case 'recovery':
      return text === '' || text === 'fail' ? 'fail' : text === 'retry' ? 'retry' : { done: payloadOf(text) }
  }
}
