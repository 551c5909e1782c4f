/** Checks test blocks: the pipeline they run, its arguments, and every line. */
import type { Expression, FunctionCall, Operation, StringLiteral, Target, TestDeclaration, TestLine } from '../syntax/ast.ts'
import { checkPipelineArguments } from './calls.ts'
import { offsetsIn } from './conditions.ts'
import { fault, oneOf, refer, referTo, replacement, unknown, warn, type Context } from './context.ts'
import { checkExpression, type Place } from './expressions.ts'
import { checkGlob, sidesOf } from './globs.ts'
import { matchesSide } from '../policy/globs.ts'
import { nearest } from './nearest.ts'
import { declarationOf } from './program.ts'
import { META, newScope, type Scope } from './scope.ts'
import { ANY, NULL, NUMBER, STRING, describe, objectShape, shapeOfType, unionOf } from './shapes.ts'
import { RUN_STATUSES } from './signatures.ts'
import { toolFacts } from './tool-facts.ts'

export function checkTests(context: Context, tests: readonly TestDeclaration[]): void {
  const seen = new Set<string>()
  for (const test of tests) {
    if (seen.has(test.name)) warn(context, test.nameSpan, 'duplicate-test', `There are two tests "${test.name}"; a scenario is picked by its name.`)
    seen.add(test.name)
    context.faulty = test.faulty ?? false
    checkTest(context, test)
  }
}

function checkTest(context: Context, test: TestDeclaration): void {
  const { program } = context
  const pipeline = program.pipelines.get(test.pipeline.name)
  const scope = newScope()
  if (pipeline) {
    referTo(context, test.pipeline, pipeline)
    checkPipelineArguments(context, test.pipeline, pipeline, test.args, scope, undefined)
  } else {
    const other = declarationOf(program, test.pipeline.name)
    if (other) fault(context, test.pipeline, 'not-callable', `A test runs a pipeline; ${other.name} is ${other.kind === 'Agent' ? 'an agent' : `a ${other.kind.toLowerCase()}`}.`)
    else unknown(context, test.pipeline, 'pipeline', test.pipeline.name, program.pipelines.keys())
    for (const argument of test.args) checkExpression(context, argument.value, { scope })
  }
  const results = resultScope(context, test)
  for (const line of test.lines) checkLine(context, line, results)
  const expects = test.lines.some((line) => line.kind === 'Expect')
  if (!expects && !test.faulty) warn(context, test.nameSpan, 'test-without-expect', `This test expects nothing; it only shows that the run doesn't fail. Add an expect line.`)
}

/** What an `expect` line can look at. */
function resultScope(context: Context, test: TestDeclaration): Scope {
  const scope = newScope()
  const pipeline = context.program.pipelines.get(test.pipeline.name)
  const error = objectShape([['code', STRING], ['message', STRING], ['path', ANY], ['span', ANY], ['cause', ANY]], false, 'error')
  const output = pipeline?.returns && !pipeline.faulty ? unionOf([shapeOfType(pipeline.returns, context.program), NULL]) : ANY
  const violations = META.kind === 'object' ? (META.fields.get('violations') ?? ANY) : ANY
  for (const [name, shape] of [
    ['output', output], ['status', STRING], ['error', unionOf([error, NULL])], ['violations', violations], ['cost', NUMBER], ['context', ANY],
  ] as const) scope.names.set(name, { kind: 'built-in', shape })
  return scope
}

function checkLine(context: Context, line: TestLine, results: Scope): void {
  const empty: Place = { scope: newScope() }
  switch (line.kind) {
    case 'Files':
      return checkFiles(context, line.value, empty)
    case 'Mock': {
      checkMockTarget(context, line.target)
      for (const answer of line.answers) checkExpression(context, answer, { ...empty, functions: mockFunctions(context) })
      return
    }
    case 'Approve':
      for (const target of line.targets) checkCallTarget(context, target)
      return
    case 'Decline':
      checkCallTarget(context, line.target)
      if (line.reason) checkExpression(context, line.reason, empty)
      return
    case 'Answer':
      checkAnswerTarget(context, line.target)
      checkExpression(context, line.value, empty)
      return
    case 'Expect':
      checkExpression(context, line.condition, { scope: results, functions: expectFunctions(context) })
      checkStatuses(context, line.condition)
      return
  }
}

