/**
 * What could have stood where the parser stopped: the text is parsed once more with a context tracker, which sees every
 * shift; right after the last good token the stack itself is asked for each terminal.
 */
import { ContextTracker, type LRParser } from '@lezer/lr'
import * as terms from '../../../../grammar/halo.grammar.terms'
import { conditionParser, haloParser } from './parser.ts'

/** Tokens whose names begin with a capital; all other such nodes are rules. Those that stand for mistakes are left out. */
const TOKENS = new Set(['Number', 'Quantity', 'RawString', 'ForeignString', 'ModelId', 'DecoratorName'])

const NAMES: ReadonlyMap<number, string> = new Map([
  ...haloParser.nodeSet.types
    .filter((type) => !type.isAnonymous && (TOKENS.has(type.name) || !/^[A-Z⚠]/.test(type.name)))
    .map((type) => [type.id, type.name] as const),
  [terms.identifier, 'name'] as const,
])

/** The names of the terminals that fit after the token that ends at each of the `ends`. */
export function expectedAfter(
  text: string,
  ends: ReadonlySet<number>,
  condition = false,
): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>()
  const tracker = new ContextTracker<null>({
    start: null,
    shift(context, _term, stack) {
      if (!ends.has(stack.pos) || found.has(stack.pos)) return context
      const fitting = new Set<string>()
      for (const [id, name] of NAMES) if (stack.canShift(id)) fitting.add(name)
      if (fitting.size > 0) found.set(stack.pos, fitting)
      return context
    },
    strict: false,
    hash: () => 0,
  })
  const parser: LRParser = condition ? conditionParser : haloParser
  parser.configure({ contextTracker: tracker }).parse(text)
  return found
}

const EXPRESSION_START = [
  'name',
  'Number',
  'Quantity',
  'RawString',
  'ForeignString',
  'true',
  'false',
  'null',
  '[',
  '{',
  '(',
  '!',
  '-',
]
const TYPE_START = ['name', 'Number', 'RawString', 'ForeignString', 'true', 'false', 'null', '[', '{']
const OPERATORS = [
  '??',
  '||',
  '&&',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '?',
  '.',
  '?.',
  '[',
  '(',
]
const STAGE_START = ['|>', '|*', '|?', '|<>', '|!', '~>']
const HEADS = ['import', 'policy', 'tool', 'store', 'schema', 'agent', 'pipeline', 'test']
const LINES = ['files', 'mock', 'approve', 'decline', 'answer', 'expect']
const CLAUSES = ['system', 'equips', 'requires', 'returns']

export function fitsExpression(expected: ReadonlySet<string>): boolean {
  return expected.has('Number') && expected.has('(') && expected.has('name')
}
export function fitsOperator(expected: ReadonlySet<string>): boolean {
  return expected.has('+') && expected.has('&&')
}

/** `an expression or ")"`: the expected terminals in words, the commonest few. */
export function wordsOf(expected: ReadonlySet<string>): string {
  const rest = new Set(expected)
  const words: string[] = []
  const take = (group: string[], word?: string): void => {
    for (const name of group) rest.delete(name)
    if (word !== undefined) words.push(word)
  }
  const operator = fitsOperator(rest)
  const expression = fitsExpression(rest) && !operator
  if (operator) take(OPERATORS)
  if (expression) take(EXPRESSION_START, 'an expression')
  else if (rest.has('Number') && rest.has('[') && rest.has('name')) take(TYPE_START, 'a type')
  else if (rest.has('ModelId')) take(['ModelId', 'RawString', 'ForeignString'], 'a model (provider/id)')
  else if (rest.has('RawString')) take(['RawString', 'ForeignString'], 'a string')
  if (rest.has('name')) take(['name', 'true', 'false', 'null', 'else', 'as'], 'a name')
  const heads = HEADS.some((name) => rest.has(name))
  take(HEADS)
  const stages = STAGE_START.some((name) => rest.has(name))
  take(STAGE_START)
  const lines = LINES.some((name) => rest.has(name))
  take(LINES)
  const clauses = rest.has('system')
  if (clauses) take(CLAUSES)
  const suffixes = rest.delete('DecoratorName')
  const after = rest.delete('as')
  words.push(...[...rest].map((name) => `"${name}"`))
  if (clauses) words.push('a clause (system, equips, requires or returns)')
  if (stages) words.push('a stage ("|>" …)')
  if (lines) words.push('a line (files, mock, approve, decline, answer, expect)')
  if (words.length === 0 && after) words.push('"as"')
  if (words.length === 0 && suffixes) words.push('a decorator')
  if (operator && words.length < 2) words.push('an operator')
  if (heads) words.push('the next declaration')
  const shown = words.slice(0, 4)
  return shown.length < 2
    ? (shown[0] ?? 'something else')
    : `${shown.slice(0, -1).join(', ')} or ${shown[shown.length - 1]}`
}
