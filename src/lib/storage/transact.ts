import type { IDBPTransaction, StoreNames } from 'idb'
import type { Database, HaloDatabase } from './database.ts'
import { storageProblem } from './problem.ts'

type Stores = StoreNames<HaloDatabase>
export type Writing<Names extends Stores[]> = IDBPTransaction<HaloDatabase, Names, 'readwrite'>

/**
 * All that `work` writes is stored when this resolves, or none of it is and this rejects with a StorageProblem. `work` waits for
 * nothing but the transaction, and for each of its requests (a call that throws at once must not leave others unattended:
 * `Promise.all(list.map(async …))`). `strict`: not before it is on the disk.
 */
export async function transact<Names extends Stores[], T>(db: Database, stores: Names, work: (tx: Writing<Names>) => Promise<T>, durability: IDBTransactionDurability = 'default'): Promise<T> {
  let tx: Writing<Names>
  try {
    tx = db.transaction(stores, 'readwrite', { durability })
  } catch (thrown) {
    throw storageProblem(thrown)
  }
  // It ends by itself as well, while `work` still waits for a request of it: nobody may be missed who listens.
  const ended = tx.done.then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  )
  try {
    const value = await work(tx)
    const failed = await ended
    if (failed) throw failed.thrown
    return value
  } catch (thrown) {
    try {
      tx.abort()
    } catch {
      // It is over already.
    }
    await ended
    // Why the transaction ended says more than that a request of it was broken off with it.
    throw storageProblem(tx.error ?? thrown)
  }
}
