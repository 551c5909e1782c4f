/** What is known of a declared tool or store before anything runs: its provider, methods, their arguments and results. */
import type { ProviderDefinition } from '../tools/types.ts'
import type { MethodInfo } from '../tools/types.ts'
import { configOf, methodsOf, providerDefinition } from '../tools/registry.ts'
import type { Expression, StoreDeclaration, ToolDeclaration } from '../syntax/ast.ts'
import { literalValue } from './arguments.ts'
import type { Context } from './context.ts'
import { ANY, promisedShape, shapeOfJsonSchema, shapeOfSchema, shapeOfType, type Shape } from './shapes.ts'

export interface MethodFacts {
  /** Parameters by name; undefined where they aren't known. */
  parameters?: ReadonlyMap<string, { shape: Shape; optional: boolean }>
  /** Other arguments are taken too. */
  open: boolean
  result: Shape
  info?: MethodInfo
}

export interface ToolFacts {
  declaration: ToolDeclaration | StoreDeclaration
  definition?: ProviderDefinition
  /** The pipeline that `Pipeline(Name)` binds. */
  pipeline?: string
  /** Methods of this configuration; undefined where they aren't known before a run. */
  methods?: ReadonlyMap<string, MethodFacts>
  /** Methods that the provider has, but not so configured. */
  absent: ReadonlySet<string>
  /** Agents can be offered it: its provider describes its methods, now or when it connects. */
  described: boolean
}

/** Providers whose methods come from elsewhere when they connect. */
const REMOTE: ReadonlySet<string> = new Set(['MCP', 'A2A', 'OpenAPI', 'Page'])
/** The method that a `Pipeline(Name)` tool has. */
export const PIPELINE_METHOD = 'run'

const known = new WeakMap<Context, Map<string, ToolFacts | undefined>>()

export function toolFacts(context: Context, name: string): ToolFacts | undefined {
  let facts = known.get(context)
  if (!facts) known.set(context, (facts = new Map()))
  if (!facts.has(name)) facts.set(name, gather(context, name))
  return facts.get(name)
}

function gather(context: Context, name: string): ToolFacts | undefined {
  const { program } = context
  const declaration = program.tools.get(name) ?? program.stores.get(name)
  if (!declaration) return undefined
  const { provider } = declaration
  if (provider.name === 'Pipeline') return pipelineFacts(context, declaration)
  const definition = providerDefinition(provider.name)
  const base = { declaration, absent: new Set<string>(), ...(definition ? { definition } : {}) }
  if (!definition) return { ...base, described: true }
  const remote = REMOTE.has(provider.name)
  const names = methodsOf(definition, literalConfig(definition, provider.args))
  if (!definition.info || !names || (remote && !names.length)) return { ...base, described: remote || definition.info !== undefined }
  const result = resultShape(context, declaration)
  const methods = new Map(names.map((method): [string, MethodFacts] => [method, methodFacts(definition.info?.[method], result)]))
  return { ...base, methods, absent: new Set(Object.keys(definition.info).filter((m) => !methods.has(m))), described: true }
}

/** `@result(Schema)` says what comes back, whatever the provider does. */
function resultShape(context: Context, declaration: ToolDeclaration | StoreDeclaration): Shape | undefined {
  const value = declaration.decorators.find((d) => d.name === 'result')?.args[0]?.value
  return value?.kind === 'Variable' ? shapeOfSchema(value.name, context.program) : undefined
}

/** A provider's own description is the same for every tool that uses it. */
const described = new WeakMap<MethodInfo, MethodFacts>()

function methodFacts(info: MethodInfo | undefined, declared: Shape | undefined): MethodFacts {
  let facts = info && described.get(info)
  if (!facts) {
    facts = factsOf(info)
    if (info) described.set(info, facts)
  }
  return declared ? { ...facts, result: declared } : facts
}

function factsOf(info: MethodInfo | undefined): MethodFacts {
  const result = info?.result ? promisedShape(info.result) : ANY
  const schema: unknown = info?.parameters
  if (!info || typeof schema !== 'object' || schema === null) return { open: true, result, ...(info ? { info } : {}) }
  const { additionalProperties } = schema as { additionalProperties?: unknown }
  const shape = shapeOfJsonSchema({ type: 'object', properties: {}, ...schema })
  const open = additionalProperties === true || (typeof additionalProperties === 'object' && additionalProperties !== null) || shape.kind !== 'object'
  if (shape.kind !== 'object') return { open, result, info }
  const parameters = new Map([...shape.fields].map(([name, s]) => [name, { shape: s, optional: shape.optional.has(name) }]))
  return { parameters, open, result, info }
}

function pipelineFacts(context: Context, declaration: ToolDeclaration | StoreDeclaration): ToolFacts {
  const argument = declaration.provider.args[0]?.value
  const name = argument && nameIn(argument)
  const pipeline = name === undefined ? undefined : context.program.pipelines.get(name)
  const base = { declaration, absent: new Set<string>(), described: true }
  if (!pipeline) return base
  const parameters = new Map(
    pipeline.params.map((p) => [p.name, { shape: shapeOfType(p.type, context.program), optional: p.optional || p.default !== undefined || p.type.kind === 'OptionalType' }]),
  )
  const method: MethodFacts = { parameters, open: false, result: resultShape(context, declaration) ?? shapeOfType(pipeline.returns, context.program) }
  return { ...base, pipeline: pipeline.name, methods: new Map([[PIPELINE_METHOD, method]]) }
}

/** `Pipeline(Name)` or `Pipeline("Name")`. */
export function nameIn(expression: Expression): string | undefined {
  if (expression.kind === 'Variable') return expression.name
  return expression.kind === 'String' ? expression.value : undefined
}

/** The configuration's values that are written out. */
export function literalConfig(definition: ProviderDefinition, args: readonly { name?: string; value: Expression }[]): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(configOf(definition, args))) {
    if (Array.isArray(value)) continue
    const literal = literalValue(value)
    if (literal !== undefined) config[name] = literal
  }
  return config
}
