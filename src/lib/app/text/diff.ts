import { structuredPatch } from 'diff'

export interface DiffLine {
  kind: 'same' | 'add' | 'del' | 'gap'
  text: string
}
export interface Diff {
  lines: DiffLine[]
  added: number
  removed: number
}

/** Above this a line diff would hold up the page; the texts are then shown as replaced whole. */
const LIMIT = 400_000

/** The lines that differ, each with three lines around it; `gap` stands where lines are left out. */
export function lineDiff(before: string, after: string, context = 3): Diff {
  if (before.length + after.length > LIMIT) return whole(before, after)
  const patch = structuredPatch('a', 'b', before, after, '', '', { context, timeout: 1000 })
  if (!patch) return whole(before, after)
  const lines: DiffLine[] = []
  let added = 0
  let removed = 0
  let next = 1
  for (const hunk of patch.hunks) {
    if (hunk.oldStart > next) lines.push({ kind: 'gap', text: '' })
    next = hunk.oldStart + hunk.oldLines
    for (const line of hunk.lines) {
      const text = line.slice(1)
      if (line.startsWith('+')) {
        added++
        lines.push({ kind: 'add', text })
      } else if (line.startsWith('-')) {
        removed++
        lines.push({ kind: 'del', text })
      } else if (line.startsWith(' ')) lines.push({ kind: 'same', text })
    }
  }
  return { lines, added, removed }
}

function whole(before: string, after: string): Diff {
  const gone = before === '' ? [] : before.split('\n')
  const come = after === '' ? [] : after.split('\n')
  return {
    lines: [
      ...gone.map((text): DiffLine => ({ kind: 'del', text })),
      ...come.map((text): DiffLine => ({ kind: 'add', text })),
    ],
    added: come.length,
    removed: gone.length,
  }
}

/** Text, or undefined for what is not UTF-8 text (a zero byte in the first 8,000, or a decoding fault). */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8000).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
