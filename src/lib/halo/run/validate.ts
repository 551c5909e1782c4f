/** Does a value fit a JSON Schema? By @cfworker/json-schema, which needs no eval; its faults told in words people use. */
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { messageOf } from '../errors.ts'
import { compileRegex } from '../policy/regex.ts'
import { isObject, kindOf } from './values.ts'

export interface Fault {
  /** `items[0].price`; empty for the value itself. */
  path: string
  /** `should be a number, not a text ("12")`. */
  message: string
}

/** Deeper values aren't checked but refused. */
const DEPTH_LIMIT = 300
/** Of many faults the first are enough to mend it, and to tell a model. */
const FAULT_LIMIT = 50

/** Every way in which a value doesn't fit; empty when it fits. Fields that are `undefined` count as absent. Never throws. */
export function validate(schema: unknown, value: unknown): Fault[] {
  const plain = plainOf(value, '', 0)
  if ('fault' in plain) return [plain.fault]
  try {
    const { validator, root } = validatorFor(schema)
    const result = validator.validate(plain.value)
    if (result.valid) return []
    const faults = explain(result.errors, root, plain.value)
    return distinct(faults.length > 0 ? faults : [{ path: '', message: 'doesn\'t fit the schema' }]).slice(0, FAULT_LIMIT)
  } catch (error) {
    return [{ path: '', message: `can't be checked, because the schema itself is faulty: ${messageOf(error)}` }]
  }
}

/** All faults as one text, one to a line; `subject` names the value itself. */
export function faultsText(faults: readonly Fault[], subject = 'the value'): string {
  return faults.map(({ path, message }) => `${path === '' ? subject : path} ${message}`).join('\n')
}

const validators = new WeakMap<object, { validator: Validator; root: unknown }>()

function validatorFor(schema: unknown): { validator: Validator; root: unknown } {
  const known = typeof schema === 'object' && schema !== null ? validators.get(schema) : undefined
  if (known) return known
  // A copy: the library notes things on the schema, which may be shared or frozen.
  const root = JSON.parse(JSON.stringify(schema)) as Schema | boolean
  requireQuickPatterns(root)
  const made = { validator: new Validator(root, '2020-12', false), root }
  if (typeof schema === 'object' && schema !== null) validators.set(schema, made)
  return made
}

/** A schema may come from a stranger's server: a pattern of its that some text can stall isn't run. */
function requireQuickPatterns(root: unknown): void {
  const waiting: unknown[] = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue
    const { pattern, patternProperties } = node as Record<string, unknown>
    for (const source of [pattern, ...Object.keys(patternProperties ?? {})]) {
      if (typeof source !== 'string') continue
      const regex = compileRegex(source)
      if ('fault' in regex || !regex.test) throw new Error(`its pattern ${source} ${'fault' in regex ? `can't be read: ${regex.fault}` : 'may take very long on some texts'}`)
    }
    for (const part of Object.values(node) as unknown[]) waiting.push(part)
  }
}

/** The value without undefined fields; the same one where it has none. */
function plainOf(value: unknown, path: string, depth: number): { value: unknown } | { fault: Fault } {
  switch (typeof value) {
    case 'undefined': return { value: null }
    case 'bigint': case 'function': case 'symbol': return { fault: { path, message: `is a ${typeof value}, which is no plain data` } }
    case 'number': return Number.isFinite(value) ? { value } : { fault: { path, message: `is ${value}, which is no finite number` } }
    case 'object': break
    default: return { value }
  }
  if (value === null) return { value }
  if (depth > DEPTH_LIMIT) return { fault: { path: '', message: `is nested more than ${DEPTH_LIMIT} levels deep, or holds itself` } }
  if (Array.isArray(value)) {
    let changed = false
    const items: unknown[] = []
    for (const [i, item] of value.entries()) {
      const plain = plainOf(item, `${path}[${i}]`, depth + 1)
      if ('fault' in plain) return plain
      changed ||= plain.value !== item
      items.push(plain.value)
    }
    return { value: changed ? items : value }
  }
  let changed = false
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) {
      changed = true
      continue
    }
    const plain = plainOf(item, join(path, key), depth + 1)
    if ('fault' in plain) return plain
    changed ||= plain.value !== item
    entries.push([key, plain.value])
  }
  return { value: changed ? Object.fromEntries(entries) : value }
}

// ---------------------------------------------------------------------- words

