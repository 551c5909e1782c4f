/**
 * The functions of expressions, and no others: one table that the evaluator, the checker, completion and the reference read.
 * All are pure but `now`, `uuid` and a `matches` whose pattern isn't provably linear: those ask the world.
 */
import { HaloError } from '../errors.ts'
import { compileRegex } from '../policy/regex.ts'
import { DEPTH_LIMIT, grow, scan, spend, type Budget } from './budget.ts'
import { parseJsonText } from './json-text.ts'
import { equal, fieldOf, isObject, jsonIn, kindOf, lengthOf, order, partOf, setField, textIn, tooDeep, truthy, type PlainObject } from './values.ts'

/** What an expression may need from outside. */
export type WorldRequest = { fn: 'now' } | { fn: 'uuid' } | { fn: 'matches'; pattern: string; text: string }

export interface FunctionContext {
  budget: Budget
  /** The world's answer; leaves the evaluation when there is none yet. */
  need(request: WorldRequest): unknown
}

export interface FunctionSpec {
  name: string
  /** How it is written, `slice(value, from, to?)`; `?` may be left out, `…` stands for any number. */
  usage: string
  params: readonly string[]
  doc: string
  least: number
  most: number
  gives: 'string' | 'number' | 'boolean' | 'list' | 'any'
  run(args: unknown[], context: FunctionContext): unknown
}

type Gives = FunctionSpec['gives']
type Run = FunctionSpec['run']

function fn(usage: string, gives: Gives, doc: string, run: Run): [string, FunctionSpec] {
  const open = usage.indexOf('(')
  const name = usage.slice(0, open)
  const params = usage.slice(open + 1, -1).split(',').map((p) => p.trim()).filter((p) => p !== '')
  const least = params.filter((p) => !p.endsWith('?') && !p.startsWith('…')).length
  const most = params.at(-1)?.startsWith('…') ? Infinity : params.length
  return [name, { name, usage, params, doc, least, most, gives, run }]
}

