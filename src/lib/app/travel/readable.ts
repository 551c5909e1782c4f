/** A value as text that can be read and compared line by line: texts keep their lines, the rest is indented. */
export function readable(value: unknown): string {
  return typeof value === 'string' ? value : linesOf(value, '').join('\n')
}

function linesOf(value: unknown, indent: string): string[] {
  if (typeof value === 'string') return value.includes('\n') ? ['|', ...value.split('\n').map((line) => `${indent}${line}`)] : [value === '' || value.trim() !== value ? JSON.stringify(value) : value]
  if (typeof value !== 'object' || value === null) return [String(value ?? 'null')]
  const pairs = Array.isArray(value) ? value.map((item): [string, unknown] => ['-', item]) : Object.entries(value).filter(([, item]) => item !== undefined).map(([key, item]): [string, unknown] => [`${key}:`, item])
  if (pairs.length === 0) return [Array.isArray(value) ? '[]' : '{}']
  const lines = pairs.flatMap(([key, item]) => {
    const [first = '', ...rest] = linesOf(item, `${indent}  `)
    const nested = typeof item === 'object' && item !== null && first !== '[]' && first !== '{}'
    return nested ? [`${indent}${key}`, first, ...rest] : [`${indent}${key} ${first}`, ...rest]
  })
  return lines
}
