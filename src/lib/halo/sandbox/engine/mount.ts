import type { FileSystem } from '../filesystem.ts'
import { removeTree, walkUp } from '../filesystem.ts'
import { MemoryFileSystem } from '../memory-files.ts'
import { within } from '../paths.ts'
import type { Layer } from '../rules.ts'

/** Folders that a shell expects and a workspace doesn't have. They live in the engine, not among the workspace's files. */
const SYSTEM = ['/bin', '/usr', '/dev', '/proc', '/etc', '/tmp', '/home']
const DEVICES = new Set(['/dev/null', '/dev/zero', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/random', '/dev/urandom'])

export function systemFiles(commands: readonly string[]): MemoryFileSystem {
  const files: Record<string, string> = { '/etc/hostname': 'halo\n', '/etc/passwd': 'user:x:1000:1000::/home/user:/bin/bash\n' }
  for (const device of DEVICES) files[device] = ''
  for (const command of commands) files[`/bin/${command}`] = ''
  const system = new MemoryFileSystem({ files, limits: { maxTotalBytes: 128 << 20, maxEntries: 50_000 } })
  for (const folder of ['/usr', '/usr/bin', '/usr/local', '/usr/local/bin', '/tmp', '/home', '/home/user', '/proc', '/proc/self', '/dev/fd']) {
    if (!system.stat(folder)) system.mkdir(folder)
  }
  for (const command of commands) system.chmod(`/bin/${command}`, 0o755)
  return system
}

export interface Mounted {
  files: FileSystem
  /** Whether a path is in the engine's own folders, not among the workspace's files. */
  isSystem(path: string): boolean
}

/** The workspace with the system folders beside it, wherever the workspace doesn't have such a folder itself. */
export function mount(workspace: FileSystem, system: FileSystem, unguarded: FileSystem, base: string, layers: readonly Layer[]): Mounted {
  const own = [base, ...layers.flatMap((layer) => layer.roots ?? [])].filter((root) => root !== '/')
  // Files in memory may have a folder of such a name at their root.
  const shadowed = base === '/' ? ['/etc', '/tmp', '/home'].filter((folder) => unguarded.lstat(folder) !== undefined) : []
  const isSystem = (path: string) =>
    SYSTEM.some((folder) => within(folder, path)) && !shadowed.some((folder) => within(folder, path)) && !own.some((root) => within(root, path))
  const at = (path: string) => (isSystem(path) ? system : workspace)

  const files: FileSystem = {
    read: (path) => at(path).read(path),
    write: (path, content) => (DEVICES.has(path) ? undefined : at(path).write(path, content)),
    append: (path, content) => (DEVICES.has(path) ? undefined : at(path).append(path, content)),
    stat: (path) => at(path).stat(path),
    lstat: (path) => at(path).lstat(path),
    // `/` shows the workspace's own entries only: a search of all files isn't meant for /bin.
    list: (path) => at(path).list(path),
    mkdir: (path) => at(path).mkdir(path),
    remove: (path) => at(path).remove(path),
    rename(from, to) {
      if (at(from) === at(to)) return at(from).rename(from, to)
      // Across the two there is no rename: copy, then remove, as mv does across disks.
      copyTree(at(from), from, at(to), to)
      removeTree(at(from), from)
    },
    symlink: (target, path) => at(path).symlink(target, path),
    readlink: (path) => at(path).readlink(path),
    realpath: (path) => at(path).realpath(path),
    chmod: (path, mode) => at(path).chmod(path, mode),
    utimes: (path, modified) => at(path).utimes(path, modified),
  }
  return { files, isSystem }
}

export function copyTree(source: FileSystem, from: string, target: FileSystem, to: string): void {
  const entries = [...walkUp(source, from)].reverse()
  for (const { path, type } of entries) {
    const place = to + path.slice(from.length)
    if (type === 'directory') {
      if (!target.stat(place)) target.mkdir(place)
    } else if (type === 'symlink') target.symlink(source.readlink(path), place)
    else {
      target.write(place, source.read(path))
      target.chmod(place, source.stat(path)?.mode ?? 0o644)
    }
  }
}
