/** What is known of a value without running anything. `any` wherever nothing is: a shape never claims more than is sure. */
import type { TypeNode } from '../syntax/ast.ts'
import type { Program } from './program.ts'

export type Shape =
  | { kind: 'any' }
  | { kind: 'null' }
  | { kind: 'string'; value?: string }
  | { kind: 'number'; value?: number }
  | { kind: 'boolean'; value?: boolean }
  | { kind: 'list'; item: Shape }
  | ObjectShape
  | { kind: 'union'; members: Shape[] }

export interface ObjectShape {
  kind: 'object'
  /** What to call it: a schema's name, `context.meta`. */
  name?: string
  fields: Map<string, Shape>
  optional: Set<string>
  /** No other fields can be there. */
  closed: boolean
}

export const ANY: Shape = { kind: 'any' }
export const NULL: Shape = { kind: 'null' }
export const STRING: Shape = { kind: 'string' }
export const NUMBER: Shape = { kind: 'number' }
export const BOOLEAN: Shape = { kind: 'boolean' }

export function objectShape(fields: Iterable<[string, Shape]>, closed: boolean, name?: string): ObjectShape {
  return { kind: 'object', fields: new Map(fields), optional: new Set(), closed, ...(name === undefined ? {} : { name }) }
}

export function unionOf(members: readonly Shape[]): Shape {
  const flat: Shape[] = []
  for (const member of members) {
    if (member.kind === 'any') return ANY
    if (member.kind === 'union') flat.push(...member.members)
    else flat.push(member)
  }
  if (flat.length > 20) return ANY
  return flat.length === 1 && flat[0] ? flat[0] : { kind: 'union', members: flat }
}

const bySchema = new WeakMap<Program, Map<string, ObjectShape>>()

/** The shape of a declared type; an unknown name is `any` (reported where it stands). */
export function shapeOfType(type: TypeNode | undefined, program: Program): Shape {
  if (!type) return ANY
  switch (type.kind) {
    case 'NamedType':
      if (type.name === 'String') return STRING
      if (type.name === 'Number') return NUMBER
      if (type.name === 'Boolean') return BOOLEAN
      return shapeOfSchema(type.name, program) ?? ANY
    case 'LiteralType':
      return shapeOfLiteral(type.value)
    case 'ListType':
      return { kind: 'list', item: shapeOfType(type.item, program) }
    case 'ObjectType': {
      const shape = objectShape([], true)
      fill(shape, type.fields, program)
      return shape
    }
    case 'UnionType':
      return unionOf(type.members.map((member) => shapeOfType(member, program)))
    case 'OptionalType':
      return unionOf([shapeOfType(type.type, program), NULL])
  }
}

export function shapeOfSchema(name: string, program: Program): ObjectShape | undefined {
  const declaration = program.schemas.get(name)
  if (!declaration || declaration.faulty) return undefined
  let known = bySchema.get(program)
  if (!known) bySchema.set(program, (known = new Map()))
  const existing = known.get(name)
  if (existing) return existing
  // Registered before its fields are known: a schema may hold itself.
  const shape = objectShape([], true, name)
  known.set(name, shape)
  fill(shape, declaration.type.fields, program)
  return shape
}

function fill(shape: ObjectShape, fields: readonly { name: string; optional: boolean; type: TypeNode }[], program: Program): void {
  for (const field of fields) {
    shape.fields.set(field.name, shapeOfType(field.type, program))
    if (field.optional || field.type.kind === 'OptionalType') shape.optional.add(field.name)
  }
}

export function shapeOfLiteral(value: string | number | boolean | null): Shape {
  if (value === null) return NULL
  if (typeof value === 'string') return { kind: 'string', value }
  if (typeof value === 'number') return { kind: 'number', value }
  return { kind: 'boolean', value }
}

