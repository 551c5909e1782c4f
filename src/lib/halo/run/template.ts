/** Text with values in it: strings as they are, all else as JSON. What a value holds is never interpolated again. */
import { HaloError } from '../errors.ts'
import type { Expression, StringLiteral, TemplateLiteral } from '../syntax/ast.ts'
import { evaluate, type Scope, type World } from './expression.ts'

/** A value as text: strings as they are, all else as JSON, `undefined` as null. Throws EXPRESSION_ERROR on what has no JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (cause) {
    throw new HaloError('EXPRESSION_ERROR', 'A value that holds itself, or is nested too deep, can\'t be written as text.', { cause })
  }
}

/** The text of a string with its `{{ }}` filled in. A promise only when the world answers with one. */
export function renderTemplate(text: StringLiteral | TemplateLiteral, scope: Scope, world?: World): string | Promise<string> {
  const value = evaluate(text, scope.mode === 'template' ? scope : inTemplate(scope), world)
  return value instanceof Promise ? value.then(toText) : toText(value)
}

function inTemplate(scope: Scope): Scope {
  return {
    mode: 'template',
    has: (name) => scope.has(name),
    lookup: (name) => scope.lookup(name),
    functions: scope.functions,
    file: scope.file,
  }
}

/** The names of variables that an expression reads, those in `{{ }}` included. */
export function namesIn(expression: Expression): Set<string> {
  const names = new Set<string>()
  const waiting: Expression[] = [expression]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    switch (node.kind) {
      case 'Variable': names.add(node.name); break
      case 'Template': waiting.push(...node.parts.filter((part) => typeof part !== 'string')); break
      case 'Access':
        waiting.push(node.base)
        for (const step of node.steps) if (step.kind === 'Index') waiting.push(step.index)
        break
      case 'FunctionCall': waiting.push(...node.args.map((arg) => arg.value)); break
      case 'List': waiting.push(...node.items); break
      case 'Object': waiting.push(...node.entries.map((entry) => entry.value)); break
      case 'Unary': waiting.push(node.operand); break
      case 'Operation': waiting.push(...node.operands); break
      case 'Conditional': waiting.push(node.test, node.then, node.else); break
    }
  }
  return names
}
