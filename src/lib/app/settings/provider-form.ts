/** What a provider's form holds, checked and made into what is kept. Nothing of this shows a secret again. */
import { HaloError } from '../../halo/errors.ts'
import { providerInfo } from '../../halo/models/catalogue.ts'
import type { Credentials } from '../../halo/models/credentials.ts'
import type { ProviderKeys } from '../../storage/keys-record.ts'
import { formWords as words } from './form-words.ts'

/** What a person typed. */
export interface ProviderDraft {
  /** Empty: the one kept stays. */
  apiKey: string
  removeKey?: boolean
  baseUrl: string
  /** A value left out is kept as it is. */
  headers: { name: string; value?: string }[]
  /** One in each line. */
  models: string
}

/** What may be shown of a provider. */
export interface ProviderView {
  /** The last four characters of the key; '' where showing them would give away too much of it. */
  keyEnd: string | undefined
  origin: string | undefined
  /** The key is bound to another address than the one set. */
  elsewhere: boolean
  baseUrl: string
  headers: { name: string; end: string }[]
  models: string[]
}

/** The last four characters of a secret of at least twelve. */
export const endOf = (secret: string): string => (secret.length >= 12 ? secret.slice(-4) : '')

export function viewOf(provider: string, kept: ProviderKeys | undefined): ProviderView {
  const { apiKey, origin, baseUrl = '', headers = {}, models = [] } = kept ?? {}
  return {
    keyEnd: apiKey === undefined ? undefined : endOf(apiKey),
    origin,
    elsewhere: isElsewhere(provider, kept),
    baseUrl,
    headers: Object.entries(headers).map(([name, value]) => ({ name, end: endOf(value) })),
    models,
  }
}

/** @throws HaloError VALIDATION that names the field */
export function applyDraft(provider: string, kept: ProviderKeys | undefined, draft: ProviderDraft): ProviderKeys {
  const title = titleOf(provider)
  const baseUrl = draft.baseUrl.trim()
  if (baseUrl !== '') checkAddress(baseUrl)
  const origin = originOf(baseUrl || providerInfo(provider)?.baseUrl)
  const typed = draft.apiKey.trim()
  if (typed !== '') checkKey(typed)
  const apiKey = typed || (draft.removeKey ? undefined : kept?.apiKey)
  const headers = headersOf(draft.headers, kept?.headers ?? {})
  const secrets = apiKey !== undefined || Object.keys(headers).length > 0
  if (secrets && origin === undefined) throw new HaloError('VALIDATION', words.addressFirst(title))
  const fresh = typed !== '' || draft.headers.some((header) => header.value !== undefined)
  const old = (typed === '' && apiKey !== undefined) || draft.headers.some((header) => header.value === undefined)
  const moved = kept?.origin !== undefined && kept.origin !== origin
  if (moved && fresh && old) throw new HaloError('VALIDATION', words.mixed(kept.origin ?? '', origin ?? ''))
  const models = [...new Set(draft.models.split(/[\n,]/).map((line) => line.trim().replace(new RegExp(`^${provider}/`), '')).filter(Boolean))]
  for (const model of models) if (/[\s"'[\]]/.test(model)) throw new HaloError('VALIDATION', words.badModel(model))
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(secrets ? { origin: moved && !fresh ? kept.origin : origin } : {}),
    ...(baseUrl === '' ? {} : { baseUrl }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(models.length > 0 ? { models } : {}),
    ...(kept?.listed && kept.baseUrl === (baseUrl || undefined) ? { listed: kept.listed } : {}),
  }
}

/** What a request of the provider is sent with. @throws HaloError MODEL_ERROR where its secrets belong to another address. */
export function credentialsOf(provider: string, kept: ProviderKeys | undefined): Credentials | undefined {
  if (!kept) return undefined
  const { apiKey, baseUrl, headers } = kept
  if (isElsewhere(provider, kept)) {
    throw new HaloError('MODEL_ERROR', words.elsewhere(titleOf(provider), kept.origin ?? '', originOf(homeOf(provider, kept)) ?? ''), { data: { kind: 'key' } })
  }
  return { ...(apiKey === undefined ? {} : { apiKey }), ...(baseUrl === undefined ? {} : { baseUrl }), ...(headers ? { headers } : {}) }
}

export const titleOf = (provider: string): string => words.titles[provider] ?? providerInfo(provider)?.title ?? provider

const homeOf = (provider: string, kept: ProviderKeys | undefined): string | undefined => kept?.baseUrl || providerInfo(provider)?.baseUrl

function isElsewhere(provider: string, kept: ProviderKeys | undefined): boolean {
  return kept?.origin !== undefined && kept.origin !== originOf(homeOf(provider, kept))
}

const originOf = (address: string | undefined): string | undefined => (address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined)

function checkAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw new HaloError('VALIDATION', words.badAddress(address))
  // They would stand in the address bar's sense of the word everywhere: in errors, logs, and the settings themselves.
  if (url.username || url.password) throw new HaloError('VALIDATION', words.addressWithPassword)
  if (url.search || url.hash) throw new HaloError('VALIDATION', words.addressWithQuery)
}

function checkKey(key: string): void {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new HaloError('VALIDATION', words.badKey)
}

function headersOf(given: ProviderDraft['headers'], kept: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, value } of given) {
    const key = name.trim()
    const text = value?.trim() ?? kept[key]
    if (key === '' && !text) continue
    if (text === undefined || text === '') throw new HaloError('VALIDATION', words.emptyHeader(key))
    try {
      new Headers([[key, text]])
    } catch {
      throw new HaloError('VALIDATION', words.badHeader(key))
    }
    if (Object.keys(headers).some((other) => other.toLowerCase() === key.toLowerCase())) throw new HaloError('VALIDATION', words.twice(key))
    headers[key] = text
  }
  return headers
}
