/** What a page needs to try the adapters in a browser; built by models-chromium.test.ts. */
import { HaloError } from '../../../src/lib/halo/errors.ts'
import { collectAnswer } from './collect-answer.ts'
import { modelAdapter } from '../../../src/lib/halo/models/registry.ts'
import type { ModelAnswer, ModelRequest } from '../../../src/lib/halo/models/types.ts'
import { inPieces } from './http.ts'

export interface PageAnswer {
  answer?: ModelAnswer
  error?: { code: string; message: string; data?: unknown }
  /** Milliseconds of the longest task while it ran. */
  longest: number
  textChunks: number
}

async function ask(request: ModelRequest, baseUrl: string, pieces?: number, abortAfter?: number): Promise<PageAnswer> {
  const adapter = await modelAdapter(request.provider, { keys: () => ({ apiKey: 'key-0123456789', baseUrl }) })
  let longest = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
  })
  observer.observe({ type: 'longtask' })
  const stop = new AbortController()
  let textChunks = 0
  let drawn = 0
  const line = document.body.appendChild(document.createElement('p'))
  const out: PageAnswer = { longest: 0, textChunks: 0 }
  try {
    out.answer = await collectAnswer(adapter.stream({ ...request, fetch: pieces === undefined ? undefined : inPieces(pieces) }, stop.signal), (chunk) => {
      if (chunk.type !== 'text') return
      textChunks++
      // As a transcript does: what is shown changes, though not for every chunk.
      if (performance.now() - drawn > 50) {
        line.textContent = `${textChunks} ${chunk.text}`
        drawn = performance.now()
      }
      if (textChunks === abortAfter) stop.abort()
    })
  } catch (error) {
    if (!(error instanceof HaloError)) throw error
    out.error = error.toJSON()
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  observer.disconnect()
  return { ...out, longest, textChunks }
}

Object.assign(globalThis, { ask })
