/** Replicate as documented: replicate.com/docs/reference/http (create, get, cancel), replicate.com/docs/topics/predictions/streaming. */
import { json } from './http.ts'
import { must, write } from './script.ts'
import type { Answer, Protocol, Understood } from './script.ts'

type Obj = Record<string, unknown>

/** `streams: false`: a model without a stream URL, which is polled. */
export function replicateProtocol(streams = true): Protocol & { canceled: string[] } {
  const open = new Map<string, { answer: Answer; polls: number }>()
  const canceled: string[] = []
  let number = 0
  return {
    canceled,
    understand(request) {
      const path = /^\/v1\/models\/([^/]+\/[^/]+)\/predictions$/.exec(request.path)
      must(request.method === 'POST' && (path || request.path === '/v1/predictions'), `POST …/predictions, not ${request.path}`)
      const input = (request.body.input ?? {}) as Obj
      must(typeof input.prompt === 'string', 'input.prompt')
      const out: Understood = { model: path?.[1] ?? String(request.body.version), tools: [], toolsOff: false, results: [], images: [], calls: [], signatures: [], prompts: [input.prompt] }
      if (input.system_prompt) out.system = String(input.system_prompt)
      out.temperature = input.temperature
      out.maxTokens = input.max_tokens
      out.key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
      return out
    },
    answer(answer, request, response) {
      const id = `p${++number}`
      open.set(id, { answer, polls: 0 })
      const base = `http://${request.headers.host}`
      json(response, 201, {
        id,
        status: 'starting',
        output: null,
        error: null,
        urls: { get: `${base}/v1/predictions/${id}`, cancel: `${base}/v1/predictions/${id}/cancel`, ...(streams ? { stream: `${base}/stream/${id}` } : {}) },
      })
    },
    other(request, response) {
      const [, kind, id = ''] = /^\/(?:v1\/)?(predictions|stream)\/(\w+)/.exec(request.path) ?? []
      const prediction = open.get(id)
      if (!prediction) return false
      if (request.path.endsWith('/cancel')) {
        canceled.push(id)
        json(response, 200, { id, status: 'canceled' })
      } else if (kind === 'stream') void stream(prediction.answer, response)
      else {
        const { answer } = prediction
        const done = streams || ++prediction.polls > 1
        json(response, 200, {
          id,
          status: done ? (answer.fault ? 'failed' : 'succeeded') : 'processing',
          output: done ? answer.text : null,
          error: done && answer.fault ? 'CUDA out of memory' : null,
          metrics: answer.usage ? { input_token_count: answer.usage.input, output_token_count: answer.usage.output } : {},
          urls: { get: `http://${request.headers.host}${request.path}` },
        })
      }
      return true
    },
    refusal: (status, message) => ({ title: 'Refused', detail: message, status }),
  }
}

async function stream(answer: Answer, response: import('node:http').ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [at, text] of (answer.text ?? []).entries()) {
    await write(response, `event: output\nid: 1690212292:${at}\n${text.split('\n').map((line) => `data: ${line}`).join('\n')}\n\n`)
  }
  if (answer.fault === 'hang') return
  if (answer.fault === 'half') {
    response.end('event: outp')
    return
  }
  if (answer.fault === 'error event') await write(response, 'event: error\nid: 2\ndata: {"detail":"An unexpected error occurred"}\n\n')
  response.end('event: done\nid: 3\ndata: {}\n\n')
}
