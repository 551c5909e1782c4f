/** Cutting runs of programs made at random off at a point of their journal, and taking them up again. */
import { expect } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import type { InterruptRequest, JournalEntry, JournalRecord, RunResult, RuntimeConfig } from '../../src/lib/halo/run/types.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { modelAnswer, personAnswer, WORLD_INFO, worldAnswer, worldProvider } from './support-programs.ts'

/** What happened in the world of one run: each call that was made, by its id. */
let made = new Set<string>()
let twice: string[] = []

export function registerWorld(): void {
  const provider = worldProvider((context, method) => {
    // Reads may be repeated; nothing else may.
    if (method !== 'look' && made.has(context.callId)) twice.push(context.callId)
    made.add(context.callId)
  })
  registerToolProvider('TestWorld', provider, WORLD_INFO)
}

/** The tools here have no files. */
const noFiles = () => ({ open: () => ({}) }) as unknown as Sandbox

function clock() {
  // Stands still: what is asked of it after a crash can't be what it would have been.
  return { now: () => 1_000_000, sleep: () => new Promise<void>(() => {}), uuid: () => 'id' }
}

const AGENTS = Object.fromEntries(['Worker.work', 'Worker.side', 'Plain.think', 'Plain.draft', 'Plain.side', 'Bound.act'].map((name) => [name, modelAnswer]))

function runtime(config: RuntimeConfig) {
  return new HaloRuntime({ sandbox: noFiles, ...config }).mockAll(AGENTS)
}

/** What of a result has to be the same, however it was reached; the clock is not. */
export function essence(result: RunResult, parallel: boolean) {
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

export interface Whole {
  result: RunResult
  record: JournalRecord
}

/** The run without a crash. */
export async function whole(source: string): Promise<Whole> {
  made = new Set()
  const journal = memoryJournal()
  const result = await runtime({ journal, onInterrupt: personAnswer, clock: clock() }).load(parse(source)).run('Main', { start: 5 }, { runId: 'run' })
  const record = journal.records.get('run')
  if (record === undefined) throw new Error('no journal')
  return { result, record }
}

/** Crashes after so many entries, resumes, and compares. Gives the number of crash points: in mid call there are two. */
export async function crashAfter(length: number, source: string, { result, record }: Whole): Promise<number> {
  const parallel = source.includes('|*')
  // Who of parallel work comes first to the last call that MaxCalls allows is a matter of timing, too.
  const racing = parallel && record.entries.some(({ kind, path, value }) => kind === 'verdict' && path.endsWith('/limit') && value !== null)
  const prefix = record.entries.slice(0, length)
  const last = prefix.at(-1)
  // A crash in mid call: the call may have happened or not.
  const cases = last?.state === 'begun' && last.kind === 'tool' ? [true, false] : [false]
  for (const happened of cases) {
    made = new Set(answered(prefix))
    const before = made.size
    if (happened && last !== undefined) made.add(`run:${last.path}`)
    twice = []
    const journal = memoryJournal()
    journal.records.set('run', { start: record.start, entries: [...prefix] })
    const again = await runtime({ journal, onInterrupt: person, clock: clock() }).resume('run')
    const at = `after ${length} of ${record.entries.length} entries of\n${source}`
    // What a call that failed had said before the crash nobody knows.
    if (!racing && !(happened && last?.target === 'World.fail')) expect(essence(again, parallel), at).toEqual(essence(result, parallel))
    expect(twice, at).toEqual([])
    const kept = journal.records.get('run')
    expect(kept?.entries.slice(0, length), at).toEqual(prefix)
    expect(kept?.end?.status, at).toBe(again.status)
    expect(made.size, at).toBeGreaterThanOrEqual(before)
  }
  return cases.length
}

/** Ids of the calls whose outcome the journal has. */
function answered(entries: JournalEntry[]): string[] {
  return entries.filter((entry) => entry.kind === 'tool' && entry.state === undefined).map((entry) => `run:${entry.path}`)
}
