/** Holds a provider to what it says that its methods give: the schema fits, and nothing is in a result that it doesn't name. */
import { expect } from 'vitest'
import { validate } from '../../src/lib/halo/run/schema.ts'
import { isPartsResult, type ProviderDefinition } from '../../src/lib/halo/tools/types.ts'

export function expectDescribed(definition: ProviderDefinition, method: string, result: unknown): void {
  if (isPartsResult(result)) return
  const schema = definition.info?.[method]?.result
  expect(schema, `${definition.name}.${method} says what it gives`).toBeDefined()
  expect(validate(closed(schema), result), `${definition.name}.${method}`).toEqual([])
}

/** The schema with no properties allowed but those it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]: [string, unknown]) => [key, closed(value)]))
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner
}
