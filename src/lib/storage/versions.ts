import type { IDBPObjectStore } from 'idb'
import type { Database, HaloDatabase, StoredVersion } from './database.ts'
import { transact } from './transact.ts'

/** So many versions of a project are kept, the newest. */
export const VERSIONS_KEPT = 50
/** Characters of all versions of a project together; the newest is kept whatever it takes. */
export const VERSIONS_SIZE = 4_000_000

type Versions = IDBPObjectStore<HaloDatabase, ('projects' | 'versions')[], 'versions', 'readwrite'>

/** Every version of one project. */
export const versionsOf = (project: string): IDBKeyRange => IDBKeyRange.bound([project, 0], [project, Number.MAX_SAFE_INTEGER])

/** Keeps files as they are now, unless the newest version has them so already. Old versions make room. */
export function keepVersion(db: Database, version: Omit<StoredVersion, 'at'>, now = Date.now()): Promise<boolean> {
  return transact(db, ['projects', 'versions'], (tx) => putVersion(tx.objectStore('versions'), version, now))
}

/** The same within a transaction. */
export async function putVersion(store: Versions, version: Omit<StoredVersion, 'at'>, now = Date.now()): Promise<boolean> {
  const all = await store.getAll(versionsOf(version.project))
  const newest = all.at(-1)
  if (newest && sameFiles(newest.files, version.files)) return false
  // A clock that was put back must not put the newest among the old.
  const kept: StoredVersion = { ...version, files: { ...version.files }, at: Math.max(now, (newest?.at ?? 0) + 1) }
  await store.put(kept)
  let size = sizeOf(kept)
  let count = 1
  for (const old of all.reverse()) {
    size += sizeOf(old)
    if (++count > VERSIONS_KEPT || size > VERSIONS_SIZE) await store.delete([old.project, old.at])
  }
  return true
}

/** The newest first. */
export async function listVersions(db: Database, project: string): Promise<StoredVersion[]> {
  return (await db.getAll('versions', versionsOf(project))).reverse()
}

export function sameFiles(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  if (a === b) return true
  const paths = Object.keys(a)
  return paths.length === Object.keys(b).length && paths.every((path) => Object.hasOwn(b, path) && a[path] === b[path])
}

function sizeOf({ files }: StoredVersion): number {
  return Object.entries(files).reduce((sum, [path, text]) => sum + path.length + text.length, 0)
}
