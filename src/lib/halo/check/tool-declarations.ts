/** Checks tool and store declarations: provider, configuration, decorators. Their templates are checked by reach.ts. */
import type { Expression, StoreDeclaration, ToolDeclaration } from '../syntax/ast.ts'
import { configNames, listProviders, providerDefinition } from '../tools/registry.ts'
import { isLiteral } from './arguments.ts'
import { counted, fault, referTo, replacement, unknown, warn, type Context } from './context.ts'
import { checkDecorators } from './decorators.ts'
import { checkExpression, type Place } from './expressions.ts'
import { nearest } from './nearest.ts'
import { newScope } from './scope.ts'
import { describe, mayFit, shapeOfJsonSchema, type Shape } from './shapes.ts'
import { nameIn } from './tool-facts.ts'

/** What every tool declaration takes beside its provider's configuration. */
const COMMON = ['description']
/** Providers of the language that a build may be without; what they take is not known then. */
const CATALOGUE: ReadonlySet<string> = new Set([
  'Workspace', 'Bash', 'Web', 'Geo', 'Data', 'Math', 'Xlsx', 'Csv', 'Time', 'Skills', 'Halo', 'MCP', 'A2A', 'OpenAPI', 'Http', 'Slack', 'Page',
  'Pipeline', 'VectorStore', 'File',
])

export function checkToolDeclaration(context: Context, declaration: ToolDeclaration | StoreDeclaration): void {
  const { provider, decorators } = declaration
  const place = placeOf(context, declaration.name)
  checkDecorators(context, decorators, 'declaration', { ...place, missing: () => true })
  if (declaration.kind === 'Store') {
    for (const decorator of decorators) fault(context, decorator.nameSpan, 'decorator-place', `@${decorator.name} can't stand here; it follows a tool declaration or a call.`)
  }
  if (provider.name === '') return
  if (provider.name === 'Pipeline') return checkPipelineTool(context, declaration, place)
  const definition = providerDefinition(provider.name)
  if (!definition) {
    if (CATALOGUE.has(provider.name)) {
      warn(context, provider.nameSpan, 'unknown-provider', `This version of Halo has no ${provider.name}: a run that calls ${declaration.name} fails, unless a program registers one with registerToolProvider.`)
    } else {
      const names = new Set([...listProviders().map((p) => p.name), ...CATALOGUE])
      unknown(context, provider.nameSpan, 'tool provider', provider.name, names, 'unknown-provider', { hint: 'Register it with registerToolProvider, or see halo tools for those there are.' })
    }
    for (const argument of provider.args) checkExpression(context, argument.value, place)
    return
  }
  if (declaration.kind === 'Store' && !definition.store) {
    fault(context, provider.nameSpan, 'not-a-store', `${provider.name} is a tool; declare it with "tool ${declaration.name} : ${provider.name}(…)".`)
  } else if (declaration.kind === 'Tool' && definition.store) {
    fault(context, provider.nameSpan, 'not-a-tool', `${provider.name} is a store; declare it with "store ${declaration.name} : ${provider.name}(…)".`)
  }
  checkConfig(context, declaration, place)
}

/** Names of pipelines' parameters can stand here; which of them is known once it is known who calls the tool (reach.ts). */
function placeOf(context: Context, tool: string): Place {
  const names: { name: string; from: number; to: number }[] = []
  if (!context.templateNames.has(tool)) context.templateNames.set(tool, names)
  return {
    scope: newScope(),
    env: true,
    missing: ({ from, to }, name) => {
      names.push({ name, from, to })
      return true
    },
  }
}

