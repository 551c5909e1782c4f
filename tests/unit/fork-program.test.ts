import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, registerToolProvider, useTool, type JournalRecord, type Mock } from '../../src/lib/halo/index.ts'
import { forkProgram, forkRecord, keepRecord, type ForkMismatch } from '../../src/lib/halo/replay.ts'
import { HaloError } from '../../src/lib/halo/errors.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { modelAnswer, personAnswer, programs, WORLD_INFO, worldProvider } from './support-programs.ts'

/** Calls that reached the world. */
let world: string[] = []
const parameters = { type: 'object', properties: { text: {} }, additionalProperties: false }
beforeAll(() => {
  const method = (name: string) => ({ text }: { text?: unknown }) => {
    world.push(`${name} ${String(text)}`)
    return `${name} of ${String(text)}`
  }
  registerToolProvider('Bench', (() => ({ read: method('read'), write: method('write') })) as never, {
    read: { description: 'Reads.', parameters, effect: 'read' },
    write: { description: 'Writes.', parameters, effect: 'write' },
  } as never)
  registerToolProvider('TestWorld', worldProvider(() => Promise.resolve()), WORLD_INFO)
})

const HEAD = `policy Asks : ApproveEffects(write)
tool W : Bench()
agent Clerk [mock/clerk] equips W requires Asks
agent Plain [mock/plain]
`

function sitting(mocks: Record<string, Mock> = {}) {
  const journal = memoryJournal()
  const asked: string[] = []
  const runtime = new HaloRuntime({ journal, onInterrupt: (request) => (asked.push(request.path), true) }).mockAll({
    Plain: ({ prompt }: { prompt: string }) => (world.push(`model ${prompt}`), `said ${prompt.length}`),
    ...mocks,
  })
  return {
    asked,
    async record(source: string, args: object = {}): Promise<JournalRecord> {
      world = []
      await runtime.load(parse(source, { path: 'main.halo' })).run('Main', args, { runId: 'original' })
      const kept = journal.records.get('original')
      if (kept === undefined) throw new Error('nothing was recorded')
      world = []
      asked.length = 0
      return structuredClone(kept)
    },
    async goOn(fork: JournalRecord) {
      await keepRecord(journal, fork)
      return runtime.resume(fork.start.runId)
    },
  }
}
const edited = (source: string) => parse(source, { path: 'main.halo' })

function entryAt(record: JournalRecord, kind: string, path: string): number {
  const found = record.entries.find((entry) => entry.kind === kind && entry.path === path && entry.state === undefined)
  if (found === undefined) throw new Error(`no ${kind} at ${path}: ${record.entries.map((entry) => `${entry.kind} ${entry.path}`).join(', ')}`)
  return found.seq
}
async function mismatchOf(forked: Promise<unknown>): Promise<HaloError & { data: ForkMismatch }> {
  const thrown: unknown = await forked.then(() => undefined, (error: unknown) => error)
  if (!(thrown instanceof HaloError) || thrown.code !== 'REPLAY_MISMATCH') throw new Error(`no mismatch: ${String(thrown)}`)
  return thrown as HaloError & { data: ForkMismatch }
}

