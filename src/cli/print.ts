/** What the command line prints: results to stdout, everything else to stderr. */
import type { Diagnostic, HaloError, Span } from '../lib/halo/errors.ts'

/** Line and column of an offset, both from 1; columns count UTF-16 units, as editors do. */
export function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { line, column: offset - start + 1 }
}

/** Files' texts by the path they were parsed under. */
export type Sources = ReadonlyMap<string, string>

const SHOWN = 120

/** `file:line:col CODE message`, then the line with a caret under what it is about. A span that names no file is in the first. */
export function faultText(code: string, message: string, span: Span | undefined, sources: Sources): string {
  const file = span?.file ?? [...sources.keys()][0]
  const source = file === undefined ? undefined : sources.get(file)
  if (span === undefined || source === undefined) return `${code} ${message}`
  const { line, column } = placeOf(source, span.from)
  const from = span.from - (column - 1)
  const newline = source.indexOf('\n', from)
  const text = source.slice(from, newline === -1 ? source.length : newline).replace(/\r$/, '')
  // Of a long line only the part around the fault is shown.
  const skipped = column - 1 > SHOWN - 40 ? column - 41 : 0
  const shown = text.slice(skipped, skipped + SHOWN)
  const before = shown.slice(0, column - 1 - skipped).replace(/[^\t]/g, ' ')
  const width = Math.max(1, Math.min(span.to, from + text.length) - span.from)
  const carets = '^'.repeat(Math.min(width, Math.max(1, shown.length - before.length)))
  return `${file}:${line}:${column} ${code} ${message}\n  ${shown}\n  ${before}${carets}`
}

export function diagnosticText(diagnostic: Diagnostic, sources: Sources): string {
  const { code, severity, message, fix } = diagnostic
  const words = severity === 'error' ? message : `${severity}: ${message}`
  return faultText(code, fix === undefined ? words : `${words} (${fix.title})`, diagnostic, sources)
}

export function errorText(error: HaloError, sources: Sources): string {
  const first = faultText(error.code, error.message, error.span, sources)
  // One error may stand for several faults; those that its message holds already aren't said twice.
  const more = (error.diagnostics ?? []).filter((diagnostic) => !error.message.includes(diagnostic.message))
  return [first, ...more.map((diagnostic) => diagnosticText(diagnostic, sources))].join('\n')
}

/**
 * To stderr, with a line end. What models and tools said is among it: characters that a terminal obeys, or that turn a line
 * round, are shown instead, so that nothing can be hidden from whoever is asked.
 */
export function say(text: string): void {
  process.stderr.write(`${visible(text)}\n`)
}

const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(OBEYED, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}

/** To stdout, with a line end: text as it is, anything else as JSON. */
export function give(value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** A word as a POSIX shell reads it back; a name like an option begins with ./ */
export function quoted(word: string): string {
  const plain = word.startsWith('-') ? `./${word}` : word
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`
}
