/** Reads a model's stream to its end, as the runtime does. */
import { addChunk, emptyAnswer } from '../../../src/lib/halo/models/answer.ts'
import type { ModelAnswer, ModelChunk } from '../../../src/lib/halo/models/types.ts'

/** What `onChunk` throws ends the request. */
export async function collectAnswer(
  stream: AsyncIterable<ModelChunk> | Iterable<ModelChunk>,
  onChunk?: (chunk: ModelChunk) => void,
): Promise<ModelAnswer & { raw?: { request: unknown; response?: unknown } }> {
  const answer: ModelAnswer & { raw?: { request: unknown; response?: unknown } } = emptyAnswer()
  for await (const chunk of stream) {
    onChunk?.(chunk)
    addChunk(answer, chunk)
    if (chunk.type === 'raw') answer.raw = { request: chunk.request, ...(chunk.response === undefined ? {} : { response: chunk.response }) }
  }
  return answer
}
