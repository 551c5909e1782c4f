import type { Database } from '../../storage/database.ts'
import { projectIn } from '../../storage/read.ts'
import { transact } from '../../storage/transact.ts'
import { keyOf, PREFIX, readOrigins } from './kept.ts'

/** Where the requests of a project may go because a person agreed. */
export interface Agreed {
  projectId: string
  /** undefined: the project is gone. */
  name: string | undefined
  origins: string[]
}

export async function agreedIn(db: Database): Promise<Agreed[]> {
  const keys = await db.getAllKeys('settings', IDBKeyRange.bound(PREFIX, `${PREFIX}\uffff`))
  const all = await Promise.all(
    keys.map(async (key) => {
      const projectId = key.slice(PREFIX.length)
      const [project, origins] = await Promise.all([projectIn(db, projectId), db.get('settings', key)])
      return { projectId, name: project?.name, origins: readOrigins(origins) }
    }),
  )
  return all.filter(({ origins }) => origins.length > 0)
}

/** The next request there is asked about again. */
export async function takeBack(db: Database, projectId: string, origin: string): Promise<void> {
  await transact(db, ['settings'], async (tx) => {
    const settings = tx.objectStore('settings')
    const left = readOrigins(await settings.get(keyOf(projectId))).filter((one) => one !== origin)
    if (left.length > 0) await settings.put(left, keyOf(projectId))
    else await settings.delete(keyOf(projectId))
  })
}
