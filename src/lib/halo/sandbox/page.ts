import { memorySandbox, type MemorySandboxOptions } from './memory.ts'
import type { Sandbox } from './types.ts'
import type { EngineWorker } from './worker-host.ts'
import type { FromWorker } from './worker-protocol.ts'

export interface WorkerSandboxOptions extends Pick<MemorySandboxOptions, 'files' | 'limits'> {
  /** Where the page serves QuickJS's WebAssembly: `import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url'`. */
  wasmUrl: string
}

/** The page's sandbox: files here, commands in a module worker that can be ended at any time. */
export function createWorkerSandbox({ wasmUrl, ...options }: WorkerSandboxOptions): Sandbox {
  return memorySandbox({ ...options, worker: { start: pageWorker, wasmUrl: new URL(wasmUrl, import.meta.url).href } })
}

function pageWorker(): EngineWorker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return {
    post: (message) => worker.postMessage(message),
    listen(onMessage, onFailure) {
      worker.addEventListener('message', (event: MessageEvent<FromWorker>) => onMessage(event.data))
      worker.addEventListener('error', (event) => onFailure(event.message || 'it could not be loaded'))
      worker.addEventListener('messageerror', () => onFailure('a message could not be read'))
    },
    terminate: () => worker.terminate(),
  }
}
