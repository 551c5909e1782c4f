/** The tokens that need look-ahead: names, and the heads of declarations, at which open brackets close themselves. */
import { ExternalTokenizer, type InputStream } from '@lezer/lr'
import * as terms from '../../../../grammar/halo.grammar.terms'

/** How far a head is looked for; comments and blanks in it count. */
const LIMIT = 200

const heads: Record<string, number> = {
  import: terms.importHead,
  policy: terms.policyHead,
  tool: terms.toolHead,
  store: terms.storeHead,
  schema: terms.schemaHead,
  agent: terms.agentHead,
  pipeline: terms.pipelineHead,
  test: terms.testHead,
}

/** What may follow the name: `policy X :`, `agent X [`, `schema X {`, `pipeline X (` (or `->`, `:`, `requires`). */
const after: Record<string, string> = {
  policy: ':',
  tool: ':',
  store: ':',
  schema: '{',
  agent: '[',
  pipeline: '(:-r',
}

const NEWLINE = 10
const QUOTE = 34
const HASH = 35
const APOSTROPHE = 39
const STAR = 42
const SLASH = 47
const BACKSLASH = 92

/** Letters beyond ASCII are taken into names too, so that one clear fault can be reported instead of several. */
function isStart(c: number): boolean {
  return (
    (c >= 97 && c <= 122) ||
    (c >= 65 && c <= 90) ||
    c === 95 ||
    (c >= 0xc0 && c !== 0xd7 && c !== 0xf7 && c < 0x2000) ||
    (c >= 0x3040 && c < 0xfe00)
  )
}
function isChar(c: number): boolean {
  return isStart(c) || (c >= 48 && c <= 57)
}
function isSpace(c: number): boolean {
  if (c < 0x80) return c === 32 || (c >= 9 && c <= 13)
  return c === 0xa0 || (c >= 0x2000 && c <= 0x200b) || c === 0x202f || c === 0x3000 || c === 0xfeff
}

/** The offset of the next character that is neither blank nor in a comment. */
function skipBlank(input: InputStream, from: number): number {
  let i = from
  for (const end = from + LIMIT; i < end;) {
    const c = input.peek(i)
    if (isSpace(c)) i++
    else if (c === HASH || (c === SLASH && input.peek(i + 1) === SLASH)) {
      while (i < end && input.peek(i) !== NEWLINE && input.peek(i) >= 0) i++
    } else if (c === SLASH && input.peek(i + 1) === STAR) {
      i += 2
      while (i < end && !(input.peek(i) === STAR && input.peek(i + 1) === SLASH) && input.peek(i) >= 0) i++
      i += 2
    } else break
  }
  return i
}

function wordAt(input: InputStream, from: number): string {
  if (!isStart(input.peek(from))) return ''
  let word = ''
  for (let i = from, c; isChar((c = input.peek(i))) && word.length < 80; i++) word += String.fromCharCode(c)
  return word
}

/**
 * The keyword that a word at the start of a line nearly is: with a name and the right bracket after it it is taken as that
 * head, so that the declaration and what refers to it stand; the AST builder reports the spelling.
 */
function misspelled(input: InputStream, word: string): string {
  if (
    word.length < 3 ||
    word.length > 9 ||
    input.peek(word.length) !== 32 ||
    !isStart(input.peek(word.length + 1))
  )
    return ''
  let i = -1
  while (i > -8 && (input.peek(i) === 32 || input.peek(i) === 9)) i--
  if (input.peek(i) >= 0 && input.peek(i) !== NEWLINE) return ''
  return Object.keys(after).find((keyword) => isNear(word.toLowerCase(), keyword)) ?? ''
}

/** Whether at most one letter is missing, added, different, or exchanged with its neighbour. */
export function isNear(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [x, y] = [a.slice(start), b.slice(start)]
  if (x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1)) return true
  return x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
}

/** The term of the declaration whose head stands at the input's position, or 0. */
function headAt(input: InputStream): number {
  const word = wordAt(input, 0)
  const keyword = Object.hasOwn(heads, word) ? word : misspelled(input, word)
  const term = heads[keyword] ?? 0
  if (!term) return 0
  if (word === 'import' || word === 'test') {
    const open = skipBlank(input, word.length)
    const quote = input.peek(open)
    if (quote !== QUOTE && quote !== APOSTROPHE) return 0
    if (word === 'import') return term
    let i = open + 1
    for (let c; (c = input.peek(i)) !== quote; i++) {
      if (c < 0 || c === NEWLINE || i > open + LIMIT) return 0
      if (c === BACKSLASH && quote === QUOTE) i++
    }
    return wordAt(input, skipBlank(input, i + 1)) === 'runs' ? term : 0
  }
  const at = skipBlank(input, word.length)
  if (at === word.length) return 0
  const name = wordAt(input, at)
  if (!name) return 0
  const next = input.peek(skipBlank(input, at + name.length))
  return next >= 0 && (after[keyword] ?? '').includes(String.fromCharCode(next)) ? term : 0
}

export const nameTokens = new ExternalTokenizer((input) => {
  if (!isStart(input.next)) return
  const head = headAt(input)
  while (isChar(input.next)) input.advance()
  input.acceptToken(head || terms.identifier)
})

/**
 * Empty tokens where something was left out: `MissingEnd` before a head, where whatever bracket is open closes; `MissingComma`
 * before a string that follows an item of a list: the parser's own recovery would drop the opening quote and take what is
 * quoted for code.
 */
export const missingTokens = new ExternalTokenizer(
  (input, stack) => {
    const c = input.next
    if (isStart(c) && headAt(input)) input.acceptToken(terms.MissingEnd)
    else if ((c === QUOTE || c === APOSTROPHE) && stack.canShift(terms.MissingComma))
      input.acceptToken(terms.MissingComma)
  },
  { contextual: true },
)
