/** From a declared tool or store to something that can be called: its provider's methods, configured. */
import type { TSchema } from 'typebox'
import type { Program } from '../check/program.ts'
import { HaloError } from '../errors.ts'
import type { Decorator, Expression, PipelineDeclaration, StoreDeclaration, ToolDeclaration } from '../syntax/ast.ts'
import { canonicalJson } from '../tools/canonical.ts'
import { configOf, methodsOf, providerDefinition } from '../tools/registry.ts'
import type { Method, MethodInfo, ProviderDefinition } from '../tools/types.ts'
import { spanIn, valueOf, type Frame } from './frame.ts'
import type { Run } from './run.ts'
import { State } from './state.ts'
import { schemaOf } from './arguments.ts'

/** What is known of a declared tool before anything of it is evaluated. */
export interface DescribedTool {
  declaration: ToolDeclaration | StoreDeclaration
  definition?: ProviderDefinition
  /** `Pipeline(Name)`: the pipeline that a call runs. */
  pipeline?: PipelineDeclaration
  /** undefined: the provider was registered without a description of its methods. */
  info?: Record<string, MethodInfo>
  description?: string
  categories: string[]
  /** Its methods are offered under their own names, without the tool's. */
  bare?: boolean
}

export interface BoundTool extends DescribedTool {
  config: Record<string, unknown>
  methods: Record<string, Method>
  /** The normal form of a path argument, where this provider has one of its own. */
  realpath?: (path: string) => Promise<string>
}

const described = new WeakMap<Run, Map<string, DescribedTool>>()

/** The tool or store of that name. @throws HaloError VALIDATION when there is none, or its provider is unknown. */
export function describeTool(run: Run, name: string): DescribedTool {
  const undeclared = run.world.chat?.tool(name)
  if (undeclared !== undefined) return undeclared
  const known = described.get(run) ?? new Map<string, DescribedTool>()
  described.set(run, known)
  const found = known.get(name)
  if (found !== undefined) return found
  const { program } = run.world
  const declaration = program.tools.get(name) ?? program.stores.get(name)
  if (declaration === undefined) throw new HaloError('VALIDATION', `There is no tool ${name}.`)
  const tool: DescribedTool = { declaration, categories: declaration.decorators.filter((d) => d.name === 'category').flatMap(literalTexts) }
  const text = declaration.provider.args.find((arg) => arg.name === 'description')?.value
  if (text?.kind === 'String') tool.description = text.value
  if (declaration.provider.name === 'Pipeline') Object.assign(tool, pipelineTool(run, declaration, tool.description))
  else {
    const definition = providerDefinition(declaration.provider.name)
    if (definition !== undefined) {
      tool.definition = definition
      if (definition.info !== undefined) {
        const literal = configOf(definition, declaration.provider.args.filter((arg) => isLiteral(arg.value)).map((arg) => ({ name: arg.name, value: literalOf(arg.value) })))
        const methods = methodsOf(definition, literal) ?? []
        tool.info = Object.fromEntries(methods.flatMap((method) => (definition.info?.[method] === undefined ? [] : [[method, definition.info[method]]])))
      }
    }
  }
  known.set(name, tool)
  return tool
}

