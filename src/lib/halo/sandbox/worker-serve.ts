import { createEngine, type Engine } from './engine/engine.ts'
import type { FileSystem } from './filesystem.ts'
import { applyStates, stateOf } from './sync.ts'
import { track, type TrackedFiles } from './tracking.ts'
import type { FromWorker, ToWorker } from './worker-protocol.ts'

const FLUSH_EVERY_MS = 50

export interface ServeOptions {
  /** The worker's own view of the files. */
  files: FileSystem
  /** true: they are a copy, and changes go back as states. false: they are the files themselves, and changes go back with contents. */
  copy: boolean
  post(message: FromWorker): void
}

/** The worker's side: runs commands on its files and tells what they changed, on the way and at the end. */
export function serveEngine({ files, copy, post }: ServeOptions): (message: ToWorker) => void {
  let engine: Promise<Engine> | undefined
  let stop: Int32Array | undefined

  async function start(message: Extract<ToWorker, { type: 'start' }>): Promise<Engine> {
    const wasm = message.wasm ?? (message.wasmUrl === undefined ? undefined : await WebAssembly.compileStreaming(fetch(message.wasmUrl)))
    stop = message.stop && new Int32Array(message.stop)
    return createEngine({ wasm, limits: message.limits })
  }

  async function exec({ id, request, states }: Extract<ToWorker, { type: 'exec' }>): Promise<void> {
    applyStates(files, states)
    const tracked: TrackedFiles = track(files)
    let flushed = performance.now()
    const flush = () => {
      if (!copy || performance.now() - flushed < FLUSH_EVERY_MS) return
      flushed = performance.now()
      const touched = tracked.touched()
      if (touched.length > 0) post({ type: 'states', id, states: stateOf(files, touched) })
    }
    // Before commands, because a busy shell lets no timer through; by a timer, because a waiting one starts no command.
    const timer = setInterval(flush, FLUSH_EVERY_MS)
    const result = await (await engine)
      ?.exec(request, tracked, {
        cancelled: () => stop !== undefined && Atomics.load(stop, 0) === 1,
        onDispatch: flush,
        onOutput: (stream, text) => post({ type: 'output', id, stream, text }),
      })
      .finally(() => clearInterval(timer))
    if (!result) throw new Error('The engine was not started.')
    post({ type: 'done', id, result, states: copy ? stateOf(files, tracked.touched()) : [], ...(!copy && { changes: tracked.changes() }) })
  }

  return (message) => {
    const failed = (error: unknown) => post({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
    if (message.type === 'start') {
      engine = start(message)
      engine.then(() => post({ type: 'ready' }), failed)
    } else void exec(message).catch(failed)
  }
}
