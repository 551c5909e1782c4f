import type { Database, StoredRun } from './database.ts'

/** All runs, the newest first. */
export async function listRuns(db: Database): Promise<StoredRun[]> {
  return (await db.getAllFromIndex('runs', 'at')).reverse()
}

/** Can it go on, or is it going on? */
export const isOpenRun = ({ end, imported }: StoredRun): boolean => !imported && (end === undefined || end.status === 'paused')