export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map([
  fn('len(value)', 'number', 'Characters of a text, items of a list, fields of an object.', ([value]) => {
    if (typeof value === 'string') return lengthOf(value)
    if (Array.isArray(value)) return value.length
    if (isObject(value)) return Object.keys(value).length
    throw unfit('len', 'a text, a list or an object', value)
  }),
  fn('lower(text)', 'string', 'The text in lower case.', ([text], { budget }) => built(string('lower', text).toLowerCase(), budget)),
  fn('upper(text)', 'string', 'The text in upper case.', ([text], { budget }) => built(string('upper', text).toUpperCase(), budget)),
  fn('trim(text)', 'string', 'Without white space at both ends.', ([text], { budget }) => built(string('trim', text).trim(), budget)),
  fn('split(text, separator?)', 'list', 'The parts of a text between separators; by white space without one, into characters by "".', split),
  fn('join(list, separator?)', 'string', 'The items as one text, with the separator (", ") between them; items that are no texts as JSON.', join),
  fn('replace(text, find, with)', 'string', 'Every occurrence of one text replaced by another; both taken literally.', replace),
  fn('contains(value, part)', 'boolean', 'Whether a text has this part, a list this item, an object this field.', ([value, part], { budget }) => {
    if (typeof value === 'string') return read(value, budget).includes(string('contains', part))
    if (Array.isArray(value)) return value.some((item) => equal(item, part, budget))
    if (isObject(value)) return fieldOf(value, string('contains', part)) !== undefined
    throw unfit('contains', 'a text, a list or an object', value)
  }),
  fn('starts_with(text, start)', 'boolean', 'Whether the text starts so.', ([text, start]) => string('starts_with', text).startsWith(string('starts_with', start))),
  fn('ends_with(text, end)', 'boolean', 'Whether the text ends so.', ([text, end]) => string('ends_with', text).endsWith(string('ends_with', end))),
  fn('matches(text, regex)', 'boolean', 'Whether the regular expression (JavaScript\'s) matches somewhere in the text.', matches),
  fn('slice(value, from, to?)', 'any', 'A part of a text or list, from one index up to another (not included); negative ones count from the end.', slice),
  fn('first(value)', 'any', 'The first item of a list or character of a text; null when there is none.', ([value]) => {
    if (typeof value === 'string') return fieldOf(value, 0) ?? null
    return list('first', value)[0] ?? null
  }),
  fn('last(value)', 'any', 'The last item of a list or character of a text; null when there is none.', ([value]) => {
    if (typeof value === 'string') return value === '' ? null : partOf(value, -1)
    return list('last', value).at(-1) ?? null
  }),
  fn('sort(list, field?)', 'list', 'A list of numbers or of texts in ascending order; a list of objects by a field of theirs. Equal ones keep their order.', sort),
  fn('unique(list)', 'list', 'Each item once, where it first stands.', unique),
  fn('pluck(list, field)', 'list', 'That field of every item; null where an item hasn\'t got it.', ([items, field], { budget }) => {
    const name = string('pluck', field)
    return copied(list('pluck', items), budget).map((item) => fieldOf(item, name) ?? null)
  }),
  fn('keys(object)', 'list', 'The names of an object\'s fields.', ([value], { budget }) => copied(Object.keys(object('keys', value)), budget)),
  fn('values(object)', 'list', 'The values of an object\'s fields.', ([value], { budget }) => copied(Object.values(object('values', value)), budget)),
  fn('merge(value, …others)', 'any', 'One object with the fields of all, later ones win; or one list with the items of all.', merge),
  fn('number(value)', 'number', 'A number from a number, true or false, or a text that holds one.', ([value]) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    const number = typeof value === 'string' ? numberFromText(value) : value
    if (typeof number === 'number' && Number.isFinite(number)) return number
    throw new HaloError('EXPRESSION_ERROR', typeof value === 'string' ? `number() can't read ${quoted(value)} as a number.` : `number() takes a text or a number, not ${kindOf(value)}.`)
  }),
  fn('string(value)', 'string', 'A text as it is, all else as JSON.', ([value], { budget }) => textIn(value, budget)),
  fn('bool(value)', 'boolean', 'From a text "true" or "false" in any case; of all else, whether it counts as true in a condition.', ([value]) => {
    if (typeof value !== 'string') return truthy(value)
    const text = value.trim().toLowerCase()
    if (text === 'true' || text === 'false' || text === '') return text === 'true'
    throw new HaloError('EXPRESSION_ERROR', `bool() can't read ${quoted(value)}: it takes "true" or "false".`)
  }),
  fn('json(value, indent?)', 'string', 'The value as JSON, on one line or with an indent.', ([value, indent], { budget }) => jsonIn(value, budget, indent == null ? undefined : integer('json', indent, 0, 10))),
  fn('parse_json(text)', 'any', 'The value of a JSON text, or of JSON in a ```json fence.', parseJson),
  fn('round(number, digits?)', 'number', 'Rounded to so many decimals (0), halves away from zero.', ([value, digits]) => round(number('round', value), digits == null ? 0 : integer('round', digits, 0, 15))),
  fn('min(…values)', 'number', 'The least of the numbers, or of one list of them; null for an empty list.', (args, { budget }) => extreme('min', args, budget, (a, b) => a < b)),
  fn('max(…values)', 'number', 'The greatest of the numbers, or of one list of them; null for an empty list.', (args, { budget }) => extreme('max', args, budget, (a, b) => a > b)),
  fn('sum(list)', 'number', 'All numbers of a list added up; 0 for an empty one.', (args, { budget }) => {
    const total = numbers('sum', args, budget).reduce((a, b) => a + b, 0)
    if (Number.isFinite(total)) return total
    throw new HaloError('EXPRESSION_ERROR', 'sum() comes to more than a number can hold.')
  }),
  fn('abs(number)', 'number', 'The number without its sign.', ([value]) => Math.abs(number('abs', value))),
  fn('now()', 'string', 'The time in UTC, as in "2026-01-31T09:30:00.000Z". Recorded: a resumed or replayed run gets the same.', (_, { need }) => need({ fn: 'now' })),
  fn('uuid()', 'string', 'A new random id (UUID). Recorded, like now().', (_, { need }) => need({ fn: 'uuid' })),
])

