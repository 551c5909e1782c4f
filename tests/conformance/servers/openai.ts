/**
 * Chat Completions as documented: platform.openai.com/docs/api-reference/chat (streaming: chunks of `chat.completion.chunk`,
 * data lines, `[DONE]`); openrouter.ai/docs for comments, reasoning and reasoning_details.
 */
import { must, write } from './script.ts'
import type { Answer, Protocol, Understood } from './script.ts'

type Obj = Record<string, unknown>
const list = (value: unknown): Obj[] => (Array.isArray(value) ? (value as Obj[]) : [])

export const openaiProtocol = (options: { path: string; comments?: boolean; limit?: string }): Protocol => ({
  understand(request) {
    must(request.method === 'POST' && request.path === options.path, `POST ${options.path}, not ${request.method} ${request.path}`)
    const { body } = request
    must(body.stream === true, 'stream: true')
    must(typeof body.model === 'string', 'model')
    const out: Understood = { model: body.model, tools: [], toolsOff: body.tool_choice === 'none', results: [], images: [], calls: [], signatures: [], prompts: [] }
    out.key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    let open: string[] = []
    for (const [at, message] of list(body.messages).entries()) {
      must(['system', 'developer', 'user', 'assistant', 'tool'].includes(String(message.role)), `role ${String(message.role)}`)
      if (message.role !== 'tool') must(open.length === 0, `an assistant message with tool_calls must be followed by tool messages for: ${open.join(', ')}`)
      const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : list(message.content)
      const text = parts.map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
      if (message.role === 'system') {
        must(at === 0, 'the system message comes first')
        out.system = text
      } else if (message.role === 'user') {
        out.prompts.push(text)
        for (const part of parts) {
          must(['text', 'image_url', 'file', 'input_audio'].includes(String(part.type)), `part ${String(part.type)}`)
          if (part.type !== 'image_url') continue
          const url = String((part.image_url as Obj).url)
          const data = /^data:image\/\w+;base64,(.+)$/.exec(url)?.[1]
          must(data, 'an image is a data URL')
          out.images.push(data)
        }
      } else if (message.role === 'assistant') {
        must(typeof message.content === 'string' || list(message.tool_calls).length > 0, 'content is required without tool_calls')
        for (const call of list(message.tool_calls)) {
          const named = call.function as Obj
          must(call.type === 'function' && typeof call.id === 'string' && typeof named.arguments === 'string', 'a call has id, type and its arguments as a string')
          open.push(call.id)
          out.calls.push({ id: call.id, name: String(named.name), args: JSON.parse(named.arguments) })
        }
        for (const detail of list(message.reasoning_details)) if (detail.signature) out.signatures.push(String(detail.signature))
        must(message.reasoning_content === undefined && message.reasoning === undefined, 'reasoning text is not input')
      } else {
        must(open.includes(String(message.tool_call_id)), `tool_call_id ${String(message.tool_call_id)} answers no call`)
        open = open.filter((id) => id !== message.tool_call_id)
        must(parts.every((part) => part.type === 'text'), 'tool messages hold text only')
        out.results.push({ id: String(message.tool_call_id), text })
      }
    }
    must(open.length === 0, `calls without an answer: ${open.join(', ')}`)
    for (const tool of list(body.tools)) {
      const named = tool.function as Obj
      must(tool.type === 'function' && /^[\w-]{1,64}$/.test(String(named.name)), 'a tool is a function with a name')
      must((named.parameters as Obj).type === 'object', 'parameters are an object schema')
      out.tools.push(String(named.name))
    }
    must(body.tool_choice === undefined || out.tools.length > 0, 'tool_choice is only allowed when tools are given')
    const format = body.response_format as Obj | undefined
    if (format) {
      must(format.type === 'json_schema', 'response_format json_schema')
      const given = format.json_schema as Obj
      must(/^[\w-]{1,64}$/.test(String(given.name)), 'a schema has a name')
      if (given.strict === true) mustBeStrict(given.schema as Obj)
      out.schema = given.schema
    }
    out.temperature = body.temperature
    const limit = options.limit ?? 'max_tokens'
    must(typeof body[limit] === 'number', limit)
    out.maxTokens = body[limit]
    return out
  },

  async answer(answer, request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const event = (choices: unknown[], extra: Obj = {}): string =>
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: request.body.model, choices, ...extra })}\n\n`
    const delta = (piece: Obj, finish: string | null = null): string => event([{ index: 0, delta: piece, finish_reason: finish }])
    if (options.comments) await write(response, ': OPENROUTER PROCESSING\n\n')
    await write(response, delta({ role: 'assistant', content: '' }))
    for (const piece of reasoning(answer)) await write(response, delta(piece))
    for (const text of answer.text ?? []) await write(response, delta({ content: text }))
    if (answer.fault === 'malformed') await write(response, 'data: {"choices": [{"delta": {"content": oops}}]}\n\n')
    if (answer.fault === 'error event') await write(response, `data: ${JSON.stringify({ error: { code: 502, message: 'Upstream went away' } })}\n\n`)
    if (answer.fault === 'hang') return
    if (answer.fault === 'half') {
      response.write('data: {"choices": [{"del')
      response.end()
      return
    }
    for (const [index, call] of (answer.calls ?? []).entries()) {
      const args = call.raw ?? JSON.stringify(call.args ?? {})
      await write(response, delta({ tool_calls: [{ index, id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } }] }))
      for (let at = 0; at < args.length; at += 5) await write(response, delta({ tool_calls: [{ index, function: { arguments: args.slice(at, at + 5) } }] }))
    }
    const reasons = { stop: 'stop', tool_calls: 'tool_calls', max_tokens: 'length', content_filter: 'content_filter' }
    await write(response, delta({}, reasons[answer.stop ?? (answer.calls ? 'tool_calls' : 'stop')]))
    const wants = request.body.stream_options as Obj | undefined
    if (answer.usage && wants?.include_usage) await write(response, event([], { usage: usage(answer.usage) }))
    response.end('data: [DONE]\n\n')
  },

  refusal: (status, message, type) => ({ error: { message, type: type ?? 'invalid_request_error', param: null, code: type ?? null } }),
})

function* reasoning(answer: Answer): Generator<Obj> {
  if (!answer.reasoning) return
  if (!answer.signature) {
    yield { reasoning_content: answer.reasoning }
    return
  }
  const half = Math.ceil(answer.reasoning.length / 2)
  for (const text of [answer.reasoning.slice(0, half), answer.reasoning.slice(half)]) {
    yield { reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, format: 'anthropic-claude-v1', index: 0 }] }
  }
  yield { reasoning_details: [{ type: 'reasoning.text', signature: answer.signature, format: 'anthropic-claude-v1', index: 0 }] }
}

const usage = (given: NonNullable<Answer['usage']>): Obj => ({
  prompt_tokens: given.input,
  completion_tokens: given.output,
  total_tokens: given.input + given.output,
  prompt_tokens_details: { cached_tokens: given.cacheRead ?? 0 },
  completion_tokens_details: { reasoning_tokens: given.reasoning ?? 0 },
})

/** platform.openai.com/docs/guides/structured-outputs: every field required, no others allowed. */
function mustBeStrict(schema: Obj): void {
  if (schema.type === 'object') {
    const fields = (schema.properties ?? {}) as Record<string, Obj>
    must(schema.additionalProperties === false, 'strict: additionalProperties must be false')
    must(Object.keys(fields).every((name) => (schema.required as string[] | undefined)?.includes(name)), 'strict: every field must be required')
    Object.values(fields).forEach(mustBeStrict)
  }
  if (schema.items) mustBeStrict(schema.items as Obj)
}
