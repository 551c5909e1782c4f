/** What a test server is told to answer, in no provider's form, and what it understood of a request. */
import type { ServerResponse } from 'node:http'
import { json, serve } from './http.ts'
import type { LocalServer, Received } from './http.ts'

export interface Answer {
  reasoning?: string
  /** Pieces, each an event of its own where the protocol streams. */
  text?: string[]
  calls?: { id?: string; name: string; args?: Record<string, unknown>; /** Arguments as text, where the protocol has them as text. */ raw?: string }[]
  stop?: 'stop' | 'tool_calls' | 'max_tokens' | 'content_filter'
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number; reasoning?: number }
  /** Marks that the provider wants back: signatures of the calls or of the reasoning. */
  signature?: string
  /** How it goes wrong: the stream ends before its end; a line is no JSON; it hangs after the text; an error comes within it. */
  fault?: 'half' | 'malformed' | 'hang' | 'error event'
  /** Instead of an answer. */
  refuse?: { status: number; body: unknown; headers?: Record<string, string> }
}

/** A request as the protocol's documentation says it is to be read. */
export interface Understood {
  model?: string
  system?: string
  /** Names of the functions offered. */
  tools: string[]
  toolsOff: boolean
  /** Results in the order sent; `id` where the protocol has them. */
  results: { id?: string; name?: string; text: string }[]
  /** Base64 of the images, anywhere. */
  images: string[]
  /** Whether images stood within the results of calls. */
  imagesInResults?: boolean
  /** Calls of earlier answers. */
  calls: { id?: string; name: string; args: unknown }[]
  /** Marks that came back. */
  signatures: string[]
  schema?: unknown
  temperature?: unknown
  maxTokens?: unknown
  /** Text of the user's turns. */
  prompts: string[]
  key?: string
}

export interface Protocol {
  /** Sends one answer. */
  answer(answer: Answer, request: Received, response: ServerResponse): Promise<void> | void
  /** Reads a request, and throws an Error that names the rule of the documentation it breaks. */
  understand(request: Received): Understood
  /** The body of a refusal in this provider's form. */
  refusal(status: number, message: string, type?: string): unknown
  /** Requests that aren't for an answer (a model that is asked for its state); false: not one of them. */
  other?(request: Received, response: ServerResponse): boolean
}

export interface ScriptedServer extends LocalServer {
  /** Requests for an answer, as understood. */
  understood: Understood[]
  /** Answers still to be given, in order; a function sees the request first. */
  answers: (Answer | ((request: Understood) => Answer))[]
}

/** A server of a protocol. What breaks the protocol's rules is refused with 400, as the provider would. */
export async function scripted(protocol: Protocol): Promise<ScriptedServer> {
  const understood: Understood[] = []
  const answers: ScriptedServer['answers'] = []
  const server = await serve(async (request, response) => {
    if (protocol.other?.(request, response)) return
    let read: Understood
    try {
      read = protocol.understand(request)
    } catch (error) {
      json(response, 400, protocol.refusal(400, `test server: ${(error as Error).message}`))
      return
    }
    understood.push(read)
    const next = answers.shift()
    if (next === undefined) {
      json(response, 500, protocol.refusal(500, 'test server: nothing left to answer'))
      return
    }
    const answer = typeof next === 'function' ? next(read) : next
    if (answer.refuse) json(response, answer.refuse.status, answer.refuse.body, answer.refuse.headers)
    else await protocol.answer(answer, request, response)
  })
  return { ...server, understood, answers }
}

/** For a stream: writes, and waits so that the pieces go out one by one. */
export async function write(response: ServerResponse, text: string): Promise<void> {
  response.write(text)
  await new Promise((resolve) => setImmediate(resolve))
}

export function must(condition: unknown, rule: string): asserts condition {
  if (!condition) throw new Error(rule)
}
