import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { evaluate, type Mode, type Scope, type World } from '../../src/lib/halo/run/expression.ts'
import { FUNCTIONS } from '../../src/lib/halo/run/functions.ts'
import { namesIn, toText } from '../../src/lib/halo/run/template.ts'
import { parseCondition } from '../../src/lib/halo/syntax/index.ts'

function parsed(text: string) {
  const { expression, diagnostics } = parseCondition(text)
  if (!expression || diagnostics.length > 0) throw new Error(`${text}: ${diagnostics.map((d) => d.message).join()}`)
  return expression
}

function scope(values: Record<string, unknown> = {}, mode: Mode = 'value'): Scope {
  return { mode, has: (name) => Object.hasOwn(values, name), lookup: (name) => values[name] }
}

function value(text: string, values: Record<string, unknown> = {}, mode: Mode = 'value', world?: World): unknown {
  return evaluate(parsed(text), scope(values, mode), world)
}

function errorOf(text: string, values: Record<string, unknown> = {}, mode: Mode = 'value'): HaloError {
  try {
    const result = value(text, values, mode)
    throw new Error(`${text} gave ${JSON.stringify(result)}`)
  } catch (error) {
    if (error instanceof HaloError) return error
    throw error
  }
}

const data = { a: { b: [1, { c: 'deep' }], n: null, constructor: 'own' }, list: [3, 1, 2], text: 'héllo 😀', zero: 0, empty: '', nil: null }

describe('what an expression gives', () => {
  test.each([
    ['1 + 2 * 3', 7], ['(1 + 2) * 3', 9], ['10 - 2 - 3', 5], ['7 % 4', 3], ['-7 % 4', -3], ['- -2', 2], ['1_000 + 30s', 31_000], ['2 / 4', 0.5],
    ['-0', 0], ['0 * -1', 0],
    ['"a" + 1', 'a1'], ['1 + "a"', '1a'], ['"a" + null', 'anull'], ['"a" + [1, "b"]', 'a[1,"b"]'], ['1 + 2 + "x"', '3x'], ['"x" + 1 + 2', 'x12'], ['"t" + true', 'ttrue'],
    ['1 == 1', true], ['1 == "1"', false], ['null == false', false], ['[1, {a: 2}] == [1, {a: 2}]', true], ['{a: 1, b: 2} == {b: 2, a: 1}', true], ['{a: 1} == {a: 1, b: null}', false],
    ['[1] == [1, 2]', false], ['[] == {}', false], ['0 != ""', true], ['null == nil', true],
    ['2 < 10', true], ['"2" < "10"', false], ['"a" <= "a"', true], ['3 >= 4', false],
    ['null ?? 1', 1], ['false ?? 1', false], ['null ?? null ?? 3', 3], ['0 || "x"', 'x'], ['"" || null', null], ['1 && 2', 2], ['0 && missing_function', 0],
    ['[] && "lists are true"', 'lists are true'], ['!0', true], ['!""', true], ['!{}', false], ['!!"false"', true],
    ['true ? 1 : 2', 1], ['zero ? 1 : empty ? 2 : 3', 3],
    ['{ a: 1, "b c": [2], list }', { a: 1, 'b c': [2], list: [3, 1, 2] }],
    ['a.b[1].c', 'deep'], ['a["b"][0]', 1], ['a.b[5]', null], ['a.b[-1]', null], ['a.b[0.5]', null], ['a.b["0"]', null], ['a.x.y.z', null], ['a?.x.y', null], ['nil?.x', null], ['a.n', null],
    ['text[0]', 'h'], ['text[6]', '😀'], ['text[7]', null], ['text.length', null], ['list.length', null], ['list.map', null], ['zero.toFixed', null],
    ['a.constructor', 'own'], ['list.constructor', null], ['text.constructor', null], ['a.__proto__', null], ['a["__proto__"]', null], ['a.toString', null], ['a.hasOwnProperty', null],
    ['auto', 'auto'], ['exponential', 'exponential'], ['both', 'both'], ['input', 'input'], ['output', 'output'],
  ])('%s', (text, expected) => {
    expect(value(text, data)).toEqual(expected)
  })

  test('input and output are what the scope says, the other bare words never are', () => {
    expect(value('input', { input: 5 })).toBe(5)
    expect(value('output.x', { output: { x: 1 } })).toBe(1)
    expect(value('run', { run: 5 })).toBe('run')
  })

  test('undefined from outside is null', () => {
    expect(value('x', { x: undefined })).toBe(null)
    expect(value('x.y', { x: { y: undefined } })).toBe(null)
    expect(value('[x]', { x: undefined })).toEqual([null])
  })

  test('a key __proto__ makes a field, not another prototype', () => {
    const made = value('{ "__proto__": { admin: true }, ok: 1 }') as Record<string, unknown>
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(made['admin']).toBe(undefined)
    expect(value('{ "__proto__": { admin: true } }.admin')).toBe(null)
    expect(value('merge(a, b).admin', { a: {}, b: JSON.parse('{"__proto__":{"admin":true}}') as unknown })).toBe(null)
    expect(({} as Record<string, unknown>)['admin']).toBe(undefined)
  })
})

