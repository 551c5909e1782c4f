/** The one result of whatever a method gives. */
import type { ToolContext, ToolOutput } from '../types.ts'

/** Awaits a value or a promise; takes an async iterable to its end, showing each value on the way but the last, which is the result. */
export async function settle(output: ToolOutput | Promise<ToolOutput> | AsyncIterable<ToolOutput>, context: Pick<ToolContext, 'signal' | 'partial'>): Promise<unknown> {
  const value: unknown = await output
  if (!isAsyncIterable(value)) return value
  let result: unknown
  let first = true
  for await (const next of value) {
    if (!first) context.partial?.(result)
    // Leaving the loop lets the generator clean up.
    context.signal.throwIfAborted()
    result = next
    first = false
  }
  return result
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function'
}
