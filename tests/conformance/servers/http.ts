/** A local HTTP server whose answers are written by the tests, with everything it was asked. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  /** Parsed JSON, or undefined. */
  body: Record<string, unknown>
  /** Resolves when the other side has gone or the answer is finished; true if it went before. */
  closedEarly: Promise<boolean>
}

export interface LocalServer {
  url: string
  received: Received[]
  close(): Promise<void>
}

export async function serve(handle: (request: Received, response: ServerResponse) => Promise<void> | void): Promise<LocalServer> {
  const received: Received[] = []
  const server = createServer((incoming, response) => {
    void (async () => {
      cors(incoming, response)
      if (incoming.method === 'OPTIONS') {
        response.writeHead(204).end()
        return
      }
      const request = await read(incoming, response)
      received.push(request)
      await handle(request, response)
    })().catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What hosted APIs that take calls from pages answer. */
function cors(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', 'retry-after, retry-after-ms')
  const asked = request.headers['access-control-request-headers']
  if (asked) response.setHeader('access-control-allow-headers', asked)
}

async function read(incoming: IncomingMessage, response: ServerResponse): Promise<Received> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString('utf8')
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    // A request without a body, or none of JSON.
  }
  const closedEarly = new Promise<boolean>((resolve) => {
    response.on('finish', () => resolve(false))
    response.on('close', () => resolve(!response.writableFinished))
  })
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, text, body, closedEarly }
}

export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/**
 * A fetch whose answers arrive in pieces of `size` bytes, so that characters, lines and JSON are cut everywhere.
 */
export function inPieces(size: number, then: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await then(input, init)
    if (!response.body) return response
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      },
    })
    return new Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers })
  }
}
