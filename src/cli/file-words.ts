/** What is said of a file that can't be read or written. */
import { messageOf } from '../lib/halo/errors.ts'

const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: "its permissions don't allow it",
  EPERM: "its permissions don't allow it",
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** Why the system refused, in words where they are known. */
export function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? '') : messageOf(error)
}
