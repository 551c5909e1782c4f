import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { factsOf, factsUntil } from '../../src/lib/app/graph/facts.ts'
import { layout } from '../../src/lib/app/graph/layout.ts'
import { allStages, placeOf, shapeOf, stageFinder } from '../../src/lib/app/graph/shape.ts'
import { waterfallOf, waterfallOfCalls } from '../../src/lib/app/graph/timeline.ts'
import { Transcript } from '../../src/lib/app/run/transcript.svelte.ts'
import { HaloRuntime, link, memoryJournal, mockMode, parse, useTool, type HaloEvent } from '../../src/lib/halo/index.ts'

const source = `agent Writer [mock/one]
agent Critic [mock/two]
tool Inner : Pipeline(Short)
agent Boss [mock/three]
  equips Inner

pipeline Short(text: String) -> String:
  text
    |> Writer.shorten("Shorten", text)

pipeline Main(text: String = "a") -> Any:
  text
    |> Writer.draft("Draft", text) as draft
    |* {
      Critic.judge("Judge", draft) as one,
      Writer.mend("Mend", draft) |> Short()
    }
    |<> loop(Writer, "false", max: 2)
    |> System.Value([1, 2, 3])
    |* each(limit: 2) { Critic.look("Look") }
    |? {
      len(draft) > 0 => Short(text: "x"),
      else => System.Value(1)
    }
    |> Boss.decide("Decide")
    |> yield("Fine?")
`

async function played(text: string, pipeline: string, mocks: Record<string, unknown> = {}) {
  const journal = memoryJournal()
  const events: HaloEvent[] = []
  const file = parse(text, { path: 'main.halo' })
  const runtime = new HaloRuntime({ journal, onEvent: (event) => void events.push(event), mockDefaults: mockMode, onInterrupt: () => true }).load(file).mockAll(mocks)
  const result = await runtime.run(pipeline, {})
  const record = journal.records.get(result.runId)
  if (!record) throw new Error('no journal')
  return { file, program: link(file), events, record, result }
}

