/** The worker thread of the command line's sandbox. */
import { parentPort, workerData } from 'node:worker_threads'
import type { FileSystem } from '../lib/halo/sandbox/filesystem.ts'
import { MemoryFileSystem } from '../lib/halo/sandbox/memory-files.ts'
import type { ToWorker } from '../lib/halo/sandbox/worker-protocol.ts'
import { serveEngine } from '../lib/halo/sandbox/worker-serve.ts'
import { NodeFileSystem } from './node-files.ts'
import type { NodeWorkerData } from './node-sandbox.ts'

const kind = (workerData as NodeWorkerData).files

function filesOf(): FileSystem {
  if (kind === 'real') return new NodeFileSystem()
  return new MemoryFileSystem(kind === 'copy' ? { source: new NodeFileSystem() } : {})
}

const receive = serveEngine({ files: filesOf(), copy: kind !== 'real', post: (message) => parentPort?.postMessage(message) })
parentPort?.on('message', (message: ToWorker) => receive(message))
