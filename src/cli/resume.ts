import { dirname, join } from 'node:path'
import { HaloRuntime } from '../lib/halo/run/runtime.ts'
import type { InterruptRequest, JournalRecord, Mock } from '../lib/halo/run/types.ts'
import { scenarioOf } from '../lib/halo/testing/index.ts'
import { payloadOf } from './answers.ts'
import { UsageError } from './exit.ts'
import { interruptible } from './interrupt.ts'
import { command, readWords } from './options.ts'
import { say } from './print.ts'
import { progress } from './progress.ts'
import { programOf, readText, type ProgramFile } from './program-file.ts'
import { AUTO_APPROVE } from './run.ts'
import { openQuestions, takeRun, type OpenQuestion } from './run-store.ts'
import { tell } from './summary.ts'
import { atTerminal, terminalAsker } from './terminal.ts'
import { environmentOf, keys, worldOfFolder } from './world.ts'

export const resumeCommand = command({
  usage: 'resume F ID --payload ANSWER [--question Q] [--auto-approve] [--json]',
  about: 'Answers a paused run and goes on with it. ANSWER is JSON or text.',
  options: {
    payload: { type: 'string' },
    question: { type: 'string' },
    'auto-approve': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  least: 2,
  most: 2,
})

export async function resume(words: string[]): Promise<number> {
  const { positionals, values } = readWords(words, resumeCommand)
  const [path = '', runId = ''] = positionals
  const { record, journal, recorded } = takeRun(runId)
  const program = programOfRun(path, record)
  const questions = openQuestions(record)
  const question = values.question === undefined ? questions[0] : questions.find(({ id }) => id === values.question)
  if (question === undefined && values.question !== undefined) {
    throw new UsageError(`Run ${runId} has no open question ${values.question}. It waits for:\n${questions.map(({ id, message }) => `  ${id}: ${message}`).join('\n')}`)
  }
  if (question !== undefined && values.payload === undefined && !atTerminal()) {
    throw new UsageError(`Run ${runId} waits for ${question.waitingFor}: ${question.message}\nGive the answer with --payload.`)
  }

  const { signal, interrupt } = interruptible()
  const ask = atTerminal() ? terminalAsker(signal, interrupt) : undefined
  const payload = values.payload === undefined ? undefined : { value: payloadOf(values.payload) }
  const world = worldOfFolder()
  const started = performance.now()
  try {
    const runtime = new HaloRuntime({
      sandbox: world.sandbox,
      regexRunner: world.regexRunner,
      env: environmentOf(program.sources.values()),
      keys,
      onEvent: progress(values.json),
      journal,
      ...(ask === undefined ? {} : { onInterrupt: answering(question, payload, ask) }),
    })
    runtime.load(program.file).mockAll({ ...scenarioMocks(record, program), ...(values['auto-approve'] ? AUTO_APPROVE : {}) })
    let result = await runtime.resume(runId, { signal })
    if (ask === undefined && question !== undefined && payload !== undefined && result.status === 'paused') {
      result = await runtime.signal(runId, question.waitingFor, { id: question.id, answer: payload.value })
    }
    return tell({ result, path, sources: program.sources, ms: performance.now() - started, recorded, json: values.json })
  } finally {
    await world.dispose()
  }
}

/** The one question that was answered on the command line gets that answer, every other is put to the person. */
function answering(question: OpenQuestion | undefined, payload: { value: unknown } | undefined, ask: (request: InterruptRequest) => Promise<unknown>) {
  let given = false
  return (request: InterruptRequest): unknown => {
    if (given || payload === undefined || request.path !== question?.entry.path || request.channel !== question.entry.kind) return ask(request)
    given = true
    return payload.value
  }
}

/** A run goes on with the text it began with, whatever became of the file. */
function programOfRun(path: string, { start }: JournalRecord): ProgramFile {
  const { main, sources } = start
  if (readText(path) !== sources[main]) say(`${path} has changed since run ${start.runId} began; the run goes on with the text it began with.`)
  return programOf(main, sources[main] ?? '', (imported, from) => sources[from === undefined ? imported : join(dirname(from), imported)])
}

function scenarioMocks(record: JournalRecord, { file }: ProgramFile): Record<string, Mock> {
  const test = file.tests.find(({ name }) => name === record.start.scenario)
  return test === undefined ? {} : scenarioOf(test, file, record).mocks
}
