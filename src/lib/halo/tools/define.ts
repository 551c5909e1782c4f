/** One typed tool as a value, and the way such tools become a provider. */
import type { Static, TSchema } from 'typebox'
import { HaloError } from '../errors.ts'
import { registerDefinition } from './registry.ts'
import type { Effect, Method, MethodInfo, ProviderDefinition, ToolContext, ToolOutput } from './types.ts'

/** A tool: what a model reads of it, what it does to the world, and the function. Middleware wraps it. */
export interface Tool extends MethodInfo {
  name: string
  execute(args: Record<string, unknown>, context: ToolContext): ToolOutput | Promise<ToolOutput> | AsyncIterable<ToolOutput>
}

export interface ToolDefinition<Parameters extends TSchema> {
  /** Letters, digits, `_`; the method's name where it is called. */
  name: string
  /** Written for the model, which chooses by it. */
  description: string
  /** A TypeBox object schema; the arguments of `execute` have its type and are validated before it is called. */
  parameters: Parameters
  effect: Effect
  /** Policy labels that `ApproveCategories` can name. */
  categories?: string[]
  /** Schema of the result, for mocks and readers; `withResultSchema` enforces one. */
  result?: TSchema
  repeatable?: boolean
  execute(args: Static<Parameters>, context: ToolContext): ToolOutput | Promise<ToolOutput> | AsyncIterable<ToolOutput>
}

/**
 * A tool with the type of its arguments taken from its schema.
 * @throws HaloError VALIDATION when the definition can't be offered to a model.
 */
export function defineTool<Parameters extends TSchema>(definition: ToolDefinition<Parameters>): Tool {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(definition.name)) {
    throw new HaloError('VALIDATION', `A tool's name must be letters, digits and _ and not begin with a digit; got ${JSON.stringify(definition.name)}.`)
  }
  const { execute, ...about } = definition
  // The runtime validates before it calls, so what arrives has the schema's type.
  return { ...about, execute: (args, context) => execute(args as Static<Parameters>, context) }
}

/** Tools as the methods of one provider, `tool X : name()`. */
export function toolsProvider(name: string, tools: readonly Tool[], description?: string): ProviderDefinition {
  const methods: Record<string, Method> = {}
  const info: Record<string, MethodInfo> = {}
  for (const { name: method, execute, ...about } of tools) {
    if (Object.hasOwn(methods, method)) throw new HaloError('VALIDATION', `Two tools of ${name} are named ${method}.`)
    methods[method] = execute
    info[method] = about
  }
  return { name, ...(description === undefined ? {} : { description }), info, provider: () => methods }
}

/** Registers tools as a provider; see `registerToolProvider`. */
export function registerTools(name: string, tools: readonly Tool[], description?: string): () => void {
  return registerDefinition(toolsProvider(name, tools, description))
}
