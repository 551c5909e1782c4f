import type { EngineLimits } from './engine/engine.ts'
import type { Executed, ExecRequest } from './executor.ts'
import type { FileState } from './sync.ts'
import type { RawChange } from './tracking.ts'

/** To the worker. */
export type ToWorker =
  | {
      type: 'start'
      /** The compiled engine, or where to fetch it; neither where the platform finds it by itself. */
      wasm?: WebAssembly.Module
      wasmUrl?: string
      /** Set to 1 to stop the running command; only where memory can be shared. */
      stop?: SharedArrayBuffer
      limits?: Partial<EngineLimits>
    }
  /** `states` bring the worker's copy of the files up to date. */
  | { type: 'exec'; id: number; request: ExecRequest; states: FileState[] }

/** From the worker. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  /** Files that the running command changed so far: kept even when it is killed. */
  | { type: 'states'; id: number; states: FileState[] }
  | { type: 'output'; id: number; stream: 'stdout' | 'stderr'; text: string }
  | { type: 'done'; id: number; result: Executed; states: FileState[]; changes?: RawChange[] }
