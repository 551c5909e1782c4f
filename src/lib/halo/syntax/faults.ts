/** The parser's error nodes as diagnostics: what was expected, where, and what to write instead. */
import type { Diagnostic } from '../errors.ts'
import { syntaxFault, textOf, type Build, type Place } from './context.ts'
import type { Cst } from './cst.ts'
import { expectedAfter, wordsOf } from './expected.ts'
import { hintFor, type Situation } from './hints.ts'
import { strayFault } from './strays.ts'

interface Stop extends Place {
  parents: Cst[]
  node: Cst
}

/**
 * Adds the faults of one declaration (or of a condition) to the build; `end` is where its text ends. What stands behind a
 * declaration that is complete is no part of it: it is cut off the tree.
 */
export function treeFaults(build: Build, root: Cst, end: number, condition = false): void {
  const stops: Stop[] = []
  collect(build, root, [], stops)
  if (stops.length === 0) return
  build.broken = true
  const groups = grouped(build, stops)
  const text = textOf(build, { from: root.from, to: end })
  const comments = commentsOf(root)
  const before = groups.map(([first]) => (first ? lastEnd(build, comments, first.from) - root.from : 0))
  const expected = expectedAfter(text, new Set(before), condition)
  // A string that swallowed the end of its line explains what is missing after it; the AST builder reports it.
  const openEnds = new Set(openStrings(build, root).map((to) => lastEnd(build, comments, to)))
  const openers: string[] = []
  let cut = false
  groups.forEach((group, i) => {
    const [first] = group
    if (!first) return
    const situation: Situation = {
      build,
      parents: first.parents,
      previousEnd: (before[i] ?? 0) + root.from,
      expected: expected.get(before[i] ?? 0) ?? new Set(),
      ...foundAt(build, comments, first),
    }
    const { found, previousEnd } = situation
    if (openEnds.has(previousEnd)) return
    build.stops.push(situation.place.from)
    if (first.from >= root.to && cut) return
    const isComplete = situation.expected.has('agent')
    const isNew = isComplete && isUnindented(build, situation.place.from)
    if (isNew || (isComplete && onlyErrorsFrom(root, first.from))) {
      cutFrom(root, first.from, previousEnd)
      cut = true
    }
    if (openers.includes(found)) return
    // A bracket of the wrong kind has its wrong partner too.
    if (Object.hasOwn(CLOSERS, found)) openers.push(CLOSERS[found] ?? '')
    build.faults.push(
      hintFor(situation) ?? (isNew ? strayFault(build, situation.place) : general(situation, condition)),
    )
  })
}

function onlyErrorsFrom(node: Cst, at: number): boolean {
  return node.children.every((c) => {
    if (c.error || c.name.endsWith('Comment') || c.to <= at) return true
    return c.from < at && c.children.length > 0 && onlyErrorsFrom(c, at)
  })
}
/** Whoever starts a line without indent means something new. */
function isUnindented(build: Build, at: number): boolean {
  return at > build.offset && textOf(build, { from: at - 1, to: at }) === '\n'
}
function cutFrom(node: Cst, at: number, end: number): void {
  node.children = node.children.filter((c) => c.from < at)
  for (const c of node.children) if (c.to > at) cutFrom(c, at, end)
  node.to = Math.min(node.to, end)
}

function general(
  { build, expected, found, place, previousEnd, parents }: Situation,
  condition: boolean,
): Diagnostic {
  const what = found !== '' ? quoted(found) : condition ? 'its end' : 'the end of the file'
  if (expected.size === 0) return syntaxFault(place, `${what} can't stand here`, build.path)
  const inTemplate = parents[parents.length - 1]?.name === 'Interpolation' && expected.has('}')
  const words = inTemplate ? '"}}"' : wordsOf(expected)
  // Nothing is wrong with what stands on a later line, when what was begun on this one is not complete.
  const isComplete = expected.has('agent')
  if (!isComplete && textOf(build, { from: previousEnd, to: place.from }).includes('\n')) {
    const at = lastToken(build, previousEnd)
    return syntaxFault(at, `Expected ${words} after ${quoted(textOf(build, at))}`, build.path)
  }
  return syntaxFault(place, `Expected ${words}, found ${what}`, build.path)
}

