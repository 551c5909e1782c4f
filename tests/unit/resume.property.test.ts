import fc from 'fast-check'
import { beforeAll, describe, test } from 'vitest'
import { crashAfter, registerWorld, whole } from './support-crash.ts'
import { programs } from './support-programs.ts'

beforeAll(registerWorld)

describe('a run that is resumed from a prefix of its journal', () => {
  test('ends with the same result and makes no call twice (1,000 programs, three places each)', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), async (source, places) => {
        const run = await whole(source)
        const { length } = run.record.entries
        for (const place of new Set(places.map((each) => each % (length + 1)))) await crashAfter(place, source, run)
      }),
      { numRuns: Number(process.env.HALO_PROPERTY_RUNS ?? 1000), seed: 20_261 },
    )
  })
})
