/** The models a provider offers, asked of the provider itself. Also the test of a key: what is refused here would be refused later. */
import { isObject } from './calls.ts'
import { providerInfo } from './catalogue.ts'
import { connectionFor } from './credentials.ts'
import type { Connection, ModelCredentials } from './credentials.ts'
import { fault, protocolFault, readFault } from './faults.ts'
import { openWire } from './wire.ts'

export interface ListedModel {
  /** As written after the provider's prefix. */
  id: string
  name?: string
  /** Tokens. */
  contextWindow?: number
}

export interface ListOptions {
  keys: ModelCredentials
  baseUrl?: string
  fetch?: typeof fetch
  signal?: AbortSignal
}

/** Providers whose models can be listed. */
export const canListModels = (provider: string): boolean => Object.hasOwn(lists, provider)

/**
 * The models of a provider by id, in the order of their ids.
 * @throws HaloError MODEL_ERROR or NETWORK, as a request to a model would.
 */
export async function listModels(provider: string, { keys, baseUrl, fetch, signal = new AbortController().signal }: ListOptions): Promise<ListedModel[]> {
  const list = canListModels(provider) ? lists[provider] : undefined
  if (!list) throw fault('MODEL_ERROR', `${providerInfo(provider)?.title ?? provider} has no list of its models. Write a model's name as its documentation gives it.`, { kind: 'request' })
  const connection = await connectionFor({ provider, model: '', messages: [], tools: [], toolChoice: 'none', maxTokens: 0, agent: '', task: '', step: 1, baseUrl }, keys)
  const key = connection.apiKey
  const wire = openWire(connection, { model: '', fetch }, signal, key ? list.auth(key) : {})
  const models: ListedModel[] = []
  let next: string | undefined = list.url(connection)
  for (let page = 0; next !== undefined && page < 50; page++) {
    const response: Response = await wire.fetch(next, { headers: list.headers ?? {} })
    let body: unknown
    try {
      body = await response.json()
    } catch (error) {
      throw readFault(connection, error, signal)
    }
    const entries = isObject(body) ? body[list.field] : Array.isArray(body) ? body : undefined
    if (!Array.isArray(entries)) throw protocolFault(connection, 'it is no list of models')
    for (const entry of entries) {
      const model = isObject(entry) ? list.read(entry) : undefined
      if (model) models.push(model)
    }
    next = isObject(body) ? list.next?.(body, list.url(connection)) : undefined
  }
  return models.sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface List {
  url(connection: Connection): string
  auth(key: string): Record<string, string>
  headers?: Record<string, string>
  field: string
  read(entry: Record<string, unknown>): ListedModel | undefined
  /** The address of the page after this one. */
  next?(body: Record<string, unknown>, url: string): string | undefined
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

function listed(id: unknown, name: unknown, contextWindow: unknown): ListedModel | undefined {
  const known = text(id)
  if (known === undefined) return undefined
  return {
    id: known,
    ...(text(name) === undefined || name === id ? {} : { name: text(name) }),
    ...(count(contextWindow) === undefined ? {} : { contextWindow: count(contextWindow) }),
  }
}

/** Together's kinds of models that answer with text; other servers give no kind. */
const textModels = new Set(['chat', 'language', 'code'])

/** OpenAI's list; OpenRouter and Together add names and context windows, vLLM `max_model_len`. */
const chat: List = {
  url: ({ baseUrl }) => `${new URL(baseUrl).pathname === '/' ? `${baseUrl}/v1` : baseUrl}/models`,
  auth: bearer,
  field: 'data',
  read: (entry) =>
    typeof entry.type === 'string' && !textModels.has(entry.type)
      ? undefined
      : listed(entry.id, entry.display_name ?? entry.name, entry.context_length ?? entry.max_model_len),
}

const lists: Record<string, List> = {
  openai: chat,
  openrouter: chat,
  together: chat,
  'openai-compatible': chat,
  anthropic: {
    url: ({ baseUrl }) => `${baseUrl.replace(/\/v1$/, '')}/v1/models?limit=1000`,
    auth: (key) => ({ 'x-api-key': key, ...bearer(key) }),
    headers: { 'anthropic-version': '2026-10-21', 'anthropic-dangerous-direct-browser-access': 'true' },
    field: 'data',
    read: (entry) => listed(entry.id, entry.display_name, entry.max_input_tokens),
    next: (body, url) => (body.has_more === true && text(body.last_id) ? `${url}&after_id=${encodeURIComponent(String(body.last_id))}` : undefined),
  },
  google: {
    url: ({ baseUrl }) => `${/\/v1(alpha|beta)?$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`}/models?pageSize=1000`,
    auth: (key) => ({ 'x-goog-api-key': key }),
    field: 'models',
    read: (entry) =>
      Array.isArray(entry.supportedGenerationMethods) && !entry.supportedGenerationMethods.includes('generateContent')
        ? undefined
        : listed(text(entry.name)?.replace(/^models\//, ''), entry.displayName, entry.inputTokenLimit),
    next: (body, url) => (text(body.nextPageToken) ? `${url}&pageToken=${encodeURIComponent(String(body.nextPageToken))}` : undefined),
  },
  ollama: {
    url: ({ baseUrl }) => `${baseUrl.replace(/\/(api|v1)$/, '')}/api/tags`,
    auth: bearer,
    field: 'models',
    read: (entry) => listed(entry.model ?? entry.name, undefined, undefined),
  },
}
