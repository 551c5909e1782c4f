import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { crashAfter, registerWorld, whole } from '../unit/support-crash.ts'
import { crashExample, exampleTests, record } from '../unit/support-examples.ts'
import { programs } from '../unit/support-programs.ts'

beforeAll(registerWorld)

const PROGRAMS = Number(process.env.HALO_PROPERTY_RUNS ?? 200)

/** Of both tests together. */
let total = 0
afterAll(() => console.log(`${total} crash points in all`))

describe('a run that is killed', () => {
  test('after any journal entry, or in the middle of any call, goes on in every example with its files as they were', { timeout: 600_000 }, async () => {
    for (const example of exampleTests()) {
      const whole = await record(example)
      for (let length = 0; length <= whole.record.entries.length; length++) total += await crashExample(example, whole, length)
    }
    expect(total).toBeGreaterThan(200)
  })

  test('after any journal entry, or in the middle of any call, ends after resuming as it would have (200 programs)', { timeout: 600_000 }, async () => {
    const before = total
    const started = performance.now()
    let left = PROGRAMS
    for (const source of fc.sample(programs, { numRuns: PROGRAMS * 5, seed: 20_265 })) {
      const run = await whole(source)
      const { length: entries } = run.record.entries
      // Short ones have few places to crash at; each place of a long one takes long, and the property test has these.
      if (entries < 32 || entries > 75) continue
      for (let length = 0; length <= entries; length++) total += await crashAfter(length, source, run)
      if (--left === 0) break
    }
    expect(left).toBe(0)
    console.log(`${total - before} crash points of generated pipelines in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    if (process.env.HALO_PROPERTY_RUNS === undefined) expect(total).toBeGreaterThanOrEqual(10_000)
  })
})