// ------------------------------------------------------------------ functions

function split([value, separator]: unknown[], { budget }: FunctionContext): string[] {
  const text = string('split', value)
  // Counted before it is built: a part for every character is many times the size of the text.
  grow(budget, text.length)
  if (separator == null) return counted(text.split(/\s+/u).filter((part) => part !== ''), budget)
  const by = string('split', separator)
  scan(budget, text.length)
  if (by === '') {
    spend(budget, text.length)
    grow(budget, text.length * 8)
    return [...text]
  }
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(by); at >= 0; at = text.indexOf(by, from)) {
    grow(budget, 8)
    spend(budget)
    parts.push(text.slice(from, at))
    from = at + by.length
  }
  parts.push(text.slice(from))
  return parts
}

function join([value, separator]: unknown[], { budget }: FunctionContext): string {
  const items = list('join', value)
  const by = separator == null ? ', ' : string('join', separator)
  spend(budget, items.length)
  grow(budget, Math.max(0, items.length - 1) * by.length)
  return items.map((item) => textIn(item, budget)).join(by)
}

function replace([value, find, replacement]: unknown[], { budget }: FunctionContext): string {
  const text = string('replace', value)
  const wanted = string('replace', find)
  const other = string('replace', replacement)
  if (wanted === '') throw new HaloError('EXPRESSION_ERROR', 'replace() can\'t look for an empty text.')
  scan(budget, text.length)
  let count = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count++
  spend(budget, count)
  grow(budget, text.length + count * (other.length - wanted.length))
  return count === 0 ? text : text.split(wanted).join(other)
}

function matches([value, pattern]: unknown[], { need, budget }: FunctionContext): boolean {
  const text = string('matches', value)
  const source = string('matches', pattern)
  const regex = compileRegex(source)
  if ('fault' in regex) throw new HaloError('EXPRESSION_ERROR', `matches() has a faulty regular expression ${quoted(source)}: ${regex.fault}.`)
  spend(budget, 1 + (text.length >> 4))
  return regex.test ? regex.test(text) : need({ fn: 'matches', pattern: source, text }) === true
}

function slice([value, from, to]: unknown[], { budget }: FunctionContext): unknown {
  const start = integer('slice', from)
  const end = to == null ? undefined : integer('slice', to)
  if (typeof value === 'string') return built(partOf(read(value, budget), start, end), budget)
  if (Array.isArray(value)) return copied(value.slice(start, end), budget)
  throw unfit('slice', 'a text or a list', value)
}

function sort([value, field]: unknown[], { budget }: FunctionContext): unknown[] {
  const items = copied(list('sort', value), budget)
  const name = field == null ? undefined : string('sort', field)
  const keyed = items.map((item) => ({ item, key: name === undefined ? item : fieldOf(item, name) }))
  spend(budget, items.length * Math.ceil(Math.log2(items.length + 1)))
  const kind = typeof keyed[0]?.key
  if (keyed.some(({ key }) => (typeof key !== 'string' && typeof key !== 'number') || typeof key !== kind)) {
    const what = name === undefined ? 'items' : `fields ${quoted(name)}`
    throw new HaloError('EXPRESSION_ERROR', `sort() takes a list whose ${what} are all numbers or all texts.`)
  }
  return keyed.sort((a, b) => order(a.key, b.key) ?? 0).map(({ item }) => item)
}

