import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildTypes } from '../../scripts/build-lib.js'
import { root, run } from '../../scripts/run.js'

const folder = mkdtempSync(join(tmpdir(), 'halo-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project of someone else's, with the package installed and rules stricter than ours. */
const PROGRAM = `
import { HaloRuntime, analyse, createApprovalGate, createSession, defineTool, memoryJournal, modelContextTools, parse, plan, registerTools, type HaloEvent, type PageTools, type RunResult, type SessionItem } from 'halo'
import { Recorder, readRecording, replayMocks } from 'halo/replay'

const file = parse('pipeline P() : "x"')
const runtime = new HaloRuntime({ journal: memoryJournal(), onEvent: (event: HaloEvent) => console.log(event.type) }).load(file)
const result: RunResult = await runtime.run('P')
console.log(result.status, analyse, defineTool, plan, registerTools, Recorder, readRecording, replayMocks)
const page: PageTools = modelContextTools({ getTools: async () => [], executeTool: async (tool: object, input: string) => tool === null ? null : input })
const session = createSession({ model: 'mock/any', program: file, page, approvals: 'once', approvalFor: (name) => (name === 'look' ? 'never' : undefined) })
session.subscribe(() => session.snapshot().items.map((item: SessionItem) => (item.type === 'call' ? item.status : item.id)))
const gate = createApprovalGate()
const verdict = await gate.beforeToolCall({ id: 'c1', name: 'put', args: {} })
console.log(verdict?.block === true ? verdict.reason : verdict?.args)
// @ts-expect-error -- there is no such policy
session.setPolicy('sometimes')
// @ts-expect-error -- a number is no program
parse(1)
// @ts-expect-error -- there is no such status
console.log(result.status === 'finished')
`

test('a strict program elsewhere compiles against the package, and is told what is wrong with it', async () => {
  await buildTypes()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/halo'))
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, skipLibCheck: true, noEmit: true, types: ['node'] }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  writeFileSync(join(folder, 'program.ts'), PROGRAM)
  const { code, output } = await run(process.execPath, [`${root}node_modules/.bin/tsc`, '-p', folder], { quiet: true })
  expect(output).toBe('')
  expect(code).toBe(0)
}, 120_000)