function checkFiles(context: Context, value: Expression, place: Place): void {
  checkExpression(context, value, place)
  if (value.kind !== 'Object') {
    fault(context, value, 'test-files', 'files takes an object of names and texts: { "a.md": "…" }.')
  }
}

/** What a mock can answer beside calls. */
const ANSWERED: ReadonlySet<string> = new Set(['approval', 'yield', 'listen', 'input'])

/** `Agent.task`, `Tool.method`, or `Tool` for all its methods. */
function checkMockTarget(context: Context, target: Target): void {
  // `Tool.method?` answers the approvals of a call.
  const [name = '', member] = target.text.replace(/\?$/, '').split('.')
  const { program } = context
  if (ANSWERED.has(target.text) || context.events.has(target.text)) return
  const at = { from: target.from + (target.quoted ? 1 : 0), to: target.from + (target.quoted ? 1 : 0) + name.length }
  const declaration = declarationOf(program, name)
  if (!declaration || declaration.kind === 'Policy' || declaration.kind === 'Schema') {
    unknown(context, at, 'agent or tool', name, [...program.agents.keys(), ...program.tools.keys(), ...program.stores.keys(), ...program.pipelines.keys()])
    return
  }
  referTo(context, at, declaration)
  if (member === undefined) return
  const memberAt = { from: at.to + 1, to: at.to + 1 + member.length }
  if (declaration.kind === 'Agent') {
    const tasks = [...(context.tasks.get(name) ?? [])]
    if (tasks.includes(member)) return
    if (context.damaged) return
    const near = nearest(member, tasks) ?? (tasks.length === 1 ? tasks[0] : undefined)
    warn(context, memberAt, 'unknown-task', `No pipeline calls ${name}.${member}.${near ? ` Did you mean "${near}"?` : ''}`, near ? { fix: replacement(memberAt, near) } : {})
    return
  }
  checkMember(context, name, member, memberAt)
}

function checkMember(context: Context, name: string, member: string, at: { from: number; to: number }): void {
  const facts = toolFacts(context, name)
  if (!facts?.methods || member.includes('*') || facts.methods.has(member) || facts.absent.has(member)) return
  unknown(context, at, 'method', member, facts.methods.keys(), 'unknown-method', { owner: name, hint: `It has ${[...facts.methods.keys()].join(', ')}.`, severity: 'warning' })
}

/** A target of `approve` and `decline`, with globs. */
function checkCallTarget(context: Context, target: Target): void {
  const [name = ''] = target.text.split('.')
  const tool = context.program.tools.get(name) ?? context.program.stores.get(name)
  const from = target.from + (target.quoted ? 1 : 0)
  if (tool) refer(context, { from, to: from + name.length }, tool.nameSpan, context.file)
  if (target.text === tool?.name) return
  checkGlob(context, target, target.text)
}

function checkAnswerTarget(context: Context, target: Target): void {
  const { text } = target
  if (text === 'yield' || text === 'input' || context.events.has(text) || context.events.has('*')) return
  const near = nearest(text, ['yield', ...context.events])
  if (context.damaged) return
  const insert = near === 'yield' ? near : near === undefined ? '' : JSON.stringify(near)
  warn(context, target, 'unknown-event', `No pipeline waits for "${text}".${near ? ` Did you mean ${insert}?` : ''}`, near ? { fix: replacement(target, insert) } : {})
}

