import { sectionsOf, type Section } from './sections.ts'

/** All of it lies in one file that is loaded when the documentation is first opened. */
const texts = import.meta.glob<string>('/docs/*.md', { query: '?raw', import: 'default', eager: true })

export interface DocPage {
  /** File name without `.md`. */
  name: string
  title: string
  sections: Section[]
}

/** In the order of the list in `docs/README.md`. */
export const pages: DocPage[] = inOrder()

function inOrder(): DocPage[] {
  const listed = [...(texts['/docs/README.md'] ?? '').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name = '']) => name)
  return listed.flatMap((name) => {
    const sections = sectionsOf(name, texts[`/docs/${name}.md`] ?? '')
    return sections[0] ? [{ name, title: sections[0].title, sections }] : []
  })
}
