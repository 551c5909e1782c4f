/** What plain values mean in expressions: their kind in words, fields, equality, order, truth, and their text. */
import { HaloError } from '../errors.ts'
import { DEPTH_LIMIT, grow, spend, type Budget } from './budget.ts'

export type PlainObject = Record<string, unknown>

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** "a text", "a list", …: for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string': return 'a text'
    case 'number': return 'a number'
    case 'boolean': return String(value)
    case 'object': return 'an object'
    default: return `a ${typeof value}`
  }
}

/** Sets a field as data, whatever its name: plain assignment to `__proto__` would change what the object inherits. */
export function setField(object: PlainObject, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

/**
 * The own field or item `key` of a value; undefined when it isn't there. Objects have their own fields only (never
 * `__proto__`), lists and texts their items by index from 0 and nothing else.
 */
export function fieldOf(value: unknown, key: unknown): unknown {
  if (typeof value === 'string') {
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 0) return undefined
    return isBmp(value) ? value[key] : nthCharacter(value, key)
  }
  if (Array.isArray(value)) {
    return typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < value.length ? (value[key] ?? null) : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const name = typeof key === 'number' ? String(key) : key
  if (typeof name !== 'string' || name === '__proto__' || !Object.hasOwn(value, name)) return undefined
  return (value as PlainObject)[name]
}

/** False: `false`, `null`, `0`, `""`; true: all else, an empty list and an empty object too. */
export function truthy(value: unknown): boolean {
  return !(value === false || value === null || value === undefined || value === 0 || value === '')
}

/** `==`: no coercion; lists and objects are equal when all they hold is, whatever the order of the fields. */
export function equal(a: unknown, b: unknown, budget: Budget, depth = 0): boolean {
  spend(budget)
  if (a === b || (a == null && b == null)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (depth > DEPTH_LIMIT) throw tooDeep()
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => equal(item, b[i], budget, depth + 1))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal((a as PlainObject)[key], (b as PlainObject)[key], budget, depth + 1))
}

/** Negative, zero or positive; undefined where the two have no order: only numbers, and only texts, compare. */
export function order(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return undefined
}

/** The text of a value in a template and beside `+`: strings as they are, all else as JSON. Counted before it is built. */
export function textIn(value: unknown, budget: Budget): string {
  if (typeof value === 'string') {
    grow(budget, value.length)
    return value
  }
  return jsonIn(value, budget)
}

export function jsonIn(value: unknown, budget: Budget, indent?: number): string {
  measure(value, budget, 0, indent ?? 0)
  return JSON.stringify(value ?? null, undefined, indent)
}

/** Counts what the JSON of a value takes, and refuses what has none. */
function measure(value: unknown, budget: Budget, depth: number, indent: number): void {
  spend(budget)
  switch (typeof value) {
    case 'string': return grow(budget, value.length + 2)
    case 'object': break
    case 'bigint':
    case 'function':
    case 'symbol':
      throw new HaloError('EXPRESSION_ERROR', `A ${typeof value} has no JSON form.`)
    default: return grow(budget, 5)
  }
  if (value === null) return grow(budget, 4)
  if (depth > DEPTH_LIMIT) throw tooDeep()
  grow(budget, 2)
  if (Array.isArray(value)) {
    for (const item of value) {
      grow(budget, 1 + indent * (depth + 1))
      measure(item, budget, depth + 1, indent)
    }
    return
  }
  for (const key of Object.keys(value)) {
    grow(budget, key.length + 4 + indent * (depth + 1))
    measure((value as PlainObject)[key], budget, depth + 1, indent)
  }
}

export function tooDeep(): HaloError {
  return new HaloError('EXPRESSION_LIMIT', `The value is nested more than ${DEPTH_LIMIT} levels deep, or holds itself.`)
}

// Characters are Unicode code points, so that a part of a text never holds half a character. Most texts have no
// surrogates, and then code units are the same and cheaper.

const SURROGATE = /[\ud800-\udfff]/

function isBmp(text: string): boolean {
  return !SURROGATE.test(text)
}

/** Number of characters. */
export function lengthOf(text: string): number {
  if (isBmp(text)) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

/** Characters `from` to `to`, counted from the end when negative. */
export function partOf(text: string, from: number, to?: number): string {
  return isBmp(text) ? text.slice(from, to) : [...text].slice(from, to).join('')
}

function nthCharacter(text: string, index: number): string | undefined {
  let i = 0
  for (const character of text) if (i++ === index) return character
  return undefined
}
