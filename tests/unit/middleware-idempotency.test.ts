import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { idempotencyKey, memoryIdempotencyStore, once, withIdempotency, type CallIdentity, type IdempotencyStore } from '../../src/lib/halo/tools/middleware/idempotency.ts'
import { sleep } from '../../src/lib/halo/tools/middleware/time.ts'
import { testTool, toolContext } from './middleware-kit.ts'

/** A store as slow as one on a disk. */
function slowStore(): IdempotencyStore {
  const inner = memoryIdempotencyStore()
  return {
    get: async (key) => (await sleep(1), inner.get(key)),
    set: async (key, result) => (await sleep(1), inner.set(key, result)),
    delete: async (key) => (await sleep(1), inner.delete(key)),
  }
}

describe('equal calls', () => {
  test('share one execution and one result, however they interleave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), after: fc.nat(6), takes: fc.nat(6) }), { minLength: 1, maxLength: 20 }), fc.boolean(), async (calls, slow) => {
        const store = slow ? slowStore() : memoryIdempotencyStore()
        const runs = new Map<string, number>()
        const results = await Promise.all(
          calls.map(async ({ key, after, takes }) => {
            await sleep(after)
            const { value, cached } = await once(
              key,
              async () => {
                const nth = (runs.get(key) ?? 0) + 1
                runs.set(key, nth)
                await sleep(takes)
                return `${key}${nth}`
              },
              { store },
            )
            return { key, value, cached }
          }),
        )
        for (const { key, value } of results) expect(value).toBe(`${key}1`)
        for (const [key, count] of runs) {
          expect(count).toBe(1)
          expect(results.filter((result) => result.key === key && !result.cached)).toHaveLength(1)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('that fail are given the failure and not kept: the next runs again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 4 }), async (fails, together) => {
        const store = memoryIdempotencyStore()
        let runs = 0
        let kept = false
        for (const fail of fails) {
          const before = runs
          const outcomes = await Promise.allSettled(
            Array.from({ length: together }, () =>
              once('k', async () => {
                runs++
                await sleep(0)
                if (fail) throw new Error('no')
                return runs
              }, { store }),
            ),
          )
          expect(runs - before).toBe(kept ? 0 : 1)
          expect(outcomes.every(({ status }) => status === (fail && !kept ? 'rejected' : 'fulfilled'))).toBe(true)
          kept ||= !fail
        }
      }),
      { numRuns: 60 },
    )
  })

  test('run again once the kept result has expired', async () => {
    const store = memoryIdempotencyStore()
    let time = 0
    let runs = 0
    const call = async (): Promise<unknown> => (await once('k', () => ++runs, { store, ttlMs: 100, now: () => time })).value
    expect([await call(), (time = 99, await call()), (time = 100, await call()), (time = 150, await call())]).toEqual([1, 1, 2, 2])
  })

  test('keep results that are null, false, empty or undefined', async () => {
    for (const value of [null, false, '', 0, undefined]) {
      const store = memoryIdempotencyStore()
      let runs = 0
      const run = (): unknown => (runs++, value)
      expect((await once('k', run, { store })).value).toBe(value)
      expect(await once('k', run, { store })).toEqual({ value, cached: true })
      expect(runs).toBe(1)
    }
  })

  test('each have their own copy of the result', async () => {
    const store = memoryIdempotencyStore()
    const [first, second] = await Promise.all([1, 2].map(() => once('k', () => ({ list: [1] }), { store })))
    ;(first?.value as { list: number[] }).list.push(2)
    expect(second?.value).toEqual({ list: [1] })
    expect((await once('k', () => 'again', { store })).value).toEqual({ list: [1] })
  })

  test('do not fail because another run that was under way is stopped', async () => {
    const store = memoryIdempotencyStore()
    const stop = new AbortController()
    const first = once('k', () => sleep(60_000, stop.signal), { store, signal: stop.signal })
    const second = once('k', () => 'mine', { store, signal: new AbortController().signal })
    stop.abort(new HaloError('CANCELLED', 'stopped'))
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await second).toEqual({ value: 'mine', cached: false })
  })

  test('stop waiting when their own run is stopped, and leave the other alone', async () => {
    const store = memoryIdempotencyStore()
    const stop = new AbortController()
    let finish: (value: string) => void = () => {}
    const first = once('k', () => new Promise((resolve) => (finish = resolve)), { store })
    const second = once('k', () => 'mine', { store, signal: stop.signal })
    await sleep(0)
    stop.abort(new HaloError('CANCELLED', 'stopped'))
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' })
    finish('theirs')
    expect((await first).value).toBe('theirs')
  })

  test('can not keep what is no plain data', async () => {
    await expect(once('k', () => ({ f: () => 1 }), { store: memoryIdempotencyStore() })).rejects.toMatchObject({ code: 'TOOL_ERROR' })
  })

  test('fall out of a store in memory oldest first', () => {
    const store = memoryIdempotencyStore(2)
    for (const key of ['a', 'b', 'c']) void store.set(key, { value: key })
    expect(['a', 'b', 'c'].map((key) => store.get(key) !== undefined)).toEqual([false, true, true])
  })
})

