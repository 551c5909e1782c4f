/** A whole answer from the chunks of its stream. */
import type { ModelAnswer, ModelChunk } from './types.ts'

/**
 * Reads a stream to its end. Each chunk is handed to `onChunk` as it comes; what that throws ends the request.
 */
export async function collectAnswer(
  stream: AsyncIterable<ModelChunk> | Iterable<ModelChunk>,
  onChunk?: (chunk: ModelChunk) => void,
): Promise<ModelAnswer & { raw?: { request: unknown; response?: unknown } }> {
  const text: string[] = []
  const reasoning: string[] = []
  const answer: ModelAnswer & { raw?: { request: unknown; response?: unknown } } = { text: '', toolCalls: [], stop: 'stop' }
  for await (const chunk of stream) {
    onChunk?.(chunk)
    switch (chunk.type) {
      case 'text':
        text.push(chunk.text)
        break
      case 'reasoning':
        reasoning.push(chunk.text)
        break
      case 'tool_call':
        answer.toolCalls.push(chunk.call)
        break
      case 'opaque':
        answer.opaque = chunk.data
        break
      case 'usage':
        answer.usage = chunk.usage
        break
      case 'stop':
        answer.stop = chunk.reason
        break
      case 'raw':
        answer.raw = { request: chunk.request, ...(chunk.response === undefined ? {} : { response: chunk.response }) }
        break
      case 'tool_delta':
        break // For show only; the whole call follows.
      default:
        chunk satisfies never
    }
  }
  answer.text = text.join('')
  if (reasoning.length > 0) answer.reasoning = reasoning.join('')
  return answer
}
