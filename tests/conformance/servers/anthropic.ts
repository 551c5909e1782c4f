/** The Messages API as documented: platform.claude.com/docs/en/api/messages, …/build-with-claude/streaming, …/api/migration-2026-10-21. */
import { must, write } from './script.ts'
import type { Protocol, Understood } from './script.ts'

type Obj = Record<string, unknown>
const list = (value: unknown): Obj[] => (Array.isArray(value) ? (value as Obj[]) : [])

export const anthropicProtocol: Protocol = {
  understand(request) {
    must(request.method === 'POST' && request.path === '/v1/messages', `POST /v1/messages, not ${request.method} ${request.path}`)
    const { body, headers } = request
    const version = headers['anthropic-version']
    must(version === '2023-06-01' || version === '2026-10-21', 'anthropic-version')
    if (version === '2026-10-21') {
      for (const name of ['temperature', 'top_p', 'top_k']) must(body[name] === undefined, `${name}: Extra inputs are not permitted`)
    }
    must(body.stream === true && typeof body.max_tokens === 'number', 'stream and max_tokens')
    must(body.seed === undefined, 'seed: Extra inputs are not permitted')
    const out: Understood = { model: String(body.model), tools: [], toolsOff: false, results: [], images: [], calls: [], signatures: [], prompts: [] }
    out.key = String(headers['x-api-key'] ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '') || undefined
    if (body.system !== undefined) out.system = typeof body.system === 'string' ? body.system : list(body.system).map((block) => String(block.text)).join('\n')
    let breakpoints = [...list(body.system), ...list(body.tools)].filter((block) => block.cache_control).length
    let open: string[] = []
    const seen = new Set<string>()
    const turns = list(body.messages)
    must(turns[0]?.role === 'user', 'the first message is of the user')
    for (const turn of turns) {
      must(turn.role === 'user' || turn.role === 'assistant', `role ${String(turn.role)}`)
      const blocks = typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : list(turn.content)
      must(blocks.length > 0, 'content is not empty')
      if (turn.role === 'user' && open.length > 0) {
        const answered = blocks.slice(0, open.length).map((block) => (block.type === 'tool_result' ? String(block.tool_use_id) : ''))
        must([...answered].sort().join() === [...open].sort().join(), `tool_use ids were found without tool_result blocks immediately after: ${open.join(', ')}`)
        open = []
      }
      for (const block of blocks as Obj[]) {
        if (block.cache_control) breakpoints++
        if (block.type === 'text') {
          must(String(block.text).trim() !== '', 'text content blocks must be non-empty')
          if (turn.role === 'user') out.prompts.push(String(block.text))
        } else if (block.type === 'image') image(block, out)
        else if (block.type === 'tool_use') {
          must(turn.role === 'assistant' && typeof block.input === 'object' && /^[A-Za-z0-9_-]+$/.test(String(block.id)), 'tool_use')
          must(!seen.has(String(block.id)), 'tool_use ids must be unique')
          seen.add(String(block.id))
          open.push(String(block.id))
          out.calls.push({ id: String(block.id), name: String(block.name), args: block.input })
        } else if (block.type === 'tool_result') {
          must(turn.role === 'user' && seen.has(String(block.tool_use_id)), 'tool_result')
          const inner = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : list(block.content)
          for (const part of inner) {
            if (part.type !== 'image') continue
            image(part, out)
            out.imagesInResults = true
          }
          out.results.push({ id: String(block.tool_use_id), text: inner.map((part) => (part.type === 'text' ? String(part.text) : '')).join('') })
        } else if (block.type === 'thinking') {
          must(turn.role === 'assistant' && typeof block.thinking === 'string' && typeof block.signature === 'string', 'thinking')
          must(blocks.indexOf(block as never) === 0 || turn.role === 'assistant', 'thinking comes first')
          out.signatures.push(block.signature)
        } else must(block.type === 'redacted_thinking' || block.type === 'document', `block ${String(block.type)}`)
      }
    }
    must(turns.at(-1)?.role === 'user', 'This model does not support assistant message prefill')
    must(breakpoints <= 4, 'A maximum of 4 blocks with cache_control may be provided')
    for (const tool of list(body.tools)) {
      must((tool.input_schema as Obj).type === 'object' && /^[\w-]{1,64}$/.test(String(tool.name)), 'a tool')
      out.tools.push(String(tool.name))
    }
    must(out.calls.length === 0 || out.tools.length > 0, 'Requests which include tool_use blocks must define tools')
    const choice = body.tool_choice as Obj | undefined
    must(!choice || out.tools.length > 0, 'tool_choice may only be specified while providing tools')
    out.toolsOff = choice?.type === 'none'
    const format = (body.output_config as Obj | undefined)?.format as Obj | undefined
    if (format) {
      must(format.type === 'json_schema', 'output_config.format')
      mustBeClosed(format.schema as Obj)
      out.schema = format.schema
    }
    out.temperature = body.temperature
    out.maxTokens = body.max_tokens
    return out
  },

  async answer(answer, request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const event = (type: string, data: Obj): Promise<void> => write(response, `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    const given = answer.usage ?? { input: 0, output: 0 }
    const counts = {
      input_tokens: given.input - (given.cacheRead ?? 0) - (given.cacheWrite ?? 0),
      cache_read_input_tokens: given.cacheRead ?? 0,
      cache_creation_input_tokens: given.cacheWrite ?? 0,
    }
    await event('message_start', {
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: request.body.model, content: [], stop_reason: null, stop_sequence: null, usage: { ...counts, output_tokens: 1 } },
    })
    await event('ping', {})
    let index = 0
    if (answer.reasoning) {
      await event('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } })
      await event('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: answer.reasoning } })
      await event('content_block_delta', { index, delta: { type: 'signature_delta', signature: answer.signature ?? 'sig' } })
      await event('content_block_stop', { index: index++ })
    }
    if (answer.text) {
      await event('content_block_start', { index, content_block: { type: 'text', text: '' } })
      for (const text of answer.text) await event('content_block_delta', { index, delta: { type: 'text_delta', text } })
      if (answer.fault === 'malformed') await write(response, 'event: content_block_delta\ndata: {"type": oops}\n\n')
      if (answer.fault === 'error event') await event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })
      if (answer.fault === 'hang') return
      if (answer.fault === 'half') {
        response.write('event: content_block_delta\ndata: {"type": "content_b')
        response.end()
        return
      }
      await event('content_block_stop', { index: index++ })
    }
    for (const call of answer.calls ?? []) {
      const args = call.raw ?? JSON.stringify(call.args ?? {})
      await event('content_block_start', { index, content_block: { type: 'tool_use', id: call.id ?? `toolu_${index}`, name: call.name, input: {} } })
      await event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: '' } })
      for (let at = 0; at < args.length; at += 5) await event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: args.slice(at, at + 5) } })
      await event('content_block_stop', { index: index++ })
    }
    const reasons = { stop: 'end_turn', tool_calls: 'tool_use', max_tokens: 'max_tokens', content_filter: 'refusal' }
    await event('message_delta', {
      delta: { stop_reason: reasons[answer.stop ?? (answer.calls ? 'tool_calls' : 'stop')], stop_sequence: null },
      usage: { output_tokens: given.output, ...(given.reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: given.reasoning } }) },
    })
    await event('message_stop', {})
    response.end()
  },

  refusal: (status, message, type) => ({
    type: 'error',
    error: { type: type ?? ({ 401: 'authentication_error', 403: 'permission_error', 404: 'not_found_error', 429: 'rate_limit_error', 500: 'api_error', 529: 'overloaded_error' }[status] ?? 'invalid_request_error'), message },
    request_id: 'req_1',
  }),
}

function image(block: Obj, out: Understood): void {
  const source = block.source as Obj
  must(source.type === 'base64' && /^image\/(png|jpeg|gif|webp)$/.test(String(source.media_type)), 'image source')
  out.images.push(String(source.data))
}

function mustBeClosed(schema: Obj): void {
  if (schema.type === 'object') {
    must(schema.additionalProperties === false, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    Object.values((schema.properties ?? {}) as Record<string, Obj>).forEach(mustBeClosed)
  }
  for (const name of ['minimum', 'maximum', 'minLength', 'maxLength']) must(!(name in schema), `${name} is not supported`)
  if (schema.items) mustBeClosed(schema.items as Obj)
}
