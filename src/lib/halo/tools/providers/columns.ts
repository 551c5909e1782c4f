/** Names of a table's columns: none is lost to another of the same name, or to one without any. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map((name, i) => {
    const wanted = name.trim() === '' ? `column_${i + 1}` : name.trim()
    let unique = wanted
    for (let n = 2; used.has(unique); n++) unique = `${wanted}_${n}`
    used.add(unique)
    return unique
  })
}

/** A row by its columns; what it has beyond them is named by its place. */
export function keyed(columns: readonly string[], row: readonly string[]): Record<string, string> {
  return Object.fromEntries(row.map((value, i) => [columns[i] ?? `column_${i + 1}`, value]))
}
