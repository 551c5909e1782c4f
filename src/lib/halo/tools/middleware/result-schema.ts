/** Results that have the shape their reader counts on. */
import { HaloError } from '../../errors.ts'
import { faultsText, validate } from '../../run/validate.ts'
import type { Tool } from '../define.ts'
import { inOrder, type Middleware } from './compose.ts'
import { settle } from './settle.ts'

/**
 * The result, if it fits the schema. A text is read as JSON for a schema that isn't of a text.
 * @throws HaloError TOOL_ERROR that names each fault; they are in `data.faults` as well.
 */
export function checkedResult(result: unknown, schema: unknown, what: string): unknown {
  const faults = validate(schema, result)
  if (faults.length === 0) return result
  const read = typeof result === 'string' ? parsed(result) : undefined
  const readFaults = read === undefined ? faults : validate(schema, read.value)
  if (read !== undefined && readFaults.length === 0) return read.value
  throw new HaloError('TOOL_ERROR', `The result of ${what} doesn't fit its schema:\n${faultsText(readFaults, 'the result')}`, { data: { faults: readFaults } })
}

/** Fails a call whose result doesn't fit. Innermost: a result that doesn't fit is not kept by idempotency. */
export function withResultSchema(schema: unknown): Middleware {
  return inOrder('result', (tool: Tool): Tool => ({
    ...tool,
    execute: async (args, context) => checkedResult(await settle(tool.execute(args, context), context), schema, tool.name),
  }))
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
