import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/lib/halo/tools/catalogue.ts'
import { listProviders } from '../../src/lib/halo/tools/registry.ts'

const path = fileURLToPath(new URL('../../docs/tools.md', import.meta.url))
const BUILT_IN = new Set(catalogue.map(({ name }) => name))

interface Shape {
  properties?: Record<string, { description?: string }>
  required?: string[]
}
type Listing = ReturnType<typeof listProviders>[number]
type Method = NonNullable<Listing['methods']>[number]

/** A table's cell ends at a bar, and what looks like an element is text. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
const argumentsOf = ({ properties = {}, required = [] }: Shape): string =>
  Object.keys(properties)
    .map((name) => `${name}${required.includes(name) ? '' : '?'}`)
    .join(', ')

function effectOf({ effect, effectBy }: Method & { effectBy?: { argument: string; effects: Record<string, string> } }): string {
  if (effectBy === undefined) return effect
  const others = Object.entries(effectBy.effects).map(([value, other]) => `${other} with ${effectBy.argument} ${value}`)
  return [effect, ...others].join('; ')
}

function provider({ name, description, store, config, methods = [] }: Listing): string {
  const given = config as Shape | undefined
  const fields = Object.entries(given?.properties ?? {}).map(([field, about]) => `- \`${field}\`: ${about.description ?? ''}`)
  const rows = methods.map((method) => `| \`${cell(`${method.name}(${argumentsOf(method.parameters as Shape)})`)}\` | ${cell(effectOf(method))} | ${cell(method.description)} |`)
  return [
    `### ${name}`,
    `\`${store ? 'store' : 'tool'} X : ${name}(${given === undefined ? '' : argumentsOf(given)})\``,
    description ?? '',
    fields.join('\n'),
    rows.length === 0 ? '' : ['| Method | Effect | |', '| --- | --- | --- |', ...rows].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

test('every provider of the catalogue stands in the documentation as it is', () => {
  const listed = listProviders().filter(({ name }) => BUILT_IN.has(name))
  expect(listed.map(({ name }) => name).sort()).toEqual([...BUILT_IN].sort())
  const wanted = listed.map(provider).join('\n\n')
  const text = readFileSync(path, 'utf8')
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, text.replace(/(<!-- catalogue[^>]*-->\n)[^]*(<!-- \/catalogue -->)/, (_all, from: string, to: string) => `${from}\n${wanted}\n\n${to}`))
  expect(text).toContain(wanted)
})
