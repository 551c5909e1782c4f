/** The methods that a declared tool has, with what their provider says of them. */
import type { Program } from '../halo/check/index.ts'
import type { StoreDeclaration, ToolDeclaration } from '../halo/syntax/ast.ts'
import { methodsOf, providerDefinition } from '../halo/tools/registry.ts'
import type { Effect } from '../halo/tools/types.ts'

export interface ToolMethod {
  name: string
  description?: string
  effect?: Effect
}

export function methodsOfTool(tool: ToolDeclaration | StoreDeclaration, program: Program): ToolMethod[] {
  if (tool.provider.name === 'Pipeline') {
    const [first] = tool.provider.args
    const name = first?.value.kind === 'Variable' ? first.value.name : ''
    return program.pipelines.has(name) ? [{ name: 'run', description: `Runs the pipeline ${name}.` }] : []
  }
  const definition = providerDefinition(tool.provider.name)
  if (!definition) return []
  const names = methodsOf(definition, literalConfig(tool)) ?? []
  return names.map((name) => {
    const info = definition.info?.[name]
    return info ? { name, description: info.description, effect: info.effect } : { name }
  })
}

function literalConfig(tool: ToolDeclaration | StoreDeclaration): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const { name, value } of tool.provider.args) {
    if (
      name !== undefined &&
      (value.kind === 'String' || value.kind === 'Number' || value.kind === 'Boolean')
    )
      config[name] = value.value
  }
  return config
}
