import { REGEX_WORKER_SOURCE, regexWorkerRunner, type RegexWorker } from '../../halo/policy/index.ts'

let runner: ReturnType<typeof regexWorkerRunner> | undefined

/** Runs the regular expressions that no proof holds to linear time, in a worker that is killed when they take too long. */
export function regexRunner(): ReturnType<typeof regexWorkerRunner> {
  return (runner ??= regexWorkerRunner(startWorker))
}

function startWorker(): RegexWorker {
  const url = URL.createObjectURL(new Blob([REGEX_WORKER_SOURCE], { type: 'text/javascript' }))
  const worker = new Worker(url)
  URL.revokeObjectURL(url)
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.addEventListener('message', (event: MessageEvent<unknown>) => listener(event.data)),
    onError: (listener) => worker.addEventListener('error', listener),
    terminate: () => worker.terminate(),
  }
}