function mockFunctions(context: Context): NonNullable<Place['functions']> {
  const check = ({ args }: FunctionCall) => {
    const [target, given] = args
    if (target?.value.kind === 'String') {
      const [name = '', member] = target.value.value.split('.')
      const place = offsetsIn(context.file.source, target.value)
      const at = { from: place(0), to: place(name.length) }
      // A model may ask for what isn't there, and a test may show what comes of it: a warning only.
      if (!context.program.tools.has(name)) {
        unknown(context, at, 'tool', name, context.program.tools.keys(), 'unknown-target', { severity: 'warning' })
      } else if (member === undefined) warn(context, target.value, 'unknown-target', `call takes "Tool.method"; "${name}" names no method.`)
      else checkMember(context, name, member, { from: place(name.length + 1), to: place(name.length + 1 + member.length) })
    } else if (target) fault(context, target, 'argument-type', 'call takes "Tool.method" in quotes first.')
    if (given && given.value.kind !== 'Object' && given.value.kind !== 'Variable' && given.value.kind !== 'Access') {
      fault(context, given, 'argument-type', 'call takes the arguments as an object: call("Files.read", { path: "a.md" }).')
    }
  }
  return new Map([['call', { least: 1, most: 2, check }]])
}

function expectFunctions(context: Context): NonNullable<Place['functions']> {
  const text = (call: FunctionCall, what: string) => {
    const value = call.args[0]?.value
    if (value && value.kind !== 'String' && value.kind !== 'Template') fault(context, value, 'argument-type', `${call.name} takes ${what} in quotes.`)
    return value?.kind === 'String' ? value : undefined
  }
  return new Map([
    ['called', { least: 1, most: 1, check: (call: FunctionCall) => {
      const glob = text(call, 'a glob')
      if (glob) checkCalled(context, glob)
    } }],
    ['file', { least: 1, most: 1, check: (call: FunctionCall) => void text(call, 'a path') }],
  ])
}

/** `called` counts calls of tools and of agents. */
function checkCalled(context: Context, glob: StringLiteral): void {
  const [side, taskSide] = sidesOf(glob.value)
  const agents = side.includes('*') ? [...context.program.agents.keys()].filter((name) => matchesSide(side, name)) : context.program.agents.has(side) ? [side] : []
  if (!agents.length || !taskSide) return checkGlob(context, glob, glob.value)
  const tasks = agents.flatMap((name) => [...(context.tasks.get(name) ?? [])])
  if (tasks.some((task) => matchesSide(taskSide, task)) || side.includes('*') || context.damaged) return
  const near = nearest(taskSide, tasks)
  warn(context, glob, 'unknown-task', `No pipeline calls ${glob.value}.${near ? ` Did you mean "${near}"?` : ''}`, near ? { fix: replacement(glob, JSON.stringify(`${side}.${near}`)) } : {})
}

/** `status == "complete"` is never true. */
function checkStatuses(context: Context, condition: Expression): void {
  if (condition.kind === 'Unary') return checkStatuses(context, condition.operand)
  if (condition.kind !== 'Operation') return
  for (const operand of condition.operands) checkStatuses(context, operand)
  for (const value of comparedWithStatus(condition)) {
    if (value.kind !== 'String' || (RUN_STATUSES as readonly string[]).includes(value.value)) continue
    const near = nearest(value.value, RUN_STATUSES)
    warn(context, value, 'unknown-status', `A run ends as ${oneOf(RUN_STATUSES)}, never as ${describe({ kind: 'string', value: value.value })}.`, near ? { fix: replacement(value, JSON.stringify(near)) } : {})
  }
}

function comparedWithStatus({ operands, operators }: Operation): Expression[] {
  if (operators[0] !== '==' && operators[0] !== '!=') return []
  const isStatus = (e: Expression) => e.kind === 'Variable' && e.name === 'status'
  return operands.some(isStatus) ? operands.filter((e) => !isStatus(e)) : []
}
