/** Cutting a text into pieces that can be found and quoted. */

export interface Piece {
  text: string
  /** Offset of its first character in the text, in UTF-16 code units. */
  position: number
}

/** Where a text may be cut, best first: before a heading or after an empty line, a line end, a sentence, a space. */
const BREAKS: readonly RegExp[] = [/\n\s*\n|\n(?=#{1,6} )/g, /\n/g, /[.!?…。！？](?=\s|$)|[。！？]/g, /\s/g]

/**
 * Pieces of at most `size` characters, cut at the best place in their second half or, where there is none, anywhere but
 * inside a surrogate pair. Surrounding white space is not part of a piece.
 */
export function pieces(text: string, size: number): Piece[] {
  const found: Piece[] = []
  let from = 0
  while (from < text.length) {
    const end = from + size >= text.length ? text.length : from + cut(text.slice(from, from + size))
    const raw = text.slice(from, end)
    const trimmed = raw.trim()
    if (trimmed !== '') found.push({ text: trimmed, position: from + raw.indexOf(trimmed) })
    from = end
  }
  return found
}

function cut(window: string): number {
  for (const candidate of BREAKS) {
    let last = -1
    for (const { index, 0: hit } of window.matchAll(candidate)) last = index + hit.length
    if (last > window.length / 2) return last
  }
  const last = window.charCodeAt(window.length - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff && window.length > 1
  return splitsPair ? window.length - 1 : window.length
}
