import { megabytes } from '../../sandbox/memory-files.ts'
import { FileError, type SandboxHandle } from '../../sandbox/types.ts'
import type { PartsResult } from '../types.ts'

export interface ReadResult {
  path: string
  content: string
  /** Lines of the whole file; a line end at its end adds none. */
  lines: number
  /** Where to go on (0-based line), where there is more. */
  next?: number
  truncated?: { shown: number; of: number }
}

/** UTF-16 code units of one answer. */
const MAX_CONTENT = 1 << 20
const MAX_IMAGE_BYTES = 5 << 20
const IMAGES: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' }

export async function readFile(files: SandboxHandle, path: string, shown: string, part: { offset?: number; limit?: number }): Promise<ReadResult | PartsResult> {
  const bytes = await files.read(path)
  const image = IMAGES[extension(shown)]
  if (image && looksBinary(bytes)) return imageParts(shown, image, bytes)
  const text = decodeText(bytes, shown)
  const starts = lineStarts(text)
  const lines = starts.length
  const from = part.offset ?? 0
  if (from > 0 && from >= lines) throw new FileError('invalid', `"${shown}" has ${lines} lines: there is no line ${from} (lines count from 0).`)
  let to = Math.min(lines, from + (part.limit ?? lines))
  const begin = starts[from] ?? 0
  const endOf = (line: number) => starts[line] ?? text.length
  while (to > from + 1 && endOf(to) - begin > MAX_CONTENT) to--
  const content = text.slice(begin, Math.min(endOf(to), begin + MAX_CONTENT))
  const whole = from === 0 && to === lines && content.length === text.length
  if (whole) return { path: shown, content, lines }
  return { path: shown, content, lines, ...(to < lines && { next: to }), truncated: { shown: to - from, of: lines } }
}

function lineStarts(text: string): number[] {
  if (text === '') return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function imageParts(shown: string, mimeType: string, bytes: Uint8Array): PartsResult {
  const note = `${shown}: ${mimeType}, ${megabytes(bytes.length)}`
  if (bytes.length > MAX_IMAGE_BYTES) throw new FileError('too_large', `"${shown}" is an image of ${megabytes(bytes.length)}; at most ${megabytes(MAX_IMAGE_BYTES)} can be shown.`)
  return { parts: [{ type: 'text', text: note }, { type: 'image', mimeType, data: base64(bytes) }] }
}

/** UTF-8 text, or an error that says it is none. A byte order mark is kept, so that an edit keeps it. */
export function decodeText(bytes: Uint8Array, shown: string): string {
  if (!looksBinary(bytes)) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      // Not UTF-8: said below.
    }
  }
  throw new FileError('invalid', `"${shown}" is a binary file (${megabytes(bytes.length)}), not UTF-8 text, so it can't be read or edited as text.`)
}

/** A NUL among the first bytes, as git and grep tell. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

export function extension(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
  return btoa(binary)
}
