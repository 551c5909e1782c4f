/** Paths in one form: the file system's checks and the policies' see the same text for the same file. */

/**
 * The lexical normal form: no `.`, no `//`, no trailing slash, `..` only at the front of a relative path that leaves its
 * folder, NFC. `/..` is `/`; the empty path is `.`. A backslash is a character like any other, as in the file system.
 */
export function normalPath(path: string): string {
  const absolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.normalize('NFC').split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!absolute) parts.push(part)
  }
  const joined = parts.join('/')
  return absolute ? `/${joined}` : joined === '' ? '.' : joined
}

/** Does a normal path lead out of the folder it starts from? */
export function leavesFolder(path: string): boolean {
  return path === '..' || path.startsWith('../')
}

/**
 * Resolves the links in a path (in its lexical normal form) by its nearest existing parent; gives the path as the tool sees
 * it, inside its root.
 */
export type RealPath = (path: string) => string | Promise<string>

/**
 * The arguments with every path in its normal form; the same object where nothing changes. An argument is a path where its
 * schema says `format: "path"`, inside lists and objects too. A promise only where `realpath` gives one.
 */
export function normaliseArgs(args: Record<string, unknown>, schema: unknown, realpath?: RealPath): Record<string, unknown> | Promise<Record<string, unknown>> {
  const changed = change(args, schema, { root: schema, realpath: realpath ?? ((path) => path) }, 0)
  return changed as Record<string, unknown> | Promise<Record<string, unknown>>
}

/** Does the schema have a path argument at all? */
export function pathArguments(schema: unknown): boolean {
  const seen = new Set<unknown>()
  const waiting: unknown[] = [schema]
  for (let node = waiting.pop(); waiting.length > 0 || node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null || seen.has(node)) continue
    seen.add(node)
    if ((node as { format?: unknown }).format === 'path') return true
    waiting.push(...(Object.values(node) as unknown[]).filter((each) => each !== undefined))
  }
  return false
}

interface Context {
  root: unknown
  realpath: RealPath
}

/** Deeper schemas and values stay as they are; validation refuses them. */
const DEPTH_LIMIT = 100

function change(value: unknown, schema: unknown, context: Context, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || depth > DEPTH_LIMIT) return value
  const node = schema as Record<string, unknown>
  if (typeof node['$ref'] === 'string') return change(value, pointed(node['$ref'], context.root), context, depth + 1)
  let current: unknown = value
  if (typeof value === 'string') {
    if (node['format'] === 'path') return context.realpath(normalPath(value))
  } else if (Array.isArray(value)) {
    // A list of schemas under `items` is the older form of `prefixItems`; TypeBox writes it for tuples.
    const [first, rest] = Array.isArray(node['items']) ? [node['items'] as unknown[], node['additionalItems']] : [asList(node['prefixItems']), node['items']]
    current = changeAll(value, (_, i) => (i < first.length ? first[i] : rest), context, depth)
  } else if (typeof value === 'object' && value !== null) {
    current = changeFields(value as Record<string, unknown>, node, context, depth)
  }
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    const members = node[key]
    if (!Array.isArray(members)) continue
    for (const member of members as unknown[]) current = later(current, (result) => change(result, member, context, depth + 1))
  }
  return current
}

function changeFields(value: Record<string, unknown>, node: Record<string, unknown>, context: Context, depth: number): unknown {
  const properties = asObject(node['properties'])
  const patterns = asObject(node['patternProperties'])
  const keys = Object.keys(value)
  const schemaFor = (key: string): unknown => {
    if (Object.hasOwn(properties, key)) return properties[key]
    // A pattern isn't run here: a path under any of them is one under all.
    const [first] = Object.values(patterns).filter((each) => pathArguments(each))
    return first ?? node['additionalProperties']
  }
  const changed = changeAll(keys.map((key) => value[key]), (_, i) => schemaFor(keys[i] ?? ''), context, depth)
  return later(changed, (items) => {
    if (keys.every((key, i) => (items as unknown[])[i] === value[key])) return value
    return Object.fromEntries(keys.map((key, i) => [key, (items as unknown[])[i]]))
  })
}

function changeAll(items: readonly unknown[], schemaFor: (item: unknown, index: number) => unknown, context: Context, depth: number): unknown {
  const changed = items.map((item, i) => change(item, schemaFor(item, i), context, depth + 1))
  const same = (all: unknown[]): unknown => (all.every((item, i) => item === items[i]) ? items : all)
  return changed.some((item) => item instanceof Promise) ? Promise.all(changed).then(same) : same(changed)
}

function later(value: unknown, next: (value: unknown) => unknown): unknown {
  return value instanceof Promise ? value.then(next) : next(value)
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function pointed(ref: string, root: unknown): unknown {
  let value = root
  for (const token of ref.replace(/^#/, '').split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return ref.startsWith('#') ? value : undefined
}
