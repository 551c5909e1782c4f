/** Types of the language as JSON Schema (draft 2020-12), defaults of a schema, and text by type. */
import { HaloError } from '../errors.ts'
import type { LiteralType, NamedType, ObjectType, SchemaDeclaration, TypeNode, UnionType } from '../syntax/ast.ts'
import { numberFromText } from './functions.ts'
import { pointed } from './smallest.ts'
import { isObject, setField } from './values.ts'

export { smallestInstance } from './smallest.ts'
export { faultsText, validate, type Fault } from './validate.ts'

export type JsonSchema = Record<string, unknown>

/** The part of a `Program` that types need. */
export interface SchemaNames {
  schemas: ReadonlyMap<string, SchemaDeclaration>
}

/**
 * The JSON Schema of a type.
 *
 * - Objects are closed: a field the schema doesn't have is a fault, and no provider is invited to add one.
 * - A field that may be left out may be `null` too: some providers can't leave one out.
 * - A named schema used once stands in place; one used more often, or inside itself, in `$defs`.
 *
 * Throws HaloError VALIDATION for a name that no schema has.
 */
export function typeToSchema(type: TypeNode, program: SchemaNames): JsonSchema {
  const uses = countUses(type, program)
  const defs: JsonSchema = {}
  const context: Context = { program, uses, defs, done: new Set() }
  const schema = convert(type, context, true)
  return Object.keys(defs).length === 0 ? schema : { ...schema, $defs: defs }
}

interface Context {
  program: SchemaNames
  uses: ReadonlyMap<string, number>
  defs: JsonSchema
  done: Set<string>
}

function convert(type: TypeNode, context: Context, root = false): JsonSchema {
  switch (type.kind) {
    case 'NamedType':
      return named(type, context, root)
    case 'LiteralType':
      return literals([type])
    case 'ListType':
      return { type: 'array', items: convert(type.item, context) }
    case 'ObjectType':
      return objectSchema(type, context)
    case 'OptionalType':
      return orNull(convert(type.type, context))
    case 'UnionType': {
      const members = flat(type)
      if (members.every((member) => member.kind === 'LiteralType')) return literals(members)
      return { anyOf: members.map((member) => convert(member, context)) }
    }
  }
}

function named(type: NamedType, context: Context, root: boolean): JsonSchema {
  switch (type.name) {
    case 'String': return { type: 'string' }
    case 'Number': return { type: 'number' }
    case 'Boolean': return { type: 'boolean' }
    case 'Any': case 'Result': return {}
  }
  const { name } = type
  const declaration = declarationOf(type, context.program)
  const shared = (context.uses.get(name) ?? 0) > 1
  if (!shared) return objectSchema(declaration.type, context)
  if (!context.done.has(name)) {
    context.done.add(name)
    setField(context.defs, name, objectSchema(declaration.type, context))
  }
  // Providers take an object at the root, not a reference to one.
  return root ? { ...(context.defs[name] as JsonSchema) } : { $ref: `#/$defs/${name}` }
}

function declarationOf(type: NamedType, program: SchemaNames): SchemaDeclaration {
  const declaration = program.schemas.get(type.name)
  if (declaration) return declaration
  throw new HaloError('VALIDATION', `There is no schema or type named ${type.name}.`, { span: { from: type.from, to: type.to } })
}

