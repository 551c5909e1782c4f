/** Ranking by words (BM25+, minisearch): no model, no network, the same everywhere. */
import type MiniSearch from 'minisearch'

export interface Chunk {
  id: string
  text: string
  source?: string
  /** Offset in its source, in UTF-16 code units. */
  position?: number
}
export interface Ranked {
  chunk: Chunk
  score: number
}
export interface LexicalIndex {
  /** The best `topK`, best first; what shares no word with the query is not among them. */
  search(query: string, topK: number): Ranked[]
}

/** A prompt can be long; its first distinct words are what it is about. */
const MAX_TERMS = 200
/** Looking for near spellings of every word of a long prompt would find everything. */
const MAX_FUZZY_TERMS = 12

export async function lexicalIndex(chunks: readonly Chunk[]): Promise<LexicalIndex> {
  const { default: Search } = await import('minisearch')
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]))
  const index: MiniSearch<Chunk> = new Search<Chunk>({ fields: ['text', 'source'], tokenize: words, processTerm: (term) => term })
  index.addAll([...byId.values()])
  return {
    search(query, topK) {
      const terms = [...new Set(words(query))].slice(0, MAX_TERMS)
      const fuzzy = terms.length <= MAX_FUZZY_TERMS
      const hits = index.search(terms.join(' '), {
        boost: { text: 2 },
        prefix: (term) => term.length >= 4,
        fuzzy: (term) => (fuzzy && term.length >= 5 ? 0.2 : false),
      })
      const ranked: Ranked[] = []
      for (const { id, score } of hits.slice(0, topK)) {
        const chunk = byId.get(String(id))
        if (chunk !== undefined) ranked.push({ chunk, score })
      }
      return ranked
    },
  }
}

const RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[\p{L}\p{N}]+/gu
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Words in lower case without accents. Scripts that put no space between words give overlapping pairs of characters. */
export function words(text: string): string[] {
  const found: string[] = []
  const folded = text.normalize('NFKD').replace(/\p{Mn}/gu, '').toLowerCase()
  for (const [run] of folded.matchAll(RUNS)) {
    if (!UNSPACED.test(run)) found.push(run)
    else {
      const characters = [...run]
      if (characters.length === 1) found.push(run)
      for (let i = 0; i + 1 < characters.length; i++) found.push(`${characters[i]}${characters[i + 1]}`)
    }
  }
  return found
}
