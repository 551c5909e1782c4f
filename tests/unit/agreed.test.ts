import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { agreedIn, takeBack } from '../../src/lib/app/egress/agreed.ts'
import { Egress } from '../../src/lib/app/egress/egress.svelte.ts'
import { readAgreements } from '../../src/lib/app/share/agreements.ts'
import type { Workbench } from '../../src/lib/app/shell/workbench.svelte.ts'
import { makeFork } from '../../src/lib/app/travel/forking.ts'
import type { Travel } from '../../src/lib/app/travel/travel.svelte.ts'
import { openDatabase, type StoredRun } from '../../src/lib/storage/index.ts'

let n = 0
const project = { id: 'p', name: 'P' }

/** A tab asks about an address; what it gives answers yes. */
async function asked(egress: Egress, origin: string) {
  const permitted = egress.permitFor(project, () => false)(origin, `${origin}/x`, undefined)
  await expect.poll(() => egress.asking?.origin).toBe(origin)
  return () => {
    egress.asking?.answer(true)
    return permitted
  }
}

describe('addresses that two tabs ask about at once', () => {
  test('are both kept, and each once', async () => {
    const db = await openDatabase(undefined, `agreed-${n++}`)
    const [a, b, c] = [new Egress(db), new Egress(db), new Egress(db)]
    const answers = await Promise.all([asked(a, 'https://one.example'), asked(b, 'https://two.example'), asked(c, 'https://one.example')])
    expect(await Promise.all(answers.map((yes) => yes()))).toEqual([true, true, true])
    expect((await agreedIn(db)).map(({ origins }) => [...origins].sort())).toEqual([['https://one.example', 'https://two.example']])
  })

  test('stay taken back, whatever is agreed to meanwhile', async () => {
    const db = await openDatabase(undefined, `agreed-${n++}`)
    await db.put('settings', ['https://gone.example', 'https://gone.example'], 'egress:p')
    const yes = await asked(new Egress(db), 'https://one.example')
    const answered = yes()
    await Promise.all([takeBack(db, 'p', 'https://gone.example'), answered])
    expect((await agreedIn(db)).map(({ origins }) => origins)).toEqual([['https://one.example']])
  })
})

test('what was agreed to twice is listed once', () => {
  expect(readAgreements(['d', { digest: 'd', name: 'N' }, { digest: 'e' }])).toEqual([{ digest: 'd' }, { digest: 'e' }])
})

test('a fork that could not be stored leaves no files behind', async () => {
  const db = await openDatabase(undefined, `agreed-${n++}`)
  await db.put('projects', { id: 'p', name: 'P', files: { 'main.halo': '' }, active: 'main.halo', fields: {}, opened: 1 })
  const full = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        if (name === 'transaction' && Array.isArray(args[0]) && args[0].includes('entries')) throw new DOMException('full', 'QuotaExceededError')
        return value.apply(target, args)
      }
    },
  })
  const start = { runId: 'r', at: 1, pipeline: 'Main', args: {}, main: 'main.halo', sources: { 'main.halo': 'pipeline Main -> String : System.Value("x")' }, version: '' }
  const entries = [{ seq: 0, at: 1, path: '1', kind: 'clock' as const, target: 'now', value: 1 }]
  const run: StoredRun = { runId: 'r', pipeline: 'Main', project: 'p', at: 1, entries: 1, asked: [] }
  const bench = { db: full, runs: [], refreshRuns: async () => undefined, trust: { ask: async () => true } }
  const fork = makeFork(bench as unknown as Workbench, { run, record: { start, entries }, files: {} } as unknown as Travel, { at: 0, program: { kind: 'then' } })
  await expect(fork).rejects.toThrow(/room|full/i)
  expect(await db.count('workspaces')).toBe(0)
})
