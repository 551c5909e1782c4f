/** Runs test blocks: on a copy of the files, without Env, without network, without models. */
import { link } from '../check/program.ts'
import { HaloError, messageOf, spanWithin } from '../errors.ts'
import { targetMatches } from './targets.ts'
import { toolUsesOf, uncalledWords } from '../run/mocks.ts'
import { HaloRuntime } from '../run/runtime.ts'
import type { HaloEvent, Mock, MockRequest, RunResult } from '../run/types.ts'
import { memorySandbox } from '../sandbox/memory.ts'
import { FileError, type Sandbox } from '../sandbox/types.ts'
import type { HaloFile, PipelineDeclaration, TestDeclaration } from '../syntax/ast.ts'
import { answersOf } from './answers.ts'
import { readBlock, type TestBlock } from './block.ts'
import { checkExpectations, expectationsMention } from './expect.ts'
import { mockMode, noNetwork, sampleArguments, testMode } from './mock-mode.ts'
import { answersInTurn } from './sequence.ts'
import type { ExpectOutcome, TestFailure, TestOptions, TestOutcome } from './types.ts'
import { inWords } from './words.ts'

const TIME_LIMIT_MS = 60_000

/** Every test of a file, in order; a pipeline that has none runs once in mock mode with made-up arguments. */
export async function* runTests(file: HaloFile, options: TestOptions = {}): AsyncGenerator<TestOutcome> {
  for (const test of file.tests) yield await runTest(file, test, options)
  const tested = new Set(file.tests.map((test) => test.pipeline.name))
  for (const pipeline of file.pipelines) if (!tested.has(pipeline.name)) yield await runSample(file, pipeline, options)
}

/** Runs one test block. What fails is in the outcome; nothing is thrown. */
export async function runTest(file: HaloFile, test: TestDeclaration, options: TestOptions = {}): Promise<TestOutcome> {
  const program = link(file)
  const failures: TestFailure[] = []
  const outcome = newOutcome(test.name, test.pipeline.name, failures)
  const started = performance.now()
  let copy: ThrowAwayCopy | undefined
  try {
    const block = readBlock(test, program)
    copy = throwAwayCopy(options, block.files)
    const { sandbox } = copy
    const runtime = new HaloRuntime({
      ...worldOf(options, outcome.events, sandbox),
      mockDefaults: {
        ...testMode,
        interrupt: answersOf(block, (message) => failures.push({ kind: 'answer', message, span: spanWithin(test.nameSpan, test.file) })),
      },
    })
    runtime.load(file).mockAll(mocksOf(block, failures))
    // What is wrong with the test's files is wrong with the test, not with the run.
    if (Object.keys(block.files).length > 0) await sandbox()
    const result = await runtime.run(test.pipeline.name, block.args, limitsOf(options))
    outcome.result = result
    outcome.expects = await expectationsOf(test, file, result, outcome.events, sandbox, options)
  } catch (thrown) {
    failures.push(failureOf(thrown, 'setup'))
  } finally {
    await copy?.dispose()
  }
  const wrong = outcome.expects.filter(({ passed }) => !passed)
  // A mock that ran out, say, has told already why the run ended.
  if (failures.length === 0) failures.push(...endingFaults(test, outcome.result, wrong))
  failures.push(...wrong.map(expectFailure))
  outcome.ms = performance.now() - started
  outcome.passed = failures.length === 0
  return outcome
}

/** Runs a pipeline once in mock mode with arguments made up to fit: does it run at all? */
export async function runSample(file: HaloFile, pipeline: PipelineDeclaration, options: TestOptions = {}): Promise<TestOutcome> {
  const outcome = newOutcome(`${pipeline.name} runs with made-up arguments`, pipeline.name, [])
  outcome.sample = true
  const started = performance.now()
  try {
    const result = await runMocked(file, pipeline.name, sampleArguments(pipeline, link(file)), { ...options, onEvent: gather(outcome.events, options) })
    outcome.result = result
    if (result.status !== 'completed') outcome.failures.push(runFailure(result, spanWithin(pipeline.nameSpan, pipeline.file)))
  } catch (thrown) {
    outcome.failures.push(failureOf(thrown, 'setup'))
  }
  outcome.ms = performance.now() - started
  outcome.passed = outcome.failures.length === 0
  return outcome
}

/** A run in mock mode (`--mock`): on a copy of the files, without Env, without network, without models. */
export async function runMocked(
  file: HaloFile,
  pipeline: string,
  args: Record<string, unknown> = {},
  options: TestOptions & { mocks?: Record<string, Mock> } = {},
): Promise<RunResult> {
  const copy = throwAwayCopy(options, {})
  try {
    const runtime = new HaloRuntime({ ...worldOf(options, [], copy.sandbox), mockDefaults: mockMode })
    return await runtime.load(file).mockAll(options.mocks ?? {}).run(pipeline, args, limitsOf(options))
  } finally {
    await copy.dispose()
  }
}

function newOutcome(name: string, pipeline: string, failures: TestFailure[]): TestOutcome {
  return { name, pipeline, passed: false, sample: false, expects: [], failures, events: [], ms: 0 }
}

function worldOf({ regexRunner, prices, clock, ...options }: TestOptions, events: HaloEvent[], sandbox: () => Promise<Sandbox>) {
  return { sandbox, regexRunner, prices, clock, env: {}, fetch: noNetwork, onEvent: gather(events, options) }
}

