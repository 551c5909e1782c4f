/** Bytes of a table as text, piece by piece. */
import { nearest } from '../../check/nearest.ts'
import { FileError } from '../../sandbox/types.ts'

const PIECE = 1 << 16
/** For near matches; a decoder knows more. */
const COMMON = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252', 'iso-8859-1', 'iso-8859-2', 'iso-8859-15', 'macintosh', 'koi8-r', 'shift_jis', 'euc-jp', 'euc-kr', 'gbk', 'gb18030', 'big5']

/**
 * 0x80 to 0x9f, by the Encoding Standard. Some versions of Node decode windows-1252 as ISO-8859-1, with control characters there;
 * where a decoder is right, the five bytes that stay control characters are all that is left to find.
 */
const WINDOWS_1252 = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ']

export interface Pieces extends Iterable<string> {
  /** The first piece, to look at. */
  readonly first: string
}

/** A byte order mark is left out, and counts where no encoding is given. */
export function decoded(bytes: Uint8Array, shown: string, wanted: string | undefined): { pieces: Pieces; encoding: string } {
  const encoding = decoder(wanted ?? marked(bytes)).encoding
  const first = piecesOf(bytes, shown, encoding).next()
  const pieces = {
    first: first.done === true ? '' : first.value,
    [Symbol.iterator]: () => piecesOf(bytes, shown, encoding),
  }
  return { pieces, encoding }
}

function marked([a, b]: Uint8Array): string {
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8'
}

function decoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true })
  } catch {
    const near = nearest(label, COMMON)
    throw new FileError('invalid', `There is no encoding ${JSON.stringify(label)}. ${near === undefined ? `Known are such as ${COMMON.slice(0, 8).join(', ')}.` : `Did you mean ${near}?`}`)
  }
}

function* piecesOf(bytes: Uint8Array, shown: string, encoding: string): Generator<string, undefined> {
  const reader = decoder(encoding)
  for (let at = 0; at < bytes.length; at += PIECE) {
    const end = Math.min(at + PIECE, bytes.length)
    let piece: string
    try {
      piece = reader.decode(bytes.subarray(at, end), { stream: end < bytes.length })
    } catch {
      throw new FileError('invalid', `"${shown}" is no ${encoding} text (between its bytes ${at} and ${end}). Name its encoding, such as windows-1252 or utf-16le.`)
    }
    if (piece.includes('\0')) throw new FileError('invalid', `"${shown}" is no ${encoding} text: it has NUL characters, as binary files and other encodings have.`)
    yield encoding === 'windows-1252' ? piece.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character) : piece
  }
}
