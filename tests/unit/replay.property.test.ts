import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { replay } from '../../src/lib/halo/run/replay.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import { readLines, toLines } from '../../src/lib/halo/recordings/lines.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { modelAnswer, personAnswer, programs, WORLD_INFO, worldProvider } from './support-programs.ts'

/** How long each call of the run under way takes; in a replay nothing may ask. */
let delay: () => Promise<void> = () => Promise.resolve()
beforeAll(() => registerToolProvider('TestWorld', worldProvider(() => delay()), WORLD_INFO))

const noFiles = () => ({ open: () => ({}) }) as unknown as Sandbox
const AGENTS = ['Worker.work', 'Worker.side', 'Plain.think', 'Plain.draft', 'Plain.side', 'Bound.act']
const untouched = () => {
  throw new Error('a replay asked the world')
}

/** Runs with the answers of the world coming in any order. */
async function recorded(source: string, seed: number) {
  let state = seed >>> 0
  const turns = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % 7
  const shuffled = async () => {
    for (let left = turns(); left > 0; left--) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  delay = shuffled
  const journal = memoryJournal()
  const agents = Object.fromEntries(AGENTS.map((name) => [name, async (request: Parameters<typeof modelAnswer>[0]) => (await shuffled(), modelAnswer(request))]))
  const runtime = new HaloRuntime({ journal, sandbox: noFiles, onInterrupt: async (request) => (await shuffled(), personAnswer(request)) })
  const result = await runtime.load(parse(source)).mockAll(agents).run('Main', { start: 5 }, { runId: 'run' })
  const record = journal.records.get('run')
  if (record === undefined) throw new Error('no journal')
  return { result, record: readLines(toLines(record)).record }
}

function replayed(source: string, record: Awaited<ReturnType<typeof recorded>>['record']) {
  delay = untouched
  return replay(parse(source), record, { config: { sandbox: untouched, onInterrupt: untouched } })
}

describe('a replay of a recorded run', () => {
  test('ends as it ended, whatever order the answers of parallel work came in', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.nat(), async (source, seed) => {
        const { result, record } = await recorded(source, seed)
        const again = await replayed(source, record)
        expect(again.result.error?.message).toEqual(result.error?.message)
        expect(again).toMatchObject({ same: true, differences: [] })
        expect(again.result.output).toEqual(result.output)
        expect(again.result.context.data).toEqual(JSON.parse(JSON.stringify(result.context.data)))
        if (result.status === 'completed') expect(again.unused).toEqual([])
      }),
      { numRuns: Number(process.env.HALO_PROPERTY_RUNS ?? 300), seed: 20_263 },
    )
  })

  test('ends as it ended when stages that change nothing are put before, between and beside the others', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.nat(), async (source, seed) => {
        const { result, record } = await recorded(source, seed)
        const edited = `// moved\n${source}`.replace(/\n {2}(start|topic)/g, '\n  $1 |> System.Log("in")').replace(/\n {4}\|> (Plain|Worker|World)/g, '\n    |> System.Log("here") |> $1')
        const again = await replayed(edited, record)
        expect(again.result.error?.message).toEqual(result.error?.message)
        expect(again).toMatchObject({ same: true, differences: [] })
      }),
      { numRuns: Number(process.env.HALO_PROPERTY_RUNS ?? 300), seed: 20_264 },
    )
  })
})
