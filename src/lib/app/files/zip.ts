/**
 * Zip files, which may come from anyone. What is refused is refused as a whole, in words, before anything of it is used; how
 * much a zip would unpack to is known before the first file is unpacked, and no file may become more than it said.
 */
import { BlobReader, BlobWriter, configure, Uint8ArrayReader, ZipReader, ZipWriter, type Entry, type FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js'
import {
  ERR_AMBIGUOUS_ARCHIVE,
  ERR_BAD_FORMAT,
  ERR_ENCRYPTED,
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  ERR_EOCDR_NOT_FOUND,
  ERR_UNSAFE_FILENAME,
  ERR_UNSUPPORTED_COMPRESSION,
  ERR_UNSUPPORTED_ENCRYPTION,
} from '@zip.js/zip.js/lib/zip-core-native.js'
import { HaloError } from '../../halo/errors.ts'
import { fileWords } from './words.ts'
import { zipWords as words } from './zip-words.ts'

// The browser's own streams do the work; workers from addresses that the page makes up are none of its policy's.
configure({ useWebWorkers: false, useCompressionStream: true })

export interface ZipLimits {
  /** Files. */
  files: number
  /** Bytes of one file, unpacked. */
  file: number
  /** Bytes of all files, unpacked. */
  total: number
}
export const zipLimits: ZipLimits = { files: 20_000, file: 32 << 20, total: 64 << 20 }

/** Bytes of a path. */
const MAX_PATH = 1000
/** The type of a file in the upper half of its attributes, where a Unix wrote them. */
const TYPE = 0o170000
const LINK = 0o120000
const PLAIN = [0, 0o100000, 0o040000]

const refuse = (message: string, cause?: unknown): HaloError => new HaloError('VALIDATION', message, { cause })

/** Content by path, without folders. */
export type ZipFiles = Record<string, Uint8Array>

/** @throws HaloError VALIDATION in words, whatever is wrong with it */
export async function readZip(zip: Blob, limits: ZipLimits = zipLimits): Promise<ZipFiles> {
  // Nothing packs to more than it is, but for a few bytes a file.
  const most = limits.total + limits.files * 200
  if (zip.size > most) throw refuse(words.bigZip(fileWords.bytes(limits.total)))
  const reader = new ZipReader(new BlobReader(zip))
  try {
    const entries = await entriesOf(reader, limits)
    const files: [string, Uint8Array][] = []
    for (const { path, entry } of entries) files.push([path, await contentOf(path, entry)])
    return Object.fromEntries(files)
  } finally {
    await reader.close().catch(() => undefined)
  }
}

interface Named {
  path: string
  entry: FileEntry
}

/** The files that a zip says it holds, checked without unpacking any. */
async function entriesOf(reader: ZipReader<unknown>, limits: ZipLimits): Promise<Named[]> {
  const found: Named[] = []
  const taken = new Set<string>()
  const folders = new Set<string>()
  let total = 0
  let read = 0
  const all = reader.getEntriesGenerator({ strictness: 'balanced', filenameValidation: 'tolerant', decodeText: decodeName })
  try {
    for await (const entry of all) {
      if (++read > limits.files * 2) throw refuse(words.many(limits.files))
      const path = pathOf(entry)
      if (leftOver(path)) continue
      for (const folder of foldersOf(path, entry.directory)) folders.add(folder)
      if (entry.directory) continue
      if (taken.has(path)) throw refuse(words.twice(path))
      taken.add(path)
      if (entry.encrypted) throw refuse(words.encrypted(path))
      if (found.length >= limits.files) throw refuse(words.many(limits.files))
      if (entry.uncompressedSize > limits.file) throw refuse(words.bigFile(path, fileWords.bytes(limits.file)))
      total += entry.uncompressedSize
      if (total > limits.total) throw refuse(words.big(fileWords.bytes(limits.total)))
      found.push({ path, entry })
    }
  } catch (thrown) {
    throw wordsFor(thrown)
  }
  if (found.length === 0) throw refuse(words.empty)
  // A name can't be a file and a folder in one place.
  for (const { path } of found) if (folders.has(path)) throw refuse(words.twice(path))
  return found
}

/** The path of an entry, in normal form. */
function pathOf(entry: Entry): string {
  const { filename } = entry
  if (filename.includes('\uFFFD')) throw refuse(words.encoding(filename))
  // The DOS half of the attributes says nothing of links.
  const type = (entry.externalFileAttributes >>> 16) & TYPE
  if (type === LINK) throw refuse(words.link(filename))
  if (!PLAIN.includes(type)) throw refuse(words.unsafe(filename))
  const path = filename.normalize('NFC').replace(/\/$/, '')
  const parts = path.split('/')
  const odd = parts.some((part) => part === '' || part === '.' || part === '..' || part === '__proto__')
  if (odd || path.length > MAX_PATH || /[\u0000-\u001f\u007f\\]|^[A-Za-z]:/.test(path)) throw refuse(words.unsafe(filename))
  return path
}

function* foldersOf(path: string, itself: boolean): Generator<string> {
  if (itself) yield path
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) yield path.slice(0, cut)
}

/** What systems put beside the files of a person. */
const leftOver = (path: string): boolean => /^__MACOSX(\/|$)|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(path)

/** Old zips have names in the code page of whoever packed them; what isn't UTF-8 by chance too is marked, and refused. */
function decodeName(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

async function contentOf(path: string, entry: FileEntry): Promise<Uint8Array> {
  const whole = new Uint8Array(entry.uncompressedSize)
  let at = 0
  const writable = new WritableStream<Uint8Array>({
    write(piece) {
      if (at + piece.length > whole.length) throw refuse(words.damaged(path))
      whole.set(piece, at)
      at += piece.length
    },
  })
  try {
    await entry.getData(writable, { checkSignature: true, checkOverlappingEntry: true })
  } catch (thrown) {
    throw wordsFor(thrown, path)
  }
  if (at !== whole.length) throw refuse(words.damaged(path))
  return whole
}

function wordsFor(thrown: unknown, path?: string): HaloError {
  if (thrown instanceof HaloError) return thrown
  const said = thrown instanceof Error ? thrown.message : ''
  switch (said) {
    case ERR_BAD_FORMAT:
    case ERR_EOCDR_NOT_FOUND:
      return refuse(words.notZip, thrown)
    case ERR_ENCRYPTED:
    case ERR_UNSUPPORTED_ENCRYPTION:
    case ERR_ENCRYPTED_CENTRAL_DIRECTORY:
      return refuse(words.encrypted(path ?? '…'), thrown)
    case ERR_UNSAFE_FILENAME:
      return refuse(words.unsafe(path ?? '…'), thrown)
    case ERR_UNSUPPORTED_COMPRESSION:
      return refuse(words.method(path ?? '…'), thrown)
    case ERR_AMBIGUOUS_ARCHIVE:
    default:
      return refuse(words.damaged(path), thrown)
  }
}

export async function writeZip(files: Readonly<ZipFiles>): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter('application/zip'), { extendedTimestamp: false, bufferedWrite: true, keepOrder: true })
  for (const [path, content] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) await writer.add(path, new Uint8ArrayReader(content))
  return writer.close()
}

/** Does it begin as zip files do? */
export async function looksZipped(file: Blob): Promise<boolean> {
  const [a, b, c, d] = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  return a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))
}
