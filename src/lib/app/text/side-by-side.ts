import { structuredPatch } from 'diff'

export interface SideRow {
  left?: string
  right?: string
  kind: 'same' | 'changed' | 'gap'
}

/** Above this a line diff would hold up the page: the texts then stand beside each other from where they part. */
const LIMIT = 400_000

/** Two texts line beside line; where they are alike for long, `gap` stands for what is left out. */
export function sideBySide(left: string, right: string, context = 3): SideRow[] {
  const patch = left.length + right.length > LIMIT ? undefined : structuredPatch('a', 'b', left, right, '', '', { context, timeout: 1000 })
  if (!patch) return apart(left, right)
  const rows: SideRow[] = []
  let next = 1
  for (const hunk of patch.hunks) {
    if (hunk.oldStart > next) rows.push({ kind: 'gap' })
    next = hunk.oldStart + hunk.oldLines
    let gone: string[] = []
    let come: string[] = []
    const flush = () => {
      for (let i = 0; i < Math.max(gone.length, come.length); i++) rows.push({ kind: 'changed', left: gone[i], right: come[i] })
      gone = []
      come = []
    }
    for (const line of hunk.lines) {
      const text = line.slice(1)
      if (line.startsWith('-')) gone.push(text)
      else if (line.startsWith('+')) come.push(text)
      else if (line.startsWith(' ')) {
        flush()
        rows.push({ kind: 'same', left: text, right: text })
      }
    }
    flush()
  }
  return rows
}

/** The first lines that differ, without a search for what is alike after them. */
function apart(left: string, right: string): SideRow[] {
  const [a, b] = [left.split('\n'), right.split('\n')]
  const from = a.findIndex((line, i) => line !== b[i])
  const start = from < 0 ? a.length : from
  const rows: SideRow[] = start > 0 ? [{ kind: 'gap' }] : []
  for (let i = start; i < Math.min(start + 400, Math.max(a.length, b.length)); i++) rows.push({ kind: 'changed', left: a[i], right: b[i] })
  return rows
}
