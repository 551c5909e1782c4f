import MiniSearch from 'minisearch'
import type { Section } from './sections.ts'

export type Search = (query: string) => Section[]

/** Places that are shown. */
const SHOWN = 30

/** Finds sections in which every word of a query begins some word, or nearly does; headings count most. */
export function searchOf(sections: readonly Section[]): Search {
  const index = new MiniSearch<Section & { at: number }>({ idField: 'at', fields: ['title', 'text'] })
  index.addAll(sections.map((section, at) => ({ ...section, at })))
  return (query) =>
    index
      .search(query, { combineWith: 'AND', prefix: true, fuzzy: (word) => (word.length > 4 ? 0.2 : false), boost: { title: 4 } })
      .slice(0, SHOWN)
      .flatMap(({ id }) => sections[id as number] ?? [])
}