describe('what an expression refuses', () => {
  test.each([
    ['1 / 0', /1 \/ 0 is no finite number/], ['0 / 0', /no finite/], ['1e308 * 10', /no finite/], ['5 % 0', /no finite/],
    ['1 + null', /takes numbers or a text, not a number and null/], ['1 - "1"', /takes numbers/], ['[1] + [2]', /merge\(a, b\)/], ['-"x"', /takes a number/],
    ['1 < "2"', /two numbers or two texts/], ['null < 1', /two numbers or two texts/], ['[1] < [2]', /two numbers/],
    ['nobody', /no nobody in scope/], ['shout("x")', /no function shout/], ['len()', /len\(value\)/], ['len(1, 2)', /len\(value\)/], ['lower(text: "x")', /by position/],
    ['constructor', /in scope/], ['constructor("return 1")', /no function/], ['toString()', /no function/],
  ])('%s', (text, message) => {
    const error = errorOf(text, data)
    expect(error.code).toBe('EXPRESSION_ERROR')
    expect(error.message).toMatch(message)
    expect(error.span).toBeDefined()
  })

  test.each([
    ['a.x', 'a.x'], ['a.b[9].c', 'a.b[9]'], ['nil.x', 'nil.x'], ['a["no such"].y', 'a["no such"]'], ['text.length', 'text.length'], ['a.__proto__', 'a.__proto__'],
  ])('an absent field in a condition or a template names its path: %s', (text, path) => {
    for (const mode of ['condition', 'template'] as const) {
      const error = errorOf(text, data, mode)
      expect(error.code).toBe('EXPRESSION_ERROR')
      expect(error.message).toContain(path)
      expect(error.data).toEqual({ path })
    }
  })

  test('what is allowed to be absent is null in every mode', () => {
    for (const mode of ['value', 'condition', 'template'] as const) {
      expect(value('a?.x', data, mode)).toBe(null)
      expect(value('a?.x.y.z', data, mode)).toBe(null)
      expect(value('a.x.y ?? "none"', data, mode)).toBe('none')
      expect(value('a.n', data, mode)).toBe(null)
      expect(value('first([])', data, mode)).toBe(null)
    }
    expect(errorOf('null ?? a.x', data, 'condition').data).toEqual({ path: 'a.x' })
  })

  test('what stands in {{ }} is strict inside a lenient argument', () => {
    expect(errorOf('"{{a.x}}"', data).data).toEqual({ path: 'a.x' })
    expect(value('"{{a.b}} {{a?.x}} {{zero}}"', data)).toBe('[1,{"c":"deep"}] null 0')
  })
})

