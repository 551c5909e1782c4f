/** Names of a table's columns: none is lost to another of the same name, or to one without any. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  // Where each name's numbers go on: a row may be one name a hundred thousand times.
  const next = new Map<string, number>()
  return names.map((name, i) => {
    const wanted = name.trim() === '' ? `column_${i + 1}` : name.trim()
    let unique = wanted
    let n = next.get(wanted) ?? 2
    while (used.has(unique)) unique = `${wanted}_${n++}`
    next.set(wanted, n)
    used.add(unique)
    return unique
  })
}

/** A row by its columns; what it has beyond them is named by its place. */
export function keyed(columns: readonly string[], row: readonly string[]): Record<string, string> {
  const names = row.length > columns.length ? uniqueNames([...columns, ...row.slice(columns.length).map(() => '')]) : columns
  return Object.fromEntries(row.map((value, i) => [names[i], value]))
}
