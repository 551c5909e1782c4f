import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import type { InterruptRequest, JournalEntry, RunResult, RuntimeConfig } from '../../src/lib/halo/run/types.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { modelAnswer, personAnswer, programs, WORLD_INFO, worldAnswer, worldProvider } from './support-programs.ts'

/** What happened in the world of one run: each call that was made, by its id. */
let made = new Set<string>()
let twice: string[] = []

beforeAll(() => {
  registerToolProvider('TestWorld', worldProvider((context, method) => {
    // Reads may be repeated; nothing else may.
    if (method !== 'look' && made.has(context.callId)) twice.push(context.callId)
    made.add(context.callId)
  }), WORLD_INFO)
})

/** The tools here have no files. */
const noFiles = () => ({ open: () => ({}) }) as unknown as Sandbox

function clock() {
  // Stands still: what is asked of it after a crash can't be what it would have been.
  return { now: () => 1_000_000, sleep: () => new Promise<void>(() => {}), uuid: () => 'id' }
}

function runtime(config: RuntimeConfig) {
  const agents = Object.fromEntries(['Worker.work', 'Worker.side', 'Plain.think', 'Plain.draft', 'Plain.side', 'Bound.act'].map((name) => [name, modelAnswer]))
  return new HaloRuntime({ sandbox: noFiles, ...config }).mockAll(agents)
}

/** What of a result has to be the same, however it was reached; the clock is not. */
function essence(result: RunResult, parallel: boolean) {
  const { status, output, error, context } = result
  const { data, meta } = context
  if (status !== 'completed') {
    // Of parallel work, which failure comes first is a matter of timing until it is written down.
    return parallel ? 'not completed' : { status, code: error?.code, message: error?.message, path: error?.path }
  }
  return JSON.parse(JSON.stringify({ status, output, data, calls: meta.calls.length, violations: meta.violations.length, steps: meta.steps })) as unknown
}

/** A person at the keyboard, who knows after a crash what became of a call. */
function person(request: InterruptRequest): unknown {
  if (request.channel !== 'recovery') return personAnswer(request)
  const id = `run:${request.path}`
  if (!made.has(id)) return 'retry'
  const method = request.named.target?.split('.')[1] ?? ''
  try {
    return { done: worldAnswer(method, request.named.args ?? {}) }
  } catch {
    return 'fail'
  }
}

async function whole(source: string) {
  made = new Set()
  const journal = memoryJournal()
  const result = await runtime({ journal, onInterrupt: personAnswer, clock: clock() }).load(parse(source)).run('Main', { start: 5 }, { runId: 'run' })
  const record = journal.records.get('run')
  if (record === undefined) throw new Error('no journal')
  return { result, record, calls: [...made] }
}

describe('a run that is resumed from a prefix of its journal', () => {
  let points = 0
  test('ends with the same result, whatever the prefix, and makes no call twice (1,000 programs)', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        // Which of parallel calls gets the last place that MaxCalls leaves is a matter of timing until it is written down.
        const source = program.includes('|*') ? program.replace(/ & MaxCalls\([^)]*\)/, '') : program
        const { result, record } = await whole(source)
        const { entries } = record
        const parallel = source.includes('|*')
        for (const length of cuts(entries.length)) {
          const prefix = entries.slice(0, length)
          const last = prefix.at(-1)
          // A crash in mid call: the call may have happened or not.
          for (const happened of last?.state === 'begun' && last.kind === 'tool' ? [true, false] : [false]) {
            points++
            made = new Set(answered(prefix))
            if (happened && last !== undefined) made.add(`run:${last.path}`)
            twice = []
            const journal = memoryJournal()
            journal.records.set('run', { start: record.start, entries: [...prefix] })
            const again = await runtime({ journal, onInterrupt: person, clock: clock() }).resume('run')
            const failed = happened && last?.target === 'World.fail'
            if (!failed) expect(essence(again, parallel), `after ${length} of ${entries.length} entries`).toEqual(essence(result, parallel))
            expect(twice).toEqual([])
          }
        }
      }),
      { numRuns: Number(process.env.HALO_PROPERTY_RUNS ?? 1000), seed: 20_261 },
    )
    console.log(`${points} crash points`)
  })
})

/** Every place to cut a short journal, and some of a long one, other ones each time. */
function cuts(length: number): number[] {
  const all = Array.from({ length }, (_, i) => i)
  const step = Math.ceil(length / 12)
  return all.filter((i) => (i + length) % step === 0)
}

/** Ids of the calls whose outcome the journal has. */
function answered(entries: JournalEntry[]): string[] {
  return entries.filter((entry) => entry.kind === 'tool' && entry.state === undefined).map((entry) => `run:${entry.path}`)
}
