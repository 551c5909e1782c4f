/** How keys lie at rest: AES-GCM under a key that no script can read out, made by the browser or derived from a secret. */

/** PBKDF2 rounds for new passphrases: 0.2 s on a desktop of 2026, a second on a phone. OWASP asks for 600,000 with SHA-256. */
export const PASSPHRASE_ITERATIONS = 1_000_000

/** What turns a passphrase or a passkey's secret into a key; not secret itself. */
export interface Derivation {
  name: 'PBKDF2' | 'HKDF'
  hash: 'SHA-256'
  salt: Uint8Array<ArrayBuffer>
  /** PBKDF2 only. */
  iterations?: number
}

export interface Sealed {
  iv: Uint8Array<ArrayBuffer>
  data: ArrayBuffer
}

const AES = { name: 'AES-GCM', length: 256 }
const USES: KeyUsage[] = ['encrypt', 'decrypt']

export const randomBytes = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length))

/** A key that stays in this browser: it can be kept in IndexedDB, but its bytes can't be read. */
export const browserKey = (): Promise<CryptoKey> => crypto.subtle.generateKey(AES, false, USES)

export const passphraseDerivation = (): Derivation => ({ name: 'PBKDF2', hash: 'SHA-256', salt: randomBytes(16), iterations: PASSPHRASE_ITERATIONS })
export const passkeyDerivation = (): Derivation => ({ name: 'HKDF', hash: 'SHA-256', salt: randomBytes(16) })

/** The same secret and derivation give the same key. A passphrase is normalised: keyboards differ in how they compose letters. */
export async function deriveKey(secret: string | Uint8Array<ArrayBuffer>, { name, hash, salt, iterations }: Derivation): Promise<CryptoKey> {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret.normalize('NFC')) : secret
  const base = await crypto.subtle.importKey('raw', bytes, name, false, ['deriveKey'])
  const how = name === 'PBKDF2' ? { name, hash, salt, iterations: iterations ?? PASSPHRASE_ITERATIONS } : { name, hash, salt, info: new TextEncoder().encode('halo keys') }
  return crypto.subtle.deriveKey(how, base, AES, false, USES)
}

/** `about` is bound to the sealed text: opening it under another description fails. */
export async function seal(key: CryptoKey, text: string, about: string): Promise<Sealed> {
  const iv = randomBytes(12)
  return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(about) }, key, new TextEncoder().encode(text)) }
}

/** undefined: another key, another description, or changed bytes; they can't be told apart. */
export async function unseal(key: CryptoKey, { iv, data }: Sealed, about: string): Promise<string | undefined> {
  try {
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(about) }, key, data)
    return new TextDecoder('utf-8', { fatal: true }).decode(plain)
  } catch {
    return undefined
  }
}
