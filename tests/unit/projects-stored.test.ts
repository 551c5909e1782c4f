import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { openDB } from 'idb'
import { describe, expect, test } from 'vitest'
import { openDatabase, type Database, type StoredProject } from '../../src/lib/storage/database.ts'
import { merge, putBack, removeProject, renameProject, replaceProject, saveProject, type Base } from '../../src/lib/storage/projects.ts'
import { keepVersion, listVersions, VERSIONS_KEPT, VERSIONS_SIZE } from '../../src/lib/storage/versions.ts'

let n = 0
const fresh = (): Promise<Database> => openDatabase(undefined, `projects-${n++}`)
const project = (files: Record<string, string>, more: Partial<StoredProject> = {}): StoredProject => ({ id: 'p', name: 'P', files, active: Object.keys(files)[0] ?? '', fields: {}, opened: 1, ...more })
const base = (files: Record<string, string>, rev = 0): Base => ({ rev, name: 'P', files })
const version = (text: string) => ({ project: 'p', why: 'typing' as const, files: { 'main.halo': text }, active: 'main.halo' })

test('a database of version 1, with all that was in it, is one of version 2', async () => {
  const name = `old-${n++}`
  const rows = {
    projects: [project({ 'main.halo': 'text' }, { elsewhere: { digest: 'd', from: 'link' }, link: 'l' })],
    workspaces: [{ id: 'p', files: { '/a.txt': 'h' } }],
    runs: [{ runId: 'r', pipeline: 'Main', at: 5, entries: 1, asked: [] }],
    starts: [{ runId: 'r', at: 5, pipeline: 'Main', args: {}, main: 'main.halo', sources: {} }],
  }
  const old = await openDB(name, 1, {
    upgrade(db) {
      db.createObjectStore('projects', { keyPath: 'id' })
      db.createObjectStore('workspaces', { keyPath: 'id' })
      db.createObjectStore('contents')
      db.createObjectStore('runs', { keyPath: 'runId' }).createIndex('at', 'at')
      db.createObjectStore('starts', { keyPath: 'runId' })
      db.createObjectStore('entries')
      db.createObjectStore('events')
      db.createObjectStore('settings')
    },
  })
  for (const [store, all] of Object.entries(rows)) for (const row of all) await old.put(store, row)
  await old.put('contents', new Uint8Array([1, 2, 3]), 'h')
  await old.put('entries', { seq: 0 }, ['r', 0])
  await old.put('events', { type: 'x' }, ['r', 0])
  await old.put('settings', ['d'], 'agreed')
  old.close()

  const db = await openDatabase(undefined, name)
  expect(db.version).toBe(2)
  for (const [store, all] of Object.entries(rows)) expect(await db.getAll(store as 'projects')).toEqual(all)
  expect(await db.get('contents', 'h')).toEqual(new Uint8Array([1, 2, 3]))
  expect(await db.getAllFromIndex('runs', 'at')).toHaveLength(1)
  expect(await db.get('entries', ['r', 0])).toEqual({ seq: 0 })
  expect(await db.get('settings', 'agreed')).toEqual(['d'])
  // What was stored without a revision is gone on with.
  const saved = await saveProject(db, project({ 'main.halo': 'more' }), base({ 'main.halo': 'text' }))
  expect(saved).toMatchObject({ rev: 1, clash: false })
  expect(await keepVersion(db, version('more'))).toBe(true)
})

test('a page of version 1 that is open lets the newer one in, and says so', async () => {
  const name = `both-${n++}`
  let told = false
  const old = await openDB(name, 1, { blocking: (_a, _b, event) => ((event.target as IDBDatabase).close(), (told = true)) })
  const db = await openDatabase(undefined, name).catch((thrown: unknown) => thrown)
  expect(told).toBe(true)
  expect(db).not.toBeInstanceOf(Error)
  old.close()
})

describe('versions', () => {
  test('are listed newest first, and the same files make no second one', async () => {
    const db = await fresh()
    expect(await keepVersion(db, version('a'), 10)).toBe(true)
    expect(await keepVersion(db, version('a'), 20)).toBe(false)
    expect(await keepVersion(db, version('b'), 30)).toBe(true)
    expect(await keepVersion(db, { ...version('x'), project: 'other' }, 40)).toBe(true)
    expect((await listVersions(db, 'p')).map(({ at, files }) => [at, files['main.halo']])).toEqual([[30, 'b'], [10, 'a']])
  })
  test('of one moment, or of a clock that was put back, keep their order', async () => {
    const db = await fresh()
    for (const [text, at] of [['a', 100], ['b', 100], ['c', 50]] as const) await keepVersion(db, version(text), at)
    expect((await listVersions(db, 'p')).map(({ files }) => files['main.halo'])).toEqual(['c', 'b', 'a'])
  })
  test('never take more room than they may, whatever is kept, and the newest is always there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1_500_000 }), { minLength: 1, maxLength: 8 }), async (sizes) => {
        const db = await fresh()
        for (const [at, size] of sizes.entries()) await keepVersion(db, version(`${at}${'x'.repeat(size)}`), at + 1)
        const kept = await listVersions(db, 'p')
        expect(kept[0]?.files['main.halo']?.length).toBe(`${sizes.length - 1}`.length + (sizes.at(-1) ?? 0))
        const total = kept.reduce((sum, { files }) => sum + (files['main.halo']?.length ?? 0), 0)
        expect(kept.length === 1 || total <= VERSIONS_SIZE).toBe(true)
        db.close()
      }),
      { numRuns: 15 },
    )
    const db = await fresh()
    for (let at = 1; at <= VERSIONS_KEPT + 20; at++) await keepVersion(db, version(`${at}`), at)
    const kept = await listVersions(db, 'p')
    expect(kept).toHaveLength(VERSIONS_KEPT)
    expect(kept[0]?.files['main.halo']).toBe(`${VERSIONS_KEPT + 20}`)
  })
})

