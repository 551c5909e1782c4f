/** Any server that speaks Chat Completions, at the agent's `base_url` or the address in the settings: LM Studio, llama.cpp, vLLM, a gateway. */
import { isObject } from './calls.ts'
import { chatAdapter } from './openai-chat.ts'
import type { Keeper } from './openai-chat.ts'
import type { ProviderModule } from './registry.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) =>
  chatAdapter(
    {
      provider: 'openai-compatible',
      files: false,
      limit: 'max_tokens',
      keep,
      // Only where the server has said that it wants it: others refuse it.
      opaque: (data, reasoning) => (reasoning && isObject(data) && typeof data.reasoning === 'string' ? { reasoning_content: data.reasoning } : {}),
      opaqueOfCall: (data, id) => (isObject(data) && isObject(data.calls) && isObject(data.calls[id]) ? { extra_content: data.calls[id] } : {}),
    },
    connect,
  )

/**
 * Gemini behind this protocol signs calls in `extra_content` (ai.google.dev/gemini-api/docs/thought-signatures#openai), DeepSeek and
 * Kimi go on from `reasoning_content`.
 */
function keep(): Keeper {
  const calls: Record<string, unknown> = {}
  let reasoning = ''
  return {
    add({ reasoning_content: text }) {
      if (typeof text === 'string') reasoning += text
    },
    addCall({ extra_content: extra }, id) {
      if (isObject(extra)) calls[id] = extra
    },
    data: () =>
      Object.keys(calls).length === 0 && reasoning === ''
        ? undefined
        : { ...(Object.keys(calls).length === 0 ? {} : { calls }), ...(reasoning === '' ? {} : { reasoning }) },
  }
}