describe('a fork with an edited program', () => {
  const SOURCE = `${HEAD}pipeline Main() : "" |> W.write(text: "one") |> Plain.think("{{input}}") |> W.write(text: "{{input}}")\n`

  test('repeats nothing that came before, and runs what comes after as it says now', async () => {
    const { record, goOn } = sitting()
    const original = await record(SOURCE)
    const file = edited(SOURCE.replace('text: "{{input}}")', 'text: "now {{input}}") |> W.read(text: "more")'))
    const fork = await forkProgram(file, original, { at: entryAt(original, 'agent', '2/step:1'), runId: 'fork' })
    expect(fork.start.sources).toEqual({ 'main.halo': file.source })
    expect(fork.start.forkOf).toMatchObject({ runId: 'original' })
    expect(await goOn(fork)).toMatchObject({ status: 'completed', output: 'read of more' })
    expect(world).toEqual(['write now said 12', 'read more'])
  })

  test('takes a changed answer with it, and asks anew where that is wanted', async () => {
    const { record, goOn } = sitting()
    const original = await record(SOURCE)
    const file = edited(SOURCE.replace('text: "{{input}}")', 'text: "now {{input}}")'))
    const at = entryAt(original, 'agent', '2/step:1')
    await goOn(await forkProgram(file, original, { at, runId: 'a', answer: { value: 'edited' } }))
    await goOn(await forkProgram(file, original, { at, runId: 'b', again: true }))
    expect(world).toEqual(['write now edited', 'model write of one', 'write now said 12'])
  })

  test('finds its stages again where others were put before them', async () => {
    const { record, goOn } = sitting()
    const original = await record(SOURCE)
    const file = edited(SOURCE.replace('"" |>', '"" |> System.Log("begins") |> System.Value("") |>').replace('text: "{{input}}")', 'text: "now {{input}}")'))
    const fork = await forkProgram(file, original, { at: entryAt(original, 'agent', '2/step:1'), runId: 'fork' })
    expect(fork.entries.map(({ path }) => path)).toEqual(['3', '3', '4/step:1', '4/step:1'])
    await goOn(fork)
    expect(world).toEqual(['write now said 12'])
  })

  test('says where something before it first differs, and a fork at that entry goes', async () => {
    const { record, goOn } = sitting()
    const original = await record(SOURCE)
    const file = edited(SOURCE.replace('think("{{input}}")', 'think("Briefly: {{input}}")'))
    const at = entryAt(original, 'tool', '3')
    const { message, data, span } = await mismatchOf(forkProgram(file, original, { at, runId: 'fork' }))
    expect(message).toContain('The first difference is at stage 2')
    expect(message).toContain('"write of one" was recorded, "Briefly: write of one" is asked for')
    expect(span).toBeDefined()
    expect(data).toMatchObject({ forkAt: original.entries.find(({ path }) => path === '2/step:1')?.seq, difference: { kind: 'agent', target: 'Plain.think', path: '2/step:1', recorded: { path: '2/step:1' } } })
    expect(await goOn(await forkProgram(file, original, { at: data.forkAt, again: true, runId: 'fork' }))).toMatchObject({ status: 'completed' })
    expect(world).toEqual(['model Briefly: write of one', 'write said 21'])
  })

  test('a stage put in before, a stage taken out before and an end before are such differences', async () => {
    const { record } = sitting()
    const original = await record(SOURCE)
    const at = entryAt(original, 'tool', '3')
    const put = await mismatchOf(forkProgram(edited(SOURCE.replace('|> Plain.think', '|> W.read(text: "new") |> Plain.think')), original, { at, runId: 'f' }))
    expect(put.message).toContain('W.read')
    const taken = await mismatchOf(forkProgram(edited(SOURCE.replace('|> W.write(text: "one")', '|> System.Value("write of one")')), original, { at, runId: 'f' }))
    expect(taken.data).toMatchObject({ forkAt: 0, difference: { recorded: { path: '1', target: 'W.write' } } })
    const ends = await mismatchOf(forkProgram(edited(SOURCE.replace('|> Plain.think', '|> System.Fail("too bad") |> Plain.think')), original, { at, runId: 'f' }))
    expect(ends.message).toContain('too bad')
  })

  test('a policy that no longer asks is a difference, and so is one that asks now', async () => {
    const { record } = sitting({ 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('W.write', { text: 'a' }) : 'done') })
    const source = `${HEAD}pipeline Main() : "" |> Clerk.work("Go", tools: [W]) |> W.read(text: "end")\n`
    const original = await record(source)
    const at = entryAt(original, 'tool', '2')
    const { data } = await mismatchOf(forkProgram(edited(source.replace('ApproveEffects(write)', 'ApproveEffects(external)')), original, { at, runId: 'f' }))
    expect(data.difference).toMatchObject({ kind: 'approval', recorded: { target: 'W.write' } })
    const free = source.replace('ApproveEffects(write)', 'ApproveEffects(external)')
    const journalled = sitting({ 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('W.write', { text: 'a' }) : 'done') })
    const unasked = await journalled.record(free)
    const asks = await mismatchOf(forkProgram(edited(source), unasked, { at: entryAt(unasked, 'tool', '2'), runId: 'f' }))
    expect(asks.data.difference).toMatchObject({ kind: 'approval', recorded: { target: 'W.write' }, actual: { target: 'W.write' } })
    expect(asks.message).toContain('W.write (an approval)')
  })

  test('a new parameter takes its default; arguments that no longer fit, and a pipeline that is gone, are said', async () => {
    const { record, goOn } = sitting()
    const source = `${HEAD}pipeline Main(name: String) : name |> W.write(text: "{{input}}") |> Plain.think("{{name}}")\n`
    const original = await record(source, { name: 'Ada' })
    const at = entryAt(original, 'tool', '1')
    const fork = await forkProgram(edited(source.replace('name: String', 'name: String, tone: String = "kind"').replace('"{{name}}"', '"{{tone}}"')), original, { at, runId: 'fork' })
    expect(fork.start.args).toEqual({ name: 'Ada', tone: 'kind' })
    await goOn(fork)
    expect(world).toEqual(['model kind\n\nwrite of Ada'])
    await expect(forkProgram(edited(source.replace('name: String', 'name: String, tone: String')), original, { at, runId: 'f' })).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(forkProgram(edited(source.replace('pipeline Main', 'pipeline Other')), original, { at, runId: 'f' })).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(forkProgram(edited(source), original, { at: 99, runId: 'f' })).rejects.toThrow(/no entry 99/)
  })

  test('a recording that came without its program can be forked with one', async () => {
    const { record, goOn } = sitting()
    const original = await record(SOURCE)
    const at = entryAt(original, 'agent', '2/step:1')
    const bare = { ...original, start: { ...original.start, main: '', sources: {} } }
    await goOn(await forkProgram(edited(SOURCE), bare, { at, runId: 'fork' }))
    // One that no longer reads is as good as none.
    const broken = { ...original, start: { ...original.start, sources: { 'main.halo': 'pipeline Main( :::' } } }
    await goOn(await forkProgram(edited(SOURCE), broken, { at, runId: 'other' }))
    expect(world).toEqual(['write said 12', 'write said 12'])
  })

  test('nothing in it waits for a person, and it can be stopped', async () => {
    const { record, asked } = sitting()
    const source = `${HEAD}pipeline Main() : "" |! yield("ok?") |> W.write(text: "one")\n`
    const original = await record(source)
    const fork = await forkProgram(edited(source), original, { at: 0, again: true, runId: 'f' })
    expect(fork.entries).toEqual([])
    expect(asked).toEqual([])
    const stopped = AbortSignal.abort()
    await expect(forkProgram(edited(source), original, { at: 0, again: true, runId: 'f', signal: stopped })).rejects.toThrow()
  })
})

