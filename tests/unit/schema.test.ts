import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { link } from '../../src/lib/halo/check/program.ts'
import { argumentsError, checkArguments, conform } from '../../src/lib/halo/run/arguments.ts'
import { applyDefaults, faultsText, smallestInstance, typeToSchema, validate, valueFromText } from '../../src/lib/halo/run/schema.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

const source = `
schema Line { name: String, price: Number, note?: String }
schema Invoice { id: String, state: "open" | "paid", lines: [Line], customer: { name: String, vip?: Boolean }, total: Number? }
schema Tree { value: Number, children: [Tree] }
schema Pair { left: Line, right: Line }
schema Endless { again: Endless }
schema Even { next?: Odd }
schema Odd { next?: Even, tag: 1 | 2 | "x" }
pipeline P(a: String, b: Number = 1 + 1, c?: Boolean, d: [String] = [a, "{{a}}!"], e: Invoice?, f: "x" | "y" = "x") -> Invoice: a
pipeline Q(n: Number = "seven", m: Number = a.b) : n
pipeline None() : 1
`
const file = parse(source)
const program = link(file)
function pipeline(name: string) {
  const found = program.pipelines.get(name)
  if (!found) throw new Error(name)
  return found
}
function type(text: string) {
  const found = parse(`${source}\npipeline T(x: ${text}): x`).pipelines.at(-1)?.params[0]?.type
  if (!found) throw new Error(text)
  return found
}
const schemaFor = (text: string) => typeToSchema(type(text), program)
const paths = (schema: unknown, value: unknown) => validate(schema, value).map((fault) => fault.path).sort()

describe('types as JSON Schema', () => {
  test.each([
    ['String', { type: 'string' }],
    ['Number?', { anyOf: [{ type: 'number' }, { type: 'null' }] }],
    ['Any', {}],
    ['Result?', {}],
    ['[Boolean]', { type: 'array', items: { type: 'boolean' } }],
    ['"a" | "b"', { type: 'string', enum: ['a', 'b'] }],
    ['"a" | 1 | null', { enum: ['a', 1, null] }],
    ['String | [Number]', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] }],
    ['Line', { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['name', 'price'], additionalProperties: false }],
  ])('%s', (text, schema) => {
    expect(schemaFor(text)).toEqual(schema)
  })

  test('a schema used twice or inside itself stands in $defs once, and an object stays at the root', () => {
    expect(schemaFor('Pair')).toMatchObject({ type: 'object', properties: { left: { $ref: '#/$defs/Line' }, right: { $ref: '#/$defs/Line' } }, $defs: { Line: { type: 'object' } } })
    expect(schemaFor('Tree')).toMatchObject({ type: 'object', properties: { children: { items: { $ref: '#/$defs/Tree' } } }, $defs: { Tree: { type: 'object' } } })
    expect(validate(schemaFor('Tree'), { value: 1, children: [{ value: 2, children: [{ value: 3, children: [] }] }] })).toEqual([])
    expect(paths(schemaFor('Tree'), { value: 1, children: [{ value: 2, children: [{ value: 'x', children: [] }] }] })).toEqual(['children[0].children[0].value'])
    expect(validate(schemaFor('Even'), { next: { tag: 2, next: { next: { tag: 'x' } } } })).toEqual([])
  })

  test('a chain of schemas that each use the next twice stays small', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `schema S${i} { a: S${i + 1}, b: S${i + 1} }`)
    const chain = parse(`${lines.join('\n')}\nschema S40 { x: Number }\npipeline T(x: S0): x`)
    const first = chain.pipelines[0]?.params[0]
    if (!first) throw new Error('no parameter')
    expect(JSON.stringify(typeToSchema(first.type, link(chain))).length).toBeLessThan(10_000)
  })

  test('a name that no schema has is VALIDATION', () => {
    expect(() => schemaFor('Nobody')).toThrow(/Nobody/)
  })
})

