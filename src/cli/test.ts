import { link } from '../lib/halo/check/program.ts'
import { runTests, type TestOutcome } from '../lib/halo/testing/index.ts'
import { DONE, FAILED, CANCELLED } from './exit.ts'
import { interruptible } from './interrupt.ts'
import { command, readWords } from './options.ts'
import { faultText, give, say, type Sources } from './print.ts'
import { readProgram, sayDiagnostics } from './program-file.ts'
import { worldOfFolder } from './world.ts'

export const testCommand = command({
  usage: 'test F… [--json]',
  about: 'Runs the test blocks of files; a pipeline without one runs once in mock mode with made-up arguments.',
  options: { json: { type: 'boolean', default: false } },
  least: 1,
  most: Infinity,
})

export async function test(words: string[]): Promise<number> {
  const { positionals, values } = readWords(words, testCommand)
  const { signal } = interruptible()
  const report: object[] = []
  const invalid: object[] = []
  let passed = 0
  let failed = 0
  const world = await worldOfFolder()
  try {
    for (const path of positionals) {
      const program = readProgram(path)
      if (sayDiagnostics(program)) {
        failed++
        invalid.push({ file: path, diagnostics: program.diagnostics })
        continue
      }
      for await (const outcome of runTests(program.file, { sandbox: world.sandbox, regexRunner: world.regexRunner, signal })) {
        if (signal.aborted) return CANCELLED
        if (outcome.passed) passed++
        else failed++
        if (values.json) report.push(outcomeJson(path, outcome))
        else give(outcomeText(outcome, program.sources))
      }
      if (link(program.file).pipelines.size === 0) say(`${path} has no pipeline, so there is nothing to test.`)
    }
  } finally {
    await world.dispose()
  }
  if (values.json) give({ passed, failed, tests: report, ...(invalid.length > 0 ? { invalid } : {}) })
  say(`${passed} passed, ${failed} failed`)
  return failed === 0 ? DONE : FAILED
}

function outcomeText({ name, passed, failures, ms }: TestOutcome, sources: Sources): string {
  const lines = [`${passed ? '✓' : '✗'} ${name} (${Math.round(ms)}ms)`]
  for (const { kind, message, span } of failures) lines.push(faultText(kind, message, span, sources).replace(/^/gm, '  '))
  return lines.join('\n')
}

/** The outcome without the runtime's own objects. */
function outcomeJson(file: string, { name, pipeline, passed, sample, expects, failures, result, ms }: TestOutcome): object {
  const about = { file, name, pipeline, passed, sample, ms: Math.round(ms), expects, failures }
  if (result === undefined) return about
  const { status, output, error } = result
  return { ...about, status, output, ...(error === undefined ? {} : { error }) }
}
