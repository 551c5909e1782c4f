/** A whole answer from the chunks of its stream. */
import type { ModelAnswer, ModelChunk } from './types.ts'

export function emptyAnswer(): ModelAnswer {
  return { text: '', toolCalls: [], stop: 'stop' }
}

/** Adds to an answer what the next chunk says. */
export function addChunk(answer: ModelAnswer, chunk: ModelChunk): void {
  switch (chunk.type) {
    case 'text':
      answer.text += chunk.text
      return
    case 'reasoning':
      answer.reasoning = (answer.reasoning ?? '') + chunk.text
      return
    case 'tool_call':
      answer.toolCalls.push(chunk.call)
      return
    case 'opaque':
      answer.opaque = chunk.data
      return
    case 'usage':
      answer.usage = chunk.usage
      return
    case 'stop':
      answer.stop = chunk.reason
      return
    case 'tool_delta':
    case 'raw':
      return // For show only; a call follows whole.
    default:
      chunk satisfies never
  }
}
