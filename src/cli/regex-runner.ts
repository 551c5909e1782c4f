import { Worker } from 'node:worker_threads'
import { REGEX_WORKER_SOURCE, regexWorkerRunner } from '../lib/halo/policy/index.ts'

/** Regular expressions that may take for ever, in a thread that is ended when they do. `close` lets the process end. */
export function nodeRegexRunner(): ReturnType<typeof regexWorkerRunner> {
  return regexWorkerRunner(() => {
    const thread = new Worker(REGEX_WORKER_SOURCE, { eval: true })
    return {
      post: (message) => thread.postMessage(message),
      onMessage: (listener) => void thread.on('message', listener),
      onError: (listener) => void thread.on('error', listener),
      terminate: () => void thread.terminate(),
    }
  })
}
