/** Together: Chat Completions at api.together.xyz. */
import { chatAdapter } from './openai-chat.ts'
import type { ProviderModule } from './registry.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) =>
  chatAdapter({ provider: 'together', files: false, limit: 'max_tokens' }, connect)
