/** The `expect` lines of a test: evaluated after its run, each with the values it speaks of. */
import { HaloError, messageOf, spanWithin } from '../errors.ts'
import { evaluate, truthy, type Scope, type World } from '../run/expression.ts'
import type { Expression, HaloFile, Node, TestDeclaration } from '../syntax/ast.ts'
import type { ExpectOutcome, SeenValue } from './types.ts'

export interface ExpectWorld extends World {
  /** `output`, `status`, … by name. */
  names: Readonly<Record<string, unknown>>
  called(glob: unknown): number
  /** The text of a file after the run; null when there is none. */
  file(path: string): Promise<string | null>
}

/** Left an evaluation at a file that has not been read yet. */
class FileNeeded {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

export async function checkExpectations(test: TestDeclaration, file: HaloFile, world: ExpectWorld): Promise<ExpectOutcome[]> {
  const files = new Map<string, string | null>()
  const scope: Scope = {
    mode: 'condition',
    has: (name) => Object.hasOwn(world.names, name),
    lookup: (name) => world.names[name],
    functions: {
      called: world.called,
      file: (path) => {
        if (typeof path !== 'string') throw new HaloError('EXPRESSION_ERROR', 'file takes a path, as a text.')
        const content = files.get(path)
        if (content === undefined) throw new FileNeeded(path)
        return content
      },
    },
    ...(test.file === undefined ? {} : { file: test.file }),
  }

  /** Expressions are pure: each file that turns out to be needed is read, and the evaluation begins again. */
  const valueOf = async (expression: Expression): Promise<unknown> => {
    for (;;) {
      try {
        return await evaluate(expression, scope, world)
      } catch (thrown) {
        if (!(thrown instanceof FileNeeded)) throw thrown
        files.set(thrown.path, await world.file(thrown.path))
      }
    }
  }

  const textOf = (node: Node): string => file.source.slice(node.from, node.to).trim()

  const check = async (condition: Expression): Promise<ExpectOutcome> => {
    const outcome: ExpectOutcome = { text: textOf(condition), span: spanWithin(condition, test.file), passed: false, values: [] }
    try {
      outcome.passed = truthy(await valueOf(condition))
    } catch (thrown) {
      outcome.error = thrown instanceof HaloError ? thrown : new HaloError('EXPRESSION_ERROR', messageOf(thrown), { cause: thrown })
    }
    for (const part of comparedParts(condition)) {
      const text = textOf(part)
      if (outcome.values.some((seen) => seen.text === text)) continue
      const seen = await valueOf(part).then(
        (value): SeenValue => ({ text, value }),
        // What can't be evaluated by itself has nothing to show; the condition's own error says why.
        () => undefined,
      )
      if (seen !== undefined) outcome.values.push(seen)
    }
    return outcome
  }

  const outcomes: ExpectOutcome[] = []
  for (const line of test.lines) if (line.kind === 'Expect') outcomes.push(await check(line.condition))
  return outcomes
}

/** What a condition compares: the operands of its comparisons, without literals. */
function comparedParts(node: Expression): Expression[] {
  switch (node.kind) {
    case 'Operation':
      return node.operands.flatMap(comparedParts)
    case 'Unary':
      return comparedParts(node.operand)
    case 'Conditional':
      return [node.test, node.then, node.else].flatMap(comparedParts)
    case 'String':
    case 'Number':
    case 'Boolean':
    case 'Null':
    case 'List':
    case 'Object':
      return []
    case 'Template':
    case 'Variable':
    case 'Access':
    case 'FunctionCall':
      return [node]
  }
}

/** Does any expectation speak of one of these names? */
export function expectationsMention(test: TestDeclaration, names: readonly string[]): boolean {
  return test.lines.some((line) => line.kind === 'Expect' && variablesIn(line.condition).some((name) => names.includes(name)))
}

function variablesIn(node: Expression): string[] {
  switch (node.kind) {
    case 'Variable':
      return [node.name]
    case 'Access':
      return [...variablesIn(node.base), ...node.steps.flatMap((step) => (step.kind === 'Index' ? variablesIn(step.index) : []))]
    case 'FunctionCall':
      return node.args.flatMap((argument) => variablesIn(argument.value))
    case 'List':
      return node.items.flatMap(variablesIn)
    case 'Object':
      return node.entries.flatMap((entry) => variablesIn(entry.value))
    case 'Unary':
      return variablesIn(node.operand)
    case 'Operation':
      return node.operands.flatMap(variablesIn)
    case 'Conditional':
      return [node.test, node.then, node.else].flatMap(variablesIn)
    case 'Template':
      return node.parts.flatMap((part) => (typeof part === 'string' ? [] : variablesIn(part)))
    case 'String':
    case 'Number':
    case 'Boolean':
    case 'Null':
      return []
  }
}
