import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url'
import { createWorkerSandbox } from '../../halo/sandbox/page.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'

/** The embedded sandbox of a page: files in memory, commands in a worker of its own. */
export function createEmbedded(): Sandbox {
  return createWorkerSandbox({ wasmUrl })
}