function checkConfig(context: Context, { provider }: ToolDeclaration | StoreDeclaration, place: Place): void {
  const definition = providerDefinition(provider.name)
  const schema: unknown = definition?.config
  const shapes = provider.args.map((argument) => checkExpression(context, argument.value, place))
  if (!definition || typeof schema !== 'object' || schema === null) return
  const names = configNames(definition)
  const shape = configShape(schema)
  const { additionalProperties } = schema as { additionalProperties?: unknown }
  const properties = (schema as { properties?: Record<string, unknown> }).properties ?? {}
  const seen = new Set<string>()
  let position = 0
  provider.args.forEach((argument, i) => {
    const name = argument.name ?? names[position++]
    const at = argument.nameSpan ?? argument
    if (name === undefined) {
      fault(context, argument, 'argument-count', `${provider.name} takes ${counted(names.length, 'argument')} by position: ${names.join(', ')}.`)
      return
    }
    if (seen.has(name)) fault(context, at, 'duplicate-argument', `${provider.name} has "${name}" twice.`)
    seen.add(name)
    if (!names.includes(name)) {
      if (COMMON.includes(name) || additionalProperties === true || typeof additionalProperties === 'object') return
      const known = [...names, ...COMMON]
      const near = nearest(name, known)
      fault(context, at, 'unknown-argument', `${provider.name} has no argument "${name}".${near ? ` Did you mean "${near}"?` : ` It has ${known.join(', ')}.`}`, near ? { fix: replacement(at, near) } : {})
      return
    }
    const wanted = shape.kind === 'object' ? shape.fields.get(name) : undefined
    const given = shapes[i]
    if (wanted && given && !mayFit(given, wanted)) {
      fault(context, argument.value, 'argument-type', `${provider.name}'s ${name} has to be ${describe(wanted)}, not ${describe(given)}.`)
    } else checkRange(context, argument.value, properties[name], `${provider.name}'s ${name}`)
  })
  const required: unknown = (schema as { required?: unknown }).required
  const missing = (Array.isArray(required) ? required : []).filter((name): name is string => typeof name === 'string' && !seen.has(name))
  if (missing.length) fault(context, provider.nameSpan, 'missing-argument', `${provider.name} needs ${missing.join(' and ')}.`)
}

const configShapes = new WeakMap<object, Shape>()

function configShape(schema: object): Shape {
  const known = configShapes.get(schema)
  if (known) return known
  const shape = shapeOfJsonSchema(schema)
  configShapes.set(schema, shape)
  return shape
}

/** `minimum`, `maximum` and whole numbers of a configuration's schema. */
function checkRange(context: Context, value: Expression, schema: unknown, what: string): void {
  if (value.kind !== 'Number' || typeof schema !== 'object' || schema === null) return
  const { type, minimum, maximum } = schema as Record<string, unknown>
  if (type === 'integer' && !Number.isInteger(value.value)) fault(context, value, 'argument-range', `${what} has to be a whole number, not ${value.value}.`)
  else if (typeof minimum === 'number' && value.value < minimum) fault(context, value, 'argument-range', `${what} has to be ${minimum} or more, not ${value.value}.`)
  else if (typeof maximum === 'number' && value.value > maximum) fault(context, value, 'argument-range', `${what} has to be ${maximum} or less, not ${value.value}.`)
}

function checkPipelineTool(context: Context, { kind, name, provider }: ToolDeclaration | StoreDeclaration, place: Place): void {
  if (kind === 'Store') fault(context, provider.nameSpan, 'not-a-store', `Pipeline is a tool; declare it with "tool ${name} : Pipeline(…)".`)
  const [first] = provider.args.filter((a) => a.name === undefined)
  if (!first) {
    fault(context, provider, 'missing-argument', 'Pipeline needs the name of a pipeline: Pipeline(Summarise).')
    return
  }
  for (const argument of provider.args) {
    if (argument === first) continue
    if (argument.name === 'description') {
      if (!isLiteral(argument.value)) checkExpression(context, argument.value, place)
    } else fault(context, argument.nameSpan ?? argument, argument.name === undefined ? 'argument-count' : 'unknown-argument', 'Pipeline takes one pipeline, and a description.')
  }
  const called = nameIn(first.value)
  const target = called === undefined ? undefined : context.program.pipelines.get(called)
  if (target) referTo(context, first.value, target)
  else if (called === undefined) fault(context, first.value, 'argument-type', 'Pipeline takes the name of a pipeline.')
  else unknown(context, first.value, 'pipeline', called, context.program.pipelines.keys())
}