describe('a fork with an edited program, inside', () => {
  test('a loop: the rest of that round, and the rounds after it', async () => {
    let drafts = 0
    const { record, goOn } = sitting({ 'Plain.draft': () => (world.push('draft'), `draft ${++drafts}`) })
    const source = `${HEAD}pipeline Main() : "x" |> Plain.draft("Draft") |> W.write(text: "{{input}}") |<> loop(Plain, "!ends_with(input, \\"3\\")", max: 5) |> W.write(text: "end")\n`
    const original = await record(source)
    drafts = 2
    const file = edited(source.replace('|> W.write(text: "end")', '|> W.write(text: "another end")').replace('"x" |>', '"x" |> System.Log("in") |>'))
    const fork = await forkProgram(file, original, { at: entryAt(original, 'agent', '1~2/step:1'), runId: 'fork' })
    expect((await goOn(fork)).status).toBe('completed')
    expect(world).toEqual(['write draft 2', 'draft', 'write draft 3', 'write another end'])
  })

  test('a nested pipeline: not the whole of it again', async () => {
    const { record, goOn } = sitting()
    const source = `${HEAD}pipeline Inner(text: String) : text |> W.write(text: "i1") |> Plain.think("{{input}}") |> W.write(text: "i3")
pipeline Main() : "m" |> W.write(text: "m1") |> Inner(text: input) |> W.write(text: "m3")\n`
    const original = await record(source)
    const file = edited(source.replace('"i3"', '"other"').replace('text |> W', 'text |> System.Log("in") |> W'))
    await goOn(await forkProgram(file, original, { at: entryAt(original, 'agent', '2>Inner.2/step:1'), runId: 'fork' }))
    expect(world).toEqual(['write other', 'write m3'])
  })

  test('parallel work: its own branch, what of the others no longer matches, and what follows the join', async () => {
    const { record, goOn } = sitting()
    const source = `${HEAD}pipeline Main() : "s" |* {
  W.write(text: "a1") |> Plain.left("{{input}}") |> W.write(text: "a2") as a,
  W.write(text: "b1") |> Plain.right("{{input}}") |> W.write(text: "b2") as b
} |> W.write(text: "end")\n`
    const original = await record(source)
    const at = entryAt(original, 'agent', '1a.2/step:1')
    await goOn(await forkProgram(edited(source.replace('"a2"', '"other"')), original, { at, runId: 'own' }))
    expect(world).toEqual(['write other', 'write end'])
    world = []
    await goOn(await forkProgram(edited(source.replace('Plain.right("{{input}}")', 'Plain.right("Now {{input}}")')), original, { at, runId: 'beside' }))
    expect([...world].sort()).toEqual(['model Now write of b1', 'write a2', 'write b2', 'write end'].sort())
    world = []
    const swapped = source.replace(/ {2}(W\.write\(text: "a1"\).*),\n {2}(W.*)\n/, '  $2,\n  $1\n')
    expect(swapped).not.toBe(source)
    await goOn(await forkProgram(edited(swapped), original, { at, runId: 'swapped' }))
    expect(world).toEqual(['write a2', 'write end'])
  })

  test('the items of an each, and a pipeline that an agent called', async () => {
    const { record, goOn } = sitting({ 'Boss.lead': ({ step }: { step: number }) => (world.push(`boss ${step}`), step === 1 ? useTool('Find.run', { text: 'q' }) : 'led') })
    const source = `${HEAD}tool Find : Pipeline(Deep)
agent Boss [mock/boss] equips Find
pipeline Deep(text: String) : text |> W.write(text: "n1") |> W.write(text: "n2")
pipeline Main() : [1, 2, 3] |* each(limit: 2) { W.write(text: "l{{item}}") |> W.read(text: "m{{item}}") } |> Boss.lead("Go", tools: [Find]) |> W.write(text: "end")\n`
    const original = await record(source)
    await goOn(await forkProgram(edited(source.replace('"m{{item}}"', '"M{{item}}"')), original, { at: entryAt(original, 'tool', '1[1].1'), runId: 'each' }))
    // The others' second stages no longer match either: they run again as the program says now.
    expect(world.filter((call) => call.startsWith('read')).sort()).toEqual(['read M1', 'read M2', 'read M3'])
    expect(world.some((call) => call.startsWith('write l'))).toBe(false)
    world = []
    await goOn(await forkProgram(edited(source.replace('"n2"', '"N2"')), original, { at: entryAt(original, 'tool', '2/step:1/call:0>Deep.1'), runId: 'agent' }))
    expect(world).toEqual(['write N2', 'boss 2', 'write end'])
  })
})

