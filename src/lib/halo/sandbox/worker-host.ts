import type { EngineLimits } from './engine/engine.ts'
import { CANCELLED_WORDS, EXIT_CANCELLED, EXIT_TIMEOUT, timeoutWords, type ExecHooks, type Executed, type Executor, type ExecRequest } from './executor.ts'
import type { FileSystem } from './filesystem.ts'
import { walkUp } from './filesystem.ts'
import { applyStates, stateOf } from './sync.ts'
import type { FromWorker, ToWorker } from './worker-protocol.ts'

/** A worker of whatever platform, as the host needs it. */
export interface EngineWorker {
  post(message: ToWorker): void
  /** Called once, before the first post. */
  listen(onMessage: (message: FromWorker) => void, onFailure: (message: string) => void): void
  terminate(): void | Promise<unknown>
}

export interface WorkerExecutorOptions {
  start(): EngineWorker
  /** What the worker starts with; see `ToWorker`. */
  wasm?: WebAssembly.Module
  wasmUrl?: string
  limits?: Partial<EngineLimits>
  /** The host's files, where the worker keeps a copy. `seed`: the copy starts empty and gets all of them; else it starts equal and gets what changed. */
  copy?: { files: FileSystem; seed: boolean }
}

/** How long a stop by the shared flag, and a time limit inside the worker, may take before the worker is ended. */
const GRACE_MS = 500

/** Runs commands in a worker. Ending the worker loses nothing but the unfinished command: the files are the host's. */
export function workerExecutor(options: WorkerExecutorOptions): Executor {
  const { copy } = options
  const shared = typeof SharedArrayBuffer !== 'undefined' && canShare()
  let worker: EngineWorker | undefined
  let isReady = false
  let stop: Int32Array | undefined
  let lastId = 0
  let current: { id: number; message(message: FromWorker): void; failed(why: string): void } | undefined
  /** Paths in which the worker's copy is out of date. */
  let stale = new Set<string>()
  const everChanged = new Set<string>()

  function started(): EngineWorker {
    if (worker) return worker
    const fresh = options.start()
    isReady = false
    const failed = (why: string) => {
      if (worker !== fresh) return
      worker = undefined
      void fresh.terminate()
      current?.failed(why)
    }
    fresh.listen((message) => {
      if (worker !== fresh) return
      if (message.type === 'ready') isReady = true
      if (message.type === 'failed') failed(message.message)
      else current?.message(message)
    }, failed)
    const buffer = shared ? new SharedArrayBuffer(4) : undefined
    stop = buffer && new Int32Array(buffer)
    fresh.post({ type: 'start', wasm: options.wasm, wasmUrl: options.wasmUrl, limits: options.limits, stop: buffer })
    stale = new Set(copy?.seed ? [...walkUp(copy.files, '/')].map(({ path }) => path).filter((path) => path !== '/') : everChanged)
    return (worker = fresh)
  }

  function end(): void {
    void worker?.terminate()
    worker = undefined
  }

  return {
    run(request: ExecRequest, { files, signal, onOutput }: ExecHooks): Promise<Executed> {
      const to = started()
      const id = ++lastId
      if (stop) Atomics.store(stop, 0, 0)
      return new Promise((resolve, reject) => {
        let output = { stdout: '', stderr: '' }
        let watchdog: ReturnType<typeof setTimeout> | undefined
        const over = (result: Executed) => {
          clearTimeout(watchdog)
          signal?.removeEventListener('abort', cancel)
          current = undefined
          resolve(result)
        }
        const kill = (exitCode: number, words: string, limit: 'time' | 'cancelled') => {
          end()
          over({ exitCode, stdout: output.stdout, stderr: `${output.stderr}${words}\n`, limit })
        }
        const cancel = () => {
          if (!stop) return kill(EXIT_CANCELLED, CANCELLED_WORDS, 'cancelled')
          Atomics.store(stop, 0, 1)
          clearTimeout(watchdog)
          watchdog = setTimeout(() => kill(EXIT_CANCELLED, CANCELLED_WORDS, 'cancelled'), GRACE_MS)
        }
        const receive = (states: Parameters<typeof applyStates>[1]) => {
          applyStates(files, states)
          for (const { path } of states) everChanged.add(path)
        }
        current = {
          id,
          message(message) {
            if (message.type === 'ready') {
              // Loading the engine is not the command's time.
              if (!signal?.aborted) arm()
            } else if (message.type === 'failed' || message.id !== id) return
            else if (message.type === 'states') receive(message.states)
            else if (message.type === 'output') {
              output = { ...output, [message.stream]: output[message.stream] + message.text }
              onOutput?.(message.stream, message.text)
            } else {
              receive(message.states)
              over({ ...message.result, changes: message.changes })
            }
          },
          failed(why) {
            clearTimeout(watchdog)
            signal?.removeEventListener('abort', cancel)
            current = undefined
            reject(new Error(`The sandbox's engine stopped: ${why}`))
          },
        }
        const arm = () => {
          clearTimeout(watchdog)
          watchdog = setTimeout(() => kill(EXIT_TIMEOUT, timeoutWords(request.timeoutMs), 'time'), request.timeoutMs + GRACE_MS)
        }
        signal?.addEventListener('abort', cancel, { once: true })
        const states = copy ? stateOf(copy.files, stale) : []
        stale = new Set()
        to.post({ type: 'exec', id, request, states })
        if (isReady) arm()
        if (signal?.aborted) cancel()
      })
    },
    changed(paths) {
      for (const path of paths) {
        stale.add(path)
        everChanged.add(path)
      }
    },
    dispose: end,
  }
}

/** A page may have SharedArrayBuffer and still not be let to post it to a worker. */
function canShare(): boolean {
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated
  return isolated !== false
}
