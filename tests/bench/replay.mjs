/** A long recording: how long it takes to be read, and how fast it is replayed with nobody watching. */
import { HaloRuntime, memoryJournal, parse, registerToolProvider, useTool } from 'halo'
import { readLines, replay, toLines } from 'halo/replay'

registerToolProvider('BenchShelf', () => ({ read: async ({ n }) => `page ${n}: ${'words '.repeat(20)}` }), {
  read: { description: 'Reads a page.', parameters: { type: 'object', properties: { n: { type: 'number' } } }, effect: 'read' },
})

/** Each item: a model request, the call it asks for, the answer, and a call of the pipeline's own. */
const SOURCE = `tool Shelf : BenchShelf()
agent Reader [mock/reader]
  equips Shelf
pipeline Main(pages: [Number]) -> Result:
  pages |* each(limit: 4) { Reader.read("Page {{item}}", tools: [Shelf]) |> Shelf.read(n: index) }
`

/** @param {number} entries about as many */
export async function recordingOf(entries) {
  const journal = memoryJournal()
  // Two requests of begun and answer, two calls.
  const pages = Array.from({ length: Math.ceil(entries / 6) }, (_, i) => i)
  const runtime = new HaloRuntime({ journal }).load(parse(SOURCE)).mockAll({ Reader: ({ step, prompt }) => (step === 1 ? useTool('Shelf.read', { n: Number(prompt.split(' ')[1]) }) : `read ${prompt}`) })
  const result = await runtime.run('Main', { pages }, { runId: 'bench' })
  if (result.status !== 'completed') throw new Error(`the run to be recorded ended as ${result.status}: ${result.error?.message}`)
  return toLines(journal.records.get('bench'))
}

/** @param {string} lines */
export async function openAndReplay(lines) {
  const opening = performance.now()
  const { record } = readLines(lines)
  const opened = performance.now() - opening
  const file = parse(SOURCE)
  const started = performance.now()
  const { same } = await replay(file, record)
  const ms = performance.now() - started
  if (!same) throw new Error('the replay was different')
  return { opened, ms, entries: record.entries.length }
}
