/** A file tree from a flat list of paths: folders first, each by name. */
export interface TreeNode {
  name: string
  path: string
  depth: number
  folder: boolean
  mark?: 'A' | 'M' | 'D'
}

interface Folder {
  folders: Map<string, Folder>
  files: string[]
}

/** The visible rows: folders, then files, each by name, the contents of `closed` folders left out. */
export function treeRows(paths: Iterable<string>, closed: ReadonlySet<string>, marks: ReadonlyMap<string, 'A' | 'M' | 'D'>): TreeNode[] {
  const root: Folder = { folders: new Map(), files: [] }
  for (const path of paths) {
    const parts = path.split('/').filter(Boolean)
    let folder = root
    for (const part of parts.slice(0, -1)) {
      let next = folder.folders.get(part)
      if (!next) folder.folders.set(part, (next = { folders: new Map(), files: [] }))
      folder = next
    }
    const name = parts.at(-1)
    if (name !== undefined) folder.files.push(name)
  }
  const rows: TreeNode[] = []
  const walk = (folder: Folder, base: string, depth: number) => {
    for (const [name, inner] of [...folder.folders].sort(byName)) {
      const path = `${base}/${name}`
      rows.push({ name, path, depth, folder: true })
      if (!closed.has(path)) walk(inner, path, depth + 1)
    }
    for (const name of folder.files.sort()) {
      const path = `${base}/${name}`
      rows.push({ name, path, depth, folder: false, mark: marks.get(path) })
    }
  }
  walk(root, '', 0)
  return rows
}
const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0)
