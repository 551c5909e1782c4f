import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { JournalEntry, JournalRecord } from '../../src/lib/halo/index.ts'
import { forkRecord } from '../../src/lib/halo/replay.ts'
import { collectContents, GRACE, holdContents } from '../../src/lib/storage/collect.ts'
import { createContentStore, createJournalStore, keepWhole, openDatabase, saveWorkspace, type Database } from '../../src/lib/storage/index.ts'

// Without locks: collections of two tabs may even overlap.
beforeAll(() => void vi.stubGlobal('navigator', {}))

let databases = 0
const named = () => `collect-${databases++}`
const bytes = (text: string) => new TextEncoder().encode(text)
const put = async (db: Database, ...hashes: string[]) => {
  for (const hash of hashes) await createContentStore(db).put(hash, bytes(`content of ${hash}`))
}
const entry = (seq: number, more: Partial<JournalEntry> = {}): JournalEntry => ({ seq, at: seq, path: String(seq), kind: 'tool', target: 'W.write', value: 'x', ...more })
let runs = 0
const record = (runId: string, entries: JournalEntry[] = [], more: Partial<JournalRecord['start']> = {}): JournalRecord => ({
  start: { runId, pipeline: 'Main', args: {}, main: 'a', sources: { a: '' }, at: runs++, version: '0.1.0', ...more },
  entries,
  end: { status: 'completed', output: 1, at: 2 },
})
const left = async (db: Database) => (await db.getAllKeys('contents')).sort()
/** Marks, and takes away once the time has passed. */
async function collectAll(db: Database, from = 0): Promise<number> {
  await collectContents(db, { now: from })
  return (await collectContents(db, { now: from + GRACE })).removed
}

