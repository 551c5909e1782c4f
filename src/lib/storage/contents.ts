import type { WorkspaceStore } from '../halo/run/types.ts'
import type { Database, StoredWorkspace } from './database.ts'
import { storageProblem } from './problem.ts'

/** Hex SHA-256. */
export async function hashOf(content: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', content.slice().buffer)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** File contents by hash, each kept once. */
export function createContentStore(db: Database): WorkspaceStore {
  return {
    async put(hash, content) {
      try {
        if ((await db.getKey('contents', hash)) === undefined) await db.put('contents', content.slice(), hash)
      } catch (thrown) {
        throw storageProblem(thrown)
      }
    },
    get: (hash) => db.get('contents', hash),
  }
}

/** The workspace of a project that is a folder of the disk; it outlives the runs that work on it. */
export const onDisk = (project: string): string => `disk:${project}`
export const isOnDisk = (workspace: string): boolean => workspace.startsWith('disk:')

export async function saveWorkspace(db: Database, workspace: StoredWorkspace): Promise<void> {
  try {
    await db.put('workspaces', workspace)
  } catch (thrown) {
    throw storageProblem(thrown)
  }
}
