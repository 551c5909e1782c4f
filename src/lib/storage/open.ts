import { openDatabase, type Database, type OnLost } from './database.ts'
import { StorageProblem } from './problem.ts'

export interface Storage {
  db: Database
  /** false: the browser keeps nothing, and all of it is gone when the tab closes. */
  kept: boolean
}

/**
 * The page's database, or where the browser refuses one (private windows, blocked site data) one in memory, so that
 * everything works until the tab closes. Rejects with a StorageProblem for every other trouble: what is stored must
 * not seem to be gone.
 */
export async function openStorage(onLost: OnLost = () => undefined): Promise<Storage> {
  if (offered()) {
    try {
      return { db: await openDatabase(onLost), kept: true }
    } catch (thrown) {
      // Firefox says InvalidStateError when a window may not store, which is `closed` here.
      const refused = thrown instanceof StorageProblem && (thrown.kind === 'unavailable' || thrown.kind === 'closed')
      if (!refused) throw thrown
    }
  }
  // It stands in for the browser's own under the same global names, which is how idb finds it.
  await import('fake-indexeddb/auto')
  return { db: await openDatabase(onLost), kept: false }
}

function offered(): boolean {
  try {
    return Boolean(globalThis.indexedDB)
  } catch {
    // In a frame without an origin even the look at it throws.
    return false
  }
}
