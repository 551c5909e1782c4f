/** OpenRouter: Chat Completions at openrouter.ai, with reasoning that has to be sent back within a tool conversation. */
import { isObject } from './calls.ts'
import { chatAdapter } from './openai-chat.ts'
import type { Keeper } from './openai-chat.ts'
import type { ProviderModule } from './registry.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) =>
  chatAdapter(
    {
      provider: 'openrouter',
      files: true,
      limit: 'max_tokens',
      headers: { 'x-title': 'Halo' }, // openrouter.ai/docs/app-attribution: shown in the person's own activity list.
      keep: reasoningDetails,
      opaque: (data) => (Array.isArray(data) ? { reasoning_details: data } : {}),
    },
    connect,
  )

/**
 * `reasoning_details` must go back as they came, in their order (openrouter.ai/docs/use-cases/reasoning-tokens). They stream in
 * pieces: pieces of one detail follow each other with the same type and index, and their texts are joined.
 */
function reasoningDetails(): Keeper {
  const details: Record<string, unknown>[] = []
  return {
    add(delta) {
      if (!Array.isArray(delta.reasoning_details)) return
      for (const piece of delta.reasoning_details) {
        if (!isObject(piece)) continue
        const last = details.at(-1)
        if (last && last.type === piece.type && last.index === piece.index && (piece.id == null || last.id == null || last.id === piece.id)) join(last, piece)
        else details.push({ ...piece })
      }
    },
    data: () => (details.length > 0 ? details : undefined),
  }
}

function join(whole: Record<string, unknown>, piece: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = whole[key]
    if ((key === 'text' || key === 'summary' || key === 'data') && typeof before === 'string' && typeof value === 'string') whole[key] = before + value
    else if (value !== null && value !== undefined) whole[key] = value
  }
}
