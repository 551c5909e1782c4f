/** The Gemini API as documented: ai.google.dev/api/generate-content, …/gemini-api/docs/function-calling, …/thought-signatures. */
import { must, write } from './script.ts'
import type { Protocol, Understood } from './script.ts'

type Obj = Record<string, unknown>
const list = (value: unknown): Obj[] => (Array.isArray(value) ? (value as Obj[]) : [])

export const googleProtocol: Protocol = {
  understand(request) {
    const path = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(request.path)
    must(request.method === 'POST' && path, `POST /v1beta/models/…:streamGenerateContent?alt=sse, not ${request.path}`)
    const { body } = request
    for (const name of Object.keys(body)) {
      must(['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent'].includes(name), `Unknown name "${name}"`)
    }
    const model = path[1] ?? ''
    const third = model.startsWith('gemini-3')
    const out: Understood = { model, tools: [], toolsOff: false, results: [], images: [], calls: [], signatures: [], prompts: [] }
    out.key = request.headers['x-goog-api-key'] as string | undefined
    const system = body.systemInstruction as Obj | undefined
    if (system) out.system = list(system.parts).map((part) => String(part.text)).join('')
    let open: string[] = []
    let before = ''
    for (const content of list(body.contents)) {
      must(content.role === 'user' || content.role === 'model', `Please use a valid role: user, model (${String(content.role)})`)
      must(content.role !== before, 'turns alternate')
      before = String(content.role)
      const parts = list(content.parts)
      must(parts.length > 0, 'contents.parts must not be empty')
      const responses = parts.filter((part) => part.functionResponse)
      if (content.role === 'user' && open.length > 0) {
        must(responses.length === open.length, 'the number of function response parts is equal to the number of function call parts of the function call turn')
        must(parts.slice(0, responses.length).every((part) => part.functionResponse), 'the responses come first')
        open = []
      } else must(content.role !== 'user' || responses.length === 0, 'function response turn comes immediately after a function call turn')
      let firstCall = true
      for (const part of parts) {
        if (part.thoughtSignature) out.signatures.push(String(part.thoughtSignature))
        if (part.functionCall) {
          const call = part.functionCall as Obj
          must(content.role === 'model' && typeof call.args === 'object', 'functionCall')
          if (third && firstCall) must(part.thoughtSignature, `Function call ${String(call.name)} is missing a thought_signature`)
          firstCall = false
          open.push(String(call.name))
          out.calls.push({ ...(call.id === undefined ? {} : { id: String(call.id) }), name: String(call.name), args: call.args })
        } else if (part.functionResponse) {
          const given = part.functionResponse as Obj
          const result = given.response as Obj
          must(typeof result === 'object' && !Array.isArray(result), 'functionResponse.response is a Struct')
          out.results.push({ ...(given.id === undefined ? {} : { id: String(given.id) }), name: String(given.name), text: String(result.result) })
        } else if (part.inlineData) out.images.push(String((part.inlineData as Obj).data))
        else {
          must(typeof part.text === 'string', 'a part has data')
          if (content.role === 'user') out.prompts.push(part.text)
        }
      }
    }
    must(open.length === 0, 'a function call turn must be answered')
    for (const tool of list(body.tools)) {
      for (const declared of list(tool.functionDeclarations)) {
        must(/^[A-Za-z_][\w.-]{0,63}$/.test(String(declared.name)) && typeof declared.description === 'string', 'functionDeclarations')
        must(!(declared.parameters && declared.parametersJsonSchema), 'parameters or parametersJsonSchema')
        out.tools.push(String(declared.name))
      }
    }
    const calling = (body.toolConfig as Obj | undefined)?.functionCallingConfig as Obj | undefined
    out.toolsOff = calling?.mode === 'NONE'
    const config = (body.generationConfig ?? {}) as Obj
    if (config.responseJsonSchema || config.responseSchema) {
      must(config.responseMimeType === 'application/json', 'responseMimeType must be application/json')
      must(third || out.tools.length === 0, "Function calling with a response mime type: 'application/json' is unsupported")
      out.schema = config.responseJsonSchema ?? config.responseSchema
    }
    out.temperature = config.temperature
    out.maxTokens = config.maxOutputTokens
    return out
  },

  async answer(answer, _request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // The real service ends lines with CRLF.
    const chunk = (parts: Obj[], extra: Obj = {}, rest: Obj = {}): Promise<void> =>
      write(response, `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...extra }], ...rest, modelVersion: 'gemini' })}\r\n\r\n`)
    if (answer.reasoning) await chunk([{ text: answer.reasoning, thought: true }])
    for (const text of answer.text ?? []) await chunk([{ text }])
    if (answer.fault === 'malformed') await write(response, 'data: {"candidates": oops}\r\n\r\n')
    if (answer.fault === 'error event') await write(response, `data: ${JSON.stringify({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } })}\r\n\r\n`)
    if (answer.fault === 'hang') return
    if (answer.fault === 'half') {
      response.write('data: {"candidates": [{"con')
      response.end()
      return
    }
    const calls = answer.calls ?? []
    for (const [index, call] of calls.entries()) {
      const named = { ...(call.id ? { id: call.id } : {}), name: call.name, args: call.args ?? {} }
      await chunk([{ functionCall: named, ...(index === 0 && answer.signature ? { thoughtSignature: answer.signature } : {}) }])
    }
    const reasons = { stop: 'STOP', tool_calls: 'STOP', max_tokens: 'MAX_TOKENS', content_filter: 'SAFETY' }
    const given = answer.usage
    const last = calls.length === 0 && answer.signature ? [{ text: '', thoughtSignature: answer.signature }] : [{ text: '' }]
    await chunk(last, { finishReason: reasons[answer.stop ?? 'stop'] }, given
      ? {
          usageMetadata: {
            promptTokenCount: given.input,
            candidatesTokenCount: given.output - (given.reasoning ?? 0),
            totalTokenCount: given.input + given.output,
            ...(given.cacheRead ? { cachedContentTokenCount: given.cacheRead } : {}),
            ...(given.reasoning ? { thoughtsTokenCount: given.reasoning } : {}),
          },
        }
      : {})
    response.end()
  },

  refusal: (status, message, type) => ({
    error: { code: status, message, status: type ?? ({ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 429: 'RESOURCE_EXHAUSTED', 503: 'UNAVAILABLE' }[status] ?? 'INTERNAL') },
  }),
}
