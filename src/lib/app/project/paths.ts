/** `./b/../c.halo` seen from `a/main.halo` is `a/c.halo`; undefined when it leaves the project. */
export function resolvePath(path: string, from?: string): string | undefined {
  const parts = path.startsWith('/') ? [] : (from?.split('/').slice(0, -1) ?? [])
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}