describe('functions', () => {
  test.each([
    ['len("héllo 😀")', 7], ['len([1,2])', 2], ['len({a: 1})', 1], ['lower("ÀB")', 'àb'], ['upper("ß")', 'SS'], ['trim("  x\\n")', 'x'],
    ['split("a,b,,c", ",")', ['a', 'b', '', 'c']], ['split(" a  b ")', ['a', 'b']], ['split("h😀", "")', ['h', '😀']], ['split("", ",")', ['']],
    ['join(["a", 1, null, {b: 2}], "-")', 'a-1-null-{"b":2}'], ['join(["a", "b"])', 'a, b'], ['join([])', ''],
    ['replace("a.b.c", ".", "$&")', 'a$&b$&c'], ['replace("aaa", "aa", "b")', 'ba'], ['replace("x", "y", "z")', 'x'],
    ['contains("abc", "bc")', true], ['contains([1, {a: 1}], {a: 1})', true], ['contains({a: null}, "a")', true], ['contains({a: 1}, "constructor")', false],
    ['starts_with("abc", "ab")', true], ['ends_with("abc", "bc")', true], ['ends_with("abc", "ab")', false],
    ['matches("order 42", "\\\\d+")', true], ['matches("x", "^$")', false], ["matches('a.b', '^a\\.b$')", true],
    ['slice("h😀llo", 1, 3)', '😀l'], ['slice([1,2,3], -2)', [2, 3]], ['slice([1,2,3], 0, -1)', [1, 2]], ['slice("abc", 5)', ''],
    ['first([1,2])', 1], ['last([1,2])', 2], ['first("😀x")', '😀'], ['last("x😀")', '😀'], ['last([])', null], ['first("")', null],
    ['sort([10, 9, 1])', [1, 9, 10]], ['sort(["b", "a"])', ['a', 'b']], ['sort([{n: 2, k: "x"}, {n: 1}, {n: 2, k: "y"}], "n")', [{ n: 1 }, { n: 2, k: 'x' }, { n: 2, k: 'y' }]], ['sort([])', []],
    ['unique([1, "1", 1, {a: 1, b: 2}, {b: 2, a: 1}, null, null, [1], [1]])', [1, '1', { a: 1, b: 2 }, null, [1]]],
    ['pluck([{a: 1}, {b: 2}, null, 5], "a")', [1, null, null, null]], ['keys({a: 1, b: 2})', ['a', 'b']], ['values({a: 1, b: 2})', [1, 2]],
    ['merge({a: 1, b: 1}, {b: 2}, {c: 3})', { a: 1, b: 2, c: 3 }], ['merge([1], [2, [3]])', [1, 2, [3]]],
    ['number(" 1.5e3 ")', 1500], ['number(true)', 1], ['number("-.5")', -0.5], ['string(1.50)', '1.5'], ['string([1])', '[1]'], ['string("x")', 'x'],
    ['bool("TRUE")', true], ['bool("false")', false], ['bool("")', false], ['bool(0)', false], ['bool([])', true], ['bool(null)', false],
    ['json({a: [1, "x"]})', '{"a":[1,"x"]}'], ['json([1], 2)', '[\n  1\n]'], ['parse_json("[1, {\\"a\\": null}]")', [1, { a: null }]], ['parse_json("```json\\n{\\"a\\": 1}\\n```")', { a: 1 }],
    ['round(2.5)', 3], ['round(-2.5)', -3], ['round(1.005, 2)', 1.01], ['round(1e21)', 1e21], ['round(0.0000001, 2)', 0], ['round(-0.2)', 0], ['round(123.456, 1)', 123.5], ['round(1.45, 1)', 1.5],
    ['min(3, 1, 2)', 1], ['max([3, 1, 2])', 3], ['min([])', null], ['max(2)', 2], ['sum([1, 2.5])', 3.5], ['sum([])', 0], ['abs(-3)', 3],
  ])('%s', (text, expected) => {
    expect(value(text, data)).toEqual(expected)
  })

  test.each([
    'len(null)', 'len(1)', 'lower(1)', 'split([1])', 'join("x")', 'replace("a", "", "b")', 'contains(1, 2)', 'contains("a", 1)', 'matches("a", "(")', 'slice(1, 2)', 'slice("a", 0.5)', 'first(1)', 'sort([1, "a"])', 'sort([{n: 1}, {n: "a"}], "n")', 'sort([[1]])', 'unique("x")', 'pluck({}, "a")', 'keys([1])',
    'merge({}, [1])', 'number("12abc")', 'number("")', 'number("0x10")', 'number(null)', 'number("1e999")', 'bool("yes")', 'parse_json("{")', 'round("1")', 'round(1, 99)', 'min("a")', 'sum([1, null])', 'abs("1")', 'json(1, 99)', 'now()', 'uuid()',
  ])('%s is an EXPRESSION_ERROR with a place', (text) => {
    const error = errorOf(text)
    expect(error.code).toBe('EXPRESSION_ERROR')
    expect(error.span).toBeDefined()
  })

  test('every function of the language is in the table, and no other', () => {
    expect([...FUNCTIONS.keys()].sort()).toEqual(
      'len lower upper trim split join replace contains starts_with ends_with matches slice first last sort unique pluck keys values merge number string bool json parse_json round min max sum abs now uuid'.split(' ').sort(),
    )
  })

  test('sort gives an ascending permutation and leaves the list as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (list) => {
        const before = [...list]
        const sorted = value('sort(list)', { list }) as number[]
        expect(list).toEqual(before)
        expect([...sorted].sort((a, b) => a - b)).toEqual([...before].sort((a, b) => a - b))
        for (let i = 1; i < sorted.length; i++) expect((sorted[i] ?? 0) >= (sorted[i - 1] ?? 0)).toBe(true)
      }),
    )
  })

  test('split and join undo each other; parse_json undoes json', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), (text, by) => {
        expect(value('join(split(text, by), by)', { text, by })).toBe(text)
        expect(value('join(split(text, ""), "")', { text })).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(JSON.stringify(value('parse_json(json(json_value))', { json_value: json }))).toBe(JSON.stringify(json))
        expect(value('parse_json(json(x)) == x', { x: json })).toBe(true)
        expect(value('len(unique([x, parse_json(json(x))]))', { x: json })).toBe(1)
      }),
    )
  })
})

