import type { FileSystem } from './filesystem.ts'
import { exactly, makeFolders, removeTree } from './filesystem.ts'
import { dirname } from './paths.ts'

/** What is at a path, as plain data: the difference by which two copies of the same files are brought together. */
export type FileState =
  | { path: string; type: 'file'; content: Uint8Array; mode: number; modified: number }
  | { path: string; type: 'directory'; mode: number }
  | { path: string; type: 'symlink'; target: string }
  | { path: string; type: 'none' }

export function stateOf(files: FileSystem, paths: Iterable<string>): FileState[] {
  return [...paths].map((path) => {
    const stat = exactly(files, path)
    if (!stat) return { path, type: 'none' }
    if (stat.type === 'directory') return { path, type: 'directory', mode: stat.mode }
    if (stat.type === 'symlink') return { path, type: 'symlink', target: files.readlink(path) }
    const content = files.read(path)
    // A clone takes the whole buffer under a view.
    return { path, type: 'file', content: content.length === content.buffer.byteLength ? content : content.slice(), mode: stat.mode, modified: stat.modified }
  })
}

/** Makes `files` equal to the states. Removals first, deepest first; then what is new, parents first. */
export function applyStates(files: FileSystem, states: readonly FileState[]): void {
  const byDepth = [...states].sort((a, b) => a.path.split('/').length - b.path.split('/').length || (a.path < b.path ? -1 : 1))
  for (const state of byDepth.toReversed()) {
    const there = exactly(files, state.path)
    if (there && (state.type === 'none' || there.type !== state.type)) removeTree(files, state.path)
  }
  for (const state of byDepth) {
    if (state.type === 'none') continue
    makeFolders(files, dirname(state.path))
    if (state.type === 'directory') {
      if (!exactly(files, state.path)) files.mkdir(state.path)
      if (files.stat(state.path)?.mode !== state.mode) files.chmod(state.path, state.mode)
    } else if (state.type === 'symlink') {
      if (exactly(files, state.path) && files.readlink(state.path) !== state.target) files.remove(state.path)
      if (!exactly(files, state.path)) files.symlink(state.target, state.path)
    } else {
      files.write(state.path, state.content)
      if (files.stat(state.path)?.mode !== state.mode) files.chmod(state.path, state.mode)
      files.utimes(state.path, state.modified)
    }
  }
}
