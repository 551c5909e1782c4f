import type { Card } from '../cards/gate.svelte.ts'
import type { Preview } from '../cards/preview.ts'

/** What cards and rows need to know of the files around a run. */
export interface CardHelp {
  preview(card: Card): Promise<Preview>
  /** Changes when a file does that the card may be about. */
  version(card: Card): string
  /** Content by hash, for diffs of changes. */
  content(hash: string): Promise<Uint8Array | undefined>
}
