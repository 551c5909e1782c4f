/**
 * Every provider a `tool` or `store` declaration can name: the catalogue and what a program registered, as one record each.
 * Plans, the checker, completion, `halo tools` and the runtime all read the same records.
 */
import { HaloError } from '../errors.ts'
import { catalogue } from './catalogue.ts'
import type { Effect, MethodInfo, Provider, ProviderDefinition, ProviderInfo } from './types.ts'

const builtIn: ReadonlyMap<string, ProviderDefinition> = new Map(catalogue.map((definition) => [definition.name, definition]))
const registered = new Map<string, ProviderDefinition>()

const EFFECTS: readonly Effect[] = ['read', 'write', 'external']
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Makes a provider usable in declarations as `tool X : Name(…)`. Registering a name again replaces what it stood for, a
 * built-in one included. Without `info` its methods can be called by pipelines but not offered to agents (`TOOL_CONFIG`).
 * Returns a function that takes the registration back.
 * @throws HaloError VALIDATION when the name or the info is malformed.
 */
export function registerToolProvider(name: string, provider: Provider, info?: ProviderInfo): () => void {
  return registerDefinition({ name, provider, ...(info === undefined ? {} : { info }) })
}

/** The same for a whole record: with a configuration schema, a description, or as a store. */
export function registerDefinition(definition: ProviderDefinition): () => void {
  requireWellFormed(definition)
  registered.set(definition.name, definition)
  return () => {
    // A later registration of the same name is not this one's to remove.
    if (registered.get(definition.name) === definition) registered.delete(definition.name)
  }
}

/** The provider of that name; a registered one before a built-in one. */
export function providerDefinition(name: string): ProviderDefinition | undefined {
  return registered.get(name) ?? builtIn.get(name)
}

/** A provider as plain JSON: for `halo tools --json`, the reference and the authoring tools. */
export interface ProviderListing {
  name: string
  description?: string
  store: boolean
  registered: boolean
  /** JSON Schema of the declaration's arguments; the order of its properties is that of positional arguments. */
  config?: object
  /** undefined: registered without info; nothing is known of its methods. */
  methods?: ({ name: string } & MethodInfo)[]
}

/** All providers by name, as plain JSON. */
export function listProviders(): ProviderListing[] {
  const all = new Map([...builtIn, ...registered])
  return [...all.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, store, config, info }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      store: store === true,
      registered: registered.has(name),
      ...(config === undefined ? {} : { config: toJson(config) }),
      ...(info === undefined ? {} : { methods: Object.entries(info).map(([method, about]) => ({ name: method, ...toJson(about) })) }),
    }))
}

/** The names of a definition's configuration in positional order; empty where it has no schema. */
export function configNames(definition: Pick<ProviderDefinition, 'config'>): string[] {
  return Object.keys(propertiesOf(definition.config))
}

/**
 * The arguments of a declaration by name. Positional ones take the names of the definition's configuration in order; those
 * it has no name for are kept, in order, as the list `args`. Works on values and on unevaluated expressions alike.
 */
export function configOf<Value>(
  definition: Pick<ProviderDefinition, 'config'> | undefined,
  args: readonly { name?: string; value: Value }[],
): Record<string, Value | Value[]> {
  const names = definition === undefined ? [] : configNames(definition)
  const config: Record<string, Value | Value[]> = {}
  const unnamed: Value[] = []
  let position = 0
  for (const { name, value } of args) {
    const key = name ?? names[position++]
    if (key === undefined) unnamed.push(value)
    else Object.defineProperty(config, key, { value, enumerable: true, configurable: true, writable: true })
  }
  if (unnamed.length > 0) config.args = unnamed
  return config
}

/** The methods a configuration of the provider has; undefined where nothing is known (no info). */
export function methodsOf(definition: ProviderDefinition, config: Record<string, unknown>): string[] | undefined {
  if (definition.info === undefined) return undefined
  return definition.methods?.(config) ?? Object.keys(definition.info)
}

function requireWellFormed(definition: ProviderDefinition): void {
  const fault = (message: string) => new HaloError('VALIDATION', message)
  if (typeof definition.name !== 'string' || !NAME.test(definition.name)) {
    throw fault(`A tool provider's name must be letters, digits and _ and not begin with a digit; got ${JSON.stringify(definition.name)}.`)
  }
  if (typeof definition.provider !== 'function') {
    throw fault(`The tool provider ${definition.name} must be a function that takes its configuration and returns its methods.`)
  }
  for (const [method, about] of Object.entries(definition.info ?? {})) {
    const where = `${definition.name}.${method}`
    if (typeof about !== 'object' || about === null) throw fault(`The info of ${where} must be an object with description, parameters and effect.`)
    if (typeof about.description !== 'string') throw fault(`The info of ${where} needs a description: the model chooses by it.`)
    if (!EFFECTS.includes(about.effect)) throw fault(`The info of ${where} needs an effect: "read", "write" or "external".`)
    const parameters: unknown = about.parameters
    if (typeof parameters !== 'object' || parameters === null || ('type' in parameters && parameters.type !== 'object')) {
      throw fault(`The parameters of ${where} must be a JSON Schema of an object.`)
    }
  }
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return {}
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {}
}

function toJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
