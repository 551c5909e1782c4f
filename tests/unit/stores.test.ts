import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { providerDefinition } from '../../src/lib/halo/tools/registry.ts'
import { pieces } from '../../src/lib/halo/tools/stores/chunks.ts'
import { lexicalIndex, words } from '../../src/lib/halo/tools/stores/lexical.ts'
import type { StoreMatch } from '../../src/lib/halo/tools/types.ts'
import { filesSandbox, toolContext } from './middleware-kit.ts'

interface Store {
  call(method: string, args?: Record<string, unknown>): Promise<unknown>
  matches(query: string, topK?: number): Promise<StoreMatch[]>
}

async function store(provider: string, config: Record<string, unknown>, sandbox: Sandbox): Promise<Store> {
  const definition = providerDefinition(provider)
  if (definition?.matches === undefined) throw new Error(`${provider} is no store`)
  const matches = definition.matches.bind(definition)
  const context = toolContext({ get sandbox() { return sandbox.open({}) } })
  const methods = await definition.provider(config, { tool: 'S', fetch: context.fetch, env: {}, runId: 'r' })
  return {
    call: async (method, args = {}) => {
      const run = methods[method]
      if (run === undefined) throw new Error(`no method ${method}`)
      return run(args, context)
    },
    matches: (query, topK) => matches(config, query, context, topK),
  }
}

const text = async (sandbox: Sandbox, path: string): Promise<string> => new TextDecoder().decode(await sandbox.read(path))