describe('limits', () => {
  const long = 'x'.repeat(1_000_000)
  test.each([
    ['text of twice twelve doublings', `join([t,t,t,t,t,t,t,t,t,t,t], "")`],
    ['a long replacement', 'replace(t, "x", "0123456789ab")'],
    ['a long separator', 'join(l, t)'],
    ['splitting into characters', 'split(t, "")'],
    ['splitting at every character', 'split(t, "x")'],
    ['a template', '"{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}{{t}}"'],
    ['a chain of +', 't + t + t + t + t + t + t + t + t + t + t'],
    ['JSON of a large value', 'json([t,t,t,t,t,t,t,t,t,t,t])'],
    ['list equality again and again', `${Array.from({ length: 20 }, () => 'big == other').join(' && ')}`],
    ['unique over much', 'unique(big) == unique(other) && unique(big) == unique(other) && unique(big) == unique(other) && unique(big) == unique(other) && unique(big) == unique(other)'],
  ])('%s ends with EXPRESSION_LIMIT', (_, text) => {
    const big = Array.from({ length: 100_000 }, (_, i) => i)
    const error = errorOf(text, { t: long, l: Array.from({ length: 20 }, () => ''), big, other: [...big] })
    expect(error.code).toBe('EXPRESSION_LIMIT')
  })

  test('what is read but not built may be large', () => {
    const t = 'y'.repeat(20_000_000)
    expect(value('len(t) > 5 && starts_with(t, "yy") && contains(t, "y")', { t })).toBe(true)
  })

  test('a chain of thousands of terms is evaluated without recursion', () => {
    expect(value(Array.from({ length: 5_000 }, () => '1').join(' + '))).toBe(5_000)
    expect(value(Array.from({ length: 5_000 }, () => '"a"').join(' + '))).toBe('a'.repeat(5_000))
    expect(value(`a${'.a'.repeat(5_000)}`, { a: {} })).toBe(null)
  })

  test('values that hold themselves or are nested without end are refused, not walked for ever', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const other: Record<string, unknown> = {}
    other['self'] = other
    for (const text of ['json(loop)', '"{{loop}}"', 'loop == other', 'unique([loop])', 'string(loop)']) {
      expect(errorOf(text, { loop, other }).code).toBe('EXPRESSION_LIMIT')
    }
    expect(errorOf('parse_json(t)', { t: '['.repeat(100_000) + ']'.repeat(100_000) }).code).toBe('EXPRESSION_LIMIT')
  })

  test('what has no JSON is said so', () => {
    expect(errorOf('"{{f}}"', { f: () => 1 }).code).toBe('EXPRESSION_ERROR')
    expect(errorOf('json(f)', { f: 1n }).code).toBe('EXPRESSION_ERROR')
    expect(() => toText({ n: 1n })).toThrow(HaloError)
    expect(toText(undefined)).toBe('null')
  })
})

