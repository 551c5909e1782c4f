/** What is said of a file that can't be read or written. */
import { readFileSync } from 'node:fs'
import { messageOf } from '../lib/halo/errors.ts'
import { UsageError } from './exit.ts'

const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: "its permissions don't allow it",
  EPERM: "its permissions don't allow it",
  EROFS: 'the disk is read-only',
  EEXIST: 'there is a file of that name already',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** Why the system refused, in words where they are known. */
export function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? '') : messageOf(error)
}

/** The text of a file that a person named. @throws UsageError in words */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${whyNot(error)}.`)
  }
}
