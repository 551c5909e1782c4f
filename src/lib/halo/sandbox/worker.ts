/** The module worker of the page: `new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })`. */
import { MemoryFileSystem } from './memory-files.ts'
import type { ToWorker } from './worker-protocol.ts'
import { serveEngine } from './worker-serve.ts'

const scope = globalThis as unknown as { postMessage(message: unknown): void; addEventListener(type: 'message', listener: (event: { data: ToWorker }) => void): void }
const receive = serveEngine({ files: new MemoryFileSystem(), copy: true, post: (message) => scope.postMessage(message) })
scope.addEventListener('message', (event) => receive(event.data))
