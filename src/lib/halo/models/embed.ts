/** Texts as vectors, by the providers that embed. */
import { isObject } from './calls.ts'
import { providerInfo } from './catalogue.ts'
import { connectionFor } from './credentials.ts'
import type { Connection, ModelCredentials } from './credentials.ts'
import { fault, protocolFault, readFault } from './faults.ts'
import { openWire } from './wire.ts'

export interface EmbedRequest {
  provider: string
  /** The id after the provider's prefix. */
  model: string
  texts: readonly string[]
  baseUrl?: string
}

export interface EmbedOptions {
  keys: ModelCredentials
  fetch?: typeof fetch
  signal?: AbortSignal
}

export interface Embeddings {
  /** One for each text, in order; all of one length. */
  vectors: number[][]
  /** Tokens of all texts, if the provider counts them. */
  tokens?: number
}

/** Texts of one request: Gemini takes 100. */
const BATCH = 96

/** Providers that can embed. */
export const canEmbed = (provider: string): boolean => Object.hasOwn(embedders, provider)

/**
 * The vectors of texts, in as many requests as are needed.
 * @throws HaloError MODEL_ERROR or NETWORK, as a request to a model would; MODEL_ERROR for a provider that can't embed.
 */
export async function embed(request: EmbedRequest, options: EmbedOptions): Promise<Embeddings> {
  const { provider, model, texts, baseUrl } = request
  const embedder = canEmbed(provider) ? embedders[provider] : undefined
  if (!embedder) {
    throw fault('MODEL_ERROR', `${providerInfo(provider)?.title ?? provider} can't embed texts. Use a model of ${Object.keys(embedders).join(', ')}.`, { kind: 'request' })
  }
  if (texts.length === 0) return { vectors: [] }
  const { keys, signal = new AbortController().signal } = options
  const connection = await connectionFor({ provider, model, messages: [], tools: [], toolChoice: 'none', maxTokens: 0, agent: '', task: '', step: 1, baseUrl }, keys)
  const auth = connection.apiKey ? embedder.auth(connection.apiKey) : {}
  const wire = openWire(connection, { model, fetch: options.fetch }, signal, auth)
  const out: Embeddings = { vectors: [] }
  for (let at = 0; at < texts.length; at += BATCH) {
    const batch = texts.slice(at, at + BATCH)
    const response = await wire.fetch(embedder.url(connection, model), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(embedder.body(model, batch)),
    })
    let json: unknown
    try {
      json = await response.json()
    } catch (error) {
      throw readFault(connection, error, signal)
    }
    const vectors = isObject(json) ? embedder.vectors(json) : []
    if (vectors.length !== batch.length || !vectors.every(isVector)) throw protocolFault(connection, `${vectors.length} vectors for ${batch.length} texts`)
    out.vectors.push(...vectors)
    const tokens = isObject(json) ? embedder.tokens(json) : undefined
    if (typeof tokens === 'number') out.tokens = (out.tokens ?? 0) + tokens
  }
  const [first] = out.vectors
  if (out.vectors.some((vector) => vector.length !== first?.length)) throw protocolFault(connection, 'vectors of different lengths')
  return out
}

const isVector = (value: unknown): value is number[] => Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number))

interface Embedder {
  url(connection: Connection, model: string): string
  auth(key: string): Record<string, string>
  body(model: string, texts: readonly string[]): unknown
  vectors(json: Record<string, unknown>): unknown[]
  tokens(json: Record<string, unknown>): unknown
}

const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

/** platform.openai.com/docs/api-reference/embeddings. Order is told by `index`. */
const openai: Embedder = {
  url: ({ baseUrl }) => `${new URL(baseUrl).pathname === '/' ? `${baseUrl}/v1` : baseUrl}/embeddings`,
  auth: bearer,
  body: (model, texts) => ({ model, input: texts, encoding_format: 'float' }),
  vectors: ({ data }) =>
    list(data)
      .map((entry, at) => ({ at: typeof entry.index === 'number' ? entry.index : at, vector: entry.embedding }))
      .sort((a, b) => a.at - b.at)
      .map(({ vector }) => vector),
  tokens: ({ usage }) => (isObject(usage) ? usage.prompt_tokens : undefined),
}

/** ai.google.dev/api/embeddings#v1beta.models.batchEmbedContents. */
const google: Embedder = {
  url: ({ baseUrl }, model) => `${/\/v1(alpha|beta)?$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`}/models/${encodeURIComponent(model)}:batchEmbedContents`,
  auth: (key) => ({ 'x-goog-api-key': key }),
  body: (model, texts) => ({ requests: texts.map((text) => ({ model: `models/${model}`, content: { parts: [{ text }] } })) }),
  vectors: ({ embeddings }) => list(embeddings).map(({ values }) => values),
  tokens: () => undefined,
}

/** docs.ollama.com/api/embed. */
const ollama: Embedder = {
  url: ({ baseUrl }) => `${baseUrl.replace(/\/(api|v1)$/, '')}/api/embed`,
  auth: bearer,
  body: (model, texts) => ({ model, input: texts }),
  vectors: ({ embeddings }) => (Array.isArray(embeddings) ? embeddings : []),
  tokens: ({ prompt_eval_count: tokens }) => tokens,
}

const embedders: Record<string, Embedder> = { openai, openrouter: openai, together: openai, 'openai-compatible': openai, google, ollama }
