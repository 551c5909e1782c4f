/** Replicate (replicate.com/docs/reference/http, replicate.com/docs/topics/predictions/streaming): text only, one prompt in, text out. */
import { isObject } from './calls.ts'
import type { Connection } from './credentials.ts'
import { fault, halfStream, protocolFault, readFault, stopped } from './faults.ts'
import { serverEvents } from './lines.ts'
import { textOf } from './parts.ts'
import type { ProviderModule } from './registry.ts'
import type { ModelChunk, ModelRequest, StopReason, Usage } from './types.ts'
import { openWire } from './wire.ts'

export const createAdapter: ProviderModule['createAdapter'] = (connect) => ({
  supportsTools: false,
  async *stream(request, signal): AsyncGenerator<ModelChunk> {
    const connection = await connect(request)
    const wire = openWire(connection, request, signal)
    const api = connection.baseUrl.endsWith('/v1') ? connection.baseUrl : `${connection.baseUrl}/v1`
    const [name = '', version] = request.model.split(':')
    const response = await wire.fetch(version ? `${api}/predictions` : `${api}/models/${name.split('/').map(encodeURIComponent).join('/')}/predictions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...(version ? { version } : {}), stream: true, input: inputOf(request) }),
    })
    yield wire.raw()
    let prediction: Prediction | undefined
    try {
      prediction = await readPrediction(connection, response)
      const { chunks, last } = prediction.urls.stream ? streamed(connection, wire.fetch, prediction, signal) : polled(connection, wire.fetch, prediction, signal)
      yield* chunks
      const end = await last()
      if (end.usage) yield { type: 'usage', usage: end.usage }
      yield { type: 'stop', reason: end.stop }
      yield wire.raw()
    } catch (error) {
      // The prediction would run on, and be billed, after the connection is gone.
      if (signal.aborted && prediction?.urls.cancel) cancel(connection, request, prediction.urls.cancel)
      throw readFault(connection, error, signal)
    }
  },
})

/** Names that language models on Replicate take (replicate.com/docs/reference/how-do-models-work; each model may ignore some). */
function inputOf(request: ModelRequest): Record<string, unknown> {
  return {
    prompt: promptOf(request),
    ...(request.system ? { system_prompt: request.system } : {}),
    max_tokens: request.maxTokens,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { top_p: request.topP }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
  }
}

/** One message is the prompt itself; a conversation is written out. */
function promptOf(request: ModelRequest): string {
  const [only] = request.messages
  if (request.messages.length === 1 && only) return textOf(only)
  const speaker = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' }
  return `${request.messages.map((message) => `${speaker[message.role]}: ${textOf(message)}`).join('\n\n')}\n\nAssistant:`
}

interface Prediction {
  status: string
  output: unknown
  error: unknown
  metrics: Record<string, unknown>
  urls: { get?: string; stream?: string; cancel?: string }
}

async function readPrediction(connection: Connection, response: Response): Promise<Prediction> {
  const json: unknown = await response.json()
  if (!isObject(json)) throw protocolFault(connection, 'it is no prediction')
  const urls = isObject(json.urls) ? json.urls : {}
  const url = (name: string): string | undefined => (typeof urls[name] === 'string' ? urls[name] : undefined)
  return {
    status: String(json.status ?? ''),
    output: json.output,
    error: json.error,
    metrics: isObject(json.metrics) ? json.metrics : {},
    urls: { get: url('get'), stream: url('stream'), cancel: url('cancel') },
  }
}

interface Reading {
  chunks: AsyncGenerator<ModelChunk>
  last(): Promise<{ usage?: Usage; stop: StopReason }>
}

function streamed(connection: Connection, get: typeof fetch, prediction: Prediction, signal: AbortSignal): Reading {
  const url = prediction.urls.stream ?? ''
  async function* chunks(): AsyncGenerator<ModelChunk> {
    const response = await get(url, { headers: { accept: 'text/event-stream' } })
    if (!response.body) throw halfStream(connection)
    for await (const { event, data } of serverEvents(response.body)) {
      if (event === 'output' && data !== '') yield { type: 'text', text: data }
      else if (event === 'error') throw failed(detailOf(data))
      else if (event === 'done') {
        const reason = reasonOf(data)
        if (reason === 'error') throw failed(prediction.urls.get ? await errorOf(connection, get, prediction.urls.get) : 'no reason given')
        if (reason === 'canceled') throw failed('it was canceled')
        return
      }
    }
    throw signal.aborted ? stopped(signal) : halfStream(connection)
  }
  return {
    chunks: chunks(),
    async last() {
      // The counts aren't in the stream; that they can't be had is no reason to lose the answer.
      const done = prediction.urls.get ? await get(prediction.urls.get, {}).then((response) => readPrediction(connection, response), () => undefined) : undefined
      return { ...usageOf(done?.metrics ?? {}), stop: 'stop' }
    },
  }
}

/** For models that can't stream: ask until it is done. */
function polled(connection: Connection, get: typeof fetch, first: Prediction, signal: AbortSignal): Reading {
  let prediction = first
  async function* chunks(): AsyncGenerator<ModelChunk> {
    while (prediction.status === 'starting' || prediction.status === 'processing') {
      if (!prediction.urls.get) throw protocolFault(connection, 'a prediction without an address')
      await pause(500, signal)
      prediction = await readPrediction(connection, await get(prediction.urls.get, {}))
    }
    if (prediction.status !== 'succeeded') throw failed(typeof prediction.error === 'string' ? prediction.error : prediction.status)
    const { output } = prediction
    const text = Array.isArray(output) ? output.join('') : typeof output === 'string' ? output : output === null || output === undefined ? '' : JSON.stringify(output)
    if (text !== '') yield { type: 'text', text }
  }
  return { chunks: chunks(), last: () => Promise.resolve({ ...usageOf(prediction.metrics), stop: 'stop' }) }
}

async function errorOf(connection: Connection, get: typeof fetch, url: string): Promise<string> {
  const prediction = await readPrediction(connection, await get(url, {}))
  return typeof prediction.error === 'string' ? prediction.error : 'no reason given'
}

function usageOf(metrics: Record<string, unknown>): { usage?: Usage } {
  const { input_token_count: input, output_token_count: output } = metrics
  return typeof input === 'number' || typeof output === 'number' ? { usage: { input: Number(input ?? 0), output: Number(output ?? 0) } } : {}
}

const failed = (why: string): Error =>
  fault('MODEL_ERROR', `The model on Replicate failed: ${why.replace(/[.\s]+$/, '')}. Look at the prediction on replicate.com, or use another model.`, { kind: 'server', retry: '5xx' })

function detailOf(data: string): string {
  const json = asJson(data)
  return isObject(json) && typeof json.detail === 'string' ? json.detail : data || 'no reason given'
}

function reasonOf(data: string): unknown {
  const json = asJson(data)
  return isObject(json) ? json.reason : undefined
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Plain words, or nothing.
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(stopped(signal))
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Best effort, on a signal of its own since the request's is aborted. */
function cancel(connection: Connection, request: ModelRequest, url: string): void {
  void openWire(connection, request, AbortSignal.timeout(5000))
    .fetch(url, { method: 'POST' })
    .catch(() => undefined)
}
