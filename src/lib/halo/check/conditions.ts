/** Conditions: an expression, or a text that holds one, checked where it stands in the file. */
import { parseCondition } from '../syntax/index.ts'
import type { Expression, StringLiteral } from '../syntax/ast.ts'
import { fault, type Context } from './context.ts'
import { checkExpression, type Place } from './expressions.ts'

export function checkCondition(context: Context, value: Expression, place: Place): void {
  if (value.kind === 'Template' || (value.kind === 'String' && value.value.includes('{{'))) {
    fault(context, value, 'condition-template', "A condition is an expression already: write the name itself, without {{ }}.")
    return
  }
  if (value.kind !== 'String') {
    checkExpression(context, value, place)
    return
  }
  const { expression, diagnostics } = parseCondition(value.value)
  const outer = context.place
  context.place = offsetsIn(context.file.source, value)
  try {
    for (const { from, to, message } of diagnostics) fault(context, { from, to }, 'syntax', message)
    if (diagnostics.length) return
    if (expression) checkExpression(context, expression, place)
    else fault(context, { from: 0, to: value.value.length }, 'syntax', 'This condition is empty.')
  } finally {
    if (outer) context.place = outer
    else delete context.place
  }
}

/**
 * Where each offset of a string's value stands in the source. Escapes and the indent that triple quotes lose are found by
 * walking both side by side.
 */
export function offsetsIn(source: string, literal: StringLiteral): (offset: number) => number {
  const text = source.slice(literal.from, literal.to)
  const quotes = text.startsWith('"""') ? 3 : text.startsWith('\\"') ? 2 : 1
  const raw = text.startsWith("'")
  const { value } = literal
  const simple = literal.from + quotes
  if (text.startsWith(value, quotes) && (raw || !text.includes('\\'))) return (offset) => simple + Math.min(offset, value.length)
  const places: number[] = []
  let at = quotes
  for (let i = 0; i < value.length; i++) {
    const escape = /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|[^])/.exec(text.slice(at, at + 12))
    if (escape) {
      places.push(at)
      at += escape[0].length
      continue
    }
    // Indent that was cut off: what the value has next comes later in the source.
    const found = text.indexOf(value.charAt(i), at)
    if (found >= 0) at = found
    places.push(at)
    at++
  }
  return (offset) => literal.from + (places[offset] ?? (offset === 0 ? quotes : Math.min(at, text.length)))
}