describe('contents that nothing refers to', () => {
  test('go once a while has passed, and those of runs, entries, forks and workspaces stay', async () => {
    const db = await openDatabase(undefined, named())
    await put(db, 'base', 'before', 'after', 'space', 'undo', 'edit', 'nobody')
    await keepWhole(db, record('r', [entry(0, { files: [{ path: '/a', before: 'before', after: 'after' }] })]), { baseline: { '/b': 'base' } })
    await saveWorkspace(db, { id: 'w', files: { '/c': 'space' }, baseline: { '/c': 'undo' } })
    await keepWhole(db, forkRecord(record('r', [entry(0)]), { at: 0, runId: 'f', files: { '/d': 'edit', '/e': null } }), {})
    expect(await collectContents(db, { now: 1 })).toEqual({ removed: 0, again: GRACE })
    expect(await collectContents(db, { now: GRACE })).toEqual({ removed: 0, again: 1000 })
    expect(await left(db)).toContain('nobody')
    expect(await collectContents(db, { now: GRACE + 1 })).toEqual({ removed: 1 })
    expect(await left(db)).toEqual(['after', 'base', 'before', 'edit', 'space', 'undo'])
    expect(await collectContents(db, { now: 9 * GRACE })).toEqual({ removed: 0 })

    await createJournalStore(db).remove('r')
    await createJournalStore(db).remove('f')
    await saveWorkspace(db, { id: 'w', files: {} })
    expect(await collectAll(db, 10 * GRACE)).toBe(6)
    expect(await left(db)).toEqual([])
    // No mark outlives what it was of.
    expect(await db.getAllKeys('settings')).toEqual([])
    db.close()
  })

  test('stay when they are put again meanwhile, and when something refers to them again', async () => {
    const db = await openDatabase(undefined, named())
    await put(db, 'again', 'copied', 'gone')
    await collectContents(db, { now: 0 })
    await put(db, 'again')
    await saveWorkspace(db, { id: 'w', files: { '/a': 'copied' } })
    expect(await collectContents(db, { now: GRACE })).toMatchObject({ removed: 1 })
    expect(await left(db)).toEqual(['again', 'copied'])
    // A mark that was taken away counts no more: the time begins anew.
    await saveWorkspace(db, { id: 'w', files: {} })
    expect(await collectContents(db, { now: 2 * GRACE - 1 })).toMatchObject({ removed: 0 })
    expect(await left(db)).toEqual(['again', 'copied'])
    expect(await collectContents(db, { now: 3 * GRACE })).toMatchObject({ removed: 2 })
    db.close()
  })

  test('stay while someone holds them', async () => {
    const db = await openDatabase(undefined, named())
    await put(db, 'held')
    await collectContents(db, { now: 0 })
    const release = holdContents()
    expect(await collectContents(db, { now: GRACE })).toMatchObject({ removed: 0 })
    release()
    await Promise.resolve()
    expect(await collectContents(db, { now: GRACE })).toMatchObject({ removed: 1 })
    db.close()
  })

  test('of a long recording are found slice by slice, and only new entries are read the next time', async () => {
    const db = await openDatabase(undefined, named())
    const entries = Array.from({ length: 1001 }, (_, seq) => entry(seq, seq % 500 === 0 ? { files: [{ path: '/a', after: `h${seq}` }] } : {}))
    await put(db, 'h0', 'h500', 'h1000', 'h1001', 'x')
    await keepWhole(db, record('long', entries), {})
    await collectContents(db, { now: 0 })
    await createJournalStore(db).append('long', entry(1001, { files: [{ path: '/a', after: 'h1001' }] }))
    expect(await collectContents(db, { now: GRACE })).toEqual({ removed: 1 })
    expect(await left(db)).toEqual(['h0', 'h1000', 'h1001', 'h500'])
    db.close()
  })

  test('of a file that brings other entries under a known id are kept', async () => {
    const db = await openDatabase(undefined, named())
    await put(db, 'one', 'two')
    const with_ = (hash: string) => record('r', [entry(0, { files: [{ path: '/a', after: hash }] })])
    await keepWhole(db, with_('one'), {})
    await collectContents(db, { now: 0 })
    await createJournalStore(db).remove('r')
    await keepWhole(db, with_('two'), { imported: true })
    await collectAll(db, GRACE)
    expect(await left(db)).toEqual(['two'])
    db.close()
  })

  test.each([
    ['a recording that is imported', (db: Database) => keepWhole(db, record('i', [entry(0, { files: [{ path: '/a', after: 'x' }] })]), { imported: true })],
    ['a workspace that is copied', (db: Database) => saveWorkspace(db, { id: 'copy', files: { '/a': 'x' } })],
  ])('stay when %s refers to them while the collection is under way', async (_, meanwhile) => {
    const db = await openDatabase(undefined, named())
    await put(db, 'x', 'y')
    await keepWhole(db, record('r', [entry(0)]), {})
    await collectContents(db, { now: 0 })
    // Once the entries are read, and before anything is taken away.
    const under = new Proxy(db, {
      get: (target, key: keyof Database) => {
        if (key !== 'getAll') return typeof target[key] === 'function' ? (target[key] as () => unknown).bind(target) : target[key]
        return async (store: 'entries', range: IDBKeyRange, count: number) => {
          const found = await target.getAll(store, range, count)
          await meanwhile(target)
          return found
        }
      },
    })
    await collectContents(under, { now: GRACE })
    expect(await left(db)).toContain('x')
    await collectAll(db, 2 * GRACE)
    expect(await left(db)).toEqual(['x'])
    db.close()
  })

  test('nothing is taken away by a collection that is stopped', async () => {
    const db = await openDatabase(undefined, named())
    await put(db, 'x')
    await collectContents(db, { now: 0 })
    expect(await collectContents(db, { now: GRACE, signal: AbortSignal.abort() })).toMatchObject({ removed: 0 })
    expect(await left(db)).toEqual(['x'])
    db.close()
  })
})

/** What may happen in a tab. Numbers name runs, workspaces and contents. */
type Step =
  | { do: 'write'; workspace: number; hash: number }
  | { do: 'run'; run: number; workspace: number; hash: number }
  | { do: 'call'; run: number; hash: number }
  | { do: 'fork'; run: number; fork: number }
  | { do: 'remove'; run: number }
const few = fc.nat(3)
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('write' as const), workspace: few, hash: few }),
  fc.record({ do: fc.constant('run' as const), run: few, workspace: few, hash: few }),
  fc.record({ do: fc.constant('call' as const), run: few, hash: few }),
  fc.record({ do: fc.constant('fork' as const), run: few, fork: few }),
  fc.record({ do: fc.constant('remove' as const), run: few }),
)

