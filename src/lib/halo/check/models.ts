/** Checks the model of an agent or of @shadow. */
import { capabilities, modelPrefixes } from '../models/registry.ts'
import type { ModelRef } from '../syntax/ast.ts'
import { fault, unknown, type Context } from './context.ts'

export function checkModel(context: Context, model: ModelRef): void {
  const { provider, id } = model
  if (provider === '' && id === '') return
  const prefixes = modelPrefixes(context.options.models)
  if (!id) {
    const message = prefixes.includes(provider)
      ? `${provider} needs a model's id after a slash: ${provider}/…`
      : `A model is provider/id, for example openai/${provider || 'gpt-4o'}.`
    fault(context, model, 'model-without-provider', message)
    return
  }
  if (prefixes.includes(provider)) return
  const quoted = /^["']/.test(context.file.source.slice(model.from, model.from + 1))
  const from = model.from + (quoted ? 1 : 0)
  unknown(context, { from, to: from + provider.length }, 'model provider', provider, prefixes, 'unknown-model-provider', {
    hint: `Providers are ${prefixes.join(', ')}.`,
  })
}

/** Whether the model's interface can call tools; of an unknown provider nothing is said. */
export function modelTakesTools(context: Context, provider: string): boolean {
  return capabilities(provider, context.options.models)?.supportsTools ?? true
}
