import * as fs from 'node:fs'
import type { Entry, FileSystem, Stat } from '../lib/halo/sandbox/filesystem.ts'
import { basename, child, dirname } from '../lib/halo/sandbox/paths.ts'
import { megabytes } from '../lib/halo/sandbox/memory-files.ts'
import { FileError } from '../lib/halo/sandbox/types.ts'

/** Larger files are answered with words: nothing here needs one, and reading it would stop everything else. */
const MAX_FILE_BYTES = 256 << 20

const CODES: Record<string, [code: FileError['code'], words: (path: string) => string]> = {
  ENOENT: ['not_found', (path) => `There is no file or folder "${path}".`],
  EEXIST: ['exists', (path) => `"${path}" exists already.`],
  EISDIR: ['is_directory', (path) => `"${path}" is a folder.`],
  ENOTDIR: ['not_directory', (path) => `"${path}" is not a folder.`],
  ENOTEMPTY: ['not_empty', (path) => `The folder "${path}" is not empty.`],
  EACCES: ['outside', (path) => `"${path}" may not be used by this user.`],
  EPERM: ['outside', (path) => `"${path}" may not be used by this user.`],
  EROFS: ['read_only', (path) => `"${path}" is on a read-only disk.`],
  ENOSPC: ['too_large', (path) => `There is no room left on the disk for "${path}".`],
  EFBIG: ['too_large', (path) => `"${path}" is too large.`],
  ELOOP: ['invalid', (path) => `"${path}" goes round in links.`],
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof FileError) throw error
    const [code, words] = CODES[(error as NodeJS.ErrnoException).code ?? ''] ?? ['invalid' as const, (p: string) => `"${p}" can't be used: ${(error as Error).message}`]
    throw new FileError(code, words(path))
  }
}

/** The real files of the machine. Rules are kept by whoever guards it; see `guard`. */
export class NodeFileSystem implements FileSystem {
  read(path: string): Uint8Array {
    return attempt(path, () => {
      const stat = fs.statSync(path)
      // A device or a pipe could be read for ever.
      if (!stat.isFile() && !stat.isDirectory()) throw new FileError('invalid', `"${path}" is not a regular file.`)
      if (stat.size > MAX_FILE_BYTES) throw new FileError('too_large', `"${path}" has ${megabytes(stat.size)}; at most ${megabytes(MAX_FILE_BYTES)} can be read.`)
      const content = fs.readFileSync(path)
      return new Uint8Array(content.buffer, content.byteOffset, content.length)
    })
  }

  write(path: string, content: Uint8Array): void {
    attempt(path, () => {
      if (content.length > MAX_FILE_BYTES) throw new FileError('too_large', `"${path}" would be ${megabytes(content.length)}; a file may have ${megabytes(MAX_FILE_BYTES)}.`)
      fs.writeFileSync(path, content)
    })
  }

  append(path: string, content: Uint8Array): void {
    attempt(path, () => fs.appendFileSync(path, content))
  }

  stat(path: string): Stat | undefined {
    return attempt(path, () => describe(statOrNone(() => fs.statSync(path, { throwIfNoEntry: false }))))
  }

  lstat(path: string): Stat | undefined {
    return attempt(path, () => describe(statOrNone(() => fs.lstatSync(path, { throwIfNoEntry: false }))))
  }

  list(path: string): Entry[] {
    return attempt(path, () =>
      fs
        .readdirSync(path, { withFileTypes: true })
        .map((entry): Entry => ({ name: entry.name, type: entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'file' }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    )
  }

  mkdir(path: string): void {
    attempt(path, () => fs.mkdirSync(path))
  }

  remove(path: string): void {
    attempt(path, () => (fs.lstatSync(path).isDirectory() ? fs.rmdirSync(path) : fs.unlinkSync(path)))
  }

  rename(from: string, to: string): void {
    if (to.startsWith(`${from}/`)) throw new FileError('invalid', `"${from}" cannot be moved into itself.`)
    attempt(fs.existsSync(from) ? to : from, () => fs.renameSync(from, to))
  }

  symlink(target: string, path: string): void {
    attempt(path, () => fs.symlinkSync(target, path))
  }

  readlink(path: string): string {
    return attempt(path, () => fs.readlinkSync(path))
  }

  realpath(path: string): string {
    if (path === '/') return path
    try {
      return fs.realpathSync.native(path).normalize('NFC')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ELOOP') throw new FileError('invalid', `"${path}" goes round in links.`)
      // A link that leads to nothing still leads somewhere: whoever writes to it writes there.
      const target = attempt(path, () => (statOrNone(() => fs.lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() ? fs.readlinkSync(path) : undefined))
      if (target !== undefined) return this.realpath(target.startsWith('/') ? target : child(this.realpath(dirname(path)), target))
      return child(this.realpath(dirname(path)), basename(path))
    }
  }

  chmod(path: string, mode: number): void {
    attempt(path, () => fs.chmodSync(path, mode & 0o7777))
  }

  utimes(path: string, modified: number): void {
    attempt(path, () => fs.utimesSync(path, new Date(modified), new Date(modified)))
  }
}

/** A path through something that is no folder leads to nothing. */
function statOrNone(stat: () => fs.Stats | undefined): fs.Stats | undefined {
  try {
    return stat()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

function describe(stat: fs.Stats | undefined): Stat | undefined {
  if (!stat) return undefined
  const type = stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'file'
  return { type, size: stat.size, modified: stat.mtimeMs, mode: stat.mode & 0o7777 }
}
