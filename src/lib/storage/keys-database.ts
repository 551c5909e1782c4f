import type { Database } from './database.ts'
import type { KeysStorage } from './keys.ts'
import { storageProblem } from './problem.ts'

const RECORD = 'keys'
const CHANNEL = 'halo-keys'

/** Keys in the page's database, under a lock and a channel that all its tabs share. */
export function keysInDatabase(db: Database): KeysStorage {
  let last: Promise<unknown> = Promise.resolve()
  const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel(CHANNEL) : undefined
  return {
    async read() {
      try {
        return await db.get('settings', RECORD)
      } catch (thrown) {
        throw storageProblem(thrown)
      }
    },
    async write(record) {
      try {
        const tx = db.transaction('settings', 'readwrite', { durability: 'strict' })
        await Promise.all([record === undefined ? tx.store.delete(RECORD) : tx.store.put(record, RECORD), tx.done])
      } catch (thrown) {
        throw storageProblem(thrown)
      }
      channel?.postMessage('changed')
    },
    async exclusive(work) {
      if (navigator.locks) return navigator.locks.request(CHANNEL, () => work())
      const turn = last.then(work, work)
      last = turn.catch(() => undefined)
      return turn
    },
    watch(changed) {
      channel?.addEventListener('message', changed)
      return () => channel?.close()
    },
  }
}
