/** Conversations in the form of the Gemini API. */
import type { Parameter } from './adjust.ts'
import { isMadeId, sentArgs } from './calls.ts'
import { outlineOf, piecesOf } from './outline.ts'
import { describe, fileText, notShown, partsOf, translations } from './parts.ts'
import { withSchemaInPrompt } from './structured.ts'
import type { FunctionTool, Message, ModelRequest, Part } from './types.ts'

/** A part that goes back as it came. */
export type Kept = Record<string, unknown>

type WirePart = Record<string, unknown>

interface Content {
  role: 'user' | 'model'
  parts: WirePart[]
}

interface Translated {
  role: 'user' | 'model'
  parts: WirePart[]
  /** Images of a tool's result, which stand after all results of the turn. */
  after: WirePart[]
}

/** Makes request bodies; each message is translated once. */
export function geminiBody(): (request: ModelRequest, without: ReadonlySet<Parameter>) => Record<string, unknown> {
  const forms = new Map<string, (message: Message) => Translated>()
  const form = (strict: boolean, images: boolean): ((message: Message) => Translated) => {
    const key = `${strict} ${images}`
    const known = forms.get(key) ?? translations((message) => translate(message, strict, images))
    forms.set(key, known)
    return known
  }
  return (asked, without) => {
    const third = isThird(asked.model)
    // Before Gemini 3 an answer's form can't be set beside functions.
    const native = asked.schema && !without.has('schema') && (asked.tools.length === 0 || third) ? asked.schema : undefined
    const request = native ? asked : withSchemaInPrompt(asked)
    const system = [request.system, ...request.messages.filter((message) => message.role === 'system').map(textOnly)].filter(Boolean).join('\n\n')
    return {
      ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations: request.tools.map(declaration) }] }),
      contents: contents(request.messages, form(third, !without.has('images'))),
      ...(request.tools.length === 0 || request.toolChoice === 'auto' ? {} : { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }),
      generationConfig: {
        ...(request.temperature === undefined || without.has('temperature') ? {} : { temperature: request.temperature }),
        ...(request.topP === undefined || without.has('top_p') ? {} : { topP: request.topP }),
        ...(request.seed === undefined || without.has('seed') ? {} : { seed: request.seed }),
        ...(native ? { responseMimeType: 'application/json', responseJsonSchema: native.schema } : {}),
        maxOutputTokens: request.maxTokens,
      },
    }
  }
}

const isThird = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model)

const textOnly = (message: Message): string => partsOf(message).map((part) => (part.type === 'text' ? part.text : notShown(part))).join('\n')

const declaration = (tool: FunctionTool): Record<string, unknown> => ({
  name: tool.name,
  description: tool.description,
  // A function without arguments is declared without any: an object with no properties is refused.
  ...(Object.keys((tool.parameters.properties as object | undefined) ?? {}).length === 0 ? {} : { parametersJsonSchema: tool.parameters }),
})

/** Contents of one side are joined: the results of one turn's calls must stand in one content, as many as there were calls. */
function contents(messages: readonly Message[], one: (message: Message) => Translated): Content[] {
  const out: Content[] = []
  let after: WirePart[] = []
  const push = (role: Content['role'], parts: WirePart[]): void => {
    const last = out.at(-1)
    if (last?.role === role) last.parts = last.parts.concat(parts)
    else out.push({ role, parts })
  }
  for (const message of messages) {
    if (message.role === 'system') continue
    if (message.role !== 'tool' && after.length > 0) {
      push('user', after)
      after = []
    }
    const { role, parts, after: images } = one(message)
    push(role, parts)
    after = after.concat(images)
  }
  if (after.length > 0) push('user', after)
  return out.map((content) => (content.parts.length > 0 ? content : { ...content, parts: [{ text: ' ' }] }))
}

function translate(message: Message, strict: boolean, images: boolean): Translated {
  if (message.role === 'assistant') return { role: 'model', parts: modelParts(message, strict), after: [] }
  if (message.role !== 'tool') return { role: 'user', parts: partsOf(message).map((part) => wirePart(part, images)), after: [] }
  const after: WirePart[] = []
  const texts = partsOf(message).map((part) => {
    const sent = wirePart(part, images)
    if (part.type === 'text' || typeof sent.text === 'string') return String(sent.text)
    after.push(sent)
    return `[${describe(part)}: after the results]`
  })
  const id = message.toolCallId
  const response = { ...(id && !isMadeId(id) ? { id } : {}), name: message.name ?? '', response: { result: texts.join('\n') } }
  return { role: 'user', parts: [{ functionResponse: response }], after }
}

/**
 * Gemini 3 refuses a turn whose first call has no signature. A conversation that was begun with another model has none; this
 * stands in its place (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const UNSIGNED = 'skip_thought_signature_validator'

function modelParts(message: Message, strict: boolean): WirePart[] {
  const outline = outlineOf<Kept>(message, 'google')
  let first = strict && !outline
  return piecesOf(message, outline).flatMap((piece): WirePart[] => {
    if (piece.type === 'kept') return [piece.part]
    if (piece.type === 'text') return piece.text === '' && !piece.with ? [] : [{ text: piece.text, ...piece.with }]
    const { id, name } = piece.call
    const unsigned = first ? { thoughtSignature: UNSIGNED } : {}
    first = false
    return [{ functionCall: { ...(isMadeId(id) ? {} : { id }), name, args: sentArgs(piece.call) }, ...unsigned, ...piece.with }]
  })
}

function wirePart(part: Part, images: boolean): WirePart {
  if (part.type === 'text') return { text: part.text }
  const words = fileText(part)
  if (words !== undefined) return { text: words }
  if (part.type === 'image' && !images) return { text: notShown(part) }
  return { inlineData: { mimeType: part.mimeType, data: part.data } }
}
