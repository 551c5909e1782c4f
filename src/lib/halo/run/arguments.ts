/** The arguments of a run, checked before anything happens; and answers of a declared type. */
import { HaloError, messageOf } from '../errors.ts'
import { nearest } from '../check/nearest.ts'
import type { Param, PipelineDeclaration, TypeNode } from '../syntax/ast.ts'
import { evaluate, type Scope, type World } from './expression.ts'
import { parseJsonText } from './json-text.ts'
import { faultsText, typeToSchema, validate, type Fault, type SchemaNames } from './schema.ts'
import { setField } from './values.ts'

export interface CheckedArguments {
  /** Every parameter's value: given, its default, or null for an optional one. Incomplete where there are faults. */
  args: Record<string, unknown>
  faults: Fault[]
}

/**
 * All that is wrong with the arguments of a run: missing, unknown and unfitting ones. Defaults are evaluated with the
 * parameters before them in scope; what they ask the world has to be answered at once.
 */
export function checkArguments(pipeline: PipelineDeclaration, given: Record<string, unknown>, program: SchemaNames, world?: World): CheckedArguments {
  const args: Record<string, unknown> = {}
  const faults: Fault[] = []
  const names = pipeline.params.map((param) => param.name)
  for (const name of Object.keys(given)) {
    if (names.includes(name) || given[name] === undefined) continue
    const like = nearest(name, names)
    faults.push({ path: name, message: `is no parameter of ${pipeline.name}${like === undefined ? (names.length === 0 ? ', which takes none' : `, which takes ${names.join(', ')}`) : `. Do you mean ${like}?`}` })
  }
  for (const param of pipeline.params) {
    const value = Object.hasOwn(given, param.name) ? given[param.name] : undefined
    if (value !== undefined) {
      faults.push(...argumentFaults(param, value, program))
      setField(args, param.name, value)
    } else if (param.default) {
      try {
        const byDefault = evaluate(param.default, scopeOf(args), world)
        if (byDefault instanceof Promise) throw new HaloError('EXPRESSION_ERROR', 'a default can\'t wait for an answer')
        faults.push(...argumentFaults(param, byDefault, program))
        setField(args, param.name, byDefault)
      } catch (error) {
        faults.push({ path: param.name, message: `has a default that fails: ${messageOf(error)}` })
      }
    } else if (mayBeLeftOut(param)) {
      setField(args, param.name, null)
    } else {
      faults.push({ path: param.name, message: 'is missing' })
    }
  }
  return { args, faults }
}

function argumentFaults(param: Param, value: unknown, program: SchemaNames): Fault[] {
  if (value === null && mayBeLeftOut(param)) return []
  return validate(schemaOf(param.type, program), value).map(({ path, message }) => ({
    path: path === '' ? param.name : path.startsWith('[') ? `${param.name}${path}` : `${param.name}.${path}`,
    message,
  }))
}

function mayBeLeftOut(param: Param): boolean {
  return param.optional || param.type.kind === 'OptionalType'
}

function scopeOf(args: Record<string, unknown>): Scope {
  return { mode: 'value', has: (name) => Object.hasOwn(args, name), lookup: (name) => args[name] }
}

/** The one VALIDATION that stands for all faults of the arguments; `data` has them as a list. */
export function argumentsError(pipeline: string, faults: readonly Fault[]): HaloError {
  const what = faults.length === 1 ? 'The argument' : 'The arguments'
  return new HaloError('VALIDATION', `${what} of ${pipeline} can't be used:\n${faultsText(faults, 'the arguments').replace(/^/gm, '  ')}`, { data: { faults } })
}

const schemas = new WeakMap<TypeNode, { program: SchemaNames; schema: unknown }>()

/** `typeToSchema`, kept as long as the type is. */
export function schemaOf(type: TypeNode, program: SchemaNames): unknown {
  const known = schemas.get(type)
  if (known && known.program === program) return known.schema
  const schema = typeToSchema(type, program)
  schemas.set(type, { program, schema })
  return schema
}

/**
 * An answer as a value of the type it should have: one that fits as it is stays so; a text that doesn't fit is parsed as
 * JSON (also inside a ```json fence) and checked again. With faults, `value` is what was checked last.
 */
export function conform(schema: unknown, answer: unknown): { value: unknown; faults: Fault[] } {
  const faults = validate(schema, answer)
  if (faults.length === 0 || typeof answer !== 'string') return { value: answer, faults }
  const parsed = parseJsonText(answer)
  if ('fault' in parsed) return { value: answer, faults: takesText(schema) ? faults : [{ path: '', message: `is no JSON: ${parsed.fault}` }] }
  return { value: parsed.value, faults: validate(schema, parsed.value) }
}

/** Would some text fit? Then "isn't JSON" is the wrong thing to say about one that doesn't. */
function takesText(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, enum: words, anyOf } = schema as { type?: unknown; enum?: unknown[]; anyOf?: unknown[] }
  if (anyOf) return anyOf.some(takesText)
  if (words) return words.some((word) => typeof word === 'string')
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))
}