function gather(events: HaloEvent[], { onEvent }: TestOptions): (event: HaloEvent) => void {
  return (event) => {
    events.push(event)
    onEvent?.(event)
  }
}

function limitsOf({ signal, timeoutMs = TIME_LIMIT_MS }: TestOptions) {
  return { timeoutMs, ...(signal === undefined ? {} : { signal }) }
}

interface ThrowAwayCopy {
  /** The copy, made on first use, with the test's own files laid on it. */
  sandbox(): Promise<Sandbox>
  dispose(): Promise<void>
}

function throwAwayCopy({ sandbox }: TestOptions, files: Record<string, string>): ThrowAwayCopy {
  let copy: Promise<Sandbox> | undefined
  const make = async (): Promise<Sandbox> => {
    const made = sandbox === undefined ? memorySandbox() : await (await sandbox()).fork()
    for (const [path, content] of Object.entries(files)) await made.write(path, content)
    return made
  }
  return {
    sandbox: () => (copy ??= make()),
    async dispose() {
      const made = await copy?.catch(() => undefined)
      await made?.dispose()
    },
  }
}

function mocksOf(block: TestBlock, failures: TestFailure[]): Record<string, Mock> {
  const mocks: Record<string, Mock> = {}
  for (const { target, agent, answers, span } of block.mocks) {
    const inTurn = answersInTurn(target, answers, {
      agent,
      span,
      onRunOut: ({ message }) => failures.push({ kind: 'mock', message, span }),
    })
    mocks[target] = !agent
      ? inTurn
      : (request: MockRequest) => {
          const answer = inTurn(request)
          const uses = toolUsesOf(answer)
          // A first request without tools: the calls that the test wrote down can't ever be made.
          if (uses !== undefined && request.step === 1 && request.tools.length === 0) failures.push({ kind: 'mock', message: uncalledWords(request, uses, false), span })
          return answer
        }
  }
  return mocks
}

async function expectationsOf(
  test: TestDeclaration,
  file: HaloFile,
  { status, output, error, context }: RunResult,
  events: HaloEvent[],
  sandbox: () => Promise<Sandbox>,
  { regexRunner, clock }: TestOptions,
): Promise<ExpectOutcome[]> {
  const { violations, cost, calls } = context.meta
  return checkExpectations(test, file, {
    names: { status, output, violations, cost, context, error: error === undefined ? null : { ...error.toJSON() } },
    called: (glob) => {
      if (typeof glob !== 'string') throw new HaloError('EXPRESSION_ERROR', 'called takes a target or a glob, as a text: called("Files.*").')
      return [...calls.map((call) => call.target), ...agentCalls(events)].filter((target) => targetMatches(glob, target)).length
    },
    file: async (path) => {
      try {
        return new TextDecoder().decode(await (await sandbox()).read(path))
      } catch (thrown) {
        if (thrown instanceof FileError && thrown.code === 'not_found') return null
        throw thrown
      }
    },
    need: (_index, request) => {
      if (request.fn === 'now') return new Date(clock?.now() ?? Date.now()).toISOString()
      if (request.fn === 'uuid') return clock?.uuid() ?? crypto.randomUUID()
      if (regexRunner !== undefined) return regexRunner.test(request.pattern, request.text)
      throw new HaloError('VALIDATION', `The regular expression ${JSON.stringify(request.pattern)} can take very long on some texts. Write it without repeats inside repeats.`)
    },
  })
}

/** Agents that were called, once a call however many requests it took: `called("Clerk.work")`. */
function agentCalls(events: HaloEvent[]): string[] {
  const calls = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'llm_start') calls.set(event.path.replace(/\/step:\d+$/, ''), `${event.agent}.${event.task}`)
  }
  return [...calls.values()]
}

function expectFailure({ text, span, values, error }: ExpectOutcome): TestFailure {
  const seen = values.map(({ text: part, value }) => `${part} was ${inWords(value)}`).join(', ')
  const why = error === undefined ? seen : [error.message, seen].filter((words) => words !== '').join(' ')
  return { kind: 'expect', message: `expected ${text}${why === '' ? '' : `; ${why}`}`, span }
}

/**
 * A run that failed fails its test, unless an expectation is about just that. Where an expectation doesn't hold, how the
 * run ended is why: it is told unless the test had it right.
 */
function endingFaults(test: TestDeclaration, result: RunResult | undefined, wrong: ExpectOutcome[]): TestFailure[] {
  if (result === undefined || result.status === 'completed') return []
  const meant = expectationsMention(test, ['status', 'error', 'violations'])
  const explains = meant ? wrong.some(({ values }) => values.some(({ text }) => /^(status|error)\b/.test(text))) : wrong.length > 0
  if (!explains && (meant || result.status === 'declined')) return []
  return [runFailure(result, spanWithin(test.nameSpan, test.file))]
}

function runFailure({ status, error }: RunResult, span: TestFailure['span']): TestFailure {
  const message = error === undefined ? `the run ended as ${status}` : `the run ended as ${status}: ${error.code} ${error.message}`
  return { kind: 'run', message, span: error?.span ?? span }
}

function failureOf(thrown: unknown, kind: TestFailure['kind']): TestFailure {
  const span = thrown instanceof HaloError ? thrown.span : undefined
  return { kind, message: messageOf(thrown), ...(span === undefined ? {} : { span }) }
}

