/** The examples of this product, each loaded when it is chosen; the list itself is in the page. */
const loaders = import.meta.glob<string>('/examples/*.halo', { query: '?raw', import: 'default' })

export interface Example {
  id: string
  title: string
  load(): Promise<string>
}

/** `01-fix-until-green.halo` is “Fix until green”, and numbers put them in order. */
export const examples: Example[] = Object.entries(loaders)
  .map(([path, load]) => {
    const id = path.replace(/^.*\/|\.halo$/g, '')
    const words = id.replace(/^\d+-/, '').replaceAll('-', ' ')
    return { id, title: words.charAt(0).toUpperCase() + words.slice(1), load }
  })
  .sort((a, b) => (a.id < b.id ? -1 : 1))

/** What a first visit opens: the fixer, where there is one. */
export const firstExample = (): Example | undefined => examples.find((e) => /fix/.test(e.id)) ?? examples[0]

/** Files of a project made from an example: it, and the example files it imports. */
export async function exampleFiles(example: Example): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const add = async (id: string): Promise<void> => {
    const found = examples.find((e) => e.id === id)
    const path = `${id}.halo`
    if (!found || files[path] !== undefined) return
    const text = await found.load()
    files[path] = text
    for (const match of text.matchAll(/^\s*import\s+["']\.?\/?([^"'/]+)\.halo["']/gm)) if (match[1]) await add(match[1])
  }
  await add(example.id)
  return files
}
