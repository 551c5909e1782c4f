/** The smallest value that fits a schema: what mocks answer with. */
import { HaloError } from '../errors.ts'
import { isObject, setField } from './values.ts'

type JsonSchema = Record<string, unknown>

/**
 * The smallest value that fits a schema: required fields only, empty texts and lists, zero, the first of several words.
 * Throws HaloError VALIDATION where every instance would hold another of the same kind without end.
 */
export function smallestInstance(schema: unknown): unknown {
  const found = smallest(schema, schema, [])
  if (found) return found.value
  throw new HaloError('VALIDATION', 'The schema has no finite instance: it requires itself.')
}

/** undefined: there is none without a schema inside itself. */
function smallest(schema: unknown, root: unknown, inside: readonly unknown[]): { value: unknown } | undefined {
  if (!isObject(schema)) return { value: null }
  if (inside.includes(schema)) return undefined
  const within = [...inside, schema]
  if ('const' in schema) return { value: schema['const'] }
  if ('default' in schema) return { value: schema['default'] }
  if (Array.isArray(schema['enum'])) return { value: schema['enum'][0] }
  if (typeof schema['$ref'] === 'string') return smallest(pointed(schema['$ref'], root), root, within)
  for (const key of ['anyOf', 'oneOf'] as const) {
    const members = schema[key]
    if (!Array.isArray(members)) continue
    const found = members.map((member) => smallest(member, root, within)).filter((member) => member !== undefined)
    return found.find(({ value }) => value === null) ?? found[0]
  }
  if (Array.isArray(schema['allOf'])) return smallest(together(schema, schema['allOf'], root), root, inside)
  const type = Array.isArray(schema['type']) ? (schema['type'].includes('null') ? 'null' : (schema['type'][0] as unknown)) : schema['type']
  switch (type ?? (isObject(schema['properties']) ? 'object' : undefined)) {
    case 'string': return { value: smallestText(schema) }
    case 'number': case 'integer': return { value: smallestNumber(schema, type === 'integer') }
    case 'boolean': return { value: false }
    case 'array': return smallestList(schema, root, within)
    case 'object': return smallestObject(schema, root, within)
    default: return { value: null }
  }
}

function smallestObject(schema: JsonSchema, root: unknown, inside: readonly unknown[]): { value: unknown } | undefined {
  const value: Record<string, unknown> = {}
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const key of Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []) {
    if (typeof key !== 'string') continue
    const field = smallest(Object.hasOwn(properties, key) ? properties[key] : {}, root, inside)
    if (!field) return undefined
    setField(value, key, field.value)
  }
  return { value }
}

function smallestList(schema: JsonSchema, root: unknown, inside: readonly unknown[]): { value: unknown } | undefined {
  const items: unknown[] = []
  const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
  for (let i = 0; i < least; i++) {
    const item = smallest(first[i] ?? schema['items'], root, inside)
    if (!item) return undefined
    items.push(item.value)
  }
  return { value: items }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: '1970-01-01', time: '00:00:00Z', 'date-time': '1970-01-01T00:00:00Z', duration: 'P0D', email: 'a@example.com',
  hostname: 'example.com', ipv4: '0.0.0.0', ipv6: '::', uri: 'https://example.com/', url: 'https://example.com/',
  'uri-reference': '/', uuid: '00000000-0000-0000-0000-000000000000', path: '.',
}

function smallestText(schema: JsonSchema): string {
  const format = schema['format']
  const example = typeof format === 'string' && Object.hasOwn(EXAMPLES, format) ? (EXAMPLES[format] ?? '') : ''
  return typeof schema['minLength'] === 'number' ? example.padEnd(schema['minLength'], 'x') : example
}

function smallestNumber(schema: JsonSchema, whole: boolean): number {
  const step = typeof schema['multipleOf'] === 'number' ? schema['multipleOf'] : whole ? 1 : undefined
  const above = schema['exclusiveMinimum']
  const least = typeof schema['minimum'] === 'number' ? schema['minimum'] : typeof above === 'number' ? above + (step ?? 1) : undefined
  const most = typeof schema['maximum'] === 'number' ? schema['maximum'] : typeof schema['exclusiveMaximum'] === 'number' ? schema['exclusiveMaximum'] - (step ?? 1) : undefined
  if (least !== undefined && least > 0) return step ? Math.ceil(least / step) * step : least
  if (most !== undefined && most < 0) return step ? Math.floor(most / step) * step : most
  return 0
}

function together(schema: JsonSchema, parts: readonly unknown[], root: unknown): JsonSchema {
  const { allOf: _, ...own } = schema
  const all = [own, ...parts].map((part) => (isObject(part) && typeof part['$ref'] === 'string' ? pointed(part['$ref'], root) : part)).filter(isObject)
  const merged: JsonSchema = Object.assign({}, ...all)
  merged['properties'] = Object.assign({}, ...all.map((part) => part['properties']))
  merged['required'] = [...new Set(all.flatMap((part) => (Array.isArray(part['required']) ? (part['required'] as unknown[]) : [])))]
  return merged
}

/** What a `#/…` reference points to. */
export function pointed(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined
  let value = root
  for (const token of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonSchema)[key]
  }
  return value
}
