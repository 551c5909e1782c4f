/** Redact and Block: what of a text goes to the model, comes back from it, and may be shown. */
import { setField } from '../run/values.ts'
import type { OwnedRule } from './compile.ts'
import type { Detector } from './detectors.ts'
import { testRegex, type CompiledRegex } from './regex.ts'
import type { Side } from './rules.ts'
import { firstOf, isPromise, andThen, through, type Maybe } from './sequence.ts'
import type { RegexRunner } from './types.ts'

/** What takes the place of redacted text. */
export const REDACTED = '[redacted]'

export interface Blocked {
  policy: string
  /** Why, without a full stop. */
  reason: string
}

export interface Filtered {
  /** What may go on. Of blocked text, a note that it was withheld. */
  text: string
  blocked?: Blocked
}

/** The note that stands for a text which a policy withholds. */
export function withheldText(policy: string): string {
  return `[withheld: policy "${policy}" blocks this content]`
}

interface RedactRule { policy: string; on: Side; detector?: Detector; regex?: CompiledRegex }
interface BlockRule { policy: string; on: Side; regex: CompiledRegex }

/** Deeper values are withheld rather than walked. */
const DEPTH_LIMIT = 500

export function contentFilter(rules: readonly OwnedRule[], runner: RegexRunner | undefined) {
  const redacts: RedactRule[] = rules.flatMap(({ policy, rule }) => (rule.rule === 'Redact' ? [{ ...rule, policy }] : []))
  const blocks: BlockRule[] = rules.flatMap(({ policy, rule }) => (rule.rule === 'Block' ? [{ ...rule, policy }] : []))
  const onSide = <T extends { on: Side }>(each: readonly T[], side: Side): T[] => each.filter(({ on }) => side === 'both' || on === side || on === 'both')

  const blockedBy = (text: string, side: Side): Maybe<Blocked | undefined> =>
    firstOf(onSide(blocks, side), ({ policy, regex }) => {
      const result = attempt(() => testRegex(regex, text, runner))
      const found = (matches: boolean): Blocked | undefined => (matches ? { policy, reason: `the text matches the blocked pattern ${regex.source}` } : undefined)
      // What can't be checked is treated as what it might be.
      return isPromise(result) ? result.then(found, () => ({ policy, reason: 'the text couldn\'t be checked in time' })) : found(result)
    })

  const redacted = (text: string, side: Side): Maybe<Filtered> =>
    through(onSide(redacts, side), { text } as Filtered, (state, rule) => {
      if (state.blocked) return state
      const result = attempt(() => applyRedact(rule, state.text, runner))
      if (!isPromise(result)) return { text: result }
      const { policy } = rule
      return result.then((changed): Filtered => ({ text: changed }), (): Filtered => ({ text: withheldText(policy), blocked: { policy, reason: 'the text couldn\'t be redacted in time' } }))
    })

  /** The Block rules look at the text as it came: redaction must not hide from them what they are for. */
  const filtered = (text: string, side: Side): Maybe<Filtered> =>
    andThen(blockedBy(text, side), (blocked): Maybe<Filtered> => (blocked ? { text: withheldText(blocked.policy), blocked } : redacted(text, side)))

  const redactValue = (value: unknown): Maybe<unknown> => {
    if (redacts.length === 0 && blocks.length === 0) return value
    const texts: string[] = []
    if (!collectTexts(value, texts, 0)) return withheldText(rules[0]?.policy ?? '')
    // A pattern may span fields, as the model sees a result: as JSON.
    if (typeof value !== 'string') texts.push(jsonOf(value))
    return andThen(
      firstOf([...new Set(texts)], (text) => blockedBy(text, 'both')),
      (blocked) => (blocked ? withheldText(blocked.policy) : andThen(redactInside(value), (inside) => redactAcross(inside))),
    )
  }

  const redactInside = (value: unknown): Maybe<unknown> => {
    if (typeof value === 'string') return andThen(redacted(value, 'both'), ({ text }) => text)
    if (typeof value === 'number') {
      // A card number is one as a number too.
      return andThen(redacted(String(value), 'both'), ({ text }) => (text === String(value) ? value : text))
    }
    if (Array.isArray(value)) return through(value, [] as unknown[], (items, item) => andThen(redactInside(item), (inside) => {
      items.push(inside)
      return items
    }))
    if (typeof value !== 'object' || value === null) return value
    return through(Object.entries(value), {} as Record<string, unknown>, (object, [key, item]) =>
      andThen(redacted(key, 'both'), ({ text }) => andThen(redactInside(item), (inside) => {
        setField(object, freeKey(object, text), inside)
        return object
      })),
    )
  }

  /** A match that spans fields is only in the JSON of the whole; then its redacted text is what may be seen. */
  const redactAcross = (value: unknown): Maybe<unknown> => {
    if (typeof value !== 'object' || value === null) return value
    const text = jsonOf(value)
    return andThen(redacted(text, 'both'), (result) => (result.text === text ? value : result.text))
  }

  return {
    filters: redacts.length + blocks.length > 0,
    filtersOutput: onSide(redacts, 'output').length > 0 || onSide(blocks, 'output').length > 0,
    promptBlocked: (text: string): Maybe<Blocked | undefined> =>
      andThen(blockedBy(text, 'input'), (blocked) => blocked ?? andThen(redacted(text, 'input'), (result) => result.blocked)),
    inputText: (text: string): Maybe<Filtered> => filtered(text, 'input'),
    outputText: (text: string): Maybe<Filtered> => filtered(text, 'output'),
    redactValue,
    redactArgs: (args: Record<string, unknown>): Maybe<Record<string, unknown>> =>
      andThen(redactValue(args), (value): Record<string, unknown> =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : { withheld: value },
      ),
  }
}

function attempt<T>(work: () => Maybe<T>): Maybe<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)))
  }
}

function applyRedact(rule: RedactRule, text: string, runner: RegexRunner | undefined): Maybe<string> {
  if (rule.detector) return replaceRanges(text, rule.detector(text))
  if (!rule.regex) return text
  if (rule.regex.replace) return rule.regex.replace(text, REDACTED)
  if (runner?.replace) return runner.replace(rule.regex.pattern, text, REDACTED)
  throw new Error('The pattern needs a runner with a time limit.')
}

function replaceRanges(text: string, ranges: readonly [number, number][]): string {
  if (ranges.length === 0) return text
  let result = ''
  let done = 0
  for (const [from, to] of ranges) {
    result += text.slice(done, from) + REDACTED
    done = to
  }
  return result + text.slice(done)
}

/** Every text and key in a value; false when it is too deep to say. */
function collectTexts(value: unknown, texts: string[], depth: number): boolean {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'number') texts.push(String(value))
  if (typeof value !== 'object' || value === null) return true
  if (depth > DEPTH_LIMIT) return false
  if (Array.isArray(value)) return value.every((item) => collectTexts(item, texts, depth + 1))
  return Object.entries(value).every(([key, item]) => {
    texts.push(key)
    return collectTexts(item, texts, depth + 1)
  })
}

/** Keys that were different may be the same once redacted. */
function freeKey(object: Record<string, unknown>, key: string): string {
  let free = key
  for (let i = 2; Object.hasOwn(object, free); i++) free = `${key} ${i}`
  return free
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
