import type { Database, StoredRun } from './database.ts'
import { readRun } from './read.ts'

/** All runs, the newest first. */
export async function listRuns(db: Database): Promise<StoredRun[]> {
  return (await db.getAllFromIndex('runs', 'at')).reverse().flatMap((run) => readRun(run) ?? [])
}

/** Can it go on, or is it going on? */
export const isOpenRun = ({ end, imported }: StoredRun): boolean => !imported && (end === undefined || end.status === 'paused')
