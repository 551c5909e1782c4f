/** Tools that a page publishes: the interface, and WebMCP behind it. Nothing here needs a page. */
import { HaloError, messageOf } from '../errors.ts'
import type { JsonSchema, Part } from '../models/types.ts'
import { isObject } from '../run/values.ts'

export interface PageTool {
  /** Any text; unique in the list. */
  name: string
  title?: string
  description: string
  /** JSON Schema of an object. */
  parameters: JsonSchema
  /** The page says that it changes nothing: it runs without asking. */
  readOnly: boolean
  /** The page says that its result may be anybody's content: the model is told that it is no instruction. */
  untrusted?: boolean
}

/** Where tools of a page come from: the document, a frame, a worker's bridge. */
export interface PageTools {
  list(): readonly PageTool[] | Promise<readonly PageTool[]>
  /** Calls the tool of that name with arguments that fit its parameters. A rejection is the call's error. */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): unknown
  /** Told when the list has changed. Without it the list is asked for before each request. */
  subscribe?(listener: () => void): () => void
}

/** What of `document.modelContext` (WebMCP) is used. */
export interface ModelContext {
  getTools(): unknown
  /** Browsers up to Chromium 154 and the polyfill take the input as JSON text, later ones as an object. */
  executeTool(tool: never, input: never, options?: { signal?: AbortSignal }): unknown
  addEventListener?(type: 'toolchange', listener: () => void): void
  removeEventListener?(type: 'toolchange', listener: () => void): void
}

/** The tools that a document publishes by WebMCP. `modelContext` is `document.modelContext`, or a bridge to another one. */
export function modelContextTools(modelContext: ModelContext): PageTools {
  /** The page's own objects, which a call has to name, as last listed. */
  let published = new Map<string, unknown>()
  return {
    async list() {
      const listed: unknown = await modelContext.getTools()
      if (!Array.isArray(listed)) throw new HaloError('TOOL_ERROR', 'modelContext.getTools() gave no list.')
      const found = new Map<string, unknown>()
      const tools = listed.flatMap((tool: unknown) => {
        const read = readTool(tool)
        if (read === undefined) return []
        // Two frames may publish the same name.
        let { name } = read
        for (let n = 2; found.has(name); n++) name = `${read.name}_${n}`
        found.set(name, tool)
        return [{ ...read, name }]
      })
      published = found
      return tools
    },
    async call(name, args, signal) {
      const tool = published.get(name)
      if (tool === undefined) throw new HaloError('TOOL_ERROR', `The page has no tool ${name} any more.`)
      return resultOf(await modelContext.executeTool(tool as never, inputOf(args) as never, { signal }))
    },
    subscribe(listener) {
      modelContext.addEventListener?.('toolchange', listener)
      return () => modelContext.removeEventListener?.('toolchange', listener)
    },
  }
}

/** One value that is right for both forms of `executeTool`: an object, whose text is its JSON. A second try could act twice. */
function inputOf(args: Record<string, unknown>): object {
  return Object.defineProperty({ ...args }, 'toString', { value: () => JSON.stringify(args), enumerable: false })
}

function readTool(tool: unknown): PageTool | undefined {
  if (!isObject(tool)) return undefined
  // Natively these are getters of a class.
  const { name, title, description, inputSchema, annotations } = tool
  if (typeof name !== 'string' || name === '') return undefined
  const hints = isObject(annotations) ? annotations : {}
  return {
    name,
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    description: typeof description === 'string' ? description : '',
    parameters: schemaIn(inputSchema),
    readOnly: hints['readOnlyHint'] === true,
    ...(hints['untrustedContentHint'] === true ? { untrusted: true } : {}),
  }
}

/** Earlier browsers give the schema as JSON text. */
function schemaIn(given: unknown): JsonSchema {
  if (isObject(given)) return given
  if (typeof given === 'string' && given.trim() !== '') {
    try {
      const read: unknown = JSON.parse(given)
      if (isObject(read)) return read
    } catch {
      // No schema is a schema that takes anything; the tool itself says what it can't use.
    }
  }
  return { type: 'object' }
}

/** The result is text; of an object its JSON, perhaps in the shape that MCP gives results. */
function resultOf(given: unknown): unknown {
  if (given === null || given === undefined) throw new HaloError('TOOL_ERROR', 'The page ended the call without a result.')
  const value = typeof given === 'string' ? jsonIn(given) : given
  if (!isObject(value) || !Array.isArray(value['content'])) return value
  const parts = value['content'].flatMap((item: unknown): Part[] => {
    if (!isObject(item)) return []
    const { type, text, data, mimeType } = item
    if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return [{ type: 'image', data, mimeType }]
    return [{ type: 'text', text: JSON.stringify(item) }]
  })
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (value['isError'] === true) throw new HaloError('TOOL_ERROR', texts.join('\n') || 'The page says that the call failed.')
  return texts.length === parts.length ? texts.join('\n') : { parts }
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The list as it may be used: what a page hands over is anything. @throws HaloError TOOL_ERROR when it is no list, or can't be had. */
export async function listed(page: PageTools): Promise<PageTool[]> {
  let given: unknown
  try {
    given = await page.list()
  } catch (error) {
    throw new HaloError('TOOL_ERROR', `The page's tools can't be listed: ${messageOf(error)}`, { cause: error })
  }
  if (!Array.isArray(given)) throw new HaloError('TOOL_ERROR', 'The page\'s tools can\'t be listed: what it gave is no list.')
  return given.flatMap((tool: unknown): PageTool[] => {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return []
    const { name, title, description, parameters, readOnly, untrusted } = tool
    return [
      {
        name,
        ...(typeof title === 'string' ? { title } : {}),
        description: typeof description === 'string' ? description : '',
        parameters: isObject(parameters) ? parameters : { type: 'object' },
        readOnly: readOnly === true,
        ...(untrusted === true ? { untrusted: true } : {}),
      },
    ]
  })
}
