import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { openKeys, type KeysStorage, type KeyStore } from '../../src/lib/storage/keys.ts'
import { PASSPHRASE_ITERATIONS } from '../../src/lib/storage/keys-crypto.ts'
import type { KeysRecord } from '../../src/lib/storage/keys-record.ts'
import { problemOf } from '../../src/lib/storage/problem.ts'

const KEY = 'sk-planted-0123456789abcdefWXYZ'
const PASSPHRASE = 'correct horse battery'

/** Storage as several tabs see it. */
function disk() {
  let record: unknown
  let full = false
  let last: Promise<unknown> = Promise.resolve()
  const tabs = new Set<() => void>()
  const tab = (): KeysStorage => {
    let mine: (() => void) | undefined
    return {
      read: () => Promise.resolve(record),
      write(next) {
        if (full) return Promise.reject(problemOf('full'))
        record = next
        for (const changed of tabs) if (changed !== mine) changed()
        return Promise.resolve()
      },
      exclusive(work) {
        const turn = last.then(work, work)
        last = turn.catch(() => undefined)
        return turn
      },
      watch(changed) {
        mine = changed
        tabs.add(changed)
        return () => tabs.delete(changed)
      },
    }
  }
  return {
    tab,
    get record(): KeysRecord {
      return record as KeysRecord
    },
    set record(next: unknown) {
      record = next
    },
    set full(is: boolean) {
      full = is
    },
  }
}

let shared: ReturnType<typeof disk>
const open = (): Promise<KeyStore> => openKeys(shared.tab())
const save = (store: KeyStore, key = KEY): Promise<void> => store.update(({ providers }) => void (providers.openai = { apiKey: key, origin: 'https://api.openai.com' }))
const keyOf = (store: KeyStore): string | undefined => store.content()?.providers.openai?.apiKey
/** Every byte that lies in storage, as text. */
function bytes(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('latin1')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value).map(([name, part]) => `${name} ${bytes(part)}`).join('\n')
}
beforeEach(() => {
  shared = disk()
})

describe('keys in this browser', () => {
  test('are there again after a reload, and nowhere in what is stored', async () => {
    await save(await open())
    expect(bytes(shared.record)).not.toContain('planted')
    const again = await open()
    expect(again.state()).toEqual({ status: 'open', protection: 'browser' })
    expect(keyOf(again)).toBe(KEY)
  })

  test('lie under a key whose bytes no script can have', async () => {
    await save(await open())
    const record = shared.record
    if (record.protection !== 'browser') throw new Error(record.protection)
    expect(record.key.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('raw', record.key)).rejects.toThrow()
  })

  test('nothing is written before there is something to keep', async () => {
    await open()
    expect(shared.record).toBeUndefined()
  })

  test('two tabs that save at once keep both', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await Promise.all([
      one.update(({ env }) => void (env.A = '1')),
      two.update(({ env }) => void (env.B = '2')),
      one.update(({ env }) => void (env.C = '3')),
    ])
    await expect.poll(() => [one.content()?.env, two.content()?.env]).toEqual([{ A: '1', B: '2', C: '3' }, { A: '1', B: '2', C: '3' }])
    expect((await open()).content()?.env).toEqual({ A: '1', B: '2', C: '3' })
  })

  test('whatever is kept comes back as it was', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, text, { noNullPrototype: true }), fc.dictionary(text, fc.record({ apiKey: text, baseUrl: text, models: fc.array(text) }), { noNullPrototype: true }), async (env, providers) => {
        shared = disk()
        await (await open()).update((content) => void Object.assign(content, { env, providers }))
        expect((await open()).content()).toEqual(JSON.parse(JSON.stringify({ env, providers })))
      }),
      { numRuns: 40 },
    )
  })
})

