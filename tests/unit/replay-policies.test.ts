import { beforeAll, describe, expect, test } from 'vitest'
import { HaloRuntime, memoryJournal, parse, registerToolProvider, useTool } from '../../src/lib/halo/index.ts'
import { goesOtherwise, replayPolicies } from '../../src/lib/halo/replay.ts'

let calls = 0
const parameters = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
beforeAll(() => {
  const method = () => ({ text }: { text?: string }) => (calls++, `got ${text ?? 'nothing'}`)
  registerToolProvider('Shelf', (() => ({ read: method(), write: method(), post: method() })) as never, {
    read: { description: 'Reads.', parameters, effect: 'read' },
    write: { description: 'Writes.', parameters, effect: 'write' },
    post: { description: 'Posts.', parameters, effect: 'external' },
  } as never)
})

const SOURCE = `policy Loose : ApproveTools("Files.nothing")
policy Strict : DenyTools("Files.post") & ApproveEffects(write) & Block("secret", on: input) & MaxCalls("Files.read", 1)
policy Short : MaxSteps(1)
policy Quiet : Redact("email", on: both)
tool Files : Shelf()
tool Find : Pipeline(Look)
agent Clerk [mock/clerk]
  equips Files, Find
  requires Loose
pipeline Look(text: String) : text |> Files.read(text: text)
pipeline Main() : "" |> Clerk.work("Write to a@b.example", tools: [Files, Find]) |> Files.post(text: "own")
`

async function recorded() {
  const journal = memoryJournal()
  const turns = [[useTool('Files.write', { text: 'w' }), useTool('Files.post', { text: 'p' })], [useTool('Files.read', { text: 'secret' }), useTool('Find.run', { text: 'deep' })], 'done']
  const result = await new HaloRuntime({ journal }).load(parse(SOURCE)).mockAll({ 'Clerk.work': ({ step }: { step: number }) => turns[step - 1] }).run('Main', {}, { runId: 'r' })
  expect(result.status).toBe('completed')
  const record = journal.records.get('r')
  if (record === undefined) throw new Error('nothing was recorded')
  calls = 0
  return record
}

describe('a recorded run under another policy', () => {
  test('tells of each call what the changed file would say, and runs nothing', async () => {
    const record = await recorded()
    const { calls: said, texts, spend } = await replayPolicies(parse(SOURCE.replace('requires Loose', 'requires Strict')), record)
    expect(said.map(({ path, target, agent, was, would, policy }) => [path, target, agent, was, would, policy])).toEqual([
      ['1/step:1/call:0', 'Files.write', 'Clerk', 'ran', 'approve', 'Strict'],
      ['1/step:1/call:1', 'Files.post', 'Clerk', 'ran', 'refuse', 'Strict'],
      ['1/step:2/call:0', 'Files.read', 'Clerk', 'ran', 'allow', undefined],
      ['1/step:2/call:1', 'Find.run', 'Clerk', 'ran', 'allow', undefined],
      // Inside a pipeline that the agent called, its policies hold as well: the second read is one too many.
      ['1/step:2/call:1>Look.1', 'Files.read', undefined, 'ran', 'refuse', 'Strict'],
      // The pipeline's own call is not the agent's.
      ['2', 'Files.post', undefined, 'ran', 'allow', undefined],
    ])
    expect(texts).toMatchObject([{ path: '1/step:2/call:0', what: 'result', would: 'withheld', policy: 'Strict' }])
    expect(spend).toEqual([])
    expect(calls).toBe(0)
  })

  test('tells of the policies it has, when nothing changed', async () => {
    const { calls: said, texts } = await replayPolicies(parse(SOURCE), await recorded())
    expect(said.every(({ would }) => would === 'allow')).toBe(true)
    expect(texts).toEqual([])
  })

  test('takes policies by name for everything in the run', async () => {
    const record = await recorded()
    const { calls: said, spend, texts } = await replayPolicies(parse(SOURCE), record, ['Strict', 'Short', 'Quiet'])
    expect(said.find(({ path }) => path === '2')).toMatchObject({ would: 'refuse', policy: 'Strict' })
    expect(spend.map(({ path }) => path)).toEqual(['1/step:2', '1/step:3'])
    expect(texts).toContainEqual(expect.objectContaining({ what: 'prompt', would: 'redacted' }))
    await expect(replayPolicies(parse(SOURCE), record, ['Nobody'])).rejects.toMatchObject({ code: 'VALIDATION' })
  })
})

describe('what became of a recorded call', () => {
  const LONG = 'ATool.withANameThatIsCutSinceItIsFarLongerThanTheSixtyFourCharactersOfAFunction'
  const [tool = '', method = ''] = LONG.split('.')
  const source = `policy Asks : ApproveEffects(write)
tool ${tool} : LongShelf()
tool Files : Shelf()
agent Clerk [mock/clerk] equips ${tool}, Files requires Asks
pipeline Main() : "" |> Clerk.work("Go", tools: [${tool}, Files]) |> Files.read(text: "own")
`
  async function record() {
    registerToolProvider('LongShelf', (() => ({ [method]: () => 'x', [`${method}Too`]: () => 'y' })) as never, {
      [method]: { description: 'Reads.', parameters, effect: 'read' },
      [`${method}Too`]: { description: 'Reads.', parameters, effect: 'read' },
    } as never)
    const journal = memoryJournal()
    const turns = [[useTool(`${LONG}Too`, {}), useTool('Files.write', { text: 'a' }), useTool('Files.write', { text: 'b' })], 'done']
    const runtime = new HaloRuntime({ journal, onInterrupt: ({ named }) => named.args?.text === 'a' }).load(parse(source))
    await runtime.mockAll({ 'Clerk.work': ({ step }: { step: number }) => turns[step - 1] }).run('Main', {}, { runId: 'r' })
    return structuredClone(journal.records.get('r') ?? { start: {} as never, entries: [] })
  }

  test('tells what was asked and ran from what ran, so that a policy that asks as well changes nothing', async () => {
    const { calls: said } = await replayPolicies(parse(source), await record())
    expect(said.map(({ target, was, would }) => [target, was, would])).toEqual([
      [`${LONG}Too`, 'ran', 'allow'],
      ['Files.write', 'approved', 'approve'],
      ['Files.write', 'declined', 'approve'],
      ['Files.read', 'ran', 'allow'],
    ])
    expect(said.some(goesOtherwise)).toBe(false)
    const { calls: free } = await replayPolicies(parse(source.replace('ApproveEffects(write)', 'DenyTools("Files.nothing")')), await record())
    expect(free.filter(goesOtherwise).map(({ was, would }) => [was, would])).toEqual([['approved', 'allow'], ['declined', 'allow']])
  })

  test('a call that never ran is known by the function it was offered as, however its name was cut', async () => {
    const kept = await record()
    // As if it had been refused: no entry of its own.
    const without = { ...kept, entries: kept.entries.filter(({ target, kind }) => kind !== 'tool' || target !== `${LONG}Too`) }
    const { calls: said } = await replayPolicies(parse(source), without)
    expect(said[0]).toMatchObject({ target: `${LONG}Too`, was: 'not made' })
  })

  test('ten thousand calls are told of at once', async () => {
    const kept = await record()
    const call = kept.entries.find(({ path, kind }) => kind === 'tool' && path === '2')
    if (call === undefined) throw new Error('no call')
    const many = { ...kept, entries: Array.from({ length: 10_000 }, (_, seq) => ({ ...call, seq, path: `2[${seq}]` })) }
    const began = performance.now()
    expect((await replayPolicies(parse(source), many)).calls).toHaveLength(10_000)
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})
