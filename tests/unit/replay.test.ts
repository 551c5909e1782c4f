import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLibrary } from '../../scripts/build-lib.js'
import { HaloRuntime, memoryJournal, parse, registerToolProvider, useTool, type InterruptRequest, type Mock } from '../../src/lib/halo/index.ts'
import { Recorder, readRecording, recordingOf, replay, replayMocks, type ReplayConfig } from '../../src/lib/halo/replay.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const made: string[] = []
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Calls that reached the world since the last run began. */
let world: string[] = []
const parameters = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
beforeAll(() => {
  const method = (name: string) => (args: Record<string, unknown>) => {
    world.push(`${name} ${JSON.stringify(args)}`)
    return `${name} ${world.length}`
  }
  registerToolProvider('Desk', () => ({ read: method('read'), write: method('write'), post: method('post') }), {
    read: { description: 'Reads.', parameters, effect: 'read' },
    write: { description: 'Writes.', parameters, effect: 'write' },
    post: { description: 'Posts.', parameters, effect: 'external' },
  } as never)
})

const HEAD = `policy Careful : ApproveEffects(write)
tool Files : Desk()
tool Chat : Desk()
agent Clerk [mock/clerk]
  equips Files
  requires Careful
`
const TIDY = `${HEAD}pipeline Tidy(task: String) -> Result:
  task
    |> Clerk.work(tools: [Files]) as report
    |> Chat.post(text: "{{report}}")
`

interface Sitting {
  mocks?: Record<string, Mock>
  answer?: (request: InterruptRequest) => unknown
}

async function record(source: string, pipeline: string, args: object, { mocks = {}, answer = () => true }: Sitting = {}) {
  world = []
  const journal = memoryJournal()
  const result = await new HaloRuntime({ journal, onInterrupt: answer }).load(parse(source)).mockAll(mocks).run(pipeline, args, { runId: 'r' })
  const kept = journal.records.get('r')
  if (kept === undefined) throw new Error('nothing was recorded')
  world = []
  return { result, record: kept }
}

const CLERK = { 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('Files.write', { text: 'a' }) : step === 2 ? [useTool('Files.read', {}), useTool('Files.read', { text: 'b' })] : 'done') }

async function recordTidy() {
  return record(TIDY, 'Tidy', { task: 'tidy up' }, { mocks: CLERK })
}

const again = (source: string, kept: Awaited<ReturnType<typeof record>>['record'], options: ReplayConfig = {}) => replay(parse(source), kept, options)

