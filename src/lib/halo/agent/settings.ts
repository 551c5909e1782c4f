/** What an agent call runs with: the agent's options, and what the call says instead. */
import { HaloError } from '../errors.ts'
import type { JsonSchema, Part } from '../models/types.ts'
import { schemaOf } from '../run/arguments.ts'
import { schemaNamed } from '../run/decorators.ts'
import { spanIn, valueOf, type Frame } from '../run/frame.ts'
import type { AgentDeclaration, Argument, CallStage, Expression } from '../syntax/ast.ts'

export interface AgentSettings {
  temperature?: number
  topP?: number
  seed?: number
  maxTokens: number
  maxSteps: number
  resultChars: number
  /** Further attempts of the agent's tool calls. */
  toolRetries?: number
  baseUrl?: string
  schema?: { name: string; schema: JsonSchema }
  images: Part[]
}

/** Named arguments of an agent call that are settings; all other arguments are parts of the prompt. */
const SETTINGS: ReadonlySet<string> = new Set(['tools', 'tool', 'schema', 'max_steps', 'tool_result_chars', 'temp', 'max_tokens', 'images'])

export function isSetting(arg: Argument): boolean {
  return arg.name !== undefined && SETTINGS.has(arg.name)
}

export function writtenSetting(call: CallStage, name: string): Expression | undefined {
  return call.args?.find((arg) => arg.name === name)?.value
}

export async function agentSettings(frame: Frame, agent: AgentDeclaration, call: CallStage, path: string): Promise<AgentSettings> {
  const read = async (name: string): Promise<{ value: unknown; at: Expression } | undefined> => {
    const at = writtenSetting(call, name) ?? agent.options.find((option) => option.name === name)?.value
    return at === undefined ? undefined : { value: await valueOf(frame, at, path), at }
  }
  const number = async (name: string, least: number, whole: boolean): Promise<number | undefined> => {
    const found = await read(name)
    if (found === undefined || found.value === null) return undefined
    const { value, at } = found
    if (typeof value === 'number' && value >= least && (!whole || Number.isInteger(value))) return value
    throw new HaloError('VALIDATION', `${name}: of ${agent.name} is a ${whole ? 'whole ' : ''}number from ${least} up.`, { path, span: spanIn(frame, at) })
  }
  const url = (await read('base_url'))?.value
  return {
    temperature: await number('temp', 0, false),
    topP: await number('top_p', 0, false),
    seed: await number('seed', -Infinity, true),
    maxTokens: (await number('max_tokens', 1, true)) ?? 4096,
    maxSteps: (await number('max_steps', 0, true)) ?? 10,
    resultChars: (await number('tool_result_chars', 1, true)) ?? 16_000,
    toolRetries: await number('tool_retry', 0, true),
    ...(typeof url === 'string' && url !== '' ? { baseUrl: url } : {}),
    schema: wantedSchema(frame, agent, call),
    images: await images(frame, call, path),
  }
}

function wantedSchema(frame: Frame, agent: AgentDeclaration, call: CallStage): AgentSettings['schema'] {
  const written = writtenSetting(call, 'schema')
  if (written !== undefined) return { name: written.kind === 'Variable' ? written.name : 'answer', schema: schemaNamed(frame, written) }
  const { returns } = agent
  if (returns === undefined || (returns.kind === 'NamedType' && (returns.name === 'Result' || returns.name === 'Any' || returns.name === 'String'))) return undefined
  return { name: returns.kind === 'NamedType' ? returns.name : 'answer', schema: schemaOf(returns, frame.run.world.program) as JsonSchema }
}

/** `images:` takes data URLs, or parts such as a tool's result has. */
async function images(frame: Frame, call: CallStage, path: string): Promise<Part[]> {
  const written = writtenSetting(call, 'images')
  if (written === undefined) return []
  const given = await valueOf(frame, written, path)
  const fault = () => new HaloError('VALIDATION', 'images: takes data URLs (data:image/png;base64,…), or what Workspace.read gives for an image, or a list of these.', { path, span: spanIn(frame, written) })
  return (Array.isArray(given) ? given : [given]).flatMap((item: unknown): Part[] => {
    if (typeof item === 'string') {
      const match = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(item)
      if (match?.[1] === undefined || match[2] === undefined) throw fault()
      return [{ type: 'image', mimeType: match[1], data: match[2] }]
    }
    if (typeof item !== 'object' || item === null) throw fault()
    if ('parts' in item && Array.isArray(item.parts)) return (item.parts as Part[]).filter((part) => part.type === 'image')
    if ('type' in item && item.type === 'image') return [item as Part]
    throw fault()
  })
}
