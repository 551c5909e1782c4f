/** The lines of a test block, evaluated: what goes in, who answers what. */
import { HaloError, spanWithin, type Span } from '../errors.ts'
import type { Program } from '../check/program.ts'
import { evaluate, type Scope } from '../run/expression.ts'
import { useTool } from '../run/mocks.ts'
import type { Argument, Expression, Node, TestDeclaration, TestLine } from '../syntax/ast.ts'

export interface TestBlock {
  args: Record<string, unknown>
  /** Contents by path, relative to the sandbox's base. */
  files: Record<string, string>
  mocks: BlockMock[]
  decisions: Decision[]
  /** By what it answers: `yield`, `input`, or an event's name. */
  answers: Map<string, unknown[]>
}

export interface BlockMock {
  target: string
  /** Does it stand for an agent's answers (or a tool's results)? */
  agent: boolean
  answers: unknown[]
  span: Span
}

/** An `approve` or a `decline` line. */
export interface Decision {
  glob: string
  approved: boolean
  reason?: string
}

/** @throws HaloError VALIDATION or EXPRESSION_ERROR, when a line can't be evaluated */
export function readBlock(test: TestDeclaration, program: Program): TestBlock {
  const block: TestBlock = { args: argumentsOf(test, program), files: {}, mocks: [], decisions: [], answers: new Map() }
  for (const line of test.lines) readLine(line, block, test, program)
  return block
}

function readLine(line: TestLine, block: TestBlock, test: TestDeclaration, program: Program): void {
  switch (line.kind) {
    case 'Files': {
      const files = evaluate(line.value, constants(test.file))
      if (typeof files !== 'object' || files === null || Array.isArray(files)) throw fault('files takes an object of contents by file name', line, test)
      for (const [name, content] of Object.entries(files)) {
        block.files[`${line.folder.replace(/\/+$/, '')}/${name}`] = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
      }
      return
    }
    case 'Mock': {
      const agent = program.agents.has(line.target.text.split('.')[0] ?? '')
      const answers = line.answers.map((answer) => valueOf(answer, test.file))
      block.mocks.push({ target: line.target.text, agent, answers, span: spanWithin(line, test.file) })
      return
    }
    case 'Approve':
      for (const target of line.targets) block.decisions.push({ glob: target.text, approved: true })
      return
    case 'Decline': {
      const reason = line.reason === undefined ? undefined : valueOf(line.reason, test.file)
      block.decisions.push({ glob: line.target.text, approved: false, ...(reason === undefined || reason === null ? {} : { reason: String(reason) }) })
      return
    }
    case 'Answer': {
      const value = valueOf(line.value, test.file)
      const before = block.answers.get(line.target.text)
      if (before === undefined) block.answers.set(line.target.text, [value])
      else before.push(value)
      return
    }
    case 'Expect':
      return
  }
}

function argumentsOf(test: TestDeclaration, program: Program): Record<string, unknown> {
  const params = program.pipelines.get(test.pipeline.name)?.params ?? []
  const args: Record<string, unknown> = {}
  test.args.forEach((argument: Argument, index) => {
    const name = argument.name ?? params[index]?.name
    if (name === undefined) throw fault(`${test.pipeline.name} has no parameter for this argument`, argument, test)
    args[name] = valueOf(argument.value, test.file)
  })
  return args
}

function valueOf(expression: Expression, file: string | undefined): unknown {
  return evaluate(expression, { ...constants(file), functions: { call } })
}

/** `call("Files.read", { path: "a.md" })` in a mock: the agent asks for this call. */
function call(target: unknown, args: unknown): unknown {
  if (typeof target !== 'string') throw new HaloError('VALIDATION', 'call takes the target as a text, such as "Files.read".')
  if (args !== undefined && args !== null && (typeof args !== 'object' || Array.isArray(args))) {
    throw new HaloError('VALIDATION', `call("${target}", …) takes the arguments as an object, such as { path: "a.md" }.`)
  }
  return useTool(target, { ...args })
}

/** Nothing is in scope in a test's lines but what they say themselves. */
function constants(file: string | undefined): Scope {
  return { mode: 'value', has: () => false, lookup: () => undefined, ...(file === undefined ? {} : { file }) }
}

function fault(message: string, node: Node, test: TestDeclaration): HaloError {
  return new HaloError('VALIDATION', `In test ${JSON.stringify(test.name)}: ${message}.`, { span: spanWithin(node, test.file) })
}
