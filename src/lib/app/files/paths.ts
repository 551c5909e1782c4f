/** The normal form of a workspace path: absolute, without `.`, `..` and doubled slashes. */
export function absolutePath(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** A path of `wanted` that stands twice, or would have to be a file and a folder: no file system could hold it. */
export function clashing(wanted: readonly string[], existing: Iterable<string> = []): string | undefined {
  const files = new Set([...existing, ...wanted])
  const folders = new Set<string>()
  for (const path of files) for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) folders.add(path.slice(0, cut))
  const seen = new Set<string>()
  return wanted.find((path) => {
    if (seen.has(path) || folders.has(path)) return true
    seen.add(path)
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) if (files.has(path.slice(0, cut))) return true
    return false
  })
}
