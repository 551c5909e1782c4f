/** Text ⇄ base64url of a version byte and gzip. Nothing here knows what the text holds. */
import { shareProblem } from './problem.ts'

/** The first byte of every link. A reader knows the versions up to its own. */
export const VERSION = 1
/** Later versions will have these; any other first byte is none of ours. */
const LAST_VERSION = 15

/** A link as it may come in, in characters: more than any that is made, and little enough to look at. */
const MAX_CHARACTERS = 256 * 1024

/** Fed in pieces so small that one of them can't become more than a megabyte before it is counted. */
const PIECE = 1024

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary)
}

/** undefined: it isn't base64url without padding. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return /^[\w-]*$/.test(text) && text.length % 4 !== 1 ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined
}
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export async function pack(text: string): Promise<string> {
  const packed = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
  const bytes = new Uint8Array(packed.length + 1)
  bytes[0] = VERSION
  bytes.set(packed, 1)
  return toBase64Url(bytes)
}

/**
 * What `pack` packed; `limit` is in bytes of the text. Inflates no more than that.
 * @throws HaloError VALIDATION: foreign, from a newer version, damaged, or too big
 */
export async function unpack(packed: string, limit: number): Promise<string> {
  if (packed.length > MAX_CHARACTERS) throw shareProblem('big')
  const bytes = fromBase64Url(packed)
  const [version = 0, ...magic] = bytes?.subarray(0, 3) ?? []
  if (!bytes || bytes.length < 2) throw shareProblem('foreign')
  const zipped = magic[0] === 0x1f && magic[1] === 0x8b
  if (version > VERSION && (zipped || version <= LAST_VERSION)) throw shareProblem('newer')
  if (version !== VERSION) throw shareProblem('foreign')
  const inflated = await inflate(bytes.subarray(1), limit)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(inflated)
  } catch (thrown) {
    throw shareProblem('damaged', thrown)
  }
}

async function inflate(zipped: Uint8Array<ArrayBuffer>, limit: number): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream('gzip')
  const reader = readable.getReader()
  const writer = writable.getWriter()
  const fed = (async () => {
    for (let at = 0; at < zipped.length; at += PIECE) {
      await writer.ready
      await writer.write(zipped.subarray(at, at + PIECE))
    }
    await writer.close()
  })().catch((thrown: unknown) => thrown)
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.length
      if (size > limit) throw shareProblem('big')
      pieces.push(value)
    }
    // What follows the end of the gzip data is an error for some streams and passed over by others.
    const failure = await fed
    if (failure) throw shareProblem('damaged', failure)
  } catch (thrown) {
    void reader.cancel().catch(() => undefined)
    void writer.abort().catch(() => undefined)
    throw shareProblem('damaged', thrown)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
