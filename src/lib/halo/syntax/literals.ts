/** Strings, numbers and durations: from their text to their value, with a fault for whatever is not one. */
import type { Expression, StringLiteral, TemplateLiteral, NumberLiteral } from './ast.ts'
import { fault, isAfterStop, placeOf, textOf, type Build } from './context.ts'
import type { Cst } from './cst.ts'

type Piece = { text: string } | { decoded: string } | { expression: Expression }
type StringForm = 'line' | 'triple' | 'raw' | 'escaped' | 'foreign'

const STRING_NODES = new Set(['String', 'RawString', 'ForeignString'])
export function isString(node: Cst): boolean {
  return STRING_NODES.has(node.name)
}

function formOf(node: Cst, text: string): StringForm {
  if (node.name === 'RawString') return 'raw'
  if (node.name === 'ForeignString') return 'foreign'
  if (text.startsWith('"""')) return 'triple'
  return text.startsWith('\\"') ? 'escaped' : 'line'
}

/** A string's value; `expressionOf` builds what stands in `{{ }}`. */
export function stringOf(
  build: Build,
  node: Cst,
  expressionOf: (node: Cst) => Expression | undefined,
): StringLiteral | TemplateLiteral {
  const text = textOf(build, node)
  const form = formOf(node, text)
  const place = placeOf(node)
  if (form === 'raw') {
    const closed = text.length > 1 && text.endsWith("'")
    if (!closed) fault(build, place, "This string isn't closed: expected ' before the end of the line")
    return { kind: 'String', value: text.slice(1, closed ? -1 : undefined), ...place }
  }
  if (form === 'foreign') {
    const value = text.slice(1, -1)
    fault(
      build,
      place,
      `Strings stand in straight quotes, "…" or '…', not in ${text.charAt(0)}…${text.slice(-1)}`,
      {
        title: 'Use straight quotes',
        ...place,
        insert: /["\\]|\{\{/.test(value) && !value.includes("'") ? `'${value}'` : JSON.stringify(value),
      },
    )
    return { kind: 'String', value, ...place }
  }
  const pieces = piecesOf(build, node, form, expressionOf)
  return literal(form === 'triple' ? dedent(pieces) : pieces, place)
}

/** A string where a template makes no sense: a path, a name, a key. */
export function plainString(build: Build, node: Cst, what: string): string {
  const string = stringOf(build, node, () => ({ kind: 'Null', from: node.from, to: node.to }))
  if (string.kind === 'String') return string.value
  fault(build, string, `${what} is plain text: {{ }} can't stand in it`)
  return string.parts.map((part) => (typeof part === 'string' ? part : '')).join('')
}

function literal(pieces: Piece[], place: { from: number; to: number }): StringLiteral | TemplateLiteral {
  const parts: (string | Expression)[] = []
  for (const piece of pieces) {
    if ('expression' in piece) {
      parts.push(piece.expression)
      continue
    }
    const text = 'text' in piece ? piece.text : piece.decoded
    const last = parts[parts.length - 1]
    if (typeof last === 'string') parts[parts.length - 1] = last + text
    else if (text !== '') parts.push(text)
  }
  if (parts.some((part) => typeof part !== 'string')) return { kind: 'Template', parts, ...place }
  const value = parts.join('')
  return { kind: 'String', value, ...place }
}

/** The raw text between a string's quotes, its escapes and its interpolations, in order. */
function piecesOf(
  build: Build,
  node: Cst,
  form: StringForm,
  expressionOf: (node: Cst) => Expression | undefined,
): Piece[] {
  const text = textOf(build, node)
  const quotes = form === 'triple' ? 3 : form === 'escaped' ? 2 : 1
  const unterminated = node.children.find((c) => c.name === 'UnterminatedEnd')
  const quote = form === 'triple' ? '"""' : form === 'escaped' ? '\\"' : '"'
  const open = node.children.find((c) => c.name === 'OpenInterpolation')
  const closed = !unterminated && !open && text.length >= 2 * quotes && text.endsWith(quote)
  if (open) {
    if (!isAfterStop(build, node.from) && !open.children.some((c) => c.name.endsWith('Comment')))
      fault(
        build,
        { from: open.from, to: open.from + 2 },
        'This "{{" is never closed: expected "}}" and the end of the string',
      )
  } else if (!closed && /^["\\]/.test(text) && !isAfterStop(build, node.from)) {
    const where = form === 'triple' ? '""" before the end of the file' : `${quote} before the end of the line`
    fault(
      build,
      { from: node.from, to: unterminated?.from ?? node.to },
      `This string isn't closed: expected ${where}`,
    )
  }
  const end = unterminated ? unterminated.from : open ? open.to : closed ? node.to - quotes : node.to
  const pieces: Piece[] = []
  let at = node.from + quotes
  const rawTo = (to: number): void => {
    if (to > at) pieces.push(...rawPieces(build, at, to, form))
  }
  for (const c of node.children) {
    const isInterpolation = c.name === 'Interpolation' || c.name === 'OpenInterpolation'
    if (c.name !== 'Escape' && c.name !== 'BadEscape' && !isInterpolation) continue
    rawTo(c.from)
    at = c.to
    if (isInterpolation) {
      const comment = c.children.find((i) => i.name.endsWith('Comment'))
      if (comment) fault(build, comment, "Comments can't stand inside {{ }}")
      const inner = c.children.find(
        (i) => !i.error && i.name !== '}' && i.name !== 'MissingEnd' && !i.name.endsWith('Comment'),
      )
      const expression = inner && expressionOf(inner)
      pieces.push(expression ? { expression } : { decoded: '' })
    } else {
      pieces.push({ decoded: escapeOf(build, c) })
    }
  }
  rawTo(end)
  return pieces
}

function rawPieces(build: Build, from: number, to: number, form: StringForm): Piece[] {
  const text = textOf(build, { from, to })
  if (form !== 'escaped' || !text.includes('\\')) {
    // Only a backslash at the end of a line of a triple-quoted string is no escape token.
    for (let i = text.indexOf('\\'); i >= 0; i = text.indexOf('\\', i + 1))
      badEscape(build, from + i, from + i + 1)
    return [{ text: form === 'triple' ? text.replace(/\r\n?/g, '\n') : text }]
  }
  const pieces: Piece[] = []
  const escape = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|\{\{|[^])/g
  let at = 0
  for (const match of text.matchAll(escape)) {
    pieces.push({ text: text.slice(at, match.index) })
    at = match.index + match[0].length
    pieces.push({ decoded: escapeOf(build, { from: from + match.index, to: from + at }) })
  }
  pieces.push({ text: text.slice(at) })
  return pieces
}

const SIMPLE: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', n: '\n', r: '\r', t: '\t' }

function escapeOf(build: Build, place: { from: number; to: number }): string {
  const text = textOf(build, place)
  const name = text.slice(1)
  if (name === '{{') return name
  if (Object.hasOwn(SIMPLE, name)) return SIMPLE[name] ?? ''
  const hex = /^u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))$/.exec(name)
  if (hex) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    fault(build, place, `${text} is no character: the last one is \\u{10ffff}`)
    return '\ufffd'
  }
  badEscape(build, place.from, place.to)
  return text
}

