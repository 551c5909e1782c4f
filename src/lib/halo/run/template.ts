/** Text with values in it: strings as they are, all else as JSON. What a value holds is never interpolated again. */
import { HaloError } from '../errors.ts'
import type { Expression } from '../syntax/ast.ts'

/** A value as text: strings as they are, all else as JSON, `undefined` as null. Throws EXPRESSION_ERROR on what has no JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (cause) {
    throw new HaloError('EXPRESSION_ERROR', 'A value that holds itself, or is nested too deep, can\'t be written as text.', { cause })
  }
}

/** The names of variables that an expression reads, those in `{{ }}` included. */
export function namesIn(expression: Expression): Set<string> {
  const names = new Set<string>()
  const waiting: Expression[] = [expression]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.kind === 'Variable') names.add(node.name)
    for (const part of partsOf(node)) waiting.push(part)
  }
  return names
}

/** The expressions right inside of one. */
export function partsOf(node: Expression): Expression[] {
  switch (node.kind) {
    case 'Template': return node.parts.filter((part) => typeof part !== 'string')
    case 'Access': return [node.base, ...node.steps.flatMap((step) => (step.kind === 'Index' ? [step.index] : []))]
    case 'FunctionCall': return node.args.map((arg) => arg.value)
    case 'List': return node.items
    case 'Object': return node.entries.map((entry) => entry.value)
    case 'Unary': return [node.operand]
    case 'Operation': return node.operands
    case 'Conditional': return [node.test, node.then, node.else]
    default: return []
  }
}