describe('laws of forks with another program', () => {
  const noFiles = () => ({ open: () => ({}) }) as unknown as Sandbox
  const AGENTS = ['Worker.work', 'Worker.side', 'Plain.think', 'Plain.draft', 'Plain.side', 'Bound.act']
  const clock = { now: () => 1_000, sleep: () => new Promise<void>(() => undefined), uuid: () => 'id' }
  function runtimeOver(journal = memoryJournal()) {
    const agents = Object.fromEntries(AGENTS.map((name) => [name, modelAnswer]))
    // Answers must not depend on where a stage stands.
    const runtime = new HaloRuntime({ journal, sandbox: noFiles, clock, onInterrupt: (request) => personAnswer({ ...request, path: '' }) })
    return { journal, runtime: runtime.mockAll(agents) }
  }
  /** What calls may still be made depends on who comes first, which forks change. */
  const unlimited = programs.map((source) => source.replace(' & MaxCalls("World.look", 4)', ''))
  async function recorded(source: string) {
    const { journal, runtime } = runtimeOver()
    const result = await runtime.load(parse(source)).run('Main', { start: 5 }, { runId: 'run' })
    const record = journal.records.get('run')
    if (record === undefined) throw new Error('no journal')
    return { result, record: structuredClone(record) }
  }
  const answersOf = ({ entries }: JournalRecord) =>
    entries.filter(({ state, kind }) => state === undefined && kind !== 'clock' && kind !== 'verdict').map(({ kind, target, value, error }) => JSON.stringify([kind, target, value, error?.message])).sort()
  /** Some entries of a long recording, all of a short one. */
  const sampled = ({ entries }: JournalRecord, seed: number) => entries.filter(({ state }, i) => state !== 'late' && (entries.length < 12 || (i * 7 + seed) % Math.ceil(entries.length / 8) === 0))
  const runs = Number(process.env.HALO_PROPERTY_RUNS ?? 120)

  test('the program as it was gives the same fork at every entry, and the same end', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(unlimited, fc.nat(1000), async (source, seed) => {
        const { result, record } = await recorded(source)
        for (const { seq } of sampled(record, seed)) {
          const fork = await forkProgram(parse(source), record, { at: seq, runId: `f${seq}`, madeAt: 1 })
          expect(fork).toEqual(forkRecord(record, { at: seq, runId: `f${seq}`, madeAt: 1 }))
          // A failure stops what is beside it at another point.
          if (result.status !== 'completed') continue
          const { journal, runtime } = runtimeOver()
          await keepRecord(journal, fork)
          const again = await runtime.resume(`f${seq}`)
          expect(again.output).toEqual(result.output)
          expect(answersOf(journal.records.get(`f${seq}`) ?? record)).toEqual(answersOf(record))
        }
      }),
      { numRuns: runs, seed: 77 },
    )
  })

  test('a program edited after the entry leaves all that came before, and what it runs is what it says', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(unlimited, fc.nat(1000), fc.boolean(), async (source, seed, moved) => {
        const { result, record } = await recorded(source)
        if (result.status !== 'completed') return
        const changed = moved ? source.replace(/\n {2}(start|topic)/g, '\n  $1 |> System.Log("in")').replace(/\n {4}\|> (Plain|Worker|World)/g, '\n    |> System.Log("here") |> $1') : source
        const file = parse(changed.replace('\npipeline Other', '\n    |> World.look(value: "added")\npipeline Other'))
        for (const { seq } of sampled(record, seed)) {
          const fork = await forkProgram(file, record, { at: seq, runId: `f${seq}` })
          expect(fork.entries.map(({ path: _, ...entry }) => entry)).toEqual(forkRecord(record, { at: seq, runId: `f${seq}` }).entries.map(({ path: _, ...entry }) => entry))
          const { journal, runtime } = runtimeOver()
          await keepRecord(journal, fork)
          expect((await runtime.resume(`f${seq}`)).status).toBe('completed')
          const after = journal.records.get(`f${seq}`)
          const added = after?.entries.filter(({ request = null }) => JSON.stringify(request).startsWith('{"value":"added"')) ?? []
          expect(added).toHaveLength(1)
          expect(answersOf({ ...record, entries: after?.entries.filter((entry) => entry !== added[0]) ?? [] })).toEqual(answersOf(record))
        }
      }),
      { numRuns: runs, seed: 78 },
    )
  })
})
