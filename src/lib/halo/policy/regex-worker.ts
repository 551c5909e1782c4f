/** A RegexRunner on a worker that is killed when a pattern takes too long: for the page and for Node, whose workers differ. */
import type { RegexRunner } from './types.ts'

/** A pattern took longer than it may, or its worker died. */
export class RegexTimeout extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegexTimeout'
  }
}

/** What the runner needs of a worker. `onMessage` and `onError` are each set once, before the first message. */
export interface RegexWorker {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onError(listener: (error: unknown) => void): void
  terminate(): void
}

/**
 * The worker's whole program, as text without imports: in a page for `new Worker(URL.createObjectURL(new Blob([…])))`, in Node
 * for `new Worker(…, { eval: true })`. It says `ready` when it runs, so that starting it isn't counted against a pattern.
 */
export const REGEX_WORKER_SOURCE = `
const inNode = typeof self === 'undefined' || typeof self.postMessage !== 'function'
const port = inNode ? require('node:worker_threads').parentPort : self
const send = (message) => port.postMessage(message)
const compile = (pattern, flags) => {
  try { return new RegExp(pattern, 'u' + flags) } catch { return new RegExp(pattern, flags) }
}
const answer = ({ id, pattern, text, replacement }) => {
  try {
    const value = replacement === undefined
      ? compile(pattern, '').test(text)
      : text.replace(compile(pattern, 'g'), () => replacement)
    send({ id, value })
  } catch (error) {
    send({ id, error: String(error) })
  }
}
if (inNode) port.on('message', answer)
else self.onmessage = (event) => answer(event.data)
send({ ready: true })
`

interface Job {
  id: number
  message: { id: number; pattern: string; text: string; replacement?: string }
  resolve(value: unknown): void
  reject(error: Error): void
}

export interface RegexWorkerOptions {
  /** The time a pattern may take, in ms. */
  timeoutMs?: number
  /** The time a worker may take to start, in ms. */
  startMs?: number
}

/**
 * Runs one pattern at a time on a worker that `createWorker` starts at the first need, again after each time-out. A pattern
 * that takes longer than 100 ms rejects with RegexTimeout. `close` ends the worker; a later call starts another.
 */
export function regexWorkerRunner(createWorker: () => RegexWorker, options: RegexWorkerOptions = {}): Required<RegexRunner> & { close(): void } {
  const { timeoutMs = 100, startMs = 10_000 } = options
  const jobs: Job[] = []
  let worker: RegexWorker | undefined
  let ready = false
  let running: Job | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextId = 0

  const stop = (): void => {
    clearTimeout(timer)
    worker?.terminate()
    worker = undefined
    ready = false
  }

  /** The running job, or (while the worker starts) the first one, can't be answered. */
  const fail = (message: string): void => {
    stop()
    const job = running ?? jobs.shift()
    running = undefined
    job?.reject(new RegexTimeout(message))
    next()
  }

  const start = (): void => {
    const own = createWorker()
    worker = own
    // What an ended worker still has to say concerns nobody.
    own.onMessage((message) => {
      if (worker === own) receive(message)
    })
    own.onError((error) => {
      if (worker === own) fail(`The worker for regular expressions failed: ${String(error)}`)
    })
    timer = setTimeout(() => fail('The worker for regular expressions didn\'t start.'), startMs)
  }

  const receive = (message: unknown): void => {
    if (typeof message !== 'object' || message === null) return
    if ('ready' in message) {
      ready = true
      clearTimeout(timer)
      next()
      return
    }
    const { id, value, error } = message as { id?: unknown; value?: unknown; error?: unknown }
    if (!running || id !== running.id) return
    clearTimeout(timer)
    const job = running
    running = undefined
    if (error === undefined) job.resolve(value)
    else job.reject(new Error(String(error)))
    next()
  }

  const next = (): void => {
    if (running || jobs.length === 0) return
    if (!worker) start()
    if (!ready) return
    running = jobs.shift()
    if (!running) return
    const { pattern } = running.message
    timer = setTimeout(() => fail(`The regular expression ${pattern} took longer than ${timeoutMs} ms.`), timeoutMs)
    worker?.post(running.message)
  }

  const run = (pattern: string, text: string, replacement?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = nextId++
      jobs.push({ id, message: { id, pattern, text, replacement }, resolve, reject })
      next()
    })

  return {
    test: async (pattern, text) => (await run(pattern, text)) === true,
    replace: async (pattern, text, replacement) => String(await run(pattern, text, replacement)),
    close: () => {
      stop()
      const left = running ? [running, ...jobs] : [...jobs]
      running = undefined
      jobs.length = 0
      for (const job of left) job.reject(new RegexTimeout('The worker for regular expressions was closed.'))
    },
  }
}
