/** `mock/…`: no model at all. Answers at once, with text or the smallest value of the schema asked for; never calls a tool. */
import { smallestInstance } from '../run/schema.ts'
import type { ProviderModule } from './registry.ts'
import type { ModelChunk } from './types.ts'

export const createAdapter: ProviderModule['createAdapter'] = () => ({
  supportsTools: true,
  supportsSchema: true,
  *stream(request): Generator<ModelChunk> {
    const text = request.schema ? JSON.stringify(smallestInstance(request.schema.schema)) : `[mock ${request.agent}.${request.task}]`
    yield { type: 'text', text }
    const written = request.messages.reduce((sum, message) => sum + (typeof message.content === 'string' ? message.content.length : 0), request.system?.length ?? 0)
    yield { type: 'usage', usage: { input: Math.ceil(written / 4), output: Math.ceil(text.length / 4) } }
    yield { type: 'stop', reason: 'stop' }
  },
})
