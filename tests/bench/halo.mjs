/** The same conversations by the runtime, journal in memory. */
import { HaloRuntime, createSession, parse, registerToolProvider } from 'halo'
import { DONE, PROMPT, TEXT, script, verify } from './fixture.mjs'

registerToolProvider('BenchLookup', () => ({ lookup: async () => TEXT }), {
  lookup: {
    description: 'Looks something up.',
    parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
    effect: 'read',
  },
})

const program = (steps, policy) =>
  parse(`${policy === undefined ? '' : `policy Asked : ${policy}\n`}
    tool T : BenchLookup()
    agent A [scripted/model, max_steps: ${steps + 1}]
      equips T ${policy === undefined ? '' : 'requires Asked'}
    pipeline P() : "${PROMPT}" |> A.work(tools: [T])`)

const files = new Map()
function fileOf(steps, policy) {
  const key = `${steps} ${policy}`
  const file = files.get(key) ?? program(steps, policy)
  files.set(key, file)
  return file
}

function adapterOf(model) {
  return {
    *stream(request) {
      const call = model.next(request.messages.length)
      if (call === undefined) yield { type: 'text', text: DONE }
      else yield { type: 'tool_call', call: { id: call.id, name: 'T__lookup', args: call.args } }
    },
  }
}

export async function haloSteps(steps) {
  const model = script(steps)
  const runtime = new HaloRuntime({ models: { scripted: adapterOf(model) } }).load(fileOf(steps))
  const result = await runtime.run('P')
  if (result.status !== 'completed') throw new Error(`${result.error?.code}: ${result.error?.message}`)
  verify(model, steps, result.output)
  return { result, runtime }
}

/** Each call waits for a person. What the run has to be taken up from is text by the time it waits, entry by entry. */
export async function haloApprovals(cycles) {
  const model = script(cycles)
  const kept = { text: [], bytes: 0 }
  const runtime = new HaloRuntime({ models: { scripted: adapterOf(model) }, journal: textJournal(kept) }).load(fileOf(cycles, 'ApproveTools("T.*")'))
  let result = await runtime.run('P')
  while (result.status === 'paused') result = await runtime.signal(result.runId, 'approval', true)
  if (result.status !== 'completed') throw new Error(`${result.error?.code}: ${result.error?.message}`)
  verify(model, cycles, result.output)
  return kept
}

/** The same in a chat session, whose gate has each call wait. */
export async function haloSession(cycles) {
  const model = script(cycles)
  const session = createSession({ model: 'scripted/model', models: { scripted: adapterOf(model) }, program: parse('tool T : BenchLookup()'), approvals: 'always', maxSteps: cycles + 1 })
  session.gate.subscribe(() => {
    for (const { id } of session.gate.pending()) session.respond(id, true)
  })
  await session.send(PROMPT)
  const { items, error } = session.snapshot()
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`)
  verify(model, cycles, items.at(-1).text)
}

/** Takes a run that waits up in a new runtime, from the text of its journal alone. */
export async function haloReopen(cycles) {
  const model = script(cycles)
  const kept = { text: [], bytes: 0 }
  const file = fileOf(cycles, 'ApproveTools("T.*")')
  const config = () => ({ models: { scripted: adapterOf(model) }, journal: textJournal(kept) })
  const first = new HaloRuntime(config()).load(file)
  let result = await first.run('P')
  for (let i = 1; i < cycles; i++) result = await first.signal(result.runId, 'approval', true)
  const entries = kept.text.length
  const started = performance.now()
  const done = await new HaloRuntime(config()).load(file).signal(result.runId, 'approval', true)
  const ms = performance.now() - started
  if (done.status !== 'completed') throw new Error(`${done.status} ${done.error?.message ?? ''}`)
  return { ms, entries }
}

function textJournal(kept) {
  let start
  let end
  const keep = (value) => {
    const text = JSON.stringify(value)
    kept.bytes += text.length
    kept.text.push(text)
  }
  return {
    create(value) {
      kept.start = JSON.stringify(value)
      start = value
    },
    append: (_runId, entry) => keep(entry),
    end(_runId, value) {
      end = value
    },
    load: () => (kept.start === undefined ? undefined : { start: JSON.parse(kept.start), entries: kept.text.map((text) => JSON.parse(text)), end }),
    remove() {},
    list: () => [start],
  }
}