describe('the world', () => {
  test('is asked by number, and answers are kept', () => {
    const asked: unknown[] = []
    const world: World = { need: (index, request) => (asked.push([index, request.fn]), `${request.fn}-${index}`) }
    expect(value('[now(), uuid(), now()]', {}, 'value', world)).toEqual(['now-0', 'uuid-1', 'now-2'])
    expect(asked).toEqual([[0, 'now'], [1, 'uuid'], [2, 'now']])
  })

  test('gives a promise only when it answers with one', async () => {
    expect(value('1 + 1', {}, 'value', { need: () => Promise.resolve(0) })).toBe(2)
    const result = value('"{{now()}} {{uuid()}}"', {}, 'value', { need: (index) => Promise.resolve(index * 10) })
    expect(result).toBeInstanceOf(Promise)
    expect(await result).toBe('0 10')
  })

  test('its failure is the expression\'s', async () => {
    await expect(value('now()', {}, 'value', { need: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone')
    expect(() => value('now()', {}, 'value', { need: () => { throw new Error('gone') } })).toThrow('gone')
  })

  test('is asked for slow patterns only', async () => {
    const asked: unknown[] = []
    const world: World = { need: (_, request) => (asked.push(request), Promise.resolve(true)) }
    expect(value('matches("a", "a+b")', {}, 'value', world)).toBe(false)
    expect(asked).toEqual([])
    expect(await value("matches('aaa', '(a+)+$')", {}, 'value', world)).toBe(true)
    expect(asked).toEqual([{ fn: 'matches', pattern: '(a+)+$', text: 'aaa' }])
    expect(errorOf("matches('aaa', '(a+)+$')").code).toBe('VALIDATION')
  })

  test('is asked a hundred times at the most', () => {
    const many = `[${Array.from({ length: 101 }, () => 'now()').join(', ')}]`
    expect(() => value(many, {}, 'value', { need: () => 1 })).toThrow(/more than 100/)
  })
})

describe('templates', () => {
  test('what a value holds is never interpolated again', () => {
    expect(value('"{{x}}"', { x: '{{secret}}', secret: 'no' })).toBe('{{secret}}')
  })

  test('strings stand as they are, all else as JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()), (x) => {
        expect(value('"<{{x}}>"', { x })).toBe(`<${typeof x === 'string' ? x : JSON.stringify(x)}>`)
      }),
    )
  })

  test('a template is strict whatever the mode of the scope', () => {
    for (const mode of ['value', 'condition', 'template'] as const) expect(() => evaluate(parsed('"{{a.x}}"'), { ...scope(data), mode })).toThrow(/a\.x/)
  })

  test('namesIn finds every variable, in templates and indexes too', () => {
    expect([...namesIn(parsed('a.b[i] + "{{c ? d : [e, {f: g(h)}]}}" + !j'))].sort()).toEqual(['a', 'c', 'd', 'e', 'h', 'i', 'j'])
  })
})