describe('replay', () => {
  test('asks neither models nor tools nor people, and gives the same', async () => {
    const { result, record } = await recordTidy()
    const { same, result: replayed, differences, unused } = await again(TIDY, record)
    expect({ same, differences, unused }).toEqual({ same: true, differences: [], unused: [] })
    expect(replayed.output).toBe(result.output)
    expect(replayed.context.meta.calls).toEqual(result.context.meta.calls)
    expect(world).toEqual([])
  })

  test('says of another output what the recorded run ended with', async () => {
    const { record } = await recordTidy()
    const { same, recorded, result } = await again(TIDY.replace('|> Chat.post(text: "{{report}}")', '|> Chat.post(text: "{{report}}") |> System.Value("new")'), record)
    expect(same).toBe(false)
    expect(recorded).toMatchObject({ status: 'completed', output: 'post 4' })
    expect(result).toMatchObject({ status: 'completed', output: 'new' })
  })

  test('another request to the same target is answered, and shown as a difference', async () => {
    const { record } = await recordTidy()
    const { same, differences } = await again(TIDY.replace('"{{report}}"', '"Report: {{report}}"'), record)
    expect(same).toBe(true)
    expect(differences).toMatchObject([{ path: '2', target: 'Chat.post', recorded: { request: { text: 'done' } }, actual: { request: { text: 'Report: done' } } }])
  })

  test('a new stage is REPLAY_MISMATCH at its place in the source, with what the recorded run asked for instead', async () => {
    const { record } = await recordTidy()
    const other = TIDY.replace('    |> Chat', '    |> Chat.read(text: "new")\n    |> Chat')
    const mismatch = (await again(other, record)).result
    expect(mismatch.error).toMatchObject({ code: 'REPLAY_MISMATCH', path: '2' })
    expect(mismatch.error?.message).toContain('the pipeline or its input changed')
    expect(mismatch.error?.message).toContain('Chat.read with {"text":"new"}')
    expect(mismatch.error?.message).toContain('the recorded run asked for Chat.post')
    expect(other.slice(mismatch.error?.span?.from, mismatch.error?.span?.to)).toContain('Chat.read')
  })

  test('one more call than was recorded is told by the first difference, not by where it ran out', async () => {
    const source = `${HEAD}pipeline Main() : "" |> Chat.read(text: "a") |> Chat.read(text: "b")\n`
    const { record: kept } = await record(source, 'Main', {})
    const edited = source.replace('"" |>', '"" |> Chat.read(text: "0") |>')
    const { error } = (await again(edited, kept)).result
    expect(error).toMatchObject({ code: 'REPLAY_MISMATCH' })
    expect(error?.message).toContain('text: "a" was recorded, "0" is asked for')
    expect(edited.slice(error?.span?.from, error?.span?.to)).toContain('"0"')
  })

  test('a call that an agent chose and the recording lacks goes to the model as an error', async () => {
    const { record } = await recordTidy()
    const seen: string[] = []
    const mocks = {
      'Clerk.work': ({ step, messages }: { step: number; messages: { role: string; content: unknown }[] }) => {
        seen.push(...messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)))
        return step === 1 ? useTool('Files.post', { text: 'out' }) : 'done'
      },
    }
    const { result } = await again(TIDY, record, { liveModels: true, mocks })
    expect(result).toMatchObject({ status: 'completed' })
    expect(seen.join()).toContain('the pipeline or its input changed')
    expect(world).toEqual([])
  })

  test('an approval answers only the call it was given for', async () => {
    const { record } = await recordTidy()
    const mocks = (text: string) => ({ 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('Files.write', { text }) : 'done') })
    const decisions = async (text: string) => {
      const seen: unknown[] = []
      await again(TIDY, record, { liveModels: true, mocks: mocks(text), config: { onEvent: (event) => event.type === 'agent_tool' && seen.push(event.decision) } })
      return seen
    }
    expect(await decisions('a')).toEqual(['approved'])
    expect(await decisions('something else')).toEqual(['error'])
  })

  test('live tools run again, for the recorded answers of the models and of people', async () => {
    const { record } = await recordTidy()
    const { same, result } = await again(TIDY, record, { liveTools: true })
    expect(world).toEqual(['write {"text":"a"}', 'read {}', 'read {"text":"b"}', 'post {"text":"done"}'])
    expect({ same, output: result.output }).toEqual({ same: true, output: 'post 4' })
  })

  test('live tools whose calls nobody was asked about wait for a person', async () => {
    const source = `${HEAD}pipeline Main() requires Careful : "" |> Files.write(text: "a")\n`
    const { record: kept } = await record(source.replace('requires Careful ', ''), 'Main', {})
    const { result } = await again(source, kept, { liveTools: true })
    expect(result.status).toBe('paused')
    expect((await again(source, kept)).result.error?.code).toBe('REPLAY_MISMATCH')
    expect(world).toEqual([])
  })

  test('yields and events are answered as they were, and a recording without yields lets every one through', async () => {
    const source = 'pipeline Main() : 1 |! yield("Go on?") as a |? { "input == 7" => System.Value("seven") }\n'
    const { record: kept } = await record(source, 'Main', {}, { answer: () => ({ approved: true, value: 7 }) })
    expect((await again(source, kept)).result.output).toBe('seven')
    const without = { ...kept, entries: [] }
    expect((await again(source, without)).result).toMatchObject({ status: 'completed', output: 1 })

    const listening = 'pipeline Main() : 1 ~> listen("paid", timeout: 1h)\n'
    const { record: heard } = await record(listening, 'Main', {}, { answer: () => ({ amount: 3 }) })
    expect((await again(listening, heard)).result.output).toEqual({ amount: 3 })
  })

  test('a declined run, a failed one and a paused one end as they ended', async () => {
    const declined = await record(`${HEAD}pipeline Main() requires Careful : "" |> Files.write(text: "a")\n`, 'Main', {}, { answer: () => 'not now' })
    expect(declined.result.status).toBe('declined')
    expect(await again(`${HEAD}pipeline Main() requires Careful : "" |> Files.write(text: "a")\n`, declined.record)).toMatchObject({ same: true, result: { status: 'declined' } })

    const failing = 'pipeline Main() : "x" |> System.Fail("no {{input}}")\n'
    const failed = await record(failing, 'Main', {})
    expect(await again(failing, failed.record)).toMatchObject({ same: true, result: { status: 'failed' } })

    const waiting = 'pipeline Main() : 1 |! yield("Go on?")\n'
    const journal = memoryJournal()
    await new HaloRuntime({ journal }).load(parse(waiting)).run('Main', {}, { runId: 'p' })
    const paused = journal.records.get('p')
    if (paused === undefined) throw new Error('nothing was recorded')
    expect(await again(waiting, paused)).toMatchObject({ same: true, result: { status: 'paused' } })
  })

  test('a run that was cut off is replayed as far as it came, and that is said', async () => {
    const { record } = await recordTidy()
    const cut = { start: record.start, entries: record.entries.slice(0, -1) }
    const { same, result } = await again(TIDY, cut)
    expect(same).toBe(false)
    expect(result.error?.message).toContain('cut off before it ended')
  })

  test('the clock and new ids are those of the recorded run, wherever they stand by now', async () => {
    const source = 'pipeline Main() : { at: now(), id: uuid() } |> System.Value([input, now()])\n'
    const { result, record: kept } = await record(source, 'Main', {})
    expect((await again(`// a comment\n${source.replace('|>', '|> System.Log("x") |>')}`, kept)).result.output).toEqual(result.output)
  })

  test('a page gets its turn before each answer, and can stop it there', async () => {
    const { record } = await recordTidy()
    let turns = 0
    const breathe = () => (turns++, new Promise<void>((resolve) => setImmediate(resolve)))
    expect(await again(TIDY, record, { breathe })).toMatchObject({ same: true, differences: [] })
    expect(turns).toBeGreaterThanOrEqual(record.entries.filter(({ state }) => state === undefined).length)
    const stopping = new AbortController()
    const stopped = await again(TIDY, record, { signal: stopping.signal, breathe: () => Promise.resolve(stopping.abort()) })
    expect(stopped).toMatchObject({ same: false, result: { status: 'cancelled' } })
    expect(stopped.differences).toEqual([])
  })

  test('what the recorded run asked for instead may be of another kind', async () => {
    const source = 'agent Plain [mock/plain]\npipeline Main() : "x" |> Plain.think("Think") |! yield("Fine?")\n'
    const { record: kept } = await record(source, 'Main', {}, { mocks: { Plain: 'p' } })
    const { result } = await again(source.replace('|! yield("Fine?")', '|> Plain.more("More")'), kept)
    expect(result.error?.message).toMatch(/the recorded run asked for yield with .*Fine\?.* at stage 2\.$/)
  })

  test('a renamed pipeline is named', async () => {
    const { record } = await recordTidy()
    await expect(again(TIDY.replace('pipeline Tidy', 'pipeline Clean'), record)).rejects.toMatchObject({ code: 'REPLAY_MISMATCH', message: expect.stringContaining('the pipeline or its input changed') })
  })

  test('a recording whose own program no longer reads is replayed all the same', async () => {
    const { record } = await recordTidy()
    const broken = { ...record, start: { ...record.start, sources: { [record.start.main]: 'pipeline )(' } } }
    expect(await again(TIDY, broken)).toMatchObject({ same: true })
  })
})

