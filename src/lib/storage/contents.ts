import type { WorkspaceStore } from '../halo/run/types.ts'
import type { Database, StoredWorkspace } from './database.ts'
import { storageProblem } from './problem.ts'
import { transact } from './transact.ts'

/** Hex SHA-256. */
export async function hashOf(content: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', content.slice().buffer)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key, in `settings`, of when a content was first seen that nothing refers to. */
export const UNREFERENCED = 'unreferenced:'

/** File contents by hash, each kept once. What nothing refers to any more `collectContents` takes away. */
export function createContentStore(db: Database): WorkspaceStore {
  return {
    async put(hash, content) {
      await transact(db, ['contents', 'settings'], async (tx) => {
        const [contents, settings] = [tx.objectStore('contents'), tx.objectStore('settings')]
        // Something is about to refer to it again.
        if ((await settings.getKey(UNREFERENCED + hash)) !== undefined) await settings.delete(UNREFERENCED + hash)
        if ((await contents.getKey(hash)) === undefined) await contents.put(content.slice(), hash)
      })
    },
    get: (hash) => db.get('contents', hash),
  }
}

/** The workspace of a project that is a folder of the disk; it outlives the runs that work on it. */
export const onDisk = (project: string): string => `disk:${project}`
/** The project whose workspace it is. */
export const projectOf = (workspace: string): string => workspace.replace(/^disk:/, '')
export const isOnDisk = (workspace: string): boolean => workspace.startsWith('disk:')

export async function saveWorkspace(db: Database, workspace: StoredWorkspace): Promise<void> {
  try {
    await db.put('workspaces', workspace)
  } catch (thrown) {
    throw storageProblem(thrown)
  }
}