describe('validate', () => {
  const invoice = { id: 'a', state: 'open', lines: [{ name: 'x', price: 1 }], customer: { name: 'c' }, total: null }
  test('a fitting value has no faults, whether optional fields are absent, null or undefined', () => {
    expect(validate(schemaFor('Invoice'), invoice)).toEqual([])
    expect(validate(schemaFor('Invoice'), { ...invoice, total: undefined, lines: [{ name: 'x', price: 1, note: null }] })).toEqual([])
  })

  test('every fault is named with its path, in words', () => {
    const faults = validate(schemaFor('Invoice'), { id: 5, state: 'closed', lines: [{ name: 'x' }, { name: 'y', price: '3', more: 1 }], customer: 'me', total: 'x' })
    const text = faultsText(faults, 'the answer')
    expect(faults.map((f) => f.path).sort()).toEqual(['customer', 'id', 'lines[0].price', 'lines[1].more', 'lines[1].price', 'state', 'total'])
    expect(text).toContain('id should be a text, not 5')
    expect(text).toContain('state should be one of "open", "paid", not the text "closed"')
    expect(text).toContain('lines[0].price is missing')
    expect(text).toContain('lines[1].more is not a field of the schema')
    expect(text).toContain('lines[1].price should be a number, not the text "3"')
    expect(text).toContain('customer should be an object, not the text "me"')
    expect(text).toContain('total should be a number or null, not the text "x"')
  })

  test('faults inside an optional object are those of the object', () => {
    expect(paths(schemaFor('Line?'), { name: 1, price: 2 })).toEqual(['name'])
    expect(validate(schemaFor('Line?'), null)).toEqual([])
    expect(validate(schemaFor('Line'), null)).toEqual([{ path: '', message: 'should be an object, not null' }])
  })

  test('names with odd characters are quoted in paths', () => {
    const schema = Type.Object({ 'a/b~c d': Type.Number() })
    expect(paths(schema, { 'a/b~c d': 'x' })).toEqual(['["a/b~c d"]'])
    expect(paths(schema, {})).toEqual(['["a/b~c d"]'])
  })

  test('TypeBox schemas work, frozen and shared ones too', () => {
    const shared = Object.freeze(Type.String({ minLength: 2 }))
    const schema = Object.freeze(Type.Object({ a: shared, b: Type.Optional(shared), n: Type.Integer({ minimum: 1 }) }))
    expect(validate(schema, { a: 'xx', n: 1 })).toEqual([])
    expect(faultsText(validate(schema, { a: 'x', b: 'y', n: 0 }))).toBe('a should have at least 2 characters\nb should have at least 2 characters\nn should be at least 1, not 0')
    expect(faultsText(validate(schema, { a: 'xx', n: 1.5 }))).toBe('n should be a whole number, not 1.5')
  })

  test('what is no plain data is refused, never thrown at the caller', () => {
    const loop: Record<string, unknown> = {}
    loop['x'] = loop
    for (const value of [() => 1, 1n, Symbol('x'), { a: () => 1 }, [NaN], loop]) expect(validate({}, value)).toHaveLength(1)
    let deep: unknown = 1
    for (let i = 0; i < 50_000; i++) deep = [deep]
    expect(validate({}, deep)[0]?.message).toMatch(/nested/)
    expect(validate(schemaFor('Any'), undefined)).toEqual([])
  })

  test('a schema that is itself faulty is a fault, not a crash and not a pass', () => {
    expect(validate({ $ref: '#/$defs/none' }, 1)[0]?.message).toMatch(/schema itself is faulty/)
    expect(validate({ type: 'string', pattern: '(' }, 'x')[0]?.message).toMatch(/schema itself is faulty/)
    expect(validate({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`)[0]?.message).toMatch(/may take very long/)
    expect(validate({ type: 'string', pattern: '^a+$' }, 'b')[0]?.message).toBe('should match ^a+$, not the text "b"')
  })

  test('a hundred faults are told by the first fifty', () => {
    expect(validate(schemaFor('[Number]'), Array.from({ length: 100 }, () => 'x'))).toHaveLength(50)
  })
})

describe('smallest instance', () => {
  test.each([
    ['String', ''], ['Number', 0], ['Boolean', false], ['[Line]', []], ['Line', { name: '', price: 0 }], ['"open" | "paid"', 'open'], ['String?', null], ['Any', null],
    ['Tree', { value: 0, children: [] }], ['Even', {}], ['Odd', { tag: 1 }], ['Invoice', { id: '', state: 'open', lines: [], customer: { name: '' } }],
  ])('%s', (text, smallest) => {
    const schema = schemaFor(text)
    expect(smallestInstance(schema)).toEqual(smallest)
    expect(validate(schema, smallestInstance(schema))).toEqual([])
  })

  test('fits the schema it is made for', () => {
    const leaf = fc.constantFrom<Record<string, unknown>>(
      { type: 'string', minLength: 3 }, { type: 'string', format: 'email' }, { type: 'string', format: 'date-time' }, { type: 'integer', minimum: 5, multipleOf: 4 }, { type: 'number', exclusiveMinimum: 2 },
      { type: 'number', maximum: -3 }, { type: 'integer', exclusiveMaximum: -2 }, { const: [1] }, { enum: ['b', 'a'] }, { type: ['string', 'null'] }, { type: 'boolean' }, {},
    )
    const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
      schema: fc.oneof({ maxDepth: 4 }, leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
        fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }).map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2), additionalProperties: false })),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => ({ allOf: [{ type: 'object', properties: { a }, required: ['a'] }, { type: 'object', properties: { b }, required: ['b'] }] })),
      ),
    }))
    fc.assert(fc.property(schema, (each) => {
      expect(validate(each, smallestInstance(each))).toEqual([])
    }), { numRuns: 500 })
  })

  test('a schema that requires itself has none', () => {
    expect(() => smallestInstance(schemaFor('Endless'))).toThrow(/finite/)
  })
})

describe('text by type', () => {
  test.each<[string, string, unknown]>([
    ['String', '5', '5'], ['String', 'true', 'true'], ['Any', '{"a":1}', '{"a":1}'], ['Number', ' 5.5 ', 5.5], ['Number', 'five', 'five'], ['Number', '', ''], ['Boolean', 'True', true], ['Boolean', 'yes', 'yes'],
    ['[String]', '["a"]', ['a']], ['[String]', 'a,b', 'a,b'], ['Line', '{"name":"x","price":1}', { name: 'x', price: 1 }], ['Number?', '', null], ['Number?', 'null', null], ['String?', 'null', 'null'], ['String?', '', ''],
    ['"a" | "b"', 'a', 'a'], ['1 | 2', '2', 2], ['1 | "2"', '2', '2'], ['Number | String', '2', 2], ['Number | String', 'x', 'x'], ['[Number] | String', '[1]', [1]], ['Boolean?', 'false', false],
  ])('%s from %j', (text, from, expected) => {
    expect(valueFromText(type(text), from)).toEqual(expected)
  })
})

describe('arguments of a run', () => {
  test('defaults are evaluated with the parameters before them, optional ones are null', () => {
    expect(checkArguments(pipeline('P'), { a: 'x' }, program)).toEqual({ args: { a: 'x', b: 2, c: null, d: ['x', 'x!'], e: null, f: 'x' }, faults: [] })
    expect(checkArguments(pipeline('P'), { a: 'x', b: undefined, c: null }, program).faults).toEqual([])
  })

  test('missing, unknown and unfitting ones are one VALIDATION with all of them', () => {
    const { faults } = checkArguments(pipeline('P'), { b: 'two', colour: 1, dd: [], d: [1], e: { id: 1 }, f: 'z', __proto__: null }, program)
    const error = argumentsError('P', faults)
    expect(error.code).toBe('VALIDATION')
    for (const part of ['a is missing', 'b should be a number', 'colour is no parameter of P', 'Do you mean d?', 'd[0] should be a text', 'e.id should be a text', 'e.lines is missing', 'f should be one of']) expect(error.message).toContain(part)
  })

  test('a default that fails or doesn\'t fit is a fault of its parameter', () => {
    const { faults } = checkArguments(pipeline('Q'), {}, program)
    expect(faults.map((f) => f.path)).toEqual(['n', 'm'])
  })

  test('a pipeline without parameters takes none; names of Object.prototype are names like others', () => {
    expect(faultsText(checkArguments(pipeline('None'), { x: 1 }, program).faults)).toContain('takes none')
    expect(checkArguments(pipeline('P'), JSON.parse('{"a":"x","__proto__":1,"constructor":2}') as Record<string, unknown>, program).faults.map((f) => f.path)).toEqual(['__proto__', 'constructor'])
  })
})

describe('answers of a type', () => {
  test.each<[string, unknown, unknown]>([
    ['String', '[1]', '[1]'], ['Any', '[1]', '[1]'], ['[Number]', '[1]', [1]], ['[Number]', 'Here it is:\n```json\n[1, 2]\n```\nDone.', [1, 2]], ['Number', '```\n5\n```', 5], ['"a" | "b"', 'a', 'a'], ['Line', { name: 'x', price: 1 }, { name: 'x', price: 1 }],
    ['Boolean', ' true ', true], ['Number?', 'null', null],
  ])('%s takes %j', (text, answer, expected) => {
    expect(conform(schemaFor(text), answer)).toEqual({ value: expected, faults: [] })
  })

  test.each<[string, unknown, RegExp]>([
    ['[Number]', 'none', /is no JSON/], ['[Number]', '["x"]', /\[0\] should be a number/], ['"a" | "b"', 'c', /one of "a", "b"/], ['Line', '{"name": "x"', /is no JSON/], ['Line', '', /is no JSON/],
  ])('%s refuses %j', (text, answer, message) => {
    expect(faultsText(conform(schemaFor(text), answer).faults)).toMatch(message)
  })
})

test('defaults of a schema are filled in where they are missing, nested ones too, without touching what was given', () => {
  const schema = { type: 'object', properties: { a: { type: 'number', default: 5 }, list: { type: 'array', items: { type: 'object', properties: { b: { default: [] } } } }, given: { default: 1 } } }
  const value = { list: [{}, { b: 1 }], given: null }
  expect(applyDefaults(schema, value)).toEqual({ a: 5, list: [{ b: [] }, { b: 1 }], given: null })
  expect(value).toEqual({ list: [{}, { b: 1 }], given: null })
  const whole = { a: 1, list: [], given: 2 }
  expect(applyDefaults(schema, whole)).toBe(whole)
})

test('the schemas of the reference examples compile', () => {
  const folder = new URL('../../examples/', import.meta.url)
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.halo'))) {
    const example = parse(readFileSync(new URL(name, folder), 'utf8'))
    for (const declared of example.schemas) expect(smallestInstance(typeToSchema(declared.type, link(example)))).toBeTypeOf('object')
  }
})
