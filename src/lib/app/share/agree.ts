/** Agreements that are given and taken back, in storage; told to all that show or hold to them. */
import type { Database } from '../../storage/database.ts'
import { transact } from '../../storage/transact.ts'
import { AGREED, CHANGED, readAgreements, type Agreement } from './agreements.ts'

/** So many are kept. */
const MOST = 500

export function agree(db: Database, agreement: Agreement): Promise<void> {
  return change(db, (agreed) => [agreement, ...agreed.filter(({ digest }) => digest !== agreement.digest)])
}
/** It is asked about again before it runs the next time. What runs already goes on. */
export function takeBack(db: Database, digest: string): Promise<void> {
  return change(db, (agreed) => agreed.filter((one) => one.digest !== digest))
}

async function change(db: Database, to: (agreed: Agreement[]) => Agreement[]): Promise<void> {
  await transact(db, ['settings'], async (tx) => {
    // Another tab may have written since.
    const agreed = to(readAgreements(await tx.objectStore('settings').get(AGREED)))
    await tx.objectStore('settings').put(agreed.slice(0, MOST), AGREED)
  })
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(CHANGED)
  channel.postMessage('changed')
  channel.close()
}