/** As the app does it: a content is put, and what refers to it is written after. */
async function take(db: Database, step: Step): Promise<void> {
  const journal = createJournalStore(db)
  switch (step.do) {
    case 'write':
      await put(db, `h${step.hash}`)
      return saveWorkspace(db, { id: `w${step.workspace}`, files: { '/a': `h${step.hash}` } })
    case 'run': {
      const files = (await db.get('workspaces', `w${step.workspace}`))?.files ?? {}
      await put(db, `h${step.hash}`)
      await keepWhole(db, record(`r${step.run}`, [entry(0, { files: [{ path: '/a', after: `h${step.hash}` }] })]), { baseline: files })
      return
    }
    case 'call': {
      const run = await db.get('runs', `r${step.run}`)
      if (!run) return
      await put(db, `h${step.hash}`)
      return journal.append(run.runId, entry(run.entries, { files: [{ path: '/a', after: `h${step.hash}` }] }))
    }
    case 'fork': {
      // Refers to what the run referred to, and puts nothing.
      const of = await journal.load(`r${step.run}`)
      const run = await db.get('runs', `r${step.run}`)
      if (of && run && of.entries[0]) await keepWhole(db, forkRecord(of, { at: 0, runId: `r${step.fork}x` }), { ...(run.baseline ? { baseline: run.baseline } : {}) })
      return
    }
    case 'remove':
      await journal.remove(`r${step.run}`)
      return journal.remove(`r${step.run}x`)
  }
}

/** What anything refers to, by another way than the collection's. */
async function referred(db: Database): Promise<Set<string>> {
  const runs = await db.getAll('runs')
  const entries = (await Promise.all(runs.map(({ runId }) => db.getAll('entries', IDBKeyRange.bound([runId, 0], [runId, 1e9]))))).flat()
  const text = JSON.stringify([runs, entries, await db.getAll('workspaces')])
  return new Set(text.match(/"h\d"/g)?.map((hash) => hash.slice(1, -1)))
}

describe('laws of the collection', () => {
  test('nothing that is referred to is ever taken away, and nothing else stays', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(steps, { maxLength: 5 }), { maxLength: 8 }), async (rounds) => {
        const db = await openDatabase(undefined, named())
        for (const [i, round] of rounds.entries()) {
          for (const step of round) await take(db, step)
          await collectContents(db, { now: i * GRACE })
          expect(await left(db)).toEqual(expect.arrayContaining([...(await referred(db))]))
        }
        await collectAll(db, rounds.length * GRACE)
        expect(await left(db)).toEqual([...(await referred(db))].sort())
        db.close()
      }),
      { numRuns: 60, seed: 5 },
    )
  })

  test('not even while two tabs write, fork and delete', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.array(steps, { maxLength: 4 }), fc.array(steps, { maxLength: 4 })), { maxLength: 6 }), async (rounds) => {
        const name = named()
        const [one, other] = [await openDatabase(undefined, name), await openDatabase(undefined, name)]
        const tab = async (db: Database, taken: Step[]) => {
          for (const step of taken) await take(db, step)
        }
        for (const [i, [mine, theirs]] of rounds.entries()) {
          // Each writes down its references before the time of a mark is over; the collections stand anywhere between.
          await Promise.all([tab(one, mine), collectContents(one, { now: i * GRACE }), tab(other, theirs), collectContents(other, { now: i * GRACE })])
          expect(await left(one)).toEqual(expect.arrayContaining([...(await referred(one))]))
        }
        await collectAll(one, rounds.length * GRACE)
        expect(await left(one)).toEqual([...(await referred(one))].sort())
        one.close()
        other.close()
      }),
      { numRuns: 120, seed: 6 },
    )
  })
})

test('entries of recordings that came from files are read once, and anew where another file brings the same run', async () => {
  const db = await openDatabase(undefined, named())
  await put(db, 'first', 'second', 'nobody')
  const brought = (hash: string) => keepWhole(db, { ...record('r', [entry(0, { files: [{ path: '/a', after: hash }] })]), start: { ...record('r').start, at: 5 } }, { imported: true })
  let read = 0
  const counting = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const given: unknown = value.apply(target, args)
        return name === 'getAll' && args[0] === 'entries' ? (given as Promise<unknown[]>).then((all) => ((read += all.length), all)) : given
      }
    },
  })
  await brought('first')
  for (let n = 0; n < 3; n++) await collectContents(counting, { now: n })
  expect(read).toBe(1)
  await createJournalStore(db).remove('r')
  await brought('second')
  await collectContents(counting, { now: 10 * GRACE })
  await collectContents(counting, { now: 11 * GRACE })
  expect(await left(db)).toEqual(['second'])
  db.close()
})