describe('a passphrase', () => {
  test('is asked for after a reload, and opens what was kept', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    expect(keyOf(store)).toBe(KEY)
    const again = await open()
    expect(again.state()).toEqual({ status: 'locked', protection: 'passphrase' })
    expect(again.content()).toBeUndefined()
    await again.unlock({ passphrase: PASSPHRASE })
    expect(keyOf(again)).toBe(KEY)
  })

  test('leaves no key behind that opens by itself, and states its rounds', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    expect(shared.record).not.toHaveProperty('key')
    expect(shared.record).toMatchObject({ derivation: { name: 'PBKDF2', hash: 'SHA-256', iterations: PASSPHRASE_ITERATIONS } })
    expect(PASSPHRASE_ITERATIONS).toBeGreaterThanOrEqual(600_000)
    expect(bytes(shared.record)).not.toContain(PASSPHRASE)
  })

  test('that is wrong is told apart from damage, and changes nothing', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    const before = shared.record
    const again = await open()
    await expect(again.unlock({ passphrase: 'correct horse batterz' })).rejects.toThrow('That is not the passphrase')
    expect(again.state().status).toBe('locked')
    expect(shared.record).toBe(before)
    await again.unlock({ passphrase: PASSPHRASE })
    expect(keyOf(again)).toBe(KEY)
  })

  test('is the same however the keyboard composes its letters', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: 'zo\u00eb zo\u00eb zo\u00eb' })
    const again = await open()
    await again.unlock({ passphrase: 'zoe\u0308 zoe\u0308 zoe\u0308' })
    expect(keyOf(again)).toBe(KEY)
  })

  test('can be changed, after which the old one opens nothing', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    await store.protect({ passphrase: 'another passphrase' })
    const again = await open()
    await expect(again.unlock({ passphrase: PASSPHRASE })).rejects.toThrow('not the passphrase')
    await again.unlock({ passphrase: 'another passphrase' })
    expect(keyOf(again)).toBe(KEY)
  })

  test('can be taken away, after which it opens by itself', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    await store.protect('browser')
    expect(keyOf(await open())).toBe(KEY)
  })

  test('needs eight characters', async () => {
    await expect((await open()).protect({ passphrase: 'short' })).rejects.toThrow('at least 8')
    expect(shared.record).toBeUndefined()
  })

  test('locks at a word, and then refuses changes', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    store.lock()
    expect(store.content()).toBeUndefined()
    await expect(save(store, 'other')).rejects.toThrow('locked')
    await store.unlock({ passphrase: PASSPHRASE })
    expect(keyOf(store)).toBe(KEY)
  })

  test('set in one tab locks the others', async () => {
    const [one, two] = await Promise.all([open(), open()])
    await save(one)
    await one.protect({ passphrase: PASSPHRASE })
    await expect.poll(() => two.state().status).toBe('locked')
    expect(two.content()).toBeUndefined()
    await two.unlock({ passphrase: PASSPHRASE })
    await two.update(({ env }) => void (env.A = 'from two'))
    await expect.poll(() => one.content()?.env.A).toBe('from two')
  })
})

describe('a passkey', () => {
  test('opens with its own secret alone', async () => {
    const passkey = { id: new Uint8Array([1, 2]), input: new Uint8Array(32) }
    const store = await open()
    await save(store)
    await store.protect({ passkey, secret: new Uint8Array(32).fill(7) })
    const again = await open()
    expect(again.state()).toEqual({ status: 'locked', protection: 'passkey' })
    expect(again.passkey()).toEqual(passkey)
    await expect(again.unlock({ passkey, secret: new Uint8Array(32).fill(8) })).rejects.toThrow('doesn’t open these keys')
    await again.unlock({ passkey, secret: new Uint8Array(32).fill(7) })
    expect(keyOf(again)).toBe(KEY)
  })
})

