import { HaloError } from '../errors.ts'

/** The most that one value from outside may hold, in characters of its texts and keys. */
export const VALUE_LIMIT = 10_000_000

/**
 * A copy of a value from outside as plain JSON data, which nobody else can change later: `undefined` becomes null, dates
 * and others with `toJSON` what that gives. Circular, unserialisable and larger values throw words for the tool's caller.
 */
export function toPlain(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') {
    if (value.length > VALUE_LIMIT) throw tooLarge()
    return value
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value
  if (typeof value === 'function' || typeof value === 'symbol') throw new HaloError('TOOL_ERROR', `The result is a ${typeof value}, which JSON has no form for.`)
  return copy(value, new Set(), { size: 0 }, 0)
}

function copy(value: unknown, above: Set<object>, budget: { size: number }, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      budget.size += value.length + 2
      if (budget.size > VALUE_LIMIT) throw tooLarge()
      return value
    case 'number':
      budget.size += 8
      return Number.isFinite(value) ? value : null
    case 'boolean':
      budget.size += 4
      return value
    case 'bigint':
      throw new HaloError('TOOL_ERROR', 'The result holds a BigInt, which JSON has no form for.')
    case 'object':
      break
    default:
      return undefined
  }
  if (value === null) return null
  budget.size += 2
  if (budget.size > VALUE_LIMIT) throw tooLarge()
  if (above.has(value)) throw new HaloError('TOOL_ERROR', 'The result refers to itself and can\'t be written as JSON.')
  if (depth > 200) throw new HaloError('TOOL_ERROR', 'The result is nested more than 200 levels deep.')
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON() as unknown, above, budget, depth + 1) ?? null
  above.add(value)
  let result: unknown
  if (Array.isArray(value)) result = value.map((item) => copy(item, above, budget, depth + 1) ?? null)
  else if (value instanceof Map || value instanceof Set) result = copy([...value], above, budget, depth + 1)
  else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new HaloError('TOOL_ERROR', 'The result is binary data. Give text, or parts with base64 data.')
  } else {
    const object: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const item = copy((value as Record<string, unknown>)[key], above, budget, depth + 1)
      if (item === undefined) continue
      budget.size += key.length + 3
      if (key === '__proto__') Object.defineProperty(object, key, { value: item, enumerable: true, writable: true, configurable: true })
      else object[key] = item
    }
    result = object
  }
  above.delete(value)
  return result
}

function tooLarge(): HaloError {
  return new HaloError('TOOL_ERROR', `The result is larger than ${VALUE_LIMIT / 1e6} MB. Ask for a part of it.`)
}

/** A value as the text a model or a template gets: strings as they are, all else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
}

/** Are two plain values the same, whatever the order of their keys? */
export function samePlain(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left).filter((key) => left[key] !== undefined)
  if (keys.length !== Object.keys(right).filter((key) => right[key] !== undefined).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && samePlain(left[key], right[key]))
}
