import { describe, expect, test } from 'vitest'
import { parse } from '../../src/lib/halo/parse.ts'
import { HaloRuntime } from '../../src/lib/halo/run/runtime.ts'
import type { HaloEvent, MockRequest } from '../../src/lib/halo/run/types.ts'
import { filesSandbox } from './middleware-kit.ts'

const source = `
store Notes : File("{{folder}}/notes.md")
store Docs : VectorStore(path: "docs", top_k: 1)
agent Guide [mock/guide]
  equips Notes, Docs

pipeline Ask(question: String, folder: String) -> Result:
  question
    |> Guide.answer("Answer:") as reply
    |> Notes.append()
    |> Docs.add(text: reply, source: "answers")
    |> Docs.search(query: "parrots")
`

describe('stores in a run', () => {
  test('add their matches to the prompt of the agent that equips them, and are called by the pipeline', async () => {
    const sandbox = filesSandbox({ 'mine/notes.md': 'Be brief.\n', 'docs/birds.md': 'Parrots can live for sixty years.', 'docs/fish.md': 'Salmon swim upstream.' })
    let asked: MockRequest | undefined
    const events: HaloEvent[] = []
    const runtime = new HaloRuntime({ sandbox: () => sandbox, onEvent: (event) => events.push(event) }).load(parse(source)).mockAll({
      'Guide.answer': (request: MockRequest) => {
        asked = request
        return 'Parrots live long.'
      },
    })
    const result = await runtime.run('Ask', { question: 'How long does a parrot live?', folder: 'mine' })
    expect(result.error).toBeUndefined()
    expect(result.output).toMatchObject([{ text: expect.stringMatching(/[Pp]arrots/) as string }])
    expect(asked?.prompt).toMatch(/Answer:\n\nHow long does a parrot live\?[^]*Be brief\.[^]*Parrots can live for sixty years\./)
    expect(asked?.prompt).not.toContain('Salmon')
    expect(asked?.tools).toEqual([])
    expect(events.filter((event) => event.type === 'context')).toMatchObject([
      { store: 'Notes', matches: [{ score: 1 }] },
      { store: 'Docs', matches: [{ source: 'docs/birds.md' }] },
    ])
    expect(new TextDecoder().decode(await sandbox.read('mine/notes.md'))).toBe('Be brief.\nParrots live long.\n')
  })

  test('are never offered to an agent as tools', async () => {
    const file = parse(source.replace('Guide.answer("Answer:")', 'Guide.answer("Answer:", tools: auto)'))
    let offered: string[] | undefined
    const runtime = new HaloRuntime({ sandbox: () => filesSandbox({}) }).load(file).mockAll({
      'Guide.answer': (request: MockRequest) => {
        offered = request.tools
        return 'x'
      },
    })
    await runtime.run('Ask', { question: 'q', folder: 'f' })
    expect(offered).toEqual([])
  })
})