describe('the key of a call', () => {
  const call: CallIdentity = { provider: 'Web', config: { allow: ['https://a.example'] }, method: 'fetch', args: { url: 'x', n: 1 } }
  const ids = { runId: 'r1', sessionId: 's1' }

  test('is the same for arguments in any order', async () => {
    expect(await idempotencyKey({ ...call, args: { n: 1, url: 'x' } }, 'run', ids)).toBe(await idempotencyKey(call, 'run', ids))
  })
  test('differs with provider, configuration, method, arguments, key and scope', async () => {
    const others = await Promise.all([
      idempotencyKey(call, 'run', ids),
      idempotencyKey(call, 'session', ids),
      idempotencyKey(call, 'global', ids),
      idempotencyKey(call, 'run', { runId: 'r2' }),
      ...[{ provider: 'Http' }, { config: {} }, { method: 'search' }, { args: { url: 'x' } }, { key: 'x' }, { key: { url: 'x', n: 1 } }].map((part) => idempotencyKey({ ...call, ...part }, 'run', ids)),
    ])
    expect(new Set(others).size).toBe(others.length)
  })
  test('leaves the arguments out where a key is given', async () => {
    expect(await idempotencyKey({ ...call, key: 7 }, 'run', ids)).toBe(await idempotencyKey({ ...call, args: {}, key: 7 }, 'run', ids))
  })
  test('holds no secret of the configuration', async () => {
    expect(await idempotencyKey({ ...call, config: { token: 'xoxb-secret' } }, 'global', ids)).not.toContain('xoxb')
  })
  test('of scope session needs a session', async () => {
    await expect(idempotencyKey(call, 'session', { runId: 'r1' })).rejects.toMatchObject({ code: 'VALIDATION' })
  })
  test('says which call has arguments without a JSON form', async () => {
    await expect(idempotencyKey({ ...call, args: { n: Number.NaN } }, 'run', ids)).rejects.toThrow('Web.fetch')
  })
})

describe('withIdempotency', () => {
  test('runs equal calls once in a run and again in the next', async () => {
    let runs = 0
    const tool = withIdempotency()(testTool({ execute: () => ++runs }))
    expect([await tool.execute({ a: 1 }, toolContext()), await tool.execute({ a: 1 }, toolContext()), await tool.execute({ a: 2 }, toolContext())]).toEqual([1, 1, 2])
    expect(await tool.execute({ a: 1 }, toolContext({ runId: 'run-2' }))).toBe(3)
  })
  test('takes the key of the call from its arguments', async () => {
    let runs = 0
    const tool = withIdempotency({ key: ({ id }) => id, scope: 'global' })(testTool({ execute: () => ++runs }))
    expect([await tool.execute({ id: 1, note: 'a' }, toolContext()), await tool.execute({ id: 1, note: 'b' }, toolContext({ runId: 'other' }))]).toEqual([1, 1])
  })
})
