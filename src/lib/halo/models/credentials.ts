/** Keys and addresses: where a request goes and which secrets may go with it. Nothing of this comes from a request's text but `base_url`. */
import { HaloError } from '../errors.ts'
import { providerInfo, providers, providerTitle } from './catalogue.ts'
import type { ModelRequest } from './types.ts'

export interface Credentials {
  apiKey?: string
  /** The address the key was saved for; absent: the provider's own. */
  baseUrl?: string
  /** Sent with every request to that address. */
  headers?: Record<string, string>
  /** The key may also go to servers on this machine (keys of the environment; a saved key may not). */
  loopback?: boolean
}

/** Looks up what a person has set for a provider. */
export type ModelCredentials = (provider: string) => Credentials | undefined | Promise<Credentials | undefined>

/** Where one request goes. */
export interface Connection {
  provider: string
  /** Without a slash at its end. */
  baseUrl: string
  apiKey?: string
  headers: Record<string, string>
  /** There is a key, but it belongs to another address. */
  withheld?: boolean
}

/** Credentials of the command line, from `OPENAI_API_KEY` and so on; `providers` names each variable. The same for the same object. */
export function credentialsFromEnv(env: Readonly<Record<string, string | undefined>>): ModelCredentials {
  const known = lookups.get(env) ?? lookUpIn(env)
  lookups.set(env, known)
  return known
}

const lookups = new WeakMap<object, ModelCredentials>()

function lookUpIn(env: Readonly<Record<string, string | undefined>>): ModelCredentials {
  return (provider) => {
    const info = providerInfo(provider)
    if (!info) return undefined
    const apiKey = (info.keyVariable && env[info.keyVariable]) || (provider === 'google' && env.GOOGLE_API_KEY) || undefined
    const address = info.urlVariable && env[info.urlVariable]
    const baseUrl = address ? (provider === 'ollama' ? ollamaAddress(address) : address) : undefined
    return apiKey || baseUrl ? { apiKey, baseUrl, loopback: true } : undefined
  }
}

/** The names of all environment variables that hold a key. */
export const keyVariables: readonly string[] = providers.flatMap((info) => (info.keyVariable ? [info.keyVariable] : []))

/**
 * Where a request goes and what goes with it. A key and the headers beside it are bound to the origin they were saved for:
 * an agent's `base_url` on another origin gets neither, since a program from elsewhere must not be able to collect keys.
 * @throws HaloError MODEL_ERROR when no address is known, or a key is needed and there is none.
 */
export async function connectionFor(request: ModelRequest, keys: ModelCredentials): Promise<Connection> {
  const { provider } = request
  const info = providerInfo(provider)
  const saved = await keys(provider)
  const home = saved?.baseUrl || info?.baseUrl
  const baseUrl = trimAddress(request.baseUrl || home)
  if (baseUrl === undefined) {
    throw new HaloError(
      'MODEL_ERROR',
      `${providerTitle(provider)} needs an address: write base_url: "http://localhost:1234/v1" in the agent's brackets, or set one in Settings${info?.urlVariable ? ` (${info.urlVariable} on the command line)` : ''}.`,
      { data: { kind: 'address' } },
    )
  }
  const origin = originOf(baseUrl, provider)
  const own = home !== undefined && origin === originOf(home, provider)
  const mayHaveKey = own || (saved?.loopback === true && isLoopback(baseUrl))
  const hosted = info?.needsKey === true && info.baseUrl !== undefined && origin === originOf(info.baseUrl, provider)
  if (hosted && !saved?.apiKey && !hasAuthorization(saved?.headers)) {
    throw new HaloError(
      'MODEL_ERROR',
      `There is no key for ${info.title}: add one in Settings${info.keyVariable ? ` (or set ${info.keyVariable} on the command line)` : ''}${info.keyUrl ? `; keys are made at ${info.keyUrl}` : ''}.`,
      { data: { kind: 'key' } },
    )
  }
  return {
    provider,
    baseUrl,
    ...(mayHaveKey && saved?.apiKey ? { apiKey: saved.apiKey } : {}),
    headers: mayHaveKey ? { ...saved?.headers } : {},
    ...(saved?.apiKey && !mayHaveKey ? { withheld: true } : {}),
  }
}

function hasAuthorization(headers: Record<string, string> | undefined): boolean {
  return Object.keys(headers ?? {}).some((name) => /^(authorization|x-api-key|x-goog-api-key|api-key)$/i.test(name))
}

function trimAddress(address: string | undefined): string | undefined {
  return address?.trim().replace(/\/+$/, '') || undefined
}

function originOf(address: string, provider: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin
  throw new HaloError(
    'MODEL_ERROR',
    `The address "${address}" for ${providerTitle(provider)} isn't a web address: it must begin with https:// or http://.`,
    { data: { kind: 'address' } },
  )
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** OLLAMA_HOST may be `host`, `host:port`, `:port` or a URL; a server that listens on every address is reached on this machine. */
function ollamaAddress(host: string): string {
  const withScheme = /^https?:\/\//.test(host) ? host : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`
  if (!URL.canParse(withScheme)) return host
  const url = new URL(withScheme)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  if (!/:\d+(\/|$)/.test(host.replace(/^https?:\/\//, '')) && url.protocol === 'http:') url.port = '11434'
  return url.href
}
