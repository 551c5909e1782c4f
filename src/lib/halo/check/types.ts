/** Checks written types and the declarations of schemas. */
import type { SchemaDeclaration, TypeNode } from '../syntax/ast.ts'
import { fault, referTo, replacement, unknown, warn, type Context } from './context.ts'
import { BUILT_IN_TYPES } from './signatures.ts'

/** Names that people bring from other languages. */
const ALIASES: Readonly<Record<string, string>> = {
  string: 'String', str: 'String', Text: 'String', text: 'String', number: 'Number', int: 'Number', Int: 'Number', Integer: 'Number',
  float: 'Number', Float: 'Number', boolean: 'Boolean', bool: 'Boolean', Bool: 'Boolean', any: 'Any', result: 'Result',
}

export function checkType(context: Context, type: TypeNode | undefined): void {
  if (!type) return
  switch (type.kind) {
    case 'NamedType': {
      if ((BUILT_IN_TYPES as readonly string[]).includes(type.name)) return
      const schema = context.program.schemas.get(type.name)
      if (schema) return referTo(context, type, schema)
      const alias = Object.hasOwn(ALIASES, type.name) ? ALIASES[type.name] : undefined
      if (alias !== undefined) {
        fault(context, type, 'unknown-type', `There is no type "${type.name}". Did you mean "${alias}"?`, { fix: replacement(type, alias) })
        return
      }
      unknown(context, type, 'type', type.name, [...BUILT_IN_TYPES, ...context.program.schemas.keys()], 'unknown-type', { hint: 'Types are String, Number, Boolean, Any, Result, [T], { field: T }, texts, and schemas.' })
      return
    }
    case 'LiteralType':
      return
    case 'ListType':
      return checkType(context, type.item)
    case 'OptionalType':
      return checkType(context, type.type)
    case 'UnionType': {
      const seen = new Set<string | number | boolean | null>()
      for (const member of type.members) {
        checkType(context, member)
        if (member.kind !== 'LiteralType') continue
        if (seen.has(member.value)) warn(context, member, 'duplicate-type', `${JSON.stringify(member.value)} stands twice in this type.`)
        seen.add(member.value)
      }
      return
    }
    case 'ObjectType': {
      const seen = new Set<string>()
      for (const field of type.fields) {
        if (seen.has(field.name)) fault(context, field.nameSpan, 'duplicate-field', `The field "${field.name}" stands twice.`)
        seen.add(field.name)
        checkType(context, field.type)
      }
      return
    }
  }
}

export function checkSchema(context: Context, schema: SchemaDeclaration): void {
  checkType(context, schema.type)
  if (endless(context, schema.name)) {
    fault(context, schema.nameSpan, 'endless-schema', `No value fits ${schema.name}: it needs itself. Make the field that leads back optional, or a list.`)
  }
}

/** Whether every value of the schema would have to hold another of it. */
function endless(context: Context, name: string): boolean {
  const open = new Set<string>()
  const needs = (type: TypeNode): boolean => {
    switch (type.kind) {
      case 'NamedType': {
        if (type.name === name && open.size) return true
        const schema = context.program.schemas.get(type.name)
        // Cycles of more schemas than that are let be: the check stays linear in the file.
        if (!schema || open.has(type.name) || open.size > 50) return false
        open.add(type.name)
        return needs(schema.type)
      }
      case 'ObjectType':
        return type.fields.some((f) => !f.optional && needs(f.type))
      case 'UnionType':
        return type.members.length > 0 && type.members.every(needs)
      default:
        return false
    }
  }
  const schema = context.program.schemas.get(name)
  if (!schema) return false
  open.add(name)
  return needs(schema.type)
}
