/** JSON from text that a person or a model wrote. */

/**
 * The value of a JSON text. Models put it in a fence (```json … ```), with or without words around it: where the whole text
 * isn't JSON, its first fence is tried.
 */
export function parseJsonText(text: string): { value: unknown } | { fault: string } {
  const whole = tryParse(text)
  if ('value' in whole) return whole
  const inside = fenced(text)
  return inside === undefined ? whole : tryParse(inside)
}

/** What stands in the first fence. By lines: a regular expression for it isn't linear. */
function fenced(text: string): string | undefined {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => /^\s{0,3}```\w*\s*$/.test(line))
  if (start < 0) return undefined
  const end = lines.findIndex((line, i) => i > start && /^\s{0,3}```\s*$/.test(line))
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n')
}

function tryParse(text: string): { value: unknown } | { fault: string } {
  const trimmed = text.trim().replace(/^\ufeff/, '')
  if (trimmed === '') return { fault: 'the text is empty' }
  try {
    return { value: JSON.parse(trimmed) as unknown }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
