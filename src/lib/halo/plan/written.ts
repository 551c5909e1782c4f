/** Text that stands in the program, and numbers that do. */
import { literalValue } from '../check/arguments.ts'
import type { Argument, Expression } from '../syntax/ast.ts'

/** The texts written in an expression, one after another; `{{ }}` as it is written. */
export function writtenText(expression: Expression, source: string): string {
  switch (expression.kind) {
    case 'String':
      return expression.value
    case 'Template':
      return expression.parts.map((part) => (typeof part === 'string' ? part : `{{${source.slice(part.from, part.to)}}}`)).join('')
    case 'List':
      return expression.items.map((item) => writtenText(item, source)).join('')
    case 'Object':
      return expression.entries.map(({ key, value }) => key + writtenText(value, source)).join('')
    case 'FunctionCall':
      return expression.args.map(({ value }) => writtenText(value, source)).join('')
    case 'Operation':
      return expression.operands.map((operand) => writtenText(operand, source)).join('')
    case 'Unary':
      return writtenText(expression.operand, source)
    case 'Conditional':
      return [expression.then, expression.else].map((arm) => writtenText(arm, source)).reduce((a, b) => (a.length >= b.length ? a : b))
    case 'Number':
      return String(expression.value)
    case 'Boolean':
    case 'Null':
    case 'Variable':
    case 'Access':
      return ''
  }
}

/** A whole number that is written out; undefined where there is none or it is only known in a run. */
export function writtenNumber(expression: Expression | undefined): number | undefined {
  const value = expression === undefined ? undefined : literalValue(expression)
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}

export function argumentNamed(args: readonly Argument[] | undefined, name: string): Expression | undefined {
  return args?.find((arg) => arg.name === name)?.value
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
