/**
 * Parameters a model refuses. Which model takes a temperature, a seed or a schema is in no list that stays true, so a refusal (it
 * costs nothing) is read, the parameter left out, and the request made once more; the next requests leave it out at once.
 */
import { modelFault, ownError } from './faults.ts'
import type { ModelChunk } from './types.ts'

export type Parameter =
  | 'temperature' | 'top_p' | 'seed' | 'schema' | 'stream_options' | 'tool_choice' | 'images'
  /** Reasoning is not sent back; refused: it is wanted. */
  | 'without_reasoning'
  /** The limit under its newer name, `max_completion_tokens`; refused: under `max_tokens`. */
  | 'max_completion_tokens'
  /** The limit as `max_tokens`; refused: under `max_completion_tokens`. */
  | 'max_tokens'

const signs: [Parameter, RegExp][] = [
  ['max_tokens', /max_tokens.{0,80}max_completion_tokens/i],
  ['max_completion_tokens', /max_completion_tokens/i],
  ['stream_options', /stream_options/i],
  ['top_p', /top_?p\b/i],
  ['temperature', /temperature/i],
  ['seed', /\bseed\b/i],
  ['schema', /response_?format|json_?schema|output_config|output_format|response_?(mime_?type|json_?schema|schema)|response mime type|structured output|grammar/i],
  ['tool_choice', /tool_?choice/i],
  ['images', /image|vision|multimodal/i],
]

/** What each model is known to refuse; the oldest are forgotten first. */
const memory = new Map<string, Set<Parameter>>()
const REMEMBERED = 500

/**
 * Runs a request, again without whatever it is refused for. `used` is what the request has; `stream` is given what to leave
 * out. Only refusals before the first chunk count.
 */
export async function* adjusted(
  key: string,
  used: readonly Parameter[],
  stream: (without: ReadonlySet<Parameter>) => AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk> {
  const without = new Set(memory.get(key))
  for (;;) {
    let begun = false
    try {
      for await (const chunk of stream(without)) {
        begun = true
        yield chunk
      }
      return
    } catch (error) {
      const refused = begun ? undefined : refusedParameter(error, used, without)
      if (refused === undefined) throw error
      without.add(refused)
      remember(key, without)
    }
  }
}

function refusedParameter(error: unknown, used: readonly Parameter[], without: ReadonlySet<Parameter>): Parameter | undefined {
  const own = ownError(error)
  const known = modelFault(own)
  // OpenRouter answers 404 when none of a model's endpoints takes what is asked for, llama.cpp 500 for a grammar it can't make.
  if (!own || !known || ![400, 404, 422, 500, 501].includes(known.status ?? 0)) return undefined
  if (known.kind !== 'request' && known.kind !== 'model' && known.kind !== 'server') return undefined
  // Some servers want the reasoning of a tool conversation back, others refuse it (api-docs.deepseek.com/guides/thinking_mode).
  if (used.includes('without_reasoning') && !without.has('without_reasoning') && /reasoning_content/i.test(own.message)) return 'without_reasoning'
  // A value out of range is the author's to mend: only what isn't taken at all is left out.
  if (!/support|permitted|deprecated|unknown|unrecogni[sz]ed|not allowed|cannot|can't|incompatible|\bonly\b|unexpected|not available|missing data/i.test(own.message)) return undefined
  return signs.find(([name, sign]) => used.includes(name) && !without.has(name) && sign.test(own.message))?.[0]
}

function remember(key: string, refused: ReadonlySet<Parameter>): void {
  memory.delete(key)
  memory.set(key, new Set(refused))
  for (const oldest of memory.keys()) {
    if (memory.size <= REMEMBERED) break
    memory.delete(oldest)
  }
}

/** For tests: forget every refusal. */
export const forgetRefusals = (): void => memory.clear()
