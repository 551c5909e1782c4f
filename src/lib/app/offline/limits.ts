/** What this browser, in this window and from this host, can't do. */
import type { OfflineState } from './updates.svelte.ts'

export type Limit = 'storage' | 'smallStorage' | 'offline' | 'offlineFailed' | 'isolation' | 'clipboard'

export interface Surroundings {
  /** Is what is stored kept when the tab closes? */
  kept: boolean
  /** Bytes that this page may store, where the browser says. */
  quota?: number
  offline: OfflineState
  isolated: boolean
  clipboard: boolean
}

/** Below this, a few recordings with files fill it. */
export const SMALL_QUOTA = 50_000_000

export function limitsOf({ kept, quota, offline, isolated, clipboard }: Surroundings): Limit[] {
  const limits: Limit[] = []
  if (!kept) limits.push('storage')
  else if (quota !== undefined && quota < SMALL_QUOTA) limits.push('smallStorage')
  if (offline === 'unsupported') limits.push('offline')
  // Without storage there is nothing the page could be kept in.
  else if (offline === 'failed' && kept) limits.push('offlineFailed')
  if (!isolated) limits.push('isolation')
  if (!clipboard) limits.push('clipboard')
  return limits
}
