import { messageOf } from '../../halo/errors.ts'
import { providerInfo } from '../../halo/models/catalogue.ts'
import type { ModelCredentials } from '../../halo/models/credentials.ts'
import { modelFault } from '../../halo/models/faults.ts'
import { canListModels, listModels, type ListedModel } from '../../halo/models/list.ts'
import { modelAdapter } from '../../halo/models/registry.ts'
import { titleOf } from './provider-form.ts'
import { tryWords as words } from './try-words.ts'

export interface Trial {
  tone: 'ok' | 'warn' | 'bad'
  text: string
  models?: ListedModel[]
}

/** Longest that a test may take, in ms. A model on the person's own machine may have to be loaded first. */
const PATIENCE = 60_000

/** These give their list to anybody: it says nothing of a key. */
const PUBLIC_LISTS = new Set(['openrouter'])

/**
 * Asks the provider for its models and, where one is named, for a short answer of it. Never throws: what went wrong is said
 * in the trial, with what to do about it.
 */
export async function tryProvider(provider: string, model: string, keys: ModelCredentials, stop: AbortSignal): Promise<Trial> {
  const title = titleOf(provider)
  const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE)])
  let models: ListedModel[] | undefined
  try {
    if (canListModels(provider)) models = await listModels(provider, { keys, signal })
    if (model !== '') return { tone: 'ok', text: words.answered(title, model, await ask(provider, model, keys, signal)), models }
    if (!models) return { tone: 'warn', text: words.nameOne(title) }
    if (models.length === 0) return { tone: 'warn', text: provider === 'ollama' ? words.noneOllama : words.none(title), models }
    if (PUBLIC_LISTS.has(provider)) return { tone: 'warn', text: words.publicList(title, models.length), models }
    return { tone: 'ok', text: words.listed(title, models.length), models }
  } catch (thrown) {
    if (stop.aborted) return { tone: 'warn', text: words.stopped }
    if (signal.aborted) return { tone: 'bad', text: words.slow(title, PATIENCE / 1000) }
    return { tone: 'bad', text: told(provider, thrown), models }
  }
}

/** The time until its answer was there, in ms. */
async function ask(provider: string, model: string, keys: ModelCredentials, signal: AbortSignal): Promise<number> {
  const began = performance.now()
  const adapter = await modelAdapter(provider, { keys })
  const request = { provider, model, messages: [{ role: 'user' as const, content: 'Answer with OK.' }], tools: [], toolChoice: 'none' as const, maxTokens: 64, agent: '', task: '', step: 1 }
  for await (const _chunk of adapter.stream(request, signal)) {
    // The answer itself doesn't matter.
  }
  return performance.now() - began
}

function told(provider: string, thrown: unknown): string {
  const fault = modelFault(thrown)
  const message = messageOf(thrown)
  if (fault?.kind !== 'cors' && fault?.kind !== 'unreachable') return message
  // In this dialog the fix stands right under the fault, whichever of the two it was.
  const hint = providerInfo(provider)?.reachHint ?? ''
  return message.includes(hint) ? message : `${message} ${hint}`
}
