import { FileError } from './types.ts'

/** Absolute, in normal form: `.`, `..`, `//` resolved as text, NFC. Relative paths are taken from `base`. */
export function normalise(path: string, base = '/'): string {
  if (path.includes('\0')) throw new FileError('invalid', 'A path cannot contain a NUL character.')
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).normalize('NFC').split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return '/' + parts.join('/')
}

export function segments(path: string): string[] {
  return path.split('/').filter((s) => s !== '')
}

export function dirname(path: string): string {
  const cut = path.lastIndexOf('/')
  return cut <= 0 ? '/' : path.slice(0, cut)
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A name in a folder. */
export function child(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}

/** Whether `path` is `root` or lies under it. Both in normal form. */
export function within(root: string, path: string): boolean {
  return root === '/' || path === root || path.startsWith(root + '/')
}

/** `path` as seen from `root`; `.` for the root itself. Paths that are not under it stay absolute. */
export function relative(root: string, path: string): string {
  if (path === root) return '.'
  if (!within(root, path)) return path
  return path.slice(root === '/' ? 1 : root.length + 1)
}
