import { HaloError } from '../../halo/errors.ts'
import type { ModelCredentials } from '../../halo/models/credentials.ts'
import type { ListedModel } from '../../halo/models/list.ts'
import type { PriceList } from '../../halo/models/types.ts'
import { openKeys, type KeysState, type KeyStore, type Secret } from '../../storage/keys.ts'
import type { KeysContent } from '../../storage/keys-record.ts'
import { keysInDatabase } from '../../storage/keys-database.ts'
import { storageProblem, type Database } from '../../storage/index.ts'
import { applyDraft, credentialsOf, endOf, viewOf, type ProviderDraft, type ProviderView } from './provider-form.ts'
import { formWords as words } from './form-words.ts'
import { keysWords } from './keys-words.ts'
import { readPrices } from './price-list.ts'

const PRICES = 'prices'

/** Keys, addresses, variables and prices as the page uses and shows them. Opened once a page. */
export class Keys {
  readonly #store: KeyStore
  readonly #db: Database | undefined
  #state: KeysState
  /** Counts changes, so that what is shown of the store is read again. */
  #version = $state(0)
  #prices = $state.raw<PriceList>()

  private constructor(store: KeyStore, db: Database | undefined, prices: PriceList | undefined) {
    this.#store = store
    this.#db = db
    this.#state = store.state()
    this.#prices = prices
    store.subscribe(() => {
      this.#state = store.state()
      this.#version++
    })
  }

  static async open(db: Database | undefined): Promise<Keys> {
    const [store, prices] = await Promise.all([openKeys(db && keysInDatabase(db)), db?.get('settings', PRICES)])
    return new Keys(store, db, readPrices(prices).prices)
  }

  get state(): KeysState {
    void this.#version
    return this.#state
  }
  get passkey() {
    return this.#store.passkey()
  }

  /** For the runtime: the same function for the page's whole life. */
  readonly credentials: ModelCredentials = (provider) => {
    const content = this.#store.content()
    if (!content) throw new HaloError('MODEL_ERROR', this.#state.problem ?? keysWords.locked, { data: { kind: 'key' } })
    return credentialsOf(provider, content.providers[provider])
  }
  /** Addresses that the person set for providers. None while locked. */
  addresses(): string[] {
    return Object.values(this.#store.content()?.providers ?? {}).flatMap(({ baseUrl, origin }) => [baseUrl, origin].filter((one) => one !== undefined))
  }
  /** The variables of programs, as they are now. While locked, reading one fails: a missing one would be taken for an empty one. */
  env(): Record<string, string> {
    const content = this.#store.content()
    return content ? { ...content.env } : lockedEnv(this.#state.problem ?? keysWords.locked)
  }
  /** All that is secret, for the last look before something leaves this browser; undefined while locked. */
  secrets(): Readonly<KeysContent> | undefined {
    return this.#store.content()
  }
  /** Prices that go before the library's. */
  get prices(): PriceList | undefined {
    return this.#prices
  }

  provider(prefix: string): ProviderView {
    void this.#version
    return viewOf(prefix, this.#store.content()?.providers[prefix])
  }
  variables(): { name: string; end: string }[] {
    void this.#version
    return Object.entries(this.#store.content()?.env ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ name, end: endOf(value) }))
  }
  /** Models that a person has named, and those of the provider's own list. */
  models(prefix: string): { extra: string[]; listed: ListedModel[] } {
    void this.#version
    const kept = this.#store.content()?.providers[prefix]
    return { extra: kept?.models ?? [], listed: kept?.listed ?? [] }
  }

  /** Credentials as they would be if the draft were saved. @throws HaloError VALIDATION */
  tryOut(prefix: string, draft: ProviderDraft): ModelCredentials {
    const kept = applyDraft(prefix, this.#store.content()?.providers[prefix], draft)
    return (provider) => (provider === prefix ? credentialsOf(prefix, kept) : undefined)
  }
  saveProvider(prefix: string, draft: ProviderDraft): Promise<void> {
    return this.#store.update(({ providers }) => {
      const next = applyDraft(prefix, providers[prefix], draft)
      if (Object.keys(next).length > 0) providers[prefix] = next
      else delete providers[prefix]
    })
  }
  keepList(prefix: string, listed: ListedModel[]): Promise<void> {
    return this.#store.update(({ providers }) => {
      providers[prefix] = { ...providers[prefix], listed }
    })
  }
  async setVariable(name: string, value: string): Promise<void> {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new HaloError('VALIDATION', words.badVariable(name))
    if (value === '') throw new HaloError('VALIDATION', words.emptyVariable(name))
    await this.#store.update(({ env }) => {
      env[name] = value
    })
  }
  removeVariable(name: string): Promise<void> {
    return this.#store.update(({ env }) => {
      delete env[name]
    })
  }
  async savePrices(prices: PriceList | undefined): Promise<void> {
    try {
      if (prices) await this.#db?.put('settings', prices, PRICES)
      else await this.#db?.delete('settings', PRICES)
    } catch (thrown) {
      throw storageProblem(thrown)
    }
    this.#prices = prices
  }

  unlock(secret: Secret): Promise<void> {
    return this.#store.unlock(secret)
  }
  lock(): void {
    this.#store.lock()
  }
  protect(how: 'browser' | 'session' | Secret): Promise<void> {
    return this.#store.protect(how)
  }
  discard(): Promise<void> {
    return this.#store.discard()
  }
}

function lockedEnv(problem: string): Record<string, string> {
  const fail = (_: object, name: string | symbol) => {
    if (typeof name === 'symbol') return undefined
    throw new HaloError('VALIDATION', keysWords.lockedVariable(name, problem))
  }
  return new Proxy({}, { get: fail, getOwnPropertyDescriptor: fail })
}