function badEscape(build: Build, from: number, to: number): void {
  const text = textOf(build, { from, to })
  const message =
    text === '\\u'
      ? 'Expected four hexadecimal digits after \\u, or \\u{…}'
      : `Unknown escape ${text.length > 1 ? text : 'at the end of a line'}: escapes are \\" \\\\ \\/ \\n \\r \\t \\u{…} \\uXXXX and \\{{. ` +
        `For a backslash write \\\\, or use '…', where nothing is special`
  fault(build, { from, to }, message, { title: 'Double the backslash', from, to: from, insert: '\\' })
}

/** Takes the common indent of a triple-quoted string away, and its first and last line end. */
function dedent(pieces: Piece[]): Piece[] {
  const lines: Piece[][] = [[]]
  for (const piece of pieces) {
    if (!('text' in piece)) {
      lines[lines.length - 1]?.push(piece)
      continue
    }
    piece.text.split('\n').forEach((text, i) => {
      if (i > 0) lines.push([])
      if (text !== '') lines[lines.length - 1]?.push({ text })
    })
  }
  const isBlank = (line: Piece[]): boolean =>
    line.every((piece) => 'text' in piece && piece.text.trim() === '')
  const ownFirst = lines.length > 1 && isBlank(lines[0] ?? [])
  if (ownFirst) lines.shift()
  if (lines.length > 1 && isBlank(lines[lines.length - 1] ?? [])) lines.pop()
  else if (ownFirst && lines.length === 1 && isBlank(lines[0] ?? [])) lines[0] = []

  let indent: string | undefined
  lines.forEach((line, i) => {
    if ((i === 0 && !ownFirst) || isBlank(line)) return
    const own = indentOf(line)
    if (indent === undefined) indent = own
    else while (!own.startsWith(indent)) indent = indent.slice(0, -1)
  })
  const cut = indent?.length ?? 0
  return lines.flatMap((line, i) => {
    const kept = i === 0 && !ownFirst ? line : isBlank(line) ? [] : withoutIndent(line, cut)
    return i === 0 ? kept : [{ decoded: '\n' }, ...kept]
  })
}
function indentOf(line: Piece[]): string {
  const first = line[0]
  return first && 'text' in first ? (/^[ \t]*/.exec(first.text)?.[0] ?? '') : ''
}
function withoutIndent(line: Piece[], cut: number): Piece[] {
  const [first, ...rest] = line
  return first && 'text' in first ? [{ text: first.text.slice(cut) }, ...rest] : line
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A number, or a duration in milliseconds. */
export function numberOf(build: Build, node: Cst): NumberLiteral {
  const text = textOf(build, node).replaceAll('_', '')
  const place = placeOf(node)
  if (node.name === 'Number') {
    const value = Number(text)
    if (!Number.isFinite(value)) fault(build, place, 'This number is too large')
    return { kind: 'Number', value, ...place }
  }
  let value = 0
  let last = Infinity
  let rest = text
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)([A-Za-z]+)/.exec(rest)
    const unit = part?.[2] !== undefined && Object.hasOwn(UNITS, part[2]) ? (UNITS[part[2]] ?? 0) : 0
    if (!part || unit === 0 || unit >= last) {
      const what = part && unit === 0 ? `Unknown unit ${part[2]}` : 'This is no duration'
      fault(
        build,
        place,
        `${what}: durations are 500ms, 30s, 5m, 2h, 1d, or several from large to small, 1h30m`,
      )
      break
    }
    value += Number(part[1]) * unit
    last = unit
    rest = rest.slice(part[0].length)
  }
  return { kind: 'Number', value, duration: true, ...place }
}
