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

const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFC]|[\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/u
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
    const kind = HIDDEN.test(char) && char !== '\r' ? 'hidden' : suspicious(char, at) ? 'alike' : undefined
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
