/** The name most like a mistyped one, for "did you mean". */

/**
 * The candidate nearest to `name`, if it is near enough to be meant: a different case, or an edit (insert, delete, replace,
 * swap of neighbours) for each three characters, at least one.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let distance = Math.max(1, Math.floor(Math.min(name.length, 12) / 3)) + 1
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= distance) continue
    const found = candidate.toLowerCase() === wanted ? 0 : edits(wanted, candidate.toLowerCase(), distance)
    if (found < distance && found < name.length) {
      distance = found
      best = candidate
    }
  }
  return best
}

/** Optimal string alignment distance, given up at `limit`. */
function edits(a: string, b: string, limit: number): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let value = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) value = Math.min(value, at(before, j - 2) + 1)
      row.push(value)
      if (value < least) least = value
    }
    if (least >= limit) return limit
    before = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Infinity
}
