import { lineDiff, type DiffLine } from '../text/diff.ts'

type Files = Readonly<Record<string, string>>
export interface ChangesSince {
  files: { path: string; lines: DiffLine[]; mark?: 'A' | 'D' }[]
  added: number
  removed: number
}

/** What was changed from one state of a project's files to another, by path. */
export function changesSince(then: Files, now: Files): ChangesSince {
  const changes: ChangesSince = { files: [], added: 0, removed: 0 }
  for (const path of [...new Set([...Object.keys(then), ...Object.keys(now)])].sort()) {
    const [before, after] = [then[path], now[path]]
    if (before === after) continue
    const { lines, added, removed } = lineDiff(before ?? '', after ?? '')
    changes.files.push({ path, lines, ...(before === undefined ? { mark: 'A' as const } : after === undefined ? { mark: 'D' as const } : {}) })
    changes.added += added
    changes.removed += removed
  }
  return changes
}
