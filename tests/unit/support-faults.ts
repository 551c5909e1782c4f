/** IndexedDB as it fails: from the nth write on, once or until there is room again. */
import 'fake-indexeddb/auto'

/** How a browser tells: at the call itself, or when the transaction is broken off. */
export type Fault = 'thrown' | 'QuotaExceededError' | 'AbortError'

interface Faults {
  /** Writes so far. */
  writes: number
  /** Of them, those that failed. */
  failed: number
  /** The stores of those that failed. */
  stores: string[]
  room(): void
  restore(): void
}

export function failFrom(n: number, fault: Fault, lasting: boolean): Faults {
  const { put, add } = IDBObjectStore.prototype
  let full = false
  const state: Faults = {
    writes: 0,
    failed: 0,
    stores: [],
    room: () => (full = false),
    restore: () => Object.assign(IDBObjectStore.prototype, { put, add }),
  }
  const failing = (write: typeof put): typeof put =>
    function (this: IDBObjectStore, ...given: Parameters<typeof put>) {
      state.writes++
      if (state.writes === n && lasting) full = true
      if (!full && (lasting || state.writes !== n)) return write.apply(this, given)
      state.failed++
      state.stores.push(this.name)
      if (fault === 'thrown') throw new DOMException('no room', 'QuotaExceededError')
      const request = write.apply(this, given)
      const transaction = this.transaction as IDBTransaction & { _abort(name: string): void }
      // Not within the call: a browser finds out when it writes to the disk.
      queueMicrotask(() => transaction._abort(fault))
      return request
    }
  Object.assign(IDBObjectStore.prototype, { put: failing(put), add: failing(add) })
  return state
}