describe('two tabs', () => {
  test('no text of either is ever lost: it is in the project, or a version', async () => {
    const text = fc.constantFrom('', 'a', 'b', 'c')
    const files = fc.dictionary(fc.constantFrom('x', 'y', 'z'), text, { minKeys: 1 })
    await fc.assert(
      fc.asyncProperty(files, files, files, async (start, mine, theirs) => {
        const db = await fresh()
        const { rev } = await saveProject(db, project(start), base(start))
        await saveProject(db, project(theirs), base(start, rev))
        const saved = await saveProject(db, project(mine), base(start, rev))
        const now = (await db.get('projects', 'p'))?.files ?? {}
        const versions = await listVersions(db, 'p')
        expect(saved.files).toEqual(now)
        // My changes stand.
        for (const path of Object.keys(mine)) if (mine[path] !== start[path]) expect(now[path]).toBe(mine[path])
        // The other's are there too, or a version has them all.
        const there = Object.keys(theirs).every((path) => theirs[path] === start[path] || now[path] === theirs[path])
        expect(there || versions.some((one) => JSON.stringify(one.files) === JSON.stringify(theirs))).toBe(true)
        expect(Object.keys(now).length).toBeGreaterThan(0)
        db.close()
      }),
      { numRuns: 200 },
    )
  })
  test('two changes of different files are one', () => {
    expect(merge({ a: '1', b: '1' }, { a: '2', b: '1' }, { a: '1', b: '2', c: '3' })).toEqual({ files: { a: '2', b: '2', c: '3' }, clash: false })
    expect(merge({ a: '1' }, { a: '2' }, { a: '2' })).toEqual({ files: { a: '2' }, clash: false })
    expect(merge({ a: '1' }, { a: '2' }, { a: '3' })).toEqual({ files: { a: '2' }, clash: true })
    expect(merge({ a: '1', b: '1' }, { b: '1' }, { a: '1' })).toEqual({ files: { b: '1' }, clash: true })
  })
  test('what was added from elsewhere must be agreed to in the other tab too', async () => {
    const db = await fresh()
    const start = { 'main.halo': 'a' }
    const { rev } = await saveProject(db, project(start), base(start))
    const elsewhere = { digest: 'd', from: 'added' as const }
    await saveProject(db, project({ ...start, 'evil.halo': 'x' }, { elsewhere }), base(start, rev))
    const saved = await saveProject(db, project({ 'main.halo': 'b' }), base(start, rev))
    expect(saved).toMatchObject({ files: { 'main.halo': 'b', 'evil.halo': 'x' }, elsewhere })
    expect((await db.get('projects', 'p'))?.elsewhere).toEqual(elsewhere)
  })
  test('storing without a change doesn’t count as one', async () => {
    const db = await fresh()
    const start = { 'main.halo': 'a' }
    const { rev } = await saveProject(db, project(start), base(start))
    expect(await saveProject(db, project(start, { opened: 99 }), base(start, rev))).toMatchObject({ rev, changed: false })
    expect((await db.get('projects', 'p'))?.opened).toBe(99)
  })
})

test('a project that is replaced is a version; one that is deleted comes back whole', async () => {
  const db = await fresh()
  await saveProject(db, project({ 'main.halo': 'mine' }), base({}))
  const stored = await replaceProject(db, project({ 'main.halo': 'as it came' }), 'reset')
  expect(stored.rev).toBe(2)
  expect((await listVersions(db, 'p')).map(({ why, files }) => [why, files['main.halo']])).toEqual([['reset', 'mine']])
  await db.put('workspaces', { id: 'p', files: { '/a': 'h' }, baseline: {} })
  await renameProject(db, 'p', 'Other')
  const before = await db.get('projects', 'p')
  expect(before).toMatchObject({ name: 'Other', rev: 3 })
  const whole = await removeProject(db, 'p')
  expect([await db.get('projects', 'p'), await db.get('workspaces', 'p'), await listVersions(db, 'p')]).toEqual([undefined, undefined, []])
  if (whole) await putBack(db, whole)
  expect(await db.get('projects', 'p')).toEqual(before)
  expect(await db.get('workspaces', 'p')).toEqual({ id: 'p', files: { '/a': 'h' }, baseline: {} })
  expect(await listVersions(db, 'p')).toHaveLength(1)
  expect(await removeProject(db, 'none')).toBeUndefined()
})
