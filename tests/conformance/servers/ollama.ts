/** Ollama's chat API as documented: docs.ollama.com/api/chat, …/api/streaming (NDJSON), …/capabilities/tool-calling. */
import { must, write } from './script.ts'
import type { Protocol, Understood } from './script.ts'

type Obj = Record<string, unknown>
const list = (value: unknown): Obj[] => (Array.isArray(value) ? (value as Obj[]) : [])

export const ollamaProtocol: Protocol = {
  understand(request) {
    must(request.method === 'POST' && request.path === '/api/chat', `POST /api/chat, not ${request.path}`)
    const { body } = request
    must(body.stream === true || body.stream === undefined, 'streams')
    const out: Understood = { model: String(body.model), tools: [], toolsOff: false, results: [], images: [], calls: [], signatures: [], prompts: [] }
    for (const message of list(body.messages)) {
      must(typeof message.content === 'string', 'content is a string')
      must(message.tool_call_id === undefined, 'results name their function by tool_name')
      for (const image of Array.isArray(message.images) ? message.images : []) out.images.push(String(image))
      if (message.role === 'system') out.system = message.content
      else if (message.role === 'user') out.prompts.push(message.content)
      else if (message.role === 'tool') out.results.push({ name: String(message.tool_name), text: message.content })
      else {
        must(message.role === 'assistant', `role ${String(message.role)}`)
        if (message.thinking) out.signatures.push(String(message.thinking))
        for (const call of list(message.tool_calls)) {
          const named = call.function as Obj
          must(typeof named.arguments === 'object' && named.arguments !== null, 'arguments are an object')
          out.calls.push({ name: String(named.name), args: named.arguments })
        }
      }
    }
    for (const tool of list(body.tools)) {
      must(tool.type === 'function', 'a tool is a function')
      out.tools.push(String((tool.function as Obj).name))
    }
    must(body.tool_choice === undefined, 'there is no tool_choice')
    out.schema = body.format
    const options = (body.options ?? {}) as Obj
    out.temperature = options.temperature
    out.maxTokens = options.num_predict
    return out
  },

  async answer(answer, request, response) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    const line = (message: Obj, extra: Obj = {}): Promise<void> =>
      write(response, `${JSON.stringify({ model: request.body.model, created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, done: false, ...extra })}\n`)
    if (answer.reasoning) await line({ thinking: answer.reasoning })
    for (const text of answer.text ?? []) await line({ content: text })
    if (answer.fault === 'malformed') await write(response, '{"message": oops}\n')
    if (answer.fault === 'error event') await write(response, `${JSON.stringify({ error: 'model runner has unexpectedly stopped' })}\n`)
    if (answer.fault === 'hang') return
    if (answer.fault === 'half') {
      response.write('{"message": {"con')
      response.end()
      return
    }
    for (const [index, call] of (answer.calls ?? []).entries()) {
      await line({ tool_calls: [{ ...(call.id ? { id: call.id } : {}), function: { index, name: call.name, arguments: call.args ?? {} } }] })
    }
    const given = answer.usage ?? { input: 0, output: 0 }
    await line({}, { done: true, done_reason: answer.stop === 'max_tokens' ? 'length' : 'stop', prompt_eval_count: given.input, eval_count: given.output, total_duration: 1 })
    response.end()
  },

  refusal: (_status, message) => ({ error: message }),
}
