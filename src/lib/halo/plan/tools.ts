/** What the tools of a program can do, as far as it is known without running anything. */
import type { Program } from '../check/program.ts'
import { PIPELINE_METHOD, literalConfig, nameIn } from '../check/tool-facts.ts'
import type { AgentDeclaration, Expression, PipelineDeclaration, StoreDeclaration, ToolDeclaration } from '../syntax/ast.ts'
import { methodsOf, providerDefinition } from '../tools/registry.ts'
import type { MethodInfo, ProviderDefinition } from '../tools/types.ts'

export interface PlannedTool {
  declaration: ToolDeclaration | StoreDeclaration
  provider: string
  definition?: ProviderDefinition
  /** undefined: its methods come from elsewhere, or aren't described. */
  methods?: Map<string, MethodInfo>
  /** Why they aren't known. */
  unknown?: string
  /** `Pipeline(Name)`. */
  pipeline?: PipelineDeclaration
  /** Of `@category`, for each of its methods. */
  categories: string[]
}

/** Providers whose methods a server or a page names when it is connected, which a plan doesn't do. */
const REMOTE: ReadonlySet<string> = new Set(['MCP', 'A2A', 'OpenAPI', 'Page'])

/** undefined: no tool or store has the name. */
export function plannedTool(program: Program, name: string): PlannedTool | undefined {
  const declaration = program.tools.get(name) ?? program.stores.get(name)
  if (declaration === undefined) return undefined
  const provider = declaration.provider.name
  const categories = declaration.decorators
    .filter((decorator) => decorator.name === 'category')
    .flatMap(({ args }) => args.flatMap(({ value }) => (value.kind === 'String' ? [value.value] : [])))
  const base: PlannedTool = { declaration, provider, categories }
  if (provider === 'Pipeline') {
    const first = declaration.provider.args[0]?.value
    const called = first === undefined ? undefined : nameIn(first)
    const pipeline = called === undefined ? undefined : program.pipelines.get(called)
    if (pipeline === undefined) return { ...base, unknown: `${name} names no pipeline of the file.` }
    return { ...base, pipeline, methods: new Map([[PIPELINE_METHOD, { description: `Runs ${pipeline.name}.`, parameters: {}, effect: 'read' }]]) }
  }
  const definition = providerDefinition(provider)
  if (REMOTE.has(provider)) return { ...base, definition, unknown: `The methods of ${name} come from its ${provider} source when a run connects; what they do isn't described here.` }
  if (definition === undefined) return { ...base, unknown: `There is no provider ${provider} here; what ${name} does isn't known.` }
  const { info } = definition
  const names = methodsOf(definition, literalConfig(definition, declaration.provider.args))
  if (info === undefined || names === undefined) {
    return { ...base, definition, unknown: `The provider ${provider} of ${name} is registered without info: what its methods do isn't described.` }
  }
  return { ...base, definition, methods: new Map(names.flatMap((method) => (info[method] === undefined ? [] : [[method, info[method]]]))) }
}

/** The tools that `tools:` of a call, else of its agent, names. */
export function offeredTools(program: Program, agent: AgentDeclaration, written: Expression | undefined): string[] {
  const wanted = written ?? agent.options.find(({ name }) => name === 'tools')?.value
  if (wanted === undefined) return []
  if (wanted.kind === 'Variable' && wanted.name === 'auto') return unique(agent.equips.map(({ name }) => name)).filter((name) => program.tools.has(name))
  const items = wanted.kind === 'List' ? wanted.items : wanted.kind === 'Variable' && wanted.name === 'none' ? [] : [wanted]
  return unique(items.flatMap((item) => (item.kind === 'Variable' ? [item.name] : []))).filter((name) => program.tools.has(name))
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
