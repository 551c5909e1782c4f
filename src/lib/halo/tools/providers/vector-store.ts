/** `VectorStore(path:, top_k:)`: pieces of text of the workspace, found by what they are about. */
import { Type } from 'typebox'
import { HaloError } from '../../errors.ts'
import { addTo, removeFrom, openStore, type StoreContext } from '../stores/store.ts'
import type { Ranked } from '../stores/lexical.ts'
import type { ProviderDefinition, StoreMatch } from '../types.ts'

const TOP_K = 4
const CHUNK_CHARS = 1200

const strict = { additionalProperties: false }
const match = Type.Object({
  id: Type.String(),
  text: Type.String(),
  score: Type.Number({ description: 'Higher is better; comparable within one answer.' }),
  source: Type.Optional(Type.String()),
  position: Type.Optional(Type.Integer({ description: 'Offset of its first character in its source.' })),
})

export const vectorStore: ProviderDefinition = {
  name: 'VectorStore',
  description:
    'Pieces of text with their source, ranked by a query. Kept in the workspace: in a .jsonl file, or in chunks.jsonl of a folder, whose text files then belong to the store as well.',
  store: true,
  config: Type.Object({
    path: Type.String({ format: 'path', description: 'A .jsonl file, a folder or a text file, relative to the workspace.' }),
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: TOP_K, description: 'How many matches a search and a prompt get.' })),
    embedding: Type.Optional(Type.String({ default: 'lexical', description: 'lexical: ranks by words, without a model.' })),
    chunk_chars: Type.Optional(Type.Integer({ minimum: 100, maximum: 20_000, default: CHUNK_CHARS, description: 'The longest piece, in characters.' })),
  }),
  info: {
    add: {
      description: 'Adds a text, or a list of texts or { text, source }, cut into pieces. What is there already is not added twice.',
      parameters: Type.Object(
        {
          text: Type.Optional(Type.Unknown({ description: 'The text or the list. Without it the value that flows in.' })),
          source: Type.Optional(Type.String({ description: 'Where it comes from; shown with each match.' })),
          input: Type.Optional(Type.Unknown({ description: 'The value that flows in.' })),
        },
        strict,
      ),
      effect: 'write',
      repeatable: true,
      result: Type.Object({ added: Type.Integer(), ids: Type.Array(Type.String()), count: Type.Integer() }),
    },
    search: {
      description: 'The pieces that fit a query best, best first.',
      parameters: Type.Object(
        {
          query: Type.Optional(Type.String({ description: 'What to look for. Without it the value that flows in.' })),
          top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most. Default: that of the declaration.' })),
          input: Type.Optional(Type.Unknown({ description: 'The value that flows in.' })),
        },
        strict,
      ),
      effect: 'read',
      result: Type.Array(match),
    },
    remove: {
      description: 'Removes pieces by id, or all of a source.',
      parameters: Type.Object(
        {
          id: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { description: 'One id or several, as add and search give them.' })),
          source: Type.Optional(Type.String({ description: 'The source whose pieces go.' })),
        },
        strict,
      ),
      effect: 'write',
      repeatable: true,
      result: Type.Object({ removed: Type.Integer(), count: Type.Integer() }),
    },
    count: {
      description: 'How many pieces there are.',
      parameters: Type.Object({}, strict),
      effect: 'read',
      result: Type.Integer(),
    },
  },
  provider: (config) => {
    const settings = settingsOf(config)
    return {
      add: (args, context) => addTo(settings, args.text ?? args.input, typeof args.source === 'string' ? args.source : undefined, context),
      search: async (args, context) => {
        const query = args.query ?? args.input
        if (typeof query !== 'string') throw new HaloError('TOOL_ERROR', 'A search needs a query: a text, given or flowing in.')
        return (await best(settings, query, context, args.top_k)).map(({ chunk, score }) => ({ ...chunk, score }))
      },
      remove: (args, context) => removeFrom(settings, args, context),
      count: async (_args, context) => (await openStore(settings, context)).chunks.length,
    }
  },
  contextChars: ({ top_k, chunk_chars }) => count(top_k, TOP_K, 'top_k') * count(chunk_chars, CHUNK_CHARS, 'chunk_chars'),
  async matches(config, query, context, topK): Promise<StoreMatch[]> {
    const ranked = await best(settingsOf(config), query, context, topK)
    return ranked.map(({ chunk: { id: _id, ...chunk }, score }) => ({ ...chunk, score }))
  },
}

interface Settings {
  path: string
  topK: number
  chunkChars: number
}

function settingsOf(config: Record<string, unknown>): Settings {
  const { path, embedding } = config
  if (typeof path !== 'string' || path === '') throw new HaloError('TOOL_CONFIG', 'A VectorStore needs a path: VectorStore(path: "./knowledge").')
  if (embedding !== undefined && embedding !== 'lexical') {
    throw new HaloError('TOOL_CONFIG', `A VectorStore can't embed with ${String(embedding)} yet. Leave embedding: out to rank by words.`)
  }
  return { path, topK: count(config.top_k, TOP_K, 'top_k'), chunkChars: count(config.chunk_chars, CHUNK_CHARS, 'chunk_chars') }
}

function count(value: unknown, otherwise: number, name: string): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  throw new HaloError('TOOL_CONFIG', `A VectorStore's ${name} must be a whole number above 0; got ${JSON.stringify(value)}.`)
}

async function best(settings: Settings, query: string, context: StoreContext, topK: unknown): Promise<Ranked[]> {
  const { index } = await openStore(settings, context)
  return (await index()).search(query, count(topK, settings.topK, 'top_k'))
}