describe('File', () => {
  let sandbox: Sandbox
  beforeEach(() => {
    sandbox = filesSandbox({ 'notes.md': '# Notes\n' })
  })

  test('reads, appends lines and writes', async () => {
    const file = await store('File', { path: 'notes.md' }, sandbox)
    expect(await file.call('read')).toBe('# Notes\n')
    await file.call('append', { text: 'one' })
    await file.call('append', { input: { two: 2 } })
    expect(await file.call('read')).toBe('# Notes\none\n{\n  "two": 2\n}\n')
    expect(await file.call('write', { text: 'new' })).toEqual({ path: 'notes.md', characters: 3 })
    await file.call('append', { text: 'line' })
    expect(await text(sandbox, 'notes.md')).toBe('new\nline\n')
  })
  test('that is not there yet is empty, adds nothing to a prompt, and comes with the first text', async () => {
    const file = await store('File', { path: 'memory/log.md' }, sandbox)
    expect(await file.call('read')).toBe('')
    expect(await file.matches('anything')).toEqual([])
    await file.call('append', { text: 'first' })
    expect(await text(sandbox, 'memory/log.md')).toBe('first\n')
  })
  test('loses nothing when many append at once', async () => {
    const file = await store('File', { path: 'log.md' }, sandbox)
    await Promise.all(Array.from({ length: 20 }, (_, i) => file.call('append', { text: `line ${i}` })))
    expect((await text(sandbox, 'log.md')).trim().split('\n').sort()).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i}`).sort())
  })
  test('puts its whole text into a prompt up to the limit, and says how much is missing', async () => {
    expect(await (await store('File', { path: 'notes.md' }, sandbox)).matches('x')).toEqual([{ text: '# Notes\n', score: 1, source: 'notes.md', position: 0 }])
    await sandbox.write('notes.md', 'ab😀cd')
    expect((await (await store('File', { path: 'notes.md', max_chars: 3 }, sandbox)).matches('x'))[0]?.text).toBe('ab\n[4 more characters]')
  })
  test('needs a path and something to write', async () => {
    await expect((async () => store('File', {}, sandbox))()).rejects.toMatchObject({ code: 'TOOL_CONFIG' })
    await expect((await store('File', { path: 'a' }, sandbox)).call('append')).rejects.toThrow('no text')
  })
})

describe('VectorStore', () => {
  let sandbox: Sandbox
  beforeEach(() => {
    sandbox = filesSandbox({
      'docs/cats.md': '# Cats\n\nCats sleep most of the day.\n',
      'docs/deep/dogs.md': 'Dogs like long walks in the park.',
      'docs/node_modules/x/readme.md': 'Cats everywhere.',
      'docs/image.bin': new Uint8Array([0, 1, 2, 3]),
    })
  })

  test('finds what was added, best first, with source and position', async () => {
    const docs = await store('VectorStore', { path: 'kb.jsonl' }, sandbox)
    await docs.call('add', { text: 'Invoices are due within thirty days.', source: 'terms' })
    await docs.call('add', { text: [{ text: 'Refunds take a week.', source: 'refunds' }, 'The office is closed on Sundays.'] })
    expect(await docs.call('count')).toBe(3)
    const found = (await docs.call('search', { query: 'when is an invoice due?' })) as StoreMatch[]
    expect(found[0]).toMatchObject({ text: 'Invoices are due within thirty days.', source: 'terms', position: 0 })
    expect(found.every(({ score }, i) => i === 0 || score <= (found[i - 1]?.score ?? 0))).toBe(true)
    expect((await docs.matches('refund'))[0]).toMatchObject({ source: 'refunds' })
    expect(await docs.matches('zebra')).toEqual([])
  })

  test('keeps its pieces in the workspace as readable lines', async () => {
    const first = await store('VectorStore', { path: './kb' }, sandbox)
    await first.call('add', { text: 'Kept.' })
    expect((await text(sandbox, 'kb/chunks.jsonl')).trim().split('\n').map((line) => JSON.parse(line) as unknown)).toMatchObject([{ text: 'Kept.', position: 0 }])
    const fork = await sandbox.fork()
    expect(await (await store('VectorStore', { path: './kb' }, fork)).call('count')).toBe(1)
  })

  test('holds the text files of its folder, and follows their changes', async () => {
    const docs = await store('VectorStore', { path: 'docs' }, sandbox)
    expect(await docs.call('count')).toBe(2)
    expect((await docs.matches('how long do cats sleep'))[0]).toMatchObject({ source: 'docs/cats.md' })
    await sandbox.write('docs/birds.md', 'Birds migrate in autumn.')
    expect((await docs.matches('migrating birds'))[0]).toMatchObject({ text: 'Birds migrate in autumn.', source: 'docs/birds.md', position: 0 })
    await docs.call('add', { text: 'Fish swim.', source: 'fish' })
    expect(await docs.call('count')).toBe(4)
    await expect(docs.call('remove', { source: 'docs/cats.md' })).rejects.toThrow('docs/cats.md')
    expect(await docs.call('remove', { source: 'fish' })).toEqual({ removed: 1, count: 3 })
  })

  test('adds the same piece once, and removes by id and by source', async () => {
    const docs = await store('VectorStore', { path: 'kb.jsonl' }, sandbox)
    const { ids } = (await docs.call('add', { text: 'Once.' })) as { ids: string[] }
    expect(await docs.call('add', { text: 'Once.' })).toEqual({ added: 0, ids, count: 1 })
    await docs.call('add', { text: 'Twice.', source: 's' })
    expect(await docs.call('remove', { id: ids })).toEqual({ removed: 1, count: 1 })
    expect(await docs.call('remove', { source: 's' })).toEqual({ removed: 1, count: 0 })
    expect(await docs.matches('twice')).toEqual([])
  })

  test('loses nothing when many add at once', async () => {
    const docs = await store('VectorStore', { path: 'kb.jsonl' }, sandbox)
    await Promise.all(Array.from({ length: 15 }, (_, i) => docs.call('add', { text: `Fact number ${i}.` })))
    expect(await docs.call('count')).toBe(15)
  })

  test('gives top_k matches, as configured or asked for', async () => {
    const docs = await store('VectorStore', { path: 'kb.jsonl', top_k: 2 }, sandbox)
    await docs.call('add', { text: Array.from({ length: 8 }, (_, i) => `Apples, kind ${i}.`) })
    expect(await docs.matches('apples')).toHaveLength(2)
    expect(await docs.matches('apples', 5)).toHaveLength(5)
    expect(await docs.call('search', { input: 'apples', top_k: 3 })).toHaveLength(3)
  })

  test('says which line of a damaged file it can not read', async () => {
    await sandbox.write('kb.jsonl', '{"id":"a","text":"x"}\n{"id":1}\n')
    await expect((await store('VectorStore', { path: 'kb.jsonl' }, sandbox)).matches('x')).rejects.toThrow('Line 2')
  })

  test('refuses an embedding it does not have instead of ranking otherwise', async () => {
    await expect((async () => store('VectorStore', { path: 'kb', embedding: 'openai/text-embedding-3-small' }, sandbox))()).rejects.toMatchObject({ code: 'TOOL_CONFIG' })
  })
})

describe('pieces of a text', () => {
  test('are where they say, in order, none too long, and leave out white space only', () => {
    const sentence = fc.lorem({ maxCount: 3, mode: 'sentences' })
    const text = fc.array(fc.oneof(sentence, fc.constantFrom('\n\n', '\n# Head\n', ' ', '😀😀😀', '日本語。')), { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 300 }), (whole, size) => {
        let end = 0
        for (const { text: piece, position } of pieces(whole, size)) {
          expect(piece.length).toBeLessThanOrEqual(size)
          expect(whole.slice(position, position + piece.length)).toBe(piece)
          expect(whole.slice(end, position).trim()).toBe('')
          expect(piece.isWellFormed?.() ?? true).toBe(true)
          end = position + piece.length
        }
        expect(whole.slice(end).trim()).toBe('')
      }),
    )
  })
  test('end where a paragraph does, if one ends in their second half', () => {
    expect(pieces('First paragraph, long.\n\nSecond paragraph.', 30).map((piece) => piece.text)).toEqual(['First paragraph, long.', 'Second paragraph.'])
  })
})

describe('the index of words', () => {
  test('ignores case and accents, forgives a typing error, and finds words by their beginning', async () => {
    const index = await lexicalIndex([{ id: 'a', text: 'Café in Zürich' }, { id: 'b', text: 'Payments and invoicing' }])
    for (const query of ['CAFE', 'zurich', 'Zürch']) expect(index.search(query, 1)[0]?.chunk.id, query).toBe('a')
    for (const query of ['invo', 'invoicng', 'payment']) expect(index.search(query, 1)[0]?.chunk.id, query).toBe('b')
  })
  test('finds in scripts without spaces', async () => {
    expect(words('東京都')).toEqual(['東京', '京都'])
    const index = await lexicalIndex([{ id: 'a', text: '東京の天気は晴れです' }, { id: 'b', text: '大阪の食べ物' }])
    expect(index.search('天気', 1)[0]?.chunk.id).toBe('a')
  })
  test('takes a prompt of any length', async () => {
    const index = await lexicalIndex(Array.from({ length: 500 }, (_, i) => ({ id: `c${i}`, text: `piece ${i} about topic ${i % 7}` })))
    const started = performance.now()
    expect(index.search('topic 3 '.repeat(20_000), 4)).toHaveLength(4)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