describe('the picture of a pipeline', () => {
  test('has a place for every stage that a run comes to, and for every entry of its journal', async () => {
    const { program, events, record } = await played(source, 'Main')
    const places = new Set([...allStages(shapeOf(program, 'Main'))].map(({ path }) => path))
    const begun = events.flatMap((event) => (event.type === 'stage_start' ? [event.path] : [])).filter((path) => !path.includes('/'))
    expect(begun.length).toBeGreaterThan(8)
    for (const path of begun) expect(places, path).toContain(placeOf(path))
    const find = stageFinder(program, 'Main')
    for (const { path } of record.entries) expect(find(path), path).toBeDefined()
  })

  test('names each stage by what stands at its place in the file', () => {
    const program = link(parse(source, { path: 'main.halo' }))
    for (const { kind, label, span } of allStages(shapeOf(program, 'Main'))) {
      if (kind === 'agent' || kind === 'tool' || kind === 'pipeline' || kind === 'system') expect(source.slice(span.from, span.to)).toMatch(new RegExp(`^(\\|[>*?]\\s*)?${label.replace('.', '\\.')}\\b`))
    }
  })

  test('a loop goes back to the stage of the agent it names, and a pipeline that calls itself is cut', () => {
    const program = link(parse(`${source}\npipeline Round(n: Number) -> Any:\n  n\n    |> Round(n: 1)\n`, { path: 'main.halo' }))
    const stages = shapeOf(program, 'Main')
    expect(stages.find(({ kind }) => kind === 'loop')?.back).toBe('1')
    expect([...allStages(shapeOf(program, 'Round'))]).toHaveLength(2)
  })

  test('a place within what an agent had run is found in the pipeline that it ran', () => {
    const program = link(parse(source, { path: 'main.halo' }))
    const found = stageFinder(program, 'Main')('6/step:1/call:0>Short.1/step:2')
    expect(found?.label).toBe('Writer.shorten')
  })

  const led = `agent Writer [mock/one]
tool Inner : Pipeline(Short)
tool First : Pipeline(Look)
agent Boss [mock/three, tools: auto]
  equips Inner, First

pipeline Look(text: String) -> Any: text |> Writer.look("Look")
pipeline Short(text: String) -> Any: text |> Writer.shorten("Shorten") |> System.Value(1)
pipeline Main(text: String = "a") -> Any:
  text |> Writer.draft("Draft") |> Boss.lead("Lead", tools: [Inner]) |> Boss.close("Close", tools: none)
`
  const lead = { 'Boss.lead': ({ step }: { step: number }) => (step === 1 ? [useTool('Inner.run', { text: 'one' }), useTool('Inner.run', { text: 'two' })] : 'led') }

  test('has the pipelines that an agent may call within the agent, and what they did there', async () => {
    const { program, events, record } = await played(led, 'Main', lead)
    const stages = shapeOf(program, 'Main')
    const [boss, closing] = [stages[2], stages[3]]
    expect(boss).toMatchObject({ kind: 'agent', label: 'Boss.lead', nested: true, lanes: [{ label: 'Short', stages: [{ path: '2>Short.0' }, { path: '2>Short.1', number: '2.1', label: 'Writer.shorten' }, { path: '2>Short.2' }] }] })
    expect(closing).toMatchObject({ nested: false, lanes: [] })
    expect(shapeOf(link(parse(led.replace(', tools: [Inner]', ''))), 'Main')[2]?.lanes.map(({ label }) => label)).toEqual(['Short', 'Look'])
    expect(shapeOf(link(parse(led.replace('tools: [Inner]', 'tools: none, tool: First.run(text: "a")'))), 'Main')[2]?.lanes.map(({ label }) => label)).toEqual(['Look'])

    const transcript = new Transcript()
    for (const event of events) transcript.apply(event)
    const last = record.entries.length - 1
    for (const facts of [factsOf(transcript.stages, true), factsUntil(record.entries, last, true)]) {
      expect(facts.get('2>Short.1')).toMatchObject({ times: 2, requests: 2, state: 'done' })
      expect(facts.get('2')).toMatchObject({ times: 1, requests: 2, state: 'done' })
    }
    const inside = record.entries.findIndex(({ path }) => path.includes('>'))
    const during = factsUntil(record.entries, inside, true)
    expect([during.get('2')?.state, during.get('2>Short.1')?.state]).toEqual(['running', 'running'])

    const find = stageFinder(program, 'Main')
    expect(find('2/step:1/call:0>Short.1/step:1')).toMatchObject({ path: '2>Short.1' })
    for (const { bars } of [waterfallOf(record.entries, last), waterfallOfCalls(transcript.calls, 0)]) {
      // Clocks count whole milliseconds: which of two came first they don't always say.
      expect(bars.map(({ number, target }) => `${number} ${target.split('.')[0] ?? ''}`).sort()).toEqual(['1 Writer', '2 Boss', '2 Boss', '2 Inner', '2 Inner', '2.1 Writer', '2.1 Writer', '3 Boss'])
    }
    const { boxes } = layout(stages, new Set(['2']))
    expect(boxes.map(({ node }) => node.label)).toContain('Writer.shorten')
  })

  test('no two boxes of it lie over each other, however it is nested and opened', () => {
    const chain: fc.Arbitrary<string> = fc.letrec((tie) => ({
      stages: fc.array(tie('stage') as fc.Arbitrary<string>, { minLength: 1, maxLength: 4 }).map((all) => all.map((one) => (one.startsWith('|') ? one : `|> ${one}`)).join('\n ').replace(/^\|> /, '')),
      stage: fc.oneof({ maxDepth: 3 }, fc.constant('System.Value(1)'), fc.constant('Short(text: "a")'), fc.array(tie('stages') as fc.Arbitrary<string>, { minLength: 2, maxLength: 3 }).map((all) => `|* { ${all.map((one) => `{ System.Value(0) ${one.startsWith('|') ? '' : '|> '}${one} }`).join(', ')} }`), (tie('stages') as fc.Arbitrary<string>).map((one) => `|? { true => { System.Value(0) ${one.startsWith('|') ? '' : '|> '}${one} }, else => System.Value(1) }`)),
    })).stages as fc.Arbitrary<string>
    fc.assert(
      fc.property(chain, (body) => {
        const program = link(parse(`${source}\npipeline Made(n: Number = 1) -> Any:\n  n\n ${body.startsWith('|') ? '' : '|> '}${body}\n`, { path: 'main.halo' }))
        const stages = shapeOf(program, 'Made')
        const open = new Set([...allStages(stages)].map(({ path }) => path))
        const { boxes, width, height } = layout(stages, open)
        expect(boxes).toHaveLength([...allStages(stages)].length)
        for (const [i, a] of boxes.entries()) {
          expect(a.x).toBeGreaterThanOrEqual(0)
          expect(a.x + a.width).toBeLessThanOrEqual(width)
          expect(a.y + a.height).toBeLessThanOrEqual(height)
          for (const b of boxes.slice(i + 1)) expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true)
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe('what the picture knows of a run', () => {
  test('counts rounds, requests and cost by place, from events as from the journal', async () => {
    const { events, record } = await played(source, 'Main')
    const transcript = new Transcript()
    for (const event of events) transcript.apply(event)
    const told = factsOf(transcript.stages, true)
    const kept = factsUntil(record.entries, record.entries.length - 1, true)
    expect(told.get('5')?.state).toBe('done')
    expect(told.get('5[*]')?.times).toBe(3)
    expect(kept.get('5[*]')).toMatchObject({ times: 3, requests: 3, state: 'done' })
    expect(told.get('5[*]')?.requests).toBe(3)
  })

  test('at an entry in the middle, the stage of the entry is the one that runs, and later ones have not begun', async () => {
    const { record } = await played(source, 'Main')
    const at = record.entries.findIndex(({ path }) => path.startsWith('2a'))
    const facts = factsUntil(record.entries, at, true)
    expect(facts.get('2a')?.state).toBe('running')
    expect(facts.get('1')?.state).toBe('done')
    expect(facts.get('5')).toBeUndefined()
  })

  test('the timeline has every model call once, each within the whole', async () => {
    const { events, record } = await played(source, 'Main')
    const transcript = new Transcript()
    for (const event of [...events, ...events.map((event) => ({ ...event, replayed: true, time: event.time + 1e6 }))]) transcript.apply(event)
    const asked = record.entries.filter(({ kind, state }) => kind === 'agent' && state === undefined).length
    for (const { bars, total } of [waterfallOf(record.entries, record.entries.length - 1), waterfallOfCalls(transcript.calls, 0)]) {
      expect(bars.filter(({ kind }) => kind === 'model')).toHaveLength(asked)
      for (const { from, ms } of bars) {
        expect(from).toBeGreaterThanOrEqual(0)
        expect(from + ms).toBeLessThanOrEqual(total)
      }
    }
  })
})
