/** Model adapters by the prefix of the model's name. Those of Halo are loaded on first use, so that no SDK is in the first chunk. */
import { fault } from './faults.ts'
import { providerInfo, providers } from './catalogue.ts'
import type { Capabilities } from './catalogue.ts'
import { connectionFor } from './credentials.ts'
import type { Connection, ModelCredentials } from './credentials.ts'
import { guarded } from './guard.ts'
import { isTwoCall, streamingForm } from './two-call.ts'
import type { ModelAdapter, ModelRequest, StreamingAdapter } from './types.ts'

/** Finds out where a request goes and with which key. */
export type Connect = (request: ModelRequest) => Promise<Connection>

/** What every provider's file exports. */
export interface ProviderModule {
  createAdapter(connect: Connect): StreamingAdapter
}

const loaders: Record<string, () => Promise<ProviderModule>> = {
  anthropic: () => import('./anthropic.ts'),
  openai: () => import('./openai.ts'),
  openrouter: () => import('./openrouter.ts'),
  together: () => import('./together.ts'),
  google: () => import('./google.ts'),
  ollama: () => import('./ollama.ts'),
  replicate: () => import('./replicate.ts'),
  'openai-compatible': () => import('./openai-compatible.ts'),
  browser: () => import('./browser.ts'),
  mock: () => import('./mock.ts'),
}

const registered = new Map<string, ModelAdapter>()
const wrapped = new WeakMap<ModelAdapter, Map<string, StreamingAdapter>>()
const builtIn = new WeakMap<ModelCredentials, Map<string, Promise<StreamingAdapter>>>()

let defaultKeys: ModelCredentials = () => undefined
const viaDefault: ModelCredentials = (provider) => defaultKeys(provider)

/**
 * Make models under `prefix/…` available, in place of a provider of the same name. Either form of adapter will do.
 * Returns a function that takes it back.
 */
export function registerModelAdapter(prefix: string, adapter: ModelAdapter): () => void {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(prefix)) {
    throw new TypeError(`"${prefix}" can't be the prefix of a model: letters, digits, "-", "_" and "." only, with no "/".`)
  }
  registered.set(prefix, adapter)
  return () => {
    if (registered.get(prefix) === adapter) registered.delete(prefix)
  }
}

/** Where keys and addresses come from when `modelAdapter` isn't told. */
export function setModelCredentials(keys: ModelCredentials): void {
  defaultKeys = keys
}

export interface ModelOptions {
  keys?: ModelCredentials
  /** Adapters by prefix that come before the registered ones. */
  models?: Record<string, ModelAdapter>
}

/**
 * The adapter for models under a prefix, ready for use: its calls are unique and checked, tools are off where the request
 * says so, faults are HaloErrors, and it ends when the signal aborts.
 * @throws HaloError MODEL_ERROR when nothing is known under the prefix.
 */
export function modelAdapter(prefix: string, options: ModelOptions = {}): Promise<StreamingAdapter> {
  const custom = customAdapter(prefix, options.models)
  if (custom) return Promise.resolve(wrap(prefix, custom))
  const load = Object.hasOwn(loaders, prefix) ? loaders[prefix] : undefined
  if (!load) return Promise.reject(unknownPrefix(prefix, options.models))
  const keys = options.keys ?? viaDefault
  const loaded = builtIn.get(keys) ?? new Map<string, Promise<StreamingAdapter>>()
  builtIn.set(keys, loaded)
  const existing = loaded.get(prefix)
  if (existing) return existing
  const adapter = load().then(
    (module) => guarded(prefix, module.createAdapter((request) => connectionFor(request, keys))),
    (error: unknown) => {
      loaded.delete(prefix) // A chunk that could not be fetched is fetched again next time.
      throw fault('NETWORK', `The part of Halo that speaks to ${prefix} could not be loaded. Check the connection and reload.`, { kind: 'offline', retry: 'network' }, error)
    },
  )
  loaded.set(prefix, adapter)
  return adapter
}

/** What is known of a provider without loading it; of a custom adapter only what it says. Undefined: nothing under this prefix. */
export function capabilities(prefix: string, models?: Record<string, ModelAdapter>): Capabilities | undefined {
  const custom = customAdapter(prefix, models)
  if (!custom) return providerInfo(prefix)?.capabilities
  return {
    supportsTools: custom.supportsTools ?? true,
    streaming: !isTwoCall(custom),
    parallelCalls: custom.supportsTools ?? true,
    images: 'in results',
    structuredOutput: !isTwoCall(custom) && custom.supportsSchema ? 'native' : 'prompt',
    toolsOff: 'ignored',
    usage: true,
    cors: 'setting',
  }
}

/** Every prefix that can be used now. */
export function modelPrefixes(models?: Record<string, ModelAdapter>): string[] {
  return [...new Set([...providers.map((info) => info.prefix), ...registered.keys(), ...Object.keys(models ?? {})])]
}

function customAdapter(prefix: string, models: Record<string, ModelAdapter> | undefined): ModelAdapter | undefined {
  return models && Object.hasOwn(models, prefix) ? models[prefix] : registered.get(prefix)
}

/** The same adapter may be known under several prefixes; each has its own name in messages. */
function wrap(prefix: string, adapter: ModelAdapter): StreamingAdapter {
  const forms = wrapped.get(adapter) ?? new Map<string, StreamingAdapter>()
  wrapped.set(adapter, forms)
  const form = forms.get(prefix) ?? guarded(prefix, isTwoCall(adapter) ? streamingForm(prefix, adapter) : adapter)
  forms.set(prefix, form)
  return form
}

function unknownPrefix(prefix: string, models: Record<string, ModelAdapter> | undefined): Error {
  return fault(
    'MODEL_ERROR',
    `There is no model provider "${prefix}". There are ${modelPrefixes(models).join(', ')}; others are added with registerModelAdapter.`,
    { kind: 'model' },
  )
}
