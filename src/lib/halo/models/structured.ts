/** Answers of a given shape: which schemas an API can be given, and the words for those it can't. */
import { isObject } from './calls.ts'
import type { JsonSchema, ModelRequest } from './types.ts'

/** The request with its schema in words at the end of the system prompt, for an API that isn't given it. */
export function withSchemaInPrompt(request: ModelRequest): ModelRequest {
  if (!request.schema) return request
  const { schema, ...rest } = request
  const words = schemaPrompt(schema)
  return { ...rest, system: request.system ? `${request.system}\n\n${words}` : words }
}

function schemaPrompt({ name, schema }: NonNullable<ModelRequest['schema']>): string {
  return `Your final answer must be JSON only, with no other text and no code fence around it, and fit this JSON Schema (${name}):\n${JSON.stringify(schema)}`
}

/** Providers constrain objects only; a list, a union or a plain value has to be asked for in words. */
export const isObjectSchema = (schema: JsonSchema): boolean => schema.type === 'object' && isObject(schema.properties)

/** A name as providers take it: letters, digits, `_` and `-`, at most 64. */
export const schemaName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer'

/**
 * The schema with every object closed (`additionalProperties: false`), which strict modes insist on.
 * `strict` tells whether it also has no field that can't be given and no keyword beyond the subset that OpenAI's strict mode takes
 * (platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
 */
export function closedSchema(schema: JsonSchema): { schema: JsonSchema; strict: boolean } {
  let strict = true
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close)
    if (!isObject(node)) return node
    const copy: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(node)) {
      if (!strictKeywords.has(key)) strict = false
      copy[key] = keywordsOfSchemas.has(key) ? closeMap(value) : key === 'enum' || key === 'const' || key === 'default' ? value : close(value)
    }
    if (node.type === 'object' || isObject(node.properties)) {
      const names = Object.keys(isObject(node.properties) ? node.properties : {})
      const required = Array.isArray(node.required) ? node.required : []
      const optional = names.filter((name) => !required.includes(name))
      // A field that may be null need not be left out.
      if (optional.every((name) => isObject(node.properties) && allowsNull(node.properties[name]))) copy.required = names
      else strict = false
      if (node.additionalProperties === undefined) copy.additionalProperties = false
      else if (node.additionalProperties !== false) strict = false
    }
    // A node that says nothing (Any) is outside the strict subset.
    if (!['type', 'enum', 'const', 'anyOf', '$ref'].some((key) => key in node)) strict = false
    return copy
  }
  const closeMap = (value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, close(child)])) : value
  const closed = close(schema)
  return { schema: isObject(closed) ? closed : schema, strict }
}

function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false
  if (schema.type === 'null' || (Array.isArray(schema.type) && schema.type.includes('null'))) return true
  return Array.isArray(schema.anyOf) && schema.anyOf.some(allowsNull)
}

const keywordsOfSchemas = new Set(['properties', '$defs', 'definitions'])
const strictKeywords = new Set([
  'type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs', 'description', 'title',
  'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems',
])

/** The schema without keywords an API doesn't take; what they say moves into the description, so that the model still reads it. */
export function withoutKeywords(schema: JsonSchema, unsupported: ReadonlySet<string>): JsonSchema {
  const clean = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(clean)
    if (!isObject(node)) return node
    const copy: Record<string, unknown> = {}
    const moved: string[] = []
    for (const [key, value] of Object.entries(node)) {
      if (unsupported.has(key)) moved.push(`${key}: ${JSON.stringify(value)}`)
      else if (keywordsOfSchemas.has(key) && isObject(value)) copy[key] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, clean(child)]))
      else copy[key] = key === 'enum' || key === 'const' || key === 'default' ? value : clean(value)
    }
    if (moved.length > 0) copy.description = [node.description, `(${moved.join(', ')})`].filter(Boolean).join(' ')
    return copy
  }
  const cleaned = clean(schema)
  return isObject(cleaned) ? cleaned : schema
}
