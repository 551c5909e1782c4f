/**
 * The editor's document knows one line end, "\n"; a text from elsewhere may have "\r\n". Outside is the text as it is stored, inside the editor's.
 * What is only looked at stays as it is; what is edited keeps the line end that most of its lines have.
 */
export const inside = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

export const lineEndOf = (text: string): '\n' | '\r\n' => {
  const all = text.split('\n').length - 1
  return text.split('\r\n').length - 1 > all / 2 ? '\r\n' : '\n'
}

export const outside = (text: string, end: '\n' | '\r\n'): string => (end === '\n' ? text : text.replaceAll('\n', end))

/** Where a place of the text outside is inside. */
export const placeInside = (text: string, at: number): number => (text.includes('\r') ? inside(text.slice(0, at)).length : at)

/** Where a place inside is in the text outside. */
export function placeOutside(text: string, at: number): number {
  if (!text.includes('\r')) return at
  let out = 0
  for (let seen = 0; seen < at && out < text.length; seen++) out += text.startsWith('\r\n', out) ? 2 : 1
  return out
}