describe('Recorder, readRecording and replayMocks', () => {
  async function recordings() {
    const store = memoryJournal()
    const recorder = new Recorder(store, 'r')
    const { record: onRecord } = recorder
    await recorder.start('Tidy', { task: 'tidy up' })
    world = []
    const result = await new HaloRuntime({ recorder: onRecord, onInterrupt: () => true }).load(parse(TIDY)).mockAll(CLERK).run('Tidy', { task: 'tidy up' }, { runId: 'r' })
    await recorder.finish(result)
    world = []
    const rec = await readRecording(store, 'r')
    return { rec, result, store }
  }
  const tools = ['Files', 'Chat']

  test('give a recording that mocks replay', async () => {
    const { rec, result } = await recordings()
    expect(rec).toMatchObject({ pipeline: 'Tidy', args: { task: 'tidy up' }, status: 'completed', output: result.output })
    expect(rec.calls.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      'agent Clerk.work', 'approval Files.write', 'tool Files.write', 'agent Clerk.work', 'tool Files.read', 'tool Files.read', 'agent Clerk.work', 'tool Chat.post',
    ])
    const replayed = await new HaloRuntime().load(parse(TIDY)).mockAll({ yield: { approved: true }, ...replayMocks(rec, { tools }) }).run(rec.pipeline, rec.args)
    expect(replayed).toMatchObject({ status: 'completed', output: result.output })
    expect(world).toEqual([])
    expect(await replay(parse(TIDY), rec)).toMatchObject({ same: true, differences: [] })
  })

  test('mocks refuse what was not recorded: a new agent, a new tool, one more call', async () => {
    const { rec } = await recordings()
    const run = (source: string, options = {}) => new HaloRuntime().load(parse(source)).mockAll(replayMocks(rec, { tools, ...options })).run(rec.pipeline, rec.args)
    for (const stage of ['Chat.read(text: "x")', 'Chat.post(text: "x")', 'Clerk.rest("now")']) {
      const { error } = await run(TIDY.replace('    |> Chat', `    |> ${stage}\n    |> Chat`))
      expect(error, stage).toMatchObject({ code: 'REPLAY_MISMATCH', message: expect.stringContaining('the pipeline or its input changed') })
    }
    expect(world).toEqual([])
    const live = await run(TIDY, { liveTools: true })
    expect(live.status).toBe('completed')
    expect(world).toHaveLength(4)
  })

  test('mocks of tools leave pipelines that are called as tools to run', async () => {
    const source = `tool Files : Desk()
tool Look : Pipeline(Find)
agent Clerk [mock/clerk] equips Look
pipeline Find(text: String) : text |> Files.read(text: text)
pipeline Main() : "" |> Clerk.work("Go", tools: [Look])
`
    const { record: kept, result } = await record(source, 'Main', {}, { mocks: { 'Clerk.work': ({ step }: { step: number }) => (step === 1 ? useTool('Look.run', { text: 'a' }) : 'done') } })
    expect(kept.entries.some(({ target }) => target === 'Files.read')).toBe(true)
    const rec = recordingOf(kept)
    const mocked = await new HaloRuntime().load(parse(source)).mockAll(replayMocks(rec, { tools: ['Files', 'Look'] })).run('Main')
    expect(mocked).toMatchObject({ status: 'completed', output: result.output })
    expect(mocked.context.meta.calls.map(({ target }) => target).sort()).toEqual(['Files.read', 'Look.run'])
  })

  test('a store that fails is told of by finish, and the run is none the worse', async () => {
    const store = { ...memoryJournal(), append: () => Promise.reject(new Error('disk full')) }
    const recorder = new Recorder(store, 'r')
    recorder.start('Tidy', {})
    const result = await new HaloRuntime({ recorder: recorder.record, onInterrupt: () => true }).load(parse(TIDY)).mockAll(CLERK).run('Tidy', { task: 't' })
    expect(result.status).toBe('completed')
    await expect(recorder.finish(result)).rejects.toThrow('disk full')
  })

  test("the reference's example runs as it stands, on a folder", { timeout: 120_000 }, async () => {
    await buildLibrary()
    const folder = mkdtempSync(join(tmpdir(), 'halo-replay-'))
    made.push(folder)
    const example = `import { HaloRuntime, parse } from "halo";
import { Recorder, readRecording, replayMocks } from "halo/src/runtime/replay.ts";
process.chdir(${JSON.stringify(folder)});
const ast = parse('agent Clerk [mock/clerk] pipeline Tidy(task: String) : task |> Clerk.work() |! yield("ok?")');
const args = { task: "t" };

const runId = crypto.randomUUID();
const recorder = new Recorder(".halo/recordings", runId);
const runtime = new HaloRuntime({ recorder: recorder.record }).load(ast).mockAll({ "Clerk.work": "once", yield: true });
recorder.start("Tidy", args);
const result = await runtime.run("Tidy", args, { runId });
recorder.finish({ status: result.status, output: result.output });

// Later: replay it.
const rec = readRecording(".halo/recordings", runId);
const tools = [...ast.tools, ...ast.stores].map((t) => t.name);
const again = await new HaloRuntime().load(ast).mockAll({ yield: { approved: true }, ...replayMocks(rec, { tools }) }).run(rec.pipeline, rec.args);
console.log(JSON.stringify([again.status, again.output, runId]));
process.exit();
`
    const file = join(root, 'dist', `.replay-example-${process.pid}.mjs`)
    writeFileSync(file, example)
    made.push(file)
    const printed = execFileSync(process.execPath, [file], { cwd: root, encoding: 'utf8' })
    const [status, output, runId] = JSON.parse(printed) as string[]
    expect([status, output]).toEqual(['completed', 'once'])
    const path = join(folder, '.halo/recordings', `${runId}.jsonl`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '')).toMatchObject({ kind: 'start', format: 1, pipeline: 'Tidy' })
  })
})
