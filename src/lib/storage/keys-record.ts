/** What is kept of keys and settings, and the form in which it lies in storage. */
import type { ListedModel } from '../halo/models/list.ts'
import { seal, unseal, type Derivation, type Sealed } from './keys-crypto.ts'

/** What a person has set for one provider. */
export interface ProviderKeys {
  apiKey?: string
  /** Where the key and the headers may go: the origin they were saved for. */
  origin?: string
  baseUrl?: string
  headers?: Record<string, string>
  /** Models that the provider has and no list names. */
  models?: string[]
  /** The provider's own list, as it was last asked for. */
  listed?: ListedModel[]
}
export interface KeysContent {
  providers: Record<string, ProviderKeys>
  env: Record<string, string>
}
export const emptyContent = (): KeysContent => ({ providers: {}, env: {} })

/** `session`: nothing is kept, this record only says so. */
export type Protection = 'browser' | 'passphrase' | 'passkey' | 'session'

export type KeysRecord =
  | { version: 1; protection: 'session' }
  | { version: 1; protection: 'browser'; key: CryptoKey; check: Sealed; body: Sealed }
  | { version: 1; protection: 'passphrase'; derivation: Derivation; check: Sealed; body: Sealed }
  | { version: 1; protection: 'passkey'; derivation: Derivation; passkey: PasskeyId; check: Sealed; body: Sealed }
export type SealedRecord = Exclude<KeysRecord, { protection: 'session' }>
/** Which passkey opens it, and what it is asked to make its secret of. */
export interface PasskeyId {
  id: Uint8Array<ArrayBuffer>
  input: Uint8Array<ArrayBuffer>
}

/** How a record is opened again, beside its key. */
export type Lock =
  | { protection: 'browser'; key: CryptoKey }
  | { protection: 'passphrase'; key: CryptoKey; derivation: Derivation }
  | { protection: 'passkey'; key: CryptoKey; derivation: Derivation; passkey: PasskeyId }

/** The check tells a wrong passphrase from damage: it opens under the right key even where the body doesn't. */
const CHECK = 'halo keys'

export async function sealRecord(lock: Lock, content: KeysContent): Promise<SealedRecord> {
  const about = describe(lock)
  const check = await seal(lock.key, CHECK, `${about} check`)
  const body = await seal(lock.key, JSON.stringify(content), `${about} body`)
  if (lock.protection === 'browser') return { version: 1, ...lock, check, body }
  const { key: _stays, ...rest } = lock
  return { version: 1, ...rest, check, body }
}

export async function opens(record: SealedRecord, key: CryptoKey): Promise<boolean> {
  return (await unseal(key, record.check, `${describe(record)} check`)) === CHECK
}

/** undefined: damaged. */
export async function contentOf(record: SealedRecord, key: CryptoKey): Promise<KeysContent | undefined> {
  const text = await unseal(key, record.body, `${describe(record)} body`)
  if (text === undefined) return undefined
  const value = JSON.parse(text) as Partial<KeysContent>
  return { providers: value.providers ?? {}, env: value.env ?? {} }
}

function describe(lock: Lock | SealedRecord): string {
  if (lock.protection === 'browser') return 'v1 browser'
  const { name, salt, iterations = 0 } = lock.derivation
  return `v1 ${lock.protection} ${name} ${iterations} ${Array.from(salt).join('.')}`
}

/** Is what lies in storage such a record? Anything may lie there after a crash of the disk or the browser. */
export function isKeysRecord(value: unknown): value is KeysRecord {
  if (!isObject(value) || value.version !== 1) return false
  if (value.protection === 'session') return true
  if (!isSealed(value.check) || !isSealed(value.body)) return false
  if (value.protection === 'browser') return value.key instanceof CryptoKey
  if (!isDerivation(value.derivation)) return false
  if (value.protection === 'passphrase') return value.derivation.name === 'PBKDF2'
  return value.protection === 'passkey' && isObject(value.passkey) && isBytes(value.passkey.id) && isBytes(value.passkey.input)
}

/** Written by a version of this page that came later. */
export const isNewer = (value: unknown): boolean => isObject(value) && typeof value.version === 'number' && value.version > 1

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isBytes = (value: unknown): boolean => value instanceof Uint8Array
const isSealed = (value: unknown): boolean => isObject(value) && isBytes(value.iv) && value.data instanceof ArrayBuffer
const isDerivation = (value: unknown): value is Derivation =>
  isObject(value) && (value.name === 'PBKDF2' || value.name === 'HKDF') && isBytes(value.salt) && (value.iterations === undefined || Number.isSafeInteger(value.iterations))
