import type { EngineOptions } from './engine/engine.ts'
import type { Executor } from './executor.ts'

/** Runs commands in this thread. A busy command blocks it, and is ended by its time limit only. */
export function inThreadExecutor(options: EngineOptions = {}): Executor {
  const engine = import('./engine/engine.ts').then(({ createEngine }) => createEngine(options))
  // A failed load is the first exec's error, not an unhandled rejection.
  engine.catch(() => undefined)
  return {
    run: async (request, { files, signal, onOutput }) => (await engine).exec(request, files, { cancelled: () => signal?.aborted ?? false, onOutput }),
    dispose: () => undefined,
  }
}
