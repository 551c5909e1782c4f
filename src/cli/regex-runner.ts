/** Runs regular expressions that could take for ever in a thread of their own, which is ended when they do. */
import { Worker } from 'node:worker_threads'
import type { RegexRunner } from '../lib/halo/policy/types.ts'

/** Milliseconds that one expression may take on one text. */
const LIMIT_MS = 100

/** Runs in the thread. As text, so that it works from source and from the built file alike. */
const THREAD = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ pattern, text, replacement }) => {
  try {
    const value = replacement === undefined ? new RegExp(pattern, 'u').test(text) : text.replace(new RegExp(pattern, 'gu'), () => replacement)
    parentPort.postMessage({ value })
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message || error) })
  }
})
parentPort.postMessage({ ready: true })
`

interface Job {
  pattern: string
  text: string
  replacement?: string
}
type Reply = { ready: true } | { value: unknown } | { error: string }

export class RegexTimeout extends Error {
  constructor(limitMs: number) {
    super(`The regular expression took more than ${limitMs} ms.`)
    this.name = 'RegexTimeout'
  }
}

export function nodeRegexRunner(limitMs = LIMIT_MS): RegexRunner & { dispose(): Promise<void> } {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = async (): Promise<Worker> => {
    const started = new Worker(THREAD, { eval: true })
    await replyOf(started)
    return started
  }

  const perform = async (job: Job): Promise<unknown> => {
    thread ??= await start()
    const worker = thread
    worker.ref()
    try {
      const answer = replyOf(worker, limitMs)
      worker.postMessage(job)
      const reply = await answer
      if ('error' in reply) throw new Error(reply.error)
      return 'value' in reply ? reply.value : undefined
    } catch (error) {
      if (error instanceof RegexTimeout) {
        thread = undefined
        await worker.terminate()
      }
      throw error
    } finally {
      // Idle, it must not keep the process alive.
      worker.unref()
    }
  }

  /** One after the other: the limit is for one expression, not for those before it. */
  const queue = (job: Job): Promise<unknown> => {
    const done = last.then(() => perform(job))
    last = done.catch(() => undefined)
    return done
  }

  return {
    test: async (pattern, text) => (await queue({ pattern, text })) === true,
    replace: async (pattern, text, replacement) => String(await queue({ pattern, text, replacement })),
    async dispose() {
      await last
      await thread?.terminate()
      thread = undefined
    },
  }
}

function replyOf(worker: Worker, limitMs?: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const timer = limitMs === undefined ? undefined : setTimeout(() => done(() => reject(new RegexTimeout(limitMs))), limitMs)
    const done = (settle: () => void): void => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('error', onError)
      settle()
    }
    const onMessage = (reply: Reply): void => done(() => resolve(reply))
    const onError = (error: Error): void => done(() => reject(error))
    worker.once('message', onMessage)
    worker.once('error', onError)
  })
}
