/** Conversations in the form of Anthropic's Messages API, with cache breakpoints. */
import type { Parameter } from './adjust.ts'
import { sentArgs } from './calls.ts'
import { outlineOf, piecesOf } from './outline.ts'
import { fileText, notShown, partsOf, translations } from './parts.ts'
import { closedSchema, isObjectSchema, withSchemaInPrompt, withoutKeywords } from './structured.ts'
import type { Message, ModelRequest, Part } from './types.ts'

/** A thinking block, which goes back as it came. */
export type Kept = { type: 'thinking' | 'redacted_thinking' } & Record<string, unknown>

type Block = { type: string } & Record<string, unknown>

/** Makes request bodies; each message is translated once. */
export function anthropicBody(): (request: ModelRequest, without: ReadonlySet<Parameter>) => Record<string, unknown> {
  const forms = new Map<string, (message: Message) => Block[]>()
  const form = (model: string, images: boolean): ((message: Message) => Block[]) => {
    const key = `${images} ${model}`
    const known = forms.get(key) ?? translations((message) => blocksOf(message, model, images))
    forms.set(key, known)
    return known
  }
  return (asked, without) => {
    const native = asked.schema && isObjectSchema(asked.schema.schema) && !without.has('schema') ? asked.schema : undefined
    const request = native ? asked : withSchemaInPrompt(asked)
    const sampling = acceptsSampling(request.model)
    const system = [request.system, ...request.messages.filter((message) => message.role === 'system').map((message) => text(message))].filter(Boolean)
    return {
      model: request.model,
      stream: true,
      ...(sampling && request.temperature !== undefined && !without.has('temperature') ? { temperature: request.temperature } : {}),
      ...(sampling && request.topP !== undefined && !without.has('top_p') ? { top_p: request.topP } : {}),
      ...(request.tools.length === 0
        ? {}
        : {
            tools: request.tools.map((tool, at) => ({
              name: tool.name,
              description: tool.description,
              input_schema: tool.parameters,
              ...(at === request.tools.length - 1 ? breakpoint : {}),
            })),
          }),
      ...(system.length === 0 ? {} : { system: [{ type: 'text', text: system.join('\n\n'), ...breakpoint }] }),
      ...(native ? { output_config: { format: { type: 'json_schema', schema: withoutKeywords(closedSchema(native.schema).schema, unsupported) } } } : {}),
      messages: turns(request.messages, form(request.model, !without.has('images'))),
      ...(request.tools.length === 0 || request.toolChoice === 'auto' ? {} : { tool_choice: { type: 'none' } }),
      max_tokens: request.maxTokens,
    }
  }
}

/**
 * Up to here the request is kept in the provider's cache for five minutes. Four are allowed: after the tools, after the
 * system prompt, at the end, and where the request before this one ended (a lookup goes back only 20 blocks from a breakpoint,
 * platform.claude.com/docs/en/build-with-claude/prompt-caching).
 */
const breakpoint = { cache_control: { type: 'ephemeral' } }

interface Turn {
  role: 'user' | 'assistant'
  content: Block[]
}

/** Messages of one side are joined: the results of one turn's calls must stand in one message. */
function turns(messages: readonly Message[], blocks: (message: Message) => Block[]): Turn[] {
  const out: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = out.at(-1)
    if (last?.role === role) last.content = last.content.concat(blocks(message))
    else out.push({ role, content: blocks(message) })
  }
  const marked = out.filter((turn) => turn.role === 'user').slice(-2)
  for (const turn of marked) turn.content = withBreakpoint(turn.content)
  return out.map((turn) => (turn.content.length > 0 ? turn : { ...turn, content: [{ type: 'text', text: '(empty)' }] }))
}

/** A copy, since the blocks are kept from step to step. */
function withBreakpoint(blocks: Block[]): Block[] {
  const last = blocks.at(-1)
  return last ? [...blocks.slice(0, -1), { ...last, ...breakpoint }] : blocks
}

function blocksOf(message: Message, model: string, images: boolean): Block[] {
  if (message.role === 'assistant') return assistantBlocks(message, model)
  if (message.role !== 'tool') return contentBlocks(message, images)
  const content = contentBlocks(message, images)
  return [{ type: 'tool_result', tool_use_id: wireId(message.toolCallId ?? ''), ...(content.length > 0 ? { content } : {}) }]
}

function assistantBlocks(message: Message, model: string): Block[] {
  const outline = outlineOf<Kept>(message, 'anthropic')
  // Thinking is signed for the model that thought it; another one is not shown it.
  return piecesOf(message, outline?.model === model ? outline : undefined).flatMap((piece): Block[] => {
    if (piece.type === 'kept') return [piece.part]
    if (piece.type === 'call') return [{ type: 'tool_use', id: wireId(piece.call.id), name: piece.call.name, input: sentArgs(piece.call) }]
    return piece.text.trim() === '' ? [] : [{ type: 'text', text: piece.text }] // Blank text is refused.
  })
}

function contentBlocks(message: Message, images: boolean): Block[] {
  return partsOf(message).flatMap((part) => {
    const block = contentBlock(part, images)
    return block.type === 'text' && String(block.text).trim() === '' ? [] : [block]
  })
}

function contentBlock(part: Part, images: boolean): Block {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const source = { type: 'base64', media_type: part.mimeType, data: part.data }
  if (part.type === 'image') return images ? { type: 'image', source } : { type: 'text', text: notShown(part) }
  const words = fileText(part)
  if (words !== undefined) return { type: 'text', text: words }
  return part.mimeType === 'application/pdf'
    ? { type: 'document', source, ...(part.name ? { title: part.name } : {}) }
    : { type: 'text', text: notShown(part) }
}

const text = (message: Message): string => partsOf(message).map((part) => (part.type === 'text' ? part.text : notShown(part))).join('\n')

/** Ids may hold letters, digits, `_` and `-` only; those that came from other providers may not fit. */
const wireId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_')

/**
 * Claude 4.7 and all later models take no sampling parameters
 * (platform.claude.com/docs/en/api/migration-2026-10-21). Versions are read from the id: claude-3-5-haiku-20241022, claude-sonnet-4-6.
 */
export function acceptsSampling(model: string): boolean {
  const numbers = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(model)
  if (!numbers) return false
  const major = Number(numbers[1])
  const minor = Number(numbers[2] ?? 0)
  return major < 4 || (major === 4 && minor < 7)
}

/** platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". */
const unsupported = new Set([
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems',
  'uniqueItems', 'minProperties', 'maxProperties', 'patternProperties', 'if', 'then', 'else', 'not', 'contains',
])
