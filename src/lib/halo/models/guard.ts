/** What holds for every adapter, Halo's own and registered ones alike, whatever its API does. */
import { HaloError, messageOf } from '../errors.ts'
import { wholeCall } from './calls.ts'
import { providerTitle } from './catalogue.ts'
import { fault, ownError, stopped } from './faults.ts'
import { withSchemaInPrompt } from './structured.ts'
import type { ModelChunk, ModelRequest, StopReason, StreamingAdapter } from './types.ts'

/**
 * The adapter with these promises: with `toolChoice: 'none'` there are no calls; ids of calls are unique in the turn; a stop
 * chunk comes once, after everything but `raw`; a schema reaches the model; it ends at once when the signal aborts;
 * what it throws is a HaloError.
 */
export function guarded(prefix: string, adapter: StreamingAdapter): StreamingAdapter {
  return {
    supportsTools: adapter.supportsTools ?? true,
    supportsSchema: true,
    stream: (request, signal) => guardedStream(prefix, adapter, request, signal),
  }
}

async function* guardedStream(prefix: string, adapter: StreamingAdapter, asked: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  if (signal.aborted) throw stopped(signal)
  const request = adapter.supportsSchema ? asked : withSchemaInPrompt(asked)
  const ids = new Set<string>()
  let stop: StopReason | undefined
  const raw: ModelChunk[] = []
  const untilAborted = abortable(signal)
  let source: AsyncIterator<ModelChunk> | Iterator<ModelChunk> | undefined
  let ended = false
  try {
    const iterable = adapter.stream(request, signal)
    source = Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]()
    for (;;) {
      const coming = source.next()
      // A synchronous adapter has nothing to wait for.
      const next = coming instanceof Promise ? await untilAborted.wait(coming) : coming
      if (signal.aborted) throw stopped(signal)
      if (next.done) break
      const chunk = next.value
      switch (chunk.type) {
        case 'tool_delta':
          if (request.toolChoice !== 'none') yield chunk
          break
        case 'tool_call':
          if (request.toolChoice !== 'none') yield { ...chunk, call: wholeCall(chunk.call, ids) }
          break
        case 'stop':
          stop = chunk.reason
          break
        case 'raw':
          if (stop === undefined) yield chunk
          else raw.push(chunk)
          break
        default:
          yield chunk
      }
    }
    ended = true
    yield { type: 'stop', reason: stopReason(stop, ids.size) }
    yield* raw
  } catch (error) {
    throw asHaloError(prefix, error, signal)
  } finally {
    untilAborted.done()
    // Not awaited: an adapter that hangs would hang its caller too.
    if (!ended) void Promise.resolve(source?.return?.()).catch(() => undefined)
  }
}

function stopReason(said: StopReason | undefined, calls: number): StopReason {
  if (calls > 0 && (said === undefined || said === 'stop')) return 'tool_calls'
  if (calls === 0 && said === 'tool_calls') return 'stop'
  return said ?? 'stop'
}

/** Waits that end when the signal aborts, one at a time. (`Promise.race` with one promise would keep every wait until the end.) */
function abortable(signal: AbortSignal): { wait<T>(value: Promise<T>): Promise<T>; done(): void } {
  let reject: (error: unknown) => void = () => undefined
  const listener = (): void => reject(stopped(signal))
  let listening = false
  return {
    wait: (value) =>
      new Promise((resolve, fail) => {
        if (signal.aborted) return fail(stopped(signal)) // Between two waits, when nobody listened.
        reject = fail
        if (!listening) signal.addEventListener('abort', listener, { once: true })
        listening = true
        value.then(resolve, fail)
      }),
    done: () => {
      if (listening) signal.removeEventListener('abort', listener)
    },
  }
}

function asHaloError(prefix: string, error: unknown, signal: AbortSignal): HaloError {
  if (signal.aborted) return stopped(signal)
  const own = ownError(error)
  if (own) return own
  const title = providerTitle(prefix)
  // What fetch throws when there is no connection.
  if (error instanceof TypeError && /fetch|network|load failed|terminated/i.test(error.message)) {
    return fault('NETWORK', `${title} can't be reached (${error.message}). Check the address and the network.`, { kind: 'unreachable', retry: 'network' }, error)
  }
  // Its cause says whether another attempt is worth it: an adapter may throw a TransientError, or an error with a status.
  return new HaloError('MODEL_ERROR', `${title} failed: ${messageOf(error).replace(/\.$/, '')}. Look at its adapter, or use another model.`, { cause: error })
}