/** The shape a JSON Schema describes, as far as it is of the plain kind that providers write. */
export function shapeOfJsonSchema(schema: unknown, depth = 0): Shape {
  if (typeof schema !== 'object' || schema === null || depth > 12) return ANY
  const { type, properties, items, anyOf, oneOf, enum: values, const: only, required, additionalProperties } = schema as Record<string, unknown>
  if (isLiteral(only)) return shapeOfLiteral(only)
  if (Array.isArray(values)) return unionOf(values.map((v: unknown) => (isLiteral(v) ? shapeOfLiteral(v) : ANY)))
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
  if (either) return unionOf(either.map((s: unknown) => shapeOfJsonSchema(s, depth + 1)))
  if (Array.isArray(type)) return unionOf(type.map((t: unknown) => shapeOfJsonSchema({ ...schema, type: t }, depth + 1)))
  switch (type) {
    case 'string':
      return STRING
    case 'number':
    case 'integer':
      return NUMBER
    case 'boolean':
      return BOOLEAN
    case 'null':
      return NULL
    case 'array':
      return { kind: 'list', item: shapeOfJsonSchema(items, depth + 1) }
    case 'object': {
      if (typeof properties !== 'object' || properties === null) return ANY
      const shape = objectShape(
        Object.entries(properties).map(([name, s]): [string, Shape] => [name, shapeOfJsonSchema(s, depth + 1)]),
        additionalProperties === false,
      )
      const needed = new Set(Array.isArray(required) ? required : [])
      for (const name of shape.fields.keys()) if (!needed.has(name)) shape.optional.add(name)
      return shape
    }
    default:
      return ANY
  }
}

function isLiteral(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

const promised = new WeakSet<Shape>()

/** The shape of what a provider says that its method gives. A mock may give something else. */
export function promisedShape(schema: unknown): Shape {
  const shape = shapeOfJsonSchema(schema)
  // Simple shapes are shared, and say little enough.
  if (shape.kind === 'object' || shape.kind === 'list') promised.add(shape)
  return shape
}

/** How sure it is that a value of this shape is wrong where another is needed. */
export function certainty(shape: Shape): { severity?: 'warning' } {
  return promised.has(shape) ? { severity: 'warning' } : {}
}

/** Whether a value of one shape can be one of the other; false only where it surely can't. */
export function mayFit(value: Shape, wanted: Shape, depth = 0): boolean {
  if (value.kind === 'any' || wanted.kind === 'any' || depth > 12) return true
  if (value.kind === 'union') return value.members.some((m) => mayFit(m, wanted, depth + 1))
  if (wanted.kind === 'union') return wanted.members.some((m) => mayFit(value, m, depth + 1))
  switch (wanted.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return value.kind === wanted.kind && (wanted.value === undefined || value.value === undefined || value.value === wanted.value)
    case 'null':
      return value.kind === 'null'
    case 'list':
      return value.kind === 'list' && mayFit(value.item, wanted.item, depth + 1)
    case 'object': {
      if (value.kind !== 'object') return false
      if (wanted === value) return true
      for (const [name, field] of wanted.fields) {
        const given = value.fields.get(name)
        if (given ? !mayFit(given, field, depth + 1) && !value.optional.has(name) : value.closed && !wanted.optional.has(name)) return false
      }
      return true
    }
  }
}

/** Why a value can't be what is wanted, after "not …": for objects the field at fault. */
export function misfit(value: Shape, wanted: Shape): string {
  if (value.kind === 'object' && wanted.kind === 'object') {
    for (const [name, field] of wanted.fields) {
      const given = value.fields.get(name)
      if (!given && value.closed && !wanted.optional.has(name)) return `${describe(value)} without "${name}"`
      if (given && !mayFit(given, field)) return `${describe(value)} whose "${name}" is ${describe(given)} instead of ${describe(field)}`
    }
  }
  return describe(value)
}

/** A shape in words, for messages. */
export function describe(shape: Shape): string {
  switch (shape.kind) {
    case 'any':
      return 'any value'
    case 'null':
      return 'null'
    case 'string':
      return shape.value === undefined ? 'a text' : JSON.stringify(shape.value)
    case 'number':
      return shape.value === undefined ? 'a number' : String(shape.value)
    case 'boolean':
      return shape.value === undefined ? 'true or false' : String(shape.value)
    case 'list':
      return shape.item.kind === 'any' ? 'a list' : `a list of ${describe(shape.item)}`
    case 'object':
      return shape.name ?? 'an object'
    case 'union':
      return shape.members.map(describe).join(' or ')
  }
}
