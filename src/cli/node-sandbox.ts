import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createSandbox, type SandboxParts } from '../lib/halo/sandbox/create.ts'
import type { EngineLimits } from '../lib/halo/sandbox/engine/engine.ts'
import type { Executor } from '../lib/halo/sandbox/executor.ts'
import { MemoryFileSystem } from '../lib/halo/sandbox/memory-files.ts'
import { memoryParts } from '../lib/halo/sandbox/memory.ts'
import type { Sandbox } from '../lib/halo/sandbox/types.ts'
import { workerExecutor, type EngineWorker } from '../lib/halo/sandbox/worker-host.ts'
import type { FromWorker } from '../lib/halo/sandbox/worker-protocol.ts'
import { NodeFileSystem } from './node-files.ts'

export interface NodeSandboxOptions {
  /** The folder that relative paths are taken from. Default: the current one. */
  base?: string
  limits?: Partial<EngineLimits>
  /** The worker's script, where it isn't beside this file as in the sources. */
  workerUrl?: URL
}

/** What the worker thread is told: whose files it works on. */
export interface NodeWorkerData {
  files: 'real' | 'copy' | 'memory'
}

let compiled: WebAssembly.Module | undefined
/** Compiled once: each program gets an instance of its own. */
function quickJs(): WebAssembly.Module {
  const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return (compiled ??= new WebAssembly.Module(readFileSync(path)))
}

/** A sandbox on the real files of a folder. Its fork is a copy in memory that reads the disk and never writes to it. */
export function nodeSandbox(folderOrOptions: string | NodeSandboxOptions = {}): Sandbox {
  const options = typeof folderOrOptions === 'string' ? { base: folderOrOptions } : folderOrOptions
  const base = resolve(options.base ?? '.')
  return createSandbox(realParts(new NodeFileSystem(), base, options))
}

/** Files in memory with the engine in a worker thread. */
export function nodeMemorySandbox(files: Record<string, string | Uint8Array> = {}, options: NodeSandboxOptions = {}): Sandbox {
  return createSandbox(memoryParts(new MemoryFileSystem({ files }), (copy) => threadExecutor('memory', options, { files: copy, seed: true })))
}

function realParts(files: NodeFileSystem, base: string, options: NodeSandboxOptions): SandboxParts {
  return {
    files,
    base,
    executor: () => threadExecutor('real', options),
    copy: () => memoryParts(new MemoryFileSystem({ source: files }), (copy) => threadExecutor('copy', options, { files: copy, seed: false }), base),
  }
}

function threadExecutor(files: NodeWorkerData['files'], { limits, workerUrl }: NodeSandboxOptions, copy?: { files: MemoryFileSystem; seed: boolean }): Executor {
  return workerExecutor({ start: () => thread(files, workerUrl ?? builtWorker()), wasm: quickJs(), limits, copy })
}

/** In dist/ the worker's script lies at the top; Node can't run the source itself. */
function builtWorker(): URL {
  const own = import.meta.url
  const place = own.endsWith('.ts') ? '../../dist/' : own.includes('/chunks/') ? '../' : './'
  return new URL(`${place}node-sandbox-worker.js`, own)
}

function thread(files: NodeWorkerData['files'], url: URL): EngineWorker {
  const worker = new Worker(url, { workerData: { files } satisfies NodeWorkerData, stdout: false, stderr: false })
  // A waiting worker doesn't hold the command line open.
  worker.unref()
  let busy = 0
  return {
    post(message) {
      if (message.type === 'exec' && busy++ === 0) worker.ref()
      worker.postMessage(message)
    },
    listen(onMessage, onFailure) {
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'done' && --busy === 0) worker.unref()
        onMessage(message)
      })
      worker.on('error', (error) => onFailure(error.message))
      worker.on('exit', (code) => onFailure(`it ended with code ${code}`))
    },
    terminate: () => worker.terminate(),
  }
}