function objectSchema(type: ObjectType, context: Context): JsonSchema {
  const properties: JsonSchema = {}
  const required: string[] = []
  for (const field of type.fields) {
    const optional = field.optional || field.type.kind === 'OptionalType'
    const schema = convert(field.type, context)
    setField(properties, field.name, optional ? orNull(schema) : schema)
    if (!optional) required.push(field.name)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

function literals(types: readonly LiteralType[]): JsonSchema {
  const values = types.map((type) => type.value)
  const kinds = new Set(values.map((value) => (value === null ? 'null' : typeof value)))
  return kinds.size === 1 ? { type: [...kinds][0], enum: values } : { enum: values }
}

function flat(type: UnionType): TypeNode[] {
  return type.members.flatMap((member) => (member.kind === 'UnionType' ? flat(member) : [member]))
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema
  if (Array.isArray(schema['anyOf'])) {
    const members = schema['anyOf'] as JsonSchema[]
    return members.some((member) => member['type'] === 'null') ? schema : { ...schema, anyOf: [...members, { type: 'null' }] }
  }
  return { anyOf: [schema, { type: 'null' }] }
}

/** How often each named schema is used, from the root on; one that holds itself counts once more for that. */
function countUses(root: TypeNode, program: SchemaNames): Map<string, number> {
  const uses = new Map<string, number>()
  const waiting: TypeNode[] = [root]
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    switch (type.kind) {
      case 'NamedType': {
        const declaration = program.schemas.get(type.name)
        if (!declaration) break
        const count = uses.get(type.name) ?? 0
        uses.set(type.name, count + 1)
        if (count === 0) waiting.push(declaration.type)
        break
      }
      case 'ListType': waiting.push(type.item); break
      case 'ObjectType': waiting.push(...type.fields.map((field) => field.type)); break
      case 'UnionType': waiting.push(...type.members); break
      case 'OptionalType': waiting.push(type.type); break
      case 'LiteralType': break
    }
  }
  return uses
}

// -------------------------------------------------------------------- defaults

/** The value with the defaults of the schema's properties filled in, nested ones too; the same value where none is missing. */
export function applyDefaults(schema: unknown, value: unknown): unknown {
  return withDefaults(schema, value, schema, 0)
}

function withDefaults(schema: unknown, value: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > 100) return value
  if (typeof schema['$ref'] === 'string') return withDefaults(pointed(schema['$ref'], root), value, root, depth + 1)
  if (Array.isArray(value)) {
    const items = value.map((item) => withDefaults(schema['items'], item, root, depth + 1))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  const { properties } = schema
  if (!isObject(value) || !isObject(properties)) return value
  let result = value
  for (const [key, property] of Object.entries(properties)) {
    const has = Object.hasOwn(value, key) && value[key] !== undefined
    if (!has && !(isObject(property) && 'default' in property)) continue
    const field = has ? withDefaults(property, value[key], root, depth + 1) : structuredClone((property as JsonSchema)['default'])
    if (has && field === value[key]) continue
    if (result === value) result = { ...value }
    setField(result, key, field)
  }
  return result
}

// ---------------------------------------------------------------- text by type

/**
 * What a person typed, as a value of the parameter's type: Number, Boolean, and JSON for lists, objects and schemas; all
 * else stays text. A text that doesn't read as its type stays as it is, for `checkArguments` to say so.
 */
export function valueFromText(type: TypeNode, text: string): unknown {
  switch (type.kind) {
    case 'NamedType':
      switch (type.name) {
        case 'String': case 'Any': case 'Result': return text
        case 'Number': return numberFromText(text) ?? text
        case 'Boolean': return booleanFromText(text)
        default: return jsonFromText(text)
      }
    case 'ListType': case 'ObjectType': return jsonFromText(text)
    case 'LiteralType': return literalFromText(type, text)
    case 'OptionalType': {
      const value = valueFromText(type.type, text)
      return value === text && isText(type.type) === false && (text.trim() === '' || text.trim() === 'null') ? null : value
    }
    case 'UnionType': {
      const members = flat(type)
      if (members.some((member) => member.kind === 'LiteralType' && member.value === text)) return text
      for (const member of members) {
        const value = valueFromText(member, text)
        if (value !== text) return value
      }
      return text
    }
  }
}

function isText(type: TypeNode): boolean {
  return type.kind === 'NamedType' && (type.name === 'String' || type.name === 'Any' || type.name === 'Result')
}

function booleanFromText(text: string): unknown {
  const word = text.trim().toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : text
}

function literalFromText(type: LiteralType, text: string): unknown {
  return typeof type.value !== 'string' && text.trim() === String(type.value) ? type.value : text
}

function jsonFromText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
