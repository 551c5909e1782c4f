/** `File(path)`: one text file of the workspace as a store. */
import { Type } from 'typebox'
import { HaloError } from '../../errors.ts'
import { asText, oneAtATime, readText } from '../stores/text-files.ts'
import type { ProviderDefinition } from '../types.ts'

/** Characters of the file that go into an equipped agent's prompt. */
const CONTEXT_CHARS = 16_000

const written = Type.Object(
  {
    text: Type.Optional(Type.Unknown({ description: 'What to write; anything but a text as JSON. Without it the value that flows in.' })),
    input: Type.Optional(Type.Unknown({ description: 'The value that flows in.' })),
  },
  { additionalProperties: false },
)
const wrote = Type.Object({ path: Type.String(), characters: Type.Integer({ description: 'Length of the file now.' }) })

export const fileStore: ProviderDefinition = {
  name: 'File',
  description: 'One text file of the workspace; an agent that equips it has its text in the prompt.',
  store: true,
  config: Type.Object({
    path: Type.String({ format: 'path', description: 'The file, relative to the workspace.' }),
    max_chars: Type.Optional(Type.Integer({ minimum: 1, default: CONTEXT_CHARS, description: 'How much of it goes into a prompt, in characters.' })),
  }),
  info: {
    read: {
      description: 'Gives the whole text; an empty one when there is no file yet.',
      parameters: Type.Object({}, { additionalProperties: false }),
      effect: 'read',
      result: Type.String(),
    },
    append: { description: 'Adds a text at the end, on a line of its own.', parameters: written, effect: 'write', result: wrote },
    write: { description: 'Replaces the whole text.', parameters: written, effect: 'write', result: wrote, repeatable: true },
  },
  provider: (config) => {
    const path = pathOf(config)
    return {
      read: async (_args, { sandbox }) => (await readText(sandbox, path)) ?? '',
      append: async (args, { sandbox }) => {
        const added = textOf(args)
        return oneAtATime(await sandbox.realpath(path), async () => {
          const before = (await readText(sandbox, path)) ?? ''
          const text = `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${added}${added.endsWith('\n') ? '' : '\n'}`
          await sandbox.write(path, text)
          return { path, characters: text.length }
        })
      },
      write: async (args, { sandbox }) => {
        const text = textOf(args)
        return oneAtATime(await sandbox.realpath(path), async () => {
          await sandbox.write(path, text)
          return { path, characters: text.length }
        })
      },
    }
  },
  contextChars: limitOf,
  async matches(config, _query, { sandbox }) {
    const path = pathOf(config)
    const limit = limitOf(config)
    const text = await readText(sandbox, path)
    if (text === undefined || text.trim() === '') return []
    return [{ text: cutTo(text, limit), score: 1, source: path, position: 0 }]
  },
}

function limitOf(config: Record<string, unknown>): number {
  return typeof config.max_chars === 'number' ? config.max_chars : CONTEXT_CHARS
}

function pathOf(config: Record<string, unknown>): string {
  const { path } = config
  if (typeof path === 'string' && path !== '') return path
  throw new HaloError('TOOL_CONFIG', 'A File store needs a path: File("./notes.md").')
}

function textOf(args: Record<string, unknown>): string {
  const text = args.text === undefined ? args.input : args.text
  if (text === undefined || text === null) throw new HaloError('TOOL_ERROR', 'There is no text to write: give text, or let a value flow in.')
  return asText(text)
}

function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit
  return `${text.slice(0, end)}\n[${text.length - end} more characters]`
}
