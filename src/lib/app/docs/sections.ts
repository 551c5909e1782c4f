/** A page of the documentation in its parts, each with the address a link gives it. */
export interface Section {
  /** File name without `.md`. */
  page: string
  /** Of the heading, as GitHub makes it; empty for what stands before the second heading. */
  id: string
  /** Without marks. */
  title: string
  /** 1 for the page's own. */
  level: number
  /** Markdown, without the heading. */
  text: string
}

/** `` `SPEND_LIMIT` `` → `spend_limit`, as on GitHub, where the same files are read. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

export function sectionsOf(page: string, markdown: string): Section[] {
  const sections: Section[] = []
  let fenced = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    const [, marks, heading] = fenced ? [] : (/^(#{1,6}) (.+)$/.exec(line) ?? [])
    if (marks !== undefined && heading !== undefined) {
      const title = heading.replace(/[`*]/g, '')
      sections.push({ page, id: sections.length === 0 ? '' : slug(title), title, level: marks.length, text: '' })
    } else {
      const last = sections.at(-1)
      if (last) last.text += `${line}\n`
    }
  }
  // Remarks to those who change the file.
  return sections.map((section) => ({ ...section, text: section.text.replace(/^<!--.*-->$/gm, '').trim() }))
}

/** A place in the documentation: `tools`, or `errors#unknown-name`. */
export function placeOf(at: string): { page: string; id: string } {
  const [page = '', id = ''] = at.split('#')
  return { page, id }
}

/** Where a link of a page leads within the documentation; undefined: elsewhere. */
export function linkedPlace(page: string, href: string): string | undefined {
  const [, name, id] = /^(?:([\w-]+)\.md)?(?:#(.+))?$/.exec(href) ?? []
  if (name === undefined && id === undefined) return undefined
  return `${name ?? page}${id === undefined ? '' : `#${id}`}`
}