function unique([value]: unknown[], { budget }: FunctionContext): unknown[] {
  const seen = new Set<unknown>()
  return copied(list('unique', value), budget).filter((item) => {
    // Texts, numbers and the like are their own key; objects are the same when their JSON with sorted fields is.
    const key = typeof item === 'object' && item !== null ? `\u0000${jsonIn(sorted(item, budget, 0), budget)}` : (item ?? null)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

function sorted(value: unknown, budget: Budget, depth: number): unknown {
  spend(budget)
  if (depth > DEPTH_LIMIT) throw tooDeep()
  if (Array.isArray(value)) return value.map((item) => sorted(item, budget, depth + 1))
  if (!isObject(value)) return value ?? null
  const result: PlainObject = {}
  for (const key of Object.keys(value).sort()) setField(result, key, sorted(value[key], budget, depth + 1))
  return result
}

function merge(args: unknown[], { budget }: FunctionContext): unknown {
  if (args.every((arg) => Array.isArray(arg))) return copied((args as unknown[][]).flat(1), budget)
  const result: PlainObject = {}
  for (const arg of args) {
    if (!isObject(arg)) throw new HaloError('EXPRESSION_ERROR', `merge() takes objects only, or lists only, not ${kindOf(arg)}.`)
    for (const key of copied(Object.keys(arg), budget)) setField(result, key, arg[key])
  }
  return result
}

function parseJson([value]: unknown[], { budget }: FunctionContext): unknown {
  const text = string('parse_json', value)
  grow(budget, text.length)
  const parsed = parseJsonText(text)
  if ('fault' in parsed) throw new HaloError('EXPRESSION_ERROR', `parse_json() can't read the text as JSON: ${parsed.fault}.`)
  checkDepth(parsed.value, budget)
  return parsed.value
}

/** A walk without recursion: JSON.parse takes any depth, what comes after it doesn't. */
function checkDepth(value: unknown, budget: Budget): void {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_LIMIT) throw tooDeep()
    spend(budget, level.length)
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
}

function round(value: number, digits: number): number {
  // Through the decimal text, so that 1.005 becomes 1.01: times 100 it is 100.49999….
  const scaled = Number(`${plainDecimal(Math.abs(value))}e${digits}`)
  if (!Number.isFinite(scaled)) return value
  const result = Number(`${plainDecimal(Math.round(scaled))}e-${digits}`)
  return value < 0 && result !== 0 ? -result : result
}

/** Without an exponent where that is exact, so that another can be appended. */
function plainDecimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20) : text
}

function extreme(name: string, args: unknown[], budget: Budget, better: (a: number, b: number) => boolean): number | null {
  let best: number | null = null
  for (const value of numbers(name, args, budget)) if (best === null || better(value, best)) best = value
  return best
}

// ------------------------------------------------------------------ arguments

function string(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw unfit(name, 'a text', value)
}
function number(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw unfit(name, 'a number', value)
}
function integer(name: string, value: unknown, least = -Infinity, most = Infinity): number {
  const result = number(name, value)
  if (Number.isInteger(result) && result >= least && result <= most) return result
  throw new HaloError('EXPRESSION_ERROR', `${name}() takes a whole number${least > -Infinity ? ` from ${least} to ${most}` : ''}, not ${result}.`)
}
function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw unfit(name, 'a list', value)
}
function object(name: string, value: unknown): PlainObject {
  if (isObject(value)) return value
  throw unfit(name, 'an object', value)
}
function numbers(name: string, args: unknown[], budget: Budget): number[] {
  const items = args.length === 1 && Array.isArray(args[0]) ? args[0] : args
  spend(budget, items.length)
  return items.map((item) => number(name, item))
}

function unfit(name: string, wanted: string, value: unknown): HaloError {
  return new HaloError('EXPRESSION_ERROR', `${name}() takes ${wanted}, not ${kindOf(value)}.`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** A number in a text, as a person writes it in decimal; undefined when it is none. */
export function numberFromText(text: string): number | undefined {
  const trimmed = text.trim()
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return undefined
  const value = Number(trimmed)
  return Number.isFinite(value) ? value : undefined
}

function built(text: string, budget: Budget): string {
  grow(budget, text.length)
  return text
}
function read(text: string, budget: Budget): string {
  scan(budget, text.length)
  return text
}
function copied<T>(items: readonly T[], budget: Budget): T[] {
  spend(budget, items.length)
  grow(budget, items.length * 8)
  return [...items]
}
function counted<T>(items: T[], budget: Budget): T[] {
  spend(budget, items.length)
  grow(budget, items.length * 8)
  return items
}
