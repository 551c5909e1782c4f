/** What a person has agreed to run, as it is stored. */
import type { Database } from '../../storage/database.ts'

/** A content, by the name it had then. */
export interface Agreement {
  digest: string
  name?: string
  /** Milliseconds since the epoch. */
  at?: number
}

export const AGREED = 'agreed'
/** The channel on which changes are told. */
export const CHANGED = 'halo-agreed'

/** The newest first. */
export async function agreementsIn(db: Database): Promise<Agreement[]> {
  return readAgreements(await db.get('settings', AGREED).catch(() => undefined))
}

/** They were digests alone at first. */
export function readAgreements(kept: unknown): Agreement[] {
  if (!Array.isArray(kept)) return []
  const seen = new Set<string>()
  return kept.flatMap((one: unknown): Agreement[] => {
    const { digest, name, at } = typeof one === 'string' ? { digest: one, name: undefined, at: undefined } : typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : {}
    if (typeof digest !== 'string' || seen.has(digest)) return []
    seen.add(digest)
    return [{ digest, ...(typeof name === 'string' ? { name } : {}), ...(typeof at === 'number' ? { at } : {}) }]
  })
}
