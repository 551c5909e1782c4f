/** A world that tools act on: a local server that counts what reaches it, and keeps some waiting. */
import type { ServerResponse } from 'node:http'
import { json, serve, type LocalServer } from '../conformance/servers/http.ts'

export interface World extends LocalServer {
  /** How often a path was asked for, whether it was answered or not. */
  count(path: string): number
  /** Called when the answer to a path has gone out. */
  onAnswered: ((path: string) => void) | undefined
}

/**
 * `/add…` counts up and tells how far it is. `/hang…` leaves its first request without an answer, for ever; it answers the
 * second, so that who asks again goes on. All else is answered at once.
 */
export async function world(): Promise<World> {
  const counts = new Map<string, number>()
  const made: World = { url: '', received: [], close: () => Promise.resolve(), count: (path) => counts.get(path) ?? 0, onAnswered: undefined }
  const server = await serve((request, response: ServerResponse) => {
    const path = request.path
    const n = (counts.get(path) ?? 0) + 1
    counts.set(path, n)
    if (path.startsWith('/hang') && n === 1) return
    response.on('finish', () => made.onAnswered?.(path))
    json(response, 200, { path, n })
  })
  return Object.assign(made, server)
}
