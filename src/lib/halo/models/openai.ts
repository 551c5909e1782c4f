/** OpenAI: Chat Completions at api.openai.com. */
import { chatAdapter } from './openai-chat.ts'
import type { ProviderModule } from './registry.ts'

/** Reasoning models that take no sampling parameters at all; others that refuse them say so and are asked again without. */
const reasoning = /^(o\d|gpt-5(-(mini|nano|pro|codex))?(-\d{4}-\d\d-\d\d)?$)/

export const createAdapter: ProviderModule['createAdapter'] = (connect) =>
  chatAdapter(
    {
      provider: 'openai',
      files: true,
      limit: 'max_completion_tokens',
      refuses: (model) => (reasoning.test(model) ? ['temperature', 'top_p'] : []),
    },
    connect,
  )
