/** What the editor knows of models: the price data, and what a person set or a provider listed. */
import type { CompletionContext } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { haloLanguage } from '../../editor/language.ts'
import { loadedPrices } from '../../halo/models/prices.ts'
import type { KnownModel, ModelKnowledge } from '../../editor/models.ts'
import { abilities, modelFacts } from './model-facts.ts'
import type { Keys } from './keys.svelte.ts'

export function knowledgeOf(keys: Keys | undefined): ModelKnowledge {
  return {
    models(provider) {
      const { extra = [], listed = [] } = keys?.models(provider) ?? {}
      // Models that only embed texts have no price for answers.
      const priced = (loadedPrices()?.models(provider) ?? []).filter(({ price, id }) => price?.output !== 0 || id.endsWith(':free'))
      const byId = new Map<string, KnownModel>()
      for (const model of [...extra.map((id): KnownModel => ({ id })), ...listed, ...priced]) if (!byId.has(model.id)) byId.set(model.id, model)
      return [...byId.values()]
    },
    facts: (provider, model) => modelFacts(provider, model.id, model, keys?.prices),
    abilities,
  }
}

/** Completion and hover of models, loaded when they are first asked for. `keys` may fail: then the price data alone is known. */
export function modelAssistance(keys: () => Promise<Keys>): Extension {
  const known = async () => knowledgeOf(await keys().catch(() => undefined))
  return [
    haloLanguage.data.of({
      autocomplete: async (context: CompletionContext) => (await import('../../editor/models.ts')).completeModel(context, await known()),
    }),
    hoverTooltip(async (view, pos) => (await import('../../editor/models.ts')).hoverModel(view, pos, await known())),
  ]
}
