import { createSandbox, type SandboxParts } from './create.ts'
import type { EngineOptions } from './engine/engine.ts'
import type { Executor } from './executor.ts'
import { inThreadExecutor } from './in-thread.ts'
import { MemoryFileSystem, type MemoryLimits } from './memory-files.ts'
import type { Sandbox } from './types.ts'
import { workerExecutor, type WorkerExecutorOptions } from './worker-host.ts'

export interface MemorySandboxOptions {
  /** Contents by path; folders are made. */
  files?: Record<string, string | Uint8Array>
  /** The worker in which commands run. Absent: they run in this thread, held by the same limits, but only a time limit can end a busy one. */
  worker?: EngineStart
  limits?: Partial<MemoryLimits>
  engine?: EngineOptions
}

export type EngineStart = Omit<WorkerExecutorOptions, 'copy'>

/** A sandbox whose files live in memory. */
export function memorySandbox(options: MemorySandboxOptions = {}): Sandbox {
  const start = options.worker
  return createSandbox(memoryParts(new MemoryFileSystem(options), start ? (files) => workerExecutor({ ...start, copy: { files, seed: true } }) : () => inThreadExecutor(options.engine)))
}

/** The parts over files in memory, whatever runs their commands. */
export function memoryParts(files: MemoryFileSystem, executor: (files: MemoryFileSystem) => Executor, base = '/'): SandboxParts {
  return {
    files,
    base,
    executor: () => executor(files),
    copy: () => memoryParts(files.copy(), executor, base),
  }
}