function collect(build: Build, node: Cst, parents: Cst[], stops: Stop[]): void {
  const parent = parents[parents.length - 1]
  if (node.name === 'MissingEnd' && parent) {
    // A string that swallowed the bracket, or another mistake before it, is the cause then.
    if (!parent.children.some((c) => c !== node && swallows(build, c))) missingEnd(build, parent)
    return
  }
  if (node.name === 'MissingComma') stops.push({ from: node.from, to: node.from, parents, node })
  // What went wrong in these is that they aren't closed: the AST builder says so.
  if (
    node.name === 'OpenInterpolation' ||
    (node.error && parent?.name === 'String' && /["\\]/.test(build.source.charAt(parent.from - build.offset)))
  )
    return
  if (node.error) stops.push({ from: node.from, to: node.to, parents, node })
  const inside = node.children.length > 0 ? [...parents, node] : parents
  for (const c of node.children) collect(build, c, inside, stops)
}

const CLOSERS: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

function missingEnd(build: Build, parent: Cst): void {
  const opener = parent.children.find((c) => Object.hasOwn(CLOSERS, c.name))
  if (!opener) return
  build.faults.push(
    syntaxFault(
      opener,
      `This "${opener.name}" is never closed: expected "${CLOSERS[opener.name]}"`,
      build.path,
    ),
  )
}
function swallows(build: Build, node: Cst): boolean {
  if (node.error || node.name === 'UnterminatedEnd' || node.name === 'OpenInterpolation') return true
  return node.name === 'RawString'
    ? !isClosed(textOf(build, node))
    : node.children.some((c) => swallows(build, c))
}
function openStrings(build: Build, node: Cst): number[] {
  if (node.name === 'RawString') return isClosed(textOf(build, node)) ? [] : [node.to]
  const own =
    node.name === 'String' && node.children.some((c) => c.name === 'UnterminatedEnd') ? [node.to] : []
  return [...own, ...node.children.flatMap((c) => openStrings(build, c))]
}
function isClosed(raw: string): boolean {
  return raw.length > 1 && raw.endsWith("'")
}

function quoted(text: string): string {
  return text.startsWith('"') ? 'a string' : `"${text}"`
}

/** Stops so near to each other that one mistake must have made them. */
function grouped(build: Build, stops: Stop[]): Stop[][] {
  const groups: Stop[][] = []
  let end = -1
  for (const stop of stops) {
    const last = groups[groups.length - 1]
    if (last && isNear(textOf(build, { from: end, to: Math.max(end, stop.from) }))) last.push(stop)
    else groups.push([stop])
    end = Math.max(end, stop.to)
  }
  return groups
}
const TOKEN = /[\p{L}\p{N}_.]+|"[^"\n]*"|'[^'\n]*'|[^\s\p{L}\p{N}_]+/gu
function isNear(gap: string): boolean {
  const clean = withoutComments(gap)
  const tokens = clean.match(TOKEN)?.length ?? 0
  return tokens <= 1 || (tokens <= 4 && !clean.includes('\n'))
}
function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?:\/\/|#)[^\n]*/g, '')
}

/** Comments of the declaration, both ways: they count neither as the last token nor as the next. */
interface Comments {
  startOf: Map<number, number>
  endOf: Map<number, number>
}
function commentsOf(node: Cst, comments: Comments = { startOf: new Map(), endOf: new Map() }): Comments {
  if (node.name.endsWith('Comment')) {
    comments.startOf.set(node.to, node.from)
    comments.endOf.set(node.from, node.to)
  }
  for (const c of node.children) commentsOf(c, comments)
  return comments
}

const BLANK = /[\s\u200b\ufeff]/

/** Where the last token before `at` ends. */
function lastEnd(build: Build, comments: Comments, at: number): number {
  let end = at
  for (;;) {
    const comment = comments.startOf.get(end)
    if (comment !== undefined) end = comment
    else if (end > build.offset && BLANK.test(textOf(build, { from: end - 1, to: end }))) end--
    else return end
  }
}
/** Where the next token at or after `at` starts. */
function nextStart(build: Build, comments: Comments, at: number): number {
  let start = at
  for (;;) {
    const comment = comments.endOf.get(start)
    if (comment !== undefined) start = comment
    else if (BLANK.test(textOf(build, { from: start, to: start + 1 }))) start++
    else return start
  }
}

const ONE_TOKEN = /^(?:[\p{L}\p{N}_@]+|\|<>|\|[>*?!|]|~>|[=!<>]==?|=>|->|&&|\?\?|\?\.|"""|\/\*|[^])/u

function foundAt(build: Build, comments: Comments, stop: Stop): { found: string; place: Place } {
  const from = nextStart(build, comments, stop.from)
  const found = ONE_TOKEN.exec(textOf(build, { from, to: from + 60 }))?.[0] ?? ''
  if (found !== '') return { found, place: { from, to: from + found.length } }
  const to = lastEnd(build, comments, stop.from)
  return { found, place: lastToken(build, to) }
}

/** The word or the signs that end at a place. */
function lastToken(build: Build, to: number): Place {
  const text = textOf(build, { from: Math.max(build.offset, to - 40), to })
  const last = /(?:[\p{L}\p{N}_@]+|[^\p{L}\p{N}_\s]{1,3})$/u.exec(text)?.[0] ?? ''
  return { from: to - last.length, to }
}