function pipelineTool(run: Run, declaration: ToolDeclaration | StoreDeclaration, description: string | undefined): Partial<DescribedTool> {
  const first = declaration.provider.args.find((arg) => arg.name === undefined)?.value
  const name = first?.kind === 'Variable' ? first.name : first?.kind === 'String' ? first.value : undefined
  const pipeline = name === undefined ? undefined : run.world.program.pipelines.get(name)
  if (pipeline === undefined) throw new HaloError('VALIDATION', `The tool ${declaration.name} names ${name === undefined ? 'no pipeline' : `the pipeline ${name}, which isn't declared`}.`)
  const parameters = parametersSchema(pipeline, run.world.program)
  // What it does to the world its own calls do, and each of those is checked by itself.
  return { pipeline, info: { run: { description: description ?? `Run the pipeline ${pipeline.name}.`, parameters, effect: 'read' } } }
}

/** A pipeline's parameters as the JSON Schema of an object. */
function parametersSchema(pipeline: PipelineDeclaration, program: Program): TSchema {
  const properties = Object.fromEntries(pipeline.params.map((param) => [param.name, schemaOf(param.type, program)]))
  const required = pipeline.params.filter((param) => !param.optional && param.default === undefined && param.type.kind !== 'OptionalType').map((param) => param.name)
  return { type: 'object', properties, required, additionalProperties: false } as TSchema
}

/** The tool, configured with the arguments of this pipeline call; the same configuration is the same instance. */
export async function bindTool(frame: Frame, name: string): Promise<BoundTool> {
  const undeclared = frame.run.world.chat?.tool(name)
  if (undeclared !== undefined) return undeclared
  const bound = frame.bound.get(name)
  if (bound !== undefined) return bound as BoundTool
  const { run } = frame
  const about = describeTool(run, name)
  const { declaration, definition } = about
  if (definition === undefined) {
    throw new HaloError('VALIDATION', `There is no tool provider ${declaration.provider.name}. Register it with registerToolProvider, or use one of the catalogue.`, { span: spanIn(frame, declaration.provider) })
  }
  const env = run.world.config.env ?? {}
  // A declaration sees the arguments of the pipeline that first uses it and Env, nothing that happened on the way.
  const place: Frame = { ...frame, each: undefined, state: new State() }
  const args = []
  for (const arg of declaration.provider.args) {
    if (arg.name === 'description') continue
    const value = await valueOf(place, arg.value, `tool:${name}`, 'value', env)
    const unset = value === null ? envName(arg.value) : undefined
    // Tests and mock mode have no Env.
    if (unset !== undefined && run.world.config.mockDefaults === undefined) {
      throw new HaloError('TOOL_CONFIG', `${name} needs Env.${unset}, which is not set. Set it, or write what to use instead: Env.${unset} ?? "…".`, { span: spanIn(frame, arg.value) })
    }
    args.push({ name: arg.name, value })
  }
  const config = configOf(definition, args)
  const key = `${name} ${canonicalJson(config)}`
  let instance = run.instances.get(key) as Promise<BoundTool> | undefined
  if (instance === undefined) {
    instance = instantiate(frame, about, definition, config)
    run.instances.set(key, instance)
    instance.catch(() => run.instances.delete(key))
  }
  const tool = await instance
  frame.bound.set(name, tool)
  return tool
}

async function instantiate(frame: Frame, about: DescribedTool, definition: ProviderDefinition, config: Record<string, unknown>): Promise<BoundTool> {
  const { run } = frame
  const { world } = run
  const methods = await definition.provider(config, { tool: about.declaration.name, fetch: fetchOf(run), env: world.config.env ?? {}, runId: run.id })
  const realpath = definition.paths?.(config, await world.sandbox())
  return { ...about, config, methods, realpath }
}

const PROTECTED = '#protected'

/**
 * Globs of the files that some declared tool protects: no other tool of the program changes them either. A declaration that
 * needs arguments which this pipeline doesn't have is none of its tools.
 */
export async function protectedBy(frame: Frame): Promise<string[]> {
  const known = frame.bound.get(PROTECTED) as string[] | undefined
  if (known !== undefined) return known
  const globs: string[] = []
  for (const [name, { provider }] of frame.run.world.program.tools) {
    const definition = providerDefinition(provider.name)
    if (definition?.protects === undefined || !provider.args.some((arg) => arg.name === 'protect')) continue
    try {
      globs.push(...definition.protects((await bindTool(frame, name)).config))
    } catch (error) {
      if (!(error instanceof HaloError) || error.code !== 'EXPRESSION_ERROR') throw error
    }
  }
  frame.bound.set(PROTECTED, globs)
  return globs
}

/** The name in an argument that is `Env.NAME` and nothing else. */
function envName(written: Expression): string | undefined {
  if (written.kind !== 'Access' || written.base.kind !== 'Variable' || written.base.name !== 'Env' || written.steps.length !== 1) return undefined
  const step = written.steps[0]
  return step?.kind === 'Member' ? step.name : undefined
}

const ownFetch: typeof fetch = (...args) => globalThis.fetch(...args)

export function fetchOf(run: Run): typeof fetch {
  return run.world.config.fetch ?? ownFetch
}

function isLiteral(expression: Expression): boolean {
  return ['String', 'Number', 'Boolean', 'Null'].includes(expression.kind) || (expression.kind === 'List' && expression.items.every(isLiteral))
}

function literalOf(expression: Expression): unknown {
  if (expression.kind === 'List') return expression.items.map(literalOf)
  return expression.kind === 'String' || expression.kind === 'Number' || expression.kind === 'Boolean' ? expression.value : null
}

function literalTexts(decorator: Decorator): string[] {
  return decorator.args.flatMap(({ value }) => (value.kind === 'String' ? [value.value] : []))
}
