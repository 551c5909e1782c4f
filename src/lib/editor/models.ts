/** Models at the cursor: completion by provider, and what one costs and can when it is pointed at. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { EditorView, Tooltip } from '@codemirror/view'
import { providerInfo, providerTitle } from '../halo/models/catalogue.ts'
import { loadPrices, modelInfo } from '../halo/models/prices.ts'
import { modelPrefixes } from '../halo/models/registry.ts'
import { tooltipAbove } from './tooltip.ts'

/** What the app knows beyond the price data: models a person named, or a provider listed. */
export interface KnownModel {
  id: string
  name?: string
  contextWindow?: number
}
export interface ModelKnowledge {
  models(provider: string): KnownModel[]
  /** Context window, price and so on, in short words. */
  facts(provider: string, model: KnownModel): string[]
  /** What can be done with models of a provider. */
  abilities(provider: string): string[]
}

/** Of a provider with hundreds of models the list stays short enough to be read; typing narrows it down. */
const MOST = 300

export async function completeModel(context: CompletionContext, knowledge: ModelKnowledge): Promise<CompletionResult | null> {
  const from = modelAt(context)
  if (from === undefined) return null
  const written = context.state.sliceDoc(from, context.pos)
  const slash = written.indexOf('/')
  if (slash < 0) {
    const options = modelPrefixes().map((prefix): Completion => ({ label: `${prefix}/`, detail: providerTitle(prefix), type: 'namespace' }))
    return { from, options, validFor: /^[\w.-]*$/ }
  }
  const provider = written.slice(0, slash)
  await loadPrices().catch(() => undefined)
  const options = knowledge.models(provider).slice(0, MOST).map(
    (model, at): Completion => ({
      label: `${provider}/${model.id}`,
      type: 'constant',
      detail: knowledge.facts(provider, model).join(' · '),
      // In the order they were given: the person's own first.
      boost: -at / MOST,
      ...(model.name === undefined ? {} : { info: model.name }),
    }),
  )
  return options.length > 0 ? { from, options, validFor: /^[\w.~@+:/-]*$/ } : null
}

/** Where the model under the cursor begins; undefined: there is none. */
function modelAt({ state, pos }: CompletionContext): number | undefined {
  const before = state.sliceDoc(Math.max(0, pos - 200), pos)
  const found = /(?:\bagent\s+\w+\s*\[\s*|@shadow\(\s*)["']?([\w.~@+:/-]*)$/.exec(before)
  if (!found || syntaxTree(state).resolveInner(pos, -1).name.endsWith('Comment')) return undefined
  return pos - (found[1]?.length ?? 0)
}

export async function hoverModel(view: EditorView, pos: number, knowledge: ModelKnowledge): Promise<Tooltip | null> {
  const inner = syntaxTree(view.state).resolveInner(pos, 0)
  const node = inner.name === 'Model' ? inner : inner.parent?.name === 'Model' ? inner.parent : undefined
  if (!node) return null
  const model = view.state.sliceDoc(node.from, node.to).replace(/^["']|["']$/g, '')
  const slash = model.indexOf('/')
  const provider = slash < 0 ? model : model.slice(0, slash)
  const id = slash < 0 ? '' : model.slice(slash + 1)
  if (!modelPrefixes().includes(provider)) return null
  await loadPrices().catch(() => undefined)
  const known = knowledge.models(provider).find((one) => one.id === id) ?? { id }
  const info = modelInfo(provider, id)
  const lines = [
    info?.name ?? known.name ?? '',
    knowledge.facts(provider, known).join(' · '),
    info?.description ?? '',
    `${providerInfo(provider)?.title ?? providerTitle(provider)}: ${knowledge.abilities(provider).join(', ')}`,
  ]
  return tooltipAbove(node, model, lines)
}
