import { Type } from 'typebox'
import { afterEach, describe, expect, test } from 'vitest'
import { defineTool, registerTools } from '../../src/lib/halo/tools/define.ts'
import {
  configOf,
  listProviders,
  methodsOf,
  providerDefinition,
  registerDefinition,
  registerToolProvider,
} from '../../src/lib/halo/tools/registry.ts'
import type { ProviderInfo } from '../../src/lib/halo/tools/types.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const each of undo.splice(0)) each()
})

const info: ProviderInfo = { roll: { description: 'Rolls a die.', parameters: Type.Object({ sides: Type.Integer() }), effect: 'read' } }

describe('the registry of providers', () => {
  test('finds a registered provider and lists it as JSON', () => {
    undo.push(registerToolProvider('Dice', () => ({ roll: () => 4 }), info))
    expect(providerDefinition('Dice')?.info).toEqual(info)
    const listed = listProviders().find(({ name }) => name === 'Dice')
    expect(listed).toMatchObject({ registered: true, store: false, methods: [{ name: 'roll', effect: 'read' }] })
    expect(JSON.parse(JSON.stringify(listProviders()))).toEqual(listProviders())
  })

  test('takes a second registration of a name in place of the first', () => {
    const first = registerToolProvider('Dice', () => ({ roll: () => 1 }))
    const second = (): Record<string, () => number> => ({ roll: () => 2 })
    undo.push(registerToolProvider('Dice', second))
    first()
    expect(providerDefinition('Dice')?.provider).toBe(second)
  })

  test('puts a registered provider before the built-in one of its name, and back', () => {
    const builtIn = providerDefinition('Slack')
    const back = registerDefinition({ name: 'Slack', provider: () => ({}) })
    expect(providerDefinition('Slack')).not.toBe(builtIn)
    expect(listProviders().filter(({ name }) => name === 'Slack')).toHaveLength(1)
    back()
    expect(providerDefinition('Slack')).toBe(builtIn)
  })

  test('knows nothing of the methods of a provider without info', () => {
    undo.push(registerToolProvider('Bare', () => ({ go: () => 1 })))
    const bare = providerDefinition('Bare')
    expect(bare && methodsOf(bare, {})).toBeUndefined()
    expect(listProviders().find(({ name }) => name === 'Bare')).not.toHaveProperty('methods')
  })

  test.each([
    ['no name', '', info],
    ['a name with a dot', 'A.b', info],
    ['an effect that is none', 'A', { go: { ...info.roll, effect: 'maybe' } }],
    ['a method without a description', 'A', { go: { parameters: Type.Object({}), effect: 'read' } }],
    ['parameters that are no object', 'A', { go: { description: '', parameters: Type.String(), effect: 'read' } }],
    ['parameters that are missing', 'A', { go: { description: '', effect: 'read' } }],
  ])('refuses %s', (_, name, about) => {
    expect(() => registerToolProvider(name, () => ({}), about as ProviderInfo)).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
    expect(providerDefinition(name)).toBeUndefined()
  })

  test('describes every built-in method for a model', () => {
    for (const { name, methods } of listProviders()) {
      for (const method of methods ?? []) {
        expect(method.description.length, `${name}.${method.name}`).toBeGreaterThan(10)
        expect(method.parameters, `${name}.${method.name}`).toMatchObject({ type: 'object' })
      }
    }
  })
})

describe('the configuration of a declaration', () => {
  const definition = { config: Type.Object({ token: Type.String(), channel: Type.Optional(Type.String()) }) }

  test('gives positional arguments the names of the schema in order', () => {
    expect(configOf(definition, [{ value: 'secret' }, { value: '#a' }])).toEqual({ token: 'secret', channel: '#a' })
  })
  test('takes named arguments by name, among positional ones', () => {
    expect(configOf<unknown>(definition, [{ value: 'secret' }, { name: 'channel', value: '#a' }, { name: 'more', value: 1 }])).toEqual({ token: 'secret', channel: '#a', more: 1 })
  })
  test('keeps positional arguments it has no name for as a list', () => {
    expect(configOf(undefined, [{ value: 1 }, { value: 2 }, { name: 'a', value: 3 }])).toEqual({ a: 3, args: [1, 2] })
  })
  test('takes a name such as __proto__ as a name', () => {
    const config = configOf(undefined, [{ name: '__proto__', value: { polluted: true } }])
    expect(Object.hasOwn(config, '__proto__')).toBe(true)
    expect('polluted' in {}).toBe(false)
  })
})

describe('tools defined one by one', () => {
  const double = defineTool({
    name: 'double',
    description: 'Doubles a number.',
    parameters: Type.Object({ n: Type.Number() }),
    effect: 'read',
    execute: ({ n }) => n * 2,
  })

  test('become a provider with their schemas', () => {
    undo.push(registerTools('Numbers', [double], 'Arithmetic.'))
    expect(providerDefinition('Numbers')).toMatchObject({ description: 'Arithmetic.', info: { double: { effect: 'read', description: 'Doubles a number.' } } })
    expect(providerDefinition('Numbers')?.info?.double).not.toHaveProperty('execute')
  })
  test('of one name can not be methods of one provider', () => {
    expect(() => registerTools('Numbers', [double, double])).toThrow('Two tools')
  })
  test('need a name that can be called', () => {
    expect(() => defineTool({ ...double, name: 'a-b' })).toThrow('letters, digits')
  })
})

test('every provider of the catalogue says what each argument and each result is', () => {
  for (const { name, methods = [] } of listProviders().filter(({ registered }) => !registered)) {
    for (const method of methods) {
      expect(method.result, `${name}.${method.name} says what it gives`).toBeDefined()
      for (const [argument, schema] of Object.entries((method.parameters as { properties?: Record<string, { description?: string }> }).properties ?? {})) {
        expect(schema.description, `${name}.${method.name}(${argument})`).toBeTruthy()
      }
    }
  }
})
