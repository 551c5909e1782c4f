// Halo in the peers' benchmark. Copy that benchmark, put this file into its adapters/ as halo.mjs, and run
//   HALO=/path/to/this/project/dist/index.js node steps.mjs halo
// The fixture is the benchmark's own: the scripted model, the tool, and what checks that nothing is left out.
import { pathToFileURL } from 'node:url'
import { scriptedModel, lookup, PROMPT, FINAL_TEXT, TOOL_NAME, TOOL_DESCRIPTION } from '../lib/fixture.mjs'

const library = process.env.HALO ?? new URL('../../../dist/index.js', import.meta.url).pathname
const { HaloRuntime, parse, registerToolProvider } = await import(pathToFileURL(library).href)

export const meta = { name: 'halo', package: null, api: 'HaloRuntime.run', imports: [library], entry: `export { HaloRuntime, parse } from ${JSON.stringify(library)}` }

registerToolProvider('BenchLookup', () => ({ [TOOL_NAME]: async () => lookup() }), {
  [TOOL_NAME]: { description: TOOL_DESCRIPTION, parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }, effect: 'read' },
})

const programs = new Map()
function programOf(steps, policy) {
  const key = `${steps} ${policy}`
  if (!programs.has(key)) {
    programs.set(
      key,
      parse(`${policy === undefined ? '' : `policy Asked : ${policy}`}
        tool T : BenchLookup()
        agent A [scripted/model, max_steps: ${steps + 1}]
          equips T ${policy === undefined ? '' : 'requires Asked'}
        pipeline P() : "${PROMPT}" |> A.work(tools: [T])`),
    )
  }
  return programs.get(key)
}

function adapter(next) {
  return {
    *stream(request) {
      const call = next(request.messages.length)
      if (call === null) yield { type: 'text', text: FINAL_TEXT }
      else yield { type: 'tool_call', call: { id: call.id, name: `T__${TOOL_NAME}`, args: call.args } }
    },
  }
}

export async function run(nSteps) {
  const runtime = new HaloRuntime({ models: { scripted: adapter(scriptedModel(nSteps)) } }).load(programOf(nSteps))
  const result = await runtime.run('P')
  return { text: result.output, keep: [result, runtime] }
}

/** The state of a run is its journal: each entry becomes text once, as it is appended, before the run waits. */
export async function approve(nCycles, roundTrip) {
  let bytes = 0
  const records = new Map()
  const journal = {
    create: (start) => void records.set(start.runId, { start, entries: [] }),
    append(runId, entry) {
      const kept = roundTrip(entry)
      bytes += kept.bytes
      records.get(runId).entries.push(kept.value)
    },
    end: (runId, end) => void (records.get(runId).end = end),
    load: (runId) => records.get(runId),
    remove: (runId) => void records.delete(runId),
    list: () => [],
  }
  const runtime = new HaloRuntime({ models: { scripted: adapter(scriptedModel(nCycles)) }, journal }).load(programOf(nCycles, 'ApproveTools("T.*")'))
  let result = await runtime.run('P')
  while (result.status === 'paused') result = await runtime.signal(result.runId, 'approval', true)
  return { text: result.output, bytes }
}
