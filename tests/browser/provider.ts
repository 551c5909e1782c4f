/** Model servers for the browser tests: those of the wire tests, with lists of models and with CORS as it can be set. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ollamaProtocol } from '../conformance/servers/ollama.ts'
import { openaiProtocol } from '../conformance/servers/openai.ts'
import { json } from '../conformance/servers/http.ts'
import { scripted, type Answer, type Protocol, type ScriptedServer } from '../conformance/servers/script.ts'

/** A key that must turn up nowhere. Its last four characters may. */
export const PLANTED = 'sk-planted-3fQ9zXk27LmVt0aB-8Wq'

/** An OpenAI server that knows two models and one key. */
export function openaiServer(): Promise<ScriptedServer> {
  return scripted(keyed(openaiProtocol({ path: '/v1/chat/completions', limit: 'max_completion_tokens' }), ['gpt-4o', 'gpt-4o-mini']))
}
/** The same of a server that isn't OpenAI's, as LM Studio or vLLM. */
export function compatibleServer(): Promise<ScriptedServer> {
  return scripted(keyed(openaiProtocol({ path: '/v1/chat/completions' }), ['qwen3-8b']))
}
export function ollamaServer(models: string[]): Promise<ScriptedServer> {
  return scripted({
    ...ollamaProtocol,
    other(request, response) {
      if (request.path !== '/api/tags') return false
      json(response, 200, { models: models.map((model) => ({ model, name: model })) })
      return true
    },
  })
}

function keyed(protocol: Protocol, models: string[]): Protocol {
  return {
    ...protocol,
    other(request, response) {
      if (request.headers.authorization !== `Bearer ${PLANTED}`) {
        // As OpenAI does, the refusal repeats what it was given.
        json(response, 401, protocol.refusal(401, `Incorrect API key provided: ${request.headers.authorization ?? 'none'}.`, 'invalid_api_key'))
        return true
      }
      if (request.path.endsWith('/models')) {
        json(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
        return true
      }
      if (request.method === 'POST' && !models.includes(String(request.body.model))) {
        json(response, 404, protocol.refusal(404, `The model \`${String(request.body.model)}\` does not exist.`, 'model_not_found'))
        return true
      }
      return false
    },
  }
}

/** A server that allows no page to read its answers, as Ollama before OLLAMA_ORIGINS is set. */
export async function closedServer(): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', 'cross-origin-resource-policy': 'cross-origin' }).end('{"models":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A whole answer of so many characters in pieces of `size`, with headings, lists and listings. */
export function longAnswer(characters: number, size = 200): Answer {
  const part = `## A heading\n\nSome words of a paragraph that is as long as paragraphs are, with **strong** words and \`code\` in it, and a [link](https://example.com).\n\n- one\n- two\n\n\`\`\`js\nconst value = [1, 2, 3].map((n) => n * 2)\n\`\`\`\n\n`
  const whole = part.repeat(Math.ceil(characters / part.length)).slice(0, characters)
  const text: string[] = []
  for (let at = 0; at < whole.length; at += size) text.push(whole.slice(at, at + size))
  return { text, usage: { input: 1200, output: 250_000, cacheRead: 1000 } }
}
