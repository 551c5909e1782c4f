/** One text for equal JSON values, whatever the order of their keys (RFC 8785, JSON Canonicalization Scheme). */

/**
 * Keys sorted by UTF-16 code units, no white space, numbers and strings as JSON.stringify writes them. Fields that are
 * undefined, functions or symbols are left out, as in JSON; `toJSON` is honoured.
 * @throws TypeError for what has no JSON form: NaN, Infinity, bigint, a circular value.
 */
export function canonicalJson(value: unknown): string {
  const text = write(value, '', [])
  if (text === undefined) throw new TypeError('undefined, functions and symbols have no JSON form')
  return text
}

function write(input: unknown, key: string, above: object[]): string | undefined {
  let value = input
  if (typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function') {
    value = (value.toJSON as (key: string) => unknown)(key)
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`)
      return JSON.stringify(value)
    case 'bigint':
      throw new TypeError('a bigint has no JSON form')
    case 'object':
      break
    default:
      return undefined
  }
  if (value === null) return 'null'
  const object = value
  if (above.includes(object)) throw new TypeError('a circular value has no JSON form')
  above.push(object)
  const text = Array.isArray(object) ? writeList(object, above) : writeObject(object as Record<string, unknown>, above)
  above.pop()
  return text
}

function writeList(list: readonly unknown[], above: object[]): string {
  return `[${Array.from(list, (item, index) => write(item, String(index), above) ?? 'null').join(',')}]`
}

function writeObject(object: Record<string, unknown>, above: object[]): string {
  const fields: string[] = []
  // The default sort compares UTF-16 code units, which is the order RFC 8785 asks for.
  for (const key of Object.keys(object).sort()) {
    const text = write(object[key], key, above)
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${fields.join(',')}}`
}