/** Only say that something inside didn't fit; what didn't comes after them. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'properties', 'items', 'prefixItems', 'additionalProperties', 'patternProperties', '$ref', '$recursiveRef', 'allOf', 'if',
  'propertyNames', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems',
])

function explain(units: readonly OutputUnit[], root: unknown, value: unknown): Fault[] {
  const faults: Fault[] = []
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]
    if (!unit || WRAPPERS.has(unit.keyword)) continue
    if (unit.keyword !== 'anyOf' && unit.keyword !== 'oneOf') {
      faults.push(faultOf(unit, root, value))
      continue
    }
    // What follows are the faults of every alternative, in order. Where all but one are of another kind, its faults are meant.
    const inside: OutputUnit[][] = []
    let branch = ''
    for (let next = units[i + 1]; next; next = units[i + 1]) {
      if (next.keyword !== 'false' && !next.keywordLocation.startsWith(`${unit.keywordLocation}/`)) break
      if (next.keyword === 'false' && inside.length === 0) break
      const own = next.keyword === 'false' ? branch : (next.keywordLocation.slice(unit.keywordLocation.length + 1).split('/')[0] ?? '')
      if (own !== branch || inside.length === 0) inside.push([])
      branch = own
      inside.at(-1)?.push(next)
      i++
    }
    const likely = inside.filter((each) => !each.some((u) => ['type', 'const', 'enum'].includes(u.keyword) && u.instanceLocation === unit.instanceLocation))
    const only = likely.length === 1 ? likely[0] : undefined
    if (only && unit.keyword === 'anyOf') faults.push(...explain(only, root, value))
    else faults.push(faultOf(unit, root, value))
  }
  return faults
}

function faultOf(unit: OutputUnit, root: unknown, value: unknown): Fault {
  const path = pathOf(unit.instanceLocation)
  const got = at(value, unit.instanceLocation)
  const limit = schemaAt(root, unit.keywordLocation)
  const holder = schemaAt(root, unit.keywordLocation.slice(0, unit.keywordLocation.lastIndexOf('/')))
  switch (unit.keyword) {
    case 'required': {
      const name = /required property "([\s\S]*)"\.$/.exec(unit.error)?.[1] ?? ''
      return { path: join(path, name), message: 'is missing' }
    }
    case 'false': return { path, message: 'is not a field of the schema' }
    case 'type': case 'const': case 'enum': return { path, message: `should be ${describe(holder)}, not ${shown(got)}` }
    case 'anyOf': case 'oneOf':
      return { path, message: `should be ${Array.isArray(limit) ? listed(limit.map((each) => describe(resolved(each, root))), 'or') : 'something else'}, not ${shown(got)}` }
    case 'minimum': return { path, message: `should be at least ${String(limit)}, not ${shown(got)}` }
    case 'maximum': return { path, message: `should be at most ${String(limit)}, not ${shown(got)}` }
    case 'exclusiveMinimum': return { path, message: `should be more than ${String(limit)}, not ${shown(got)}` }
    case 'exclusiveMaximum': return { path, message: `should be less than ${String(limit)}, not ${shown(got)}` }
    case 'multipleOf': return { path, message: `should be a multiple of ${String(limit)}, not ${shown(got)}` }
    case 'minLength': return { path, message: `should have at least ${String(limit)} characters` }
    case 'maxLength': return { path, message: `should have at most ${String(limit)} characters` }
    case 'minItems': return { path, message: `should have at least ${String(limit)} items` }
    case 'maxItems': return { path, message: `should have at most ${String(limit)} items` }
    case 'uniqueItems': return { path, message: 'has the same item twice' }
    case 'pattern': return { path, message: `should match ${String(limit)}, not ${shown(got)}` }
    case 'format': return { path, message: `should be a valid ${String(limit)}, not ${shown(got)}` }
    default: return { path, message: `doesn't fit: ${unit.error.replace(/^Instance /, 'it ').replace(/\.$/, '')}` }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text', number: 'a number', integer: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', null: 'null',
}

/** What a schema asks for, in a few words. */
function describe(schema: unknown): string {
  if (!isObject(schema)) return 'something else'
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].length === 1 ? JSON.stringify(schema['enum'][0]) : `one of ${schema['enum'].map((v) => JSON.stringify(v)).join(', ')}`
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  return listed(types.map((type) => (typeof type === 'string' ? (KINDS[type] ?? type) : 'something else')), 'or')
}

function listed(words: string[], last: string): string {
  const unique = [...new Set(words)]
  return unique.length < 2 ? (unique[0] ?? '') : `${unique.slice(0, -1).join(', ')} ${last} ${unique.at(-1) ?? ''}`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function tokens(pointer: string): string[] {
  return pointer.split('/').slice(1).map((token) => decode(token).replaceAll('~1', '/').replaceAll('~0', '~'))
}
function decode(token: string): string {
  try {
    return decodeURI(token)
  } catch {
    return token
  }
}

function at(value: unknown, pointer: string): unknown {
  let found = value
  for (const token of tokens(pointer)) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string, unknown>)[token]
  }
  return found
}

/** The value in the schema that a keyword location names; `$ref` on the way leads on. */
function schemaAt(root: unknown, location: string): unknown {
  let found = root
  for (const token of tokens(location)) {
    if (typeof found !== 'object' || found === null) return undefined
    found = token === '$ref' ? resolved(found, root) : (found as Record<string, unknown>)[token]
  }
  return found
}

function resolved(schema: unknown, root: unknown): unknown {
  const ref = isObject(schema) ? schema['$ref'] : undefined
  return typeof ref === 'string' && ref.startsWith('#') ? at(root, ref) : schema
}

function pathOf(pointer: string): string {
  return tokens(pointer).reduce((path, token) => (/^\d+$/.test(token) ? `${path}[${token}]` : join(path, token)), '')
}

function join(path: string, key: string): string {
  const plain = /^[A-Za-z_]\w*$/.test(key)
  if (!plain) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function distinct(faults: readonly Fault[]): Fault[] {
  const seen = new Set<string>()
  return faults.filter(({ path, message }) => {
    const key = `${path}\u0000${message}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
