/** Any server that speaks Chat Completions, at the agent's `base_url` or the address in the settings: LM Studio, llama.cpp, vLLM, a gateway. */
import { chatAdapter } from './openai-chat.ts'
import type { ProviderModule } from './registry.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) =>
  chatAdapter({ provider: 'openai-compatible', files: false, limit: 'max_tokens' }, connect)
