/** Adapters in the two-call form, made into streaming ones: the request is sent here, with the faults of any other provider. */
import { messageOf } from '../errors.ts'
import { fault, protocolFault, readFault } from './faults.ts'
import { openWire } from './wire.ts'
import type { ModelAdapter, ModelChunk, ParsedResponse, StreamingAdapter, TwoCallAdapter } from './types.ts'

export const isTwoCall = (adapter: ModelAdapter): adapter is TwoCallAdapter => !('stream' in adapter)

export function streamingForm(prefix: string, adapter: TwoCallAdapter): StreamingAdapter {
  return {
    supportsTools: adapter.supportsTools ?? true,
    async *stream(request, signal): AsyncGenerator<ModelChunk> {
      const { url, method = 'POST', headers = {}, body } = await adapter.buildRequest(request)
      if (!URL.canParse(url)) {
        throw fault('MODEL_ERROR', `The adapter for "${prefix}" built a request to "${url}", which isn't an address.`, { kind: 'address' })
      }
      // Its own headers are the adapter's secrets: they stay out of messages and of the raw view.
      const connection = { provider: prefix, baseUrl: url, headers }
      const wire = openWire(connection, request, signal, {})
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const response = await wire.fetch(url, {
        method,
        headers: { ...(text === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }), accept: 'application/json' },
        ...(text === undefined ? {} : { body: text }),
      })
      yield wire.raw()
      let json: unknown
      try {
        json = await response.json()
      } catch (error) {
        throw readFault(connection, error, signal)
      }
      let answer: ParsedResponse
      try {
        answer = await adapter.parseResponse(json)
      } catch (error) {
        throw protocolFault(connection, messageOf(error))
      }
      if (answer.text) yield { type: 'text', text: answer.text }
      for (const call of answer.toolCalls ?? []) yield { type: 'tool_call', call }
      if (answer.usage) yield { type: 'usage', usage: answer.usage }
      if (answer.stop) yield { type: 'stop', reason: answer.stop }
      yield wire.raw()
    },
  }
}
