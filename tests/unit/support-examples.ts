/** Each example's tests as runs on files that are really there, to be cut off and taken up again. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { link } from '../../src/lib/halo/check/program.ts'
import { parse } from '../../src/lib/halo/parse.ts'
import { memoryJournal } from '../../src/lib/halo/run/journal.ts'
import { recordingOf } from '../../src/lib/halo/recordings/recording.ts'
import { replayMocks } from '../../src/lib/halo/recordings/replay-mocks.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import type { InterruptRequest, JournalEntry, JournalRecord, JournalStore, Mock, RunResult } from '../../src/lib/halo/run/types.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import type { HaloFile, TestDeclaration } from '../../src/lib/halo/syntax/ast.ts'
import { answersOf } from '../../src/lib/halo/testing/answers.ts'
import { readBlock } from '../../src/lib/halo/testing/block.ts'
import { answersInTurn } from '../../src/lib/halo/testing/sequence.ts'

const FOLDER = new URL('../../examples/', import.meta.url)

export interface ExampleTest {
  name: string
  file: HaloFile
  test: TestDeclaration
}

export function exampleTests(): ExampleTest[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.halo'))
    .flatMap((name) => {
      const file = parse(readFileSync(new URL(name, FOLDER), 'utf8'), { path: name })
      return file.tests.map((test) => ({ name: `${name}: ${test.name}`, file, test }))
    })
}

interface Recorded {
  result: RunResult
  record: JournalRecord
  files: Record<string, string>
  /** The files when each entry was written, and at the end. */
  snapshots: Sandbox[]
}

function mocksOf({ file, test }: ExampleTest): Record<string, Mock> {
  return Object.fromEntries(readBlock(test, link(file)).mocks.map(({ target, agent, answers, span }) => [target, answersInTurn(target, answers, { agent, span })]))
}

/** The same mocks for what is left after a crash: each request gets what it got, whichever comes first. */
function mocksAfter(example: ExampleTest, { record }: Recorded, length: number): Record<string, Mock> {
  const { calls, ...recording } = recordingOf(record)
  const before = new Set(record.entries.slice(0, length).map(({ seq }) => seq))
  const left = replayMocks({ ...recording, calls: calls.filter(({ seq }) => !before.has(seq)) })
  const mocked = readBlock(example.test, link(example.file)).mocks.map(({ target }) => target)
  return Object.fromEntries(Object.entries(left).filter(([target]) => mocked.some((each) => target === each || target.startsWith(`${each}.`))))
}

/** A journal that takes a copy of the files whenever it is written to. */
function snapshotting(box: Sandbox, snapshots: Sandbox[]): JournalStore & { records: Map<string, JournalRecord> } {
  const journal = memoryJournal()
  return {
    ...journal,
    async append(runId, entry) {
      snapshots.push(await box.fork())
      await journal.append(runId, entry)
    },
  }
}

export async function record(example: ExampleTest): Promise<Recorded> {
  const block = readBlock(example.test, link(example.file))
  const box = memorySandbox({ files: block.files })
  const snapshots: Sandbox[] = []
  const journal = snapshotting(box, snapshots)
  const unanswered: string[] = []
  const runtime = new HaloRuntime({ journal, sandbox: () => box, onInterrupt: answersOf(block, (message) => unanswered.push(message)) })
  const result = await runtime.load(example.file).mockAll(mocksOf(example)).run(example.test.pipeline.name, block.args, { runId: 'run' })
  expect(unanswered).toEqual([])
  const kept = journal.records.get('run')
  if (kept === undefined) throw new Error('nothing was recorded')
  snapshots.push(await box.fork())
  return { result, record: kept, files: await filesIn(box), snapshots }
}

/**
 * Crashes after so many entries, with the files as they were when the last of them was written and as they were just before
 * the next, resumes and compares. Gives the number of crash points.
 */
export async function crashExample(example: ExampleTest, whole: Recorded, length: number): Promise<number> {
  const { entries, start } = whole.record
  const last = entries[length - 1]
  const inCall = last?.state === 'begun' && last.kind === 'tool'
  for (const happened of inCall ? [false, true] : [false]) {
    const box = await (whole.snapshots[happened ? length : Math.max(0, length - 1)] ?? memorySandbox()).fork()
    const journal = memoryJournal()
    journal.records.set('run', { start, entries: entries.slice(0, length) })
    const runtime = new HaloRuntime({ journal, sandbox: () => box, onInterrupt: personOf(whole.record, happened ? last : undefined) })
    const again = await runtime.load(example.file).mockAll(mocksAfter(example, whole, length)).resume('run')
    const at = `${example.name}, after ${length} of ${entries.length} entries${inCall ? `, the call had ${happened ? '' : 'not '}happened` : ''}`
    expect(essence(again), at).toEqual(essence(whole.result))
    expect(await filesIn(box), at).toEqual(whole.files)
    await box.dispose()
  }
  return inCall ? 2 : 1
}

/** Answers as the person did who was there, and knows of the call under way whether it happened. */
function personOf({ entries }: JournalRecord, underWay: JournalEntry | undefined): (request: InterruptRequest) => unknown {
  const answers = new Map(entries.filter(({ state }) => state === undefined).map((entry) => [`${entry.kind} ${entry.path}`, entry]))
  return ({ channel, path }) => {
    if (channel !== 'recovery') return answers.get(`${channel} ${path}`)?.value
    if (underWay === undefined || underWay.path !== path) return 'retry'
    const outcome = answers.get(`tool ${path}`)
    return outcome?.error === undefined ? { done: outcome?.value } : 'fail'
  }
}

function essence({ status, output, error, context }: RunResult) {
  const { data, meta } = context
  return { status, output, data, code: error?.code, calls: meta.calls.map(({ target }) => target).sort(), steps: meta.steps, violations: meta.violations.length }
}

async function filesIn(box: Sandbox): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const waiting = ['/']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { path, type } of await box.list(folder)) {
      if (type === 'directory') waiting.push(path)
      else files[path] = new TextDecoder().decode(await box.read(path))
    }
  }
  return files
}
