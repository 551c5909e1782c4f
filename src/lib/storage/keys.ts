/**
 * Keys, addresses and `Env` values of this browser. What is kept is encrypted; what is open is in this module's memory and
 * leaves it only for a request. Every change reads what is stored first, so that two tabs don't undo each other.
 */
import { HaloError } from '../halo/errors.ts'
import { browserKey, deriveKey, passkeyDerivation, passphraseDerivation } from './keys-crypto.ts'
import { contentOf, emptyContent, isKeysRecord, isNewer, opens, sealRecord } from './keys-record.ts'
import type { KeysContent, KeysRecord, Lock, PasskeyId, Protection, SealedRecord } from './keys-record.ts'
import { problemOf } from './problem.ts'

/** Where the record lies. Each call may reject with a StorageProblem. */
export interface KeysStorage {
  read(): Promise<unknown>
  write(record: KeysRecord | undefined): Promise<void>
  /** One after the other, over all tabs. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Calls back when another tab has written. Returns what ends it. */
  watch(changed: () => void): () => void
}

/**
 * `open`: usable. `locked`: a passphrase or passkey is asked for. `damaged`: there is something that can't be read; nothing
 * is written over it until `discard`.
 */
export interface KeysState {
  status: 'open' | 'locked' | 'damaged'
  protection: Protection
  /** Why it is damaged, or why nothing can be kept: a sentence for a person. */
  problem?: string
  /** Nothing is kept because there is no storage, not by choice. */
  unavailable?: boolean
}

export type Secret = { passphrase: string } | { passkey: PasskeyId; secret: Uint8Array<ArrayBuffer> }

export interface KeyStore {
  state(): KeysState
  /** undefined while locked or damaged. */
  content(): Readonly<KeysContent> | undefined
  /** Which passkey opens it, where one does. */
  passkey(): PasskeyId | undefined
  /** @throws HaloError when locked, damaged, or not stored; then nothing has changed. */
  update(change: (content: KeysContent) => void): Promise<void>
  /** @throws HaloError VALIDATION for a wrong secret. */
  unlock(secret: Secret): Promise<void>
  lock(): void
  /** Encrypts all that is kept anew. @throws HaloError; then it is protected as before. */
  protect(how: 'browser' | 'session' | Secret): Promise<void>
  /** Throws away everything that is kept. */
  discard(): Promise<void>
  subscribe(changed: () => void): () => void
  close(): void
}

const WORDS = {
  locked: 'Your keys are locked. Unlock them in Settings.',
  damaged: 'What is stored of your keys can’t be read: it was changed or cut off. Nothing was deleted. Start anew under Protection, then enter the keys again.',
  newer: 'Your keys were stored by a newer version of this page. Reload it to get that version.',
  wrong: 'That is not the passphrase. Nothing was changed; try again.',
  wrongPasskey: 'That passkey doesn’t open these keys. Nothing was changed; try again with the one they were protected with.',
  short: 'A passphrase needs at least 8 characters.',
}

/** Without `storage` everything lasts as long as the page. */
export async function openKeys(storage: KeysStorage | undefined): Promise<KeyStore> {
  let state: KeysState = { status: 'open', protection: 'browser' }
  let content: KeysContent | undefined
  let lock: Lock | undefined
  let record: KeysRecord | undefined
  const listeners = new Set<() => void>()

  function become(next: KeysState, now: KeysContent | undefined): void {
    state = next
    content = now
    for (const listener of listeners) listener()
  }
  const damaged = (problem: string, protection: Protection): void => become({ status: 'damaged', protection, problem }, undefined)

  async function load(): Promise<void> {
    if (!storage) {
      return become({ status: 'open', protection: 'session', problem: problemOf('unavailable').message, unavailable: true }, content ?? emptyContent())
    }
    const stored = await storage.read()
    if (stored === undefined) {
      record = lock = undefined
      return become({ status: 'open', protection: 'browser' }, emptyContent())
    }
    if (!isKeysRecord(stored)) return damaged(isNewer(stored) ? WORDS.newer : WORDS.damaged, 'browser')
    record = stored
    if (stored.protection === 'session') return become({ status: 'open', protection: 'session' }, content ?? emptyContent())
    const key = stored.protection === 'browser' ? stored.key : lock?.key
    if (stored.protection !== 'browser' && (!key || !(await opens(stored, key)))) {
      lock = undefined
      return become({ status: 'locked', protection: stored.protection }, undefined)
    }
    if (key) await open(stored, key)
  }

  async function open(stored: SealedRecord, key: CryptoKey): Promise<void> {
    const found = await contentOf(stored, key)
    if (!found) return damaged(WORDS.damaged, stored.protection)
    lock = stored.protection === 'browser' ? { protection: 'browser', key } : { ...stored, key }
    become({ status: 'open', protection: stored.protection }, found)
  }

  /** What is stored now; throws where it can't be changed. */
  async function current(): Promise<KeysContent> {
    await load()
    if (state.status === 'locked') throw new HaloError('VALIDATION', WORDS.locked)
    if (!content) throw new HaloError('VALIDATION', state.problem ?? WORDS.damaged)
    return structuredClone(content)
  }
  async function put(next: KeysContent, how: Lock | 'session'): Promise<void> {
    const made: KeysRecord = how === 'session' ? { version: 1, protection: 'session' } : await sealRecord(how, next)
    await storage?.write(made)
    record = made
    lock = how === 'session' ? undefined : how
    become({ status: 'open', protection: made.protection }, next)
  }
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => (storage ? storage.exclusive(work) : work())

  await load()
  const unwatch = storage?.watch(() => void load())

  return {
    state: () => state,
    content: () => content,
    passkey: () => (record?.protection === 'passkey' ? record.passkey : undefined),
    update: (change) =>
      exclusive(async () => {
        const next = await current()
        change(next)
        if (state.unavailable) return become(state, next)
        await put(next, state.protection === 'session' ? 'session' : (lock ?? { protection: 'browser', key: await browserKey() }))
      }),
    async unlock(secret) {
      await load()
      if (state.status !== 'locked' || !record || record.protection === 'session' || record.protection === 'browser') return
      const given = 'passphrase' in secret ? secret.passphrase : secret.secret
      const key = await deriveKey(given, record.derivation)
      if (!(await opens(record, key))) throw new HaloError('VALIDATION', 'passphrase' in secret ? WORDS.wrong : WORDS.wrongPasskey)
      await open(record, key)
    },
    lock() {
      if (state.status !== 'open' || (state.protection !== 'passphrase' && state.protection !== 'passkey')) return
      lock = undefined
      become({ status: 'locked', protection: state.protection }, undefined)
    },
    protect: (how) =>
      exclusive(async () => {
        const next = await current()
        if (!storage) throw problemOf('unavailable')
        await put(next, how === 'session' ? how : await lockFor(how))
      }),
    discard: () =>
      exclusive(async () => {
        await storage?.write(undefined)
        record = lock = undefined
        become(storage ? { status: 'open', protection: 'browser' } : state, emptyContent())
      }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => unwatch?.(),
  }
}

async function lockFor(how: 'browser' | Secret): Promise<Lock> {
  if (how === 'browser') return { protection: 'browser', key: await browserKey() }
  if ('passphrase' in how) {
    if (how.passphrase.length < 8) throw new HaloError('VALIDATION', WORDS.short)
    const derivation = passphraseDerivation()
    return { protection: 'passphrase', derivation, key: await deriveKey(how.passphrase, derivation) }
  }
  const derivation = passkeyDerivation()
  return { protection: 'passkey', derivation, passkey: how.passkey, key: await deriveKey(how.secret, derivation) }
}
