import { listProviders, type ProviderListing } from '../lib/halo/tools/registry.ts'
import { DONE, UsageError } from './exit.ts'
import { command, readWords } from './options.ts'
import { give } from './print.ts'

export const toolsCommand = command({
  usage: 'tools [PROVIDER] [--json]',
  about: 'Lists the tool providers; of one, its configuration, methods, arguments and effects.',
  options: { json: { type: 'boolean', default: false } },
  least: 0,
  most: 1,
})

export function tools(words: string[]): number {
  const { positionals, values } = readWords(words, toolsCommand)
  const [wanted] = positionals
  const all = listProviders()
  const shown = wanted === undefined ? all : all.filter(({ name }) => name === wanted)
  if (shown.length === 0) throw new UsageError(`There is no provider ${wanted}. There are: ${all.map(({ name }) => name).join(', ')}.`)
  if (values.json) give(wanted === undefined ? shown : shown[0])
  else give(shown.map((provider) => providerText(provider, wanted !== undefined)).join('\n'))
  return DONE
}

function providerText({ name, description, store, config, methods }: ProviderListing, whole: boolean): string {
  const lines = [`${name}(${namesOf(config)})${store ? ' · store' : ''}`]
  if (description !== undefined) lines.push(`  ${description}`)
  if (whole) lines.push(...propertiesOf(config).map((property) => `  ${propertyText(property)}`))
  if (methods === undefined) lines.push('  methods not described')
  for (const method of methods ?? []) {
    lines.push(`  ${name}.${method.name}(${namesOf(method.parameters)}): ${effectText(method)}${method.categories?.length ? ` · ${method.categories.join(', ')}` : ''}`)
    lines.push(`    ${method.description}`)
    if (whole) lines.push(...propertiesOf(method.parameters).map((property) => `      ${propertyText(property)}`))
  }
  return `${lines.join('\n')}\n`
}

type Method = NonNullable<ProviderListing['methods']>[number]

/** Where an argument decides, that is said too: `external, read with method GET or HEAD`. */
function effectText({ effect, effectBy }: Pick<Method, 'effect' | 'effectBy'>): string {
  if (effectBy === undefined) return effect
  const { argument, effects } = effectBy
  const others = [...new Set(Object.values(effects))]
  const valuesOf = (other: string) => Object.keys(effects).filter((value) => effects[value] === other).join(' or ')
  return [effect, ...others.map((other) => `${other} with ${argument} ${valuesOf(other)}`)].join(', ')
}

interface Property {
  name: string
  required: boolean
  schema: { type?: unknown; description?: unknown; default?: unknown; format?: unknown }
}

function propertiesOf(schema: unknown): Property[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return []
  const { properties } = schema
  const required: unknown = 'required' in schema ? schema.required : undefined
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, each]: [string, Property['schema']]) => ({
    name,
    required: Array.isArray(required) && required.includes(name),
    schema: each,
  }))
}

function namesOf(schema: unknown): string {
  return propertiesOf(schema).map(({ name, required }) => (required ? name : `${name}?`)).join(', ')
}

function propertyText({ name, required, schema }: Property): string {
  const facts = [typeText(schema), required ? 'required' : schema.default === undefined ? 'optional' : `default ${JSON.stringify(schema.default)}`]
  if (typeof schema.format === 'string') facts.push(schema.format)
  return `${name} (${facts.join(', ')})${typeof schema.description === 'string' ? `: ${schema.description}` : ''}`
}

/** A JSON Schema's type in a few words: `string`, `"GET" | "HEAD"`, `array of string`. */
function typeText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any'
  const { type, enum: values, anyOf, items } = schema as Record<string, unknown>
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return anyOf.map(typeText).join(' | ')
  if (type === 'array' && items !== undefined) return `array of ${typeText(items)}`
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any'
}
