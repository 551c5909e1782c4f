import { memorySandbox } from '../../halo/sandbox/memory.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'

/** The embedded sandbox of a page: files in memory, commands in a worker of its own. */
export async function createEmbedded(): Promise<Sandbox> {
  return memorySandbox()
}