describe('without keeping', () => {
  test('keys last for the page and leave nothing behind', async () => {
    const store = await open()
    await save(store)
    await store.protect('session')
    expect(keyOf(store)).toBe(KEY)
    expect(shared.record).toEqual({ version: 1, protection: 'session' })
    await save(store, 'sk-second')
    expect(shared.record).toEqual({ version: 1, protection: 'session' })
    expect(keyOf(store)).toBe('sk-second')
    const again = await open()
    expect(again.state()).toEqual({ status: 'open', protection: 'session' })
    expect(again.content()).toEqual({ providers: {}, env: {} })
  })

  test('what was only in the tab can be kept after all', async () => {
    const store = await open()
    await store.protect('session')
    await save(store)
    await store.protect('browser')
    expect(keyOf(await open())).toBe(KEY)
  })

  test('a page without storage says so and works', async () => {
    const store = await openKeys(undefined)
    expect(store.state()).toMatchObject({ status: 'open', protection: 'session', unavailable: true, problem: expect.stringContaining('no storage') as string })
    await save(store)
    expect(keyOf(store)).toBe(KEY)
    await expect(store.protect({ passphrase: PASSPHRASE })).rejects.toThrow('no storage')
    expect(keyOf(store)).toBe(KEY)
  })
})

describe('when storage fails', () => {
  test('a full disk is said, and what was there stays', async () => {
    const store = await open()
    await save(store)
    shared.full = true
    await expect(save(store, 'sk-second')).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(keyOf(store)).toBe(KEY)
    await expect(store.protect({ passphrase: PASSPHRASE })).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    await expect(store.protect('session')).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(store.state()).toEqual({ status: 'open', protection: 'browser' })
    shared.full = false
    await save(store, 'sk-second')
    expect(keyOf(await open())).toBe('sk-second')
  })

  test('any changed byte is noticed, nothing is written over it, and it can be given up', async () => {
    const store = await open()
    await save(store)
    const whole = shared.record
    if (whole.protection !== 'browser') throw new Error(whole.protection)
    for (const at of [0, 5, whole.body.data.byteLength - 1]) {
      const data = whole.body.data.slice(0)
      new Uint8Array(data).set([(new Uint8Array(data)[at] ?? 0) ^ 1], at)
      const broken = { ...whole, body: { ...whole.body, data } }
      shared.record = broken
      const again = await open()
      expect(again.state()).toMatchObject({ status: 'damaged', problem: expect.stringContaining('can’t be read') as string })
      await expect(save(again, 'other')).rejects.toThrow('can’t be read')
      expect(shared.record).toBe(broken)
    }
    const again = await open()
    await again.discard()
    expect(again.state()).toEqual({ status: 'open', protection: 'browser' })
    await save(again, 'sk-new')
    expect(keyOf(await open())).toBe('sk-new')
  })

  test.each([null, 7, 'text', {}, { version: 1 }, { version: 1, protection: 'browser' }, { version: 1, protection: 'passphrase', check: 1 }, { version: 1, protection: 'no such' }])(
    'what is no record of keys is damage: %j',
    async (thing) => {
      shared.record = thing
      expect((await open()).state().status).toBe('damaged')
    },
  )

  test('a newer version’s record says to reload', async () => {
    shared.record = { version: 2, protection: 'browser' }
    expect((await open()).state().problem).toContain('newer version')
  })

  test('a weaker derivation can’t be slipped under a sealed record', async () => {
    const store = await open()
    await save(store)
    await store.protect({ passphrase: PASSPHRASE })
    const record = shared.record
    if (record.protection !== 'passphrase') throw new Error(record.protection)
    shared.record = { ...record, derivation: { ...record.derivation, iterations: 1 } }
    await expect((await open()).unlock({ passphrase: PASSPHRASE })).rejects.toThrow('not the passphrase')
  })
})

test('no code of keys and settings writes to the console', () => {
  const files = ['src/lib/storage', 'src/lib/app/settings'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  for (const file of files) expect(readFileSync(file, 'utf8'), file).not.toMatch(/console\./)
})
