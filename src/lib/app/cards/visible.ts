/**
 * Makes what hides in a text visible: control, bidirectional and zero-width characters, tag characters and odd spaces, and
 * letters that look like Latin ones but aren't. Line ends and tabs stay as they are.
 */
export interface Piece {
  text: string
  /** Set on a piece that is not what it seems: what it is, for example `U+202E` or `U+0430`. */
  mark?: string
  /** `hidden`: shows as nothing or moves its neighbours. `alike`: shows as another letter. */
  kind?: 'hidden' | 'alike'
}

/** Code points that show as nothing, move their neighbours, or are spaces that don't look odd: first and last of each range. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x08], [0x0b, 0x0c], [0x0e, 0x1f], [0x7f, 0xa0], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160], [0x1680, 0x1680],
  [0x17b4, 0x17b5], [0x180b, 0x180f], [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f], [0x3000, 0x3000], [0x3164, 0x3164],
  [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff9, 0xfffc], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
]
const isHidden = (char: string): boolean => {
  const code = char.codePointAt(0) ?? 0
  return HIDDEN.some(([first, last]) => code >= first && code <= last)
}
/** Letters of other scripts that are drawn like Latin ones (Unicode's confusables, those in common fonts). */
const ALIKE = new Set(
  'аеорсухіјѕһԁԛԝкмтвнгАВЕКМНОРСТУХІЈЅԌԚԜЬ' + 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχγ' + 'օոսհցզլՕՍՏ' + 'ıȷɑɡɩʟ' + '‐‑‒–—−∕⁄․‚ʼ′＇｀',
)
const FULLWIDTH = /[\uFF01-\uFF5E]/
const LATIN = /\p{Script=Latin}/u
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** The text in pieces; pieces without a mark are plain. */
export function visiblePieces(text: string): Piece[] {
  // Nothing outside ASCII and no controls: the common case costs one scan.
  if (/^[\t\n\r\x20-\x7E]*$/.test(text)) return text === '' ? [] : [{ text }]
  const suspicious = suspiciousLetters(text)
  const pieces: Piece[] = []
  let plain = ''
  const flush = () => {
    if (plain) pieces.push({ text: plain })
    plain = ''
  }
  let at = 0
  for (const char of text) {
    const kind = isHidden(char) ? 'hidden' : suspicious(char, at) ? 'alike' : undefined
    if (kind) {
      flush()
      pieces.push({ text: char, mark: name(char), kind })
    } else plain += char
    at += char.length
  }
  flush()
  return pieces
}

export function hasHidden(text: string): boolean {
  return visiblePieces(text).some((piece) => piece.kind !== undefined)
}

/**
 * A look-alike counts when its word also has Latin letters, or consists of look-alikes alone; a word of ordinary Russian or
 * Greek doesn't. Punctuation that looks like an ASCII sign, and full-width forms, always count.
 */
function suspiciousLetters(text: string): (char: string, at: number) => boolean {
  const words: { from: number; to: number; suspicious: boolean }[] = []
  for (const match of text.matchAll(WORD)) {
    const letters = [...match[0]].filter((c) => /\p{L}/u.test(c))
    const mixed = letters.some((c) => LATIN.test(c) && !ALIKE.has(c))
    const all = letters.length > 0 && letters.every((c) => ALIKE.has(c))
    words.push({ from: match.index, to: match.index + match[0].length, suspicious: mixed || all })
  }
  let next = 0
  return (char, at) => {
    if (FULLWIDTH.test(char)) return true
    if (!ALIKE.has(char)) return false
    while (next < words.length && (words[next]?.to ?? 0) <= at) next++
    const word = words[next]
    return !word || at < word.from || word.suspicious
  }
}

function name(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
