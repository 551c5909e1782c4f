/** Short forms of numbers and values for rows and chips. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
/** US dollars: four decimals under a dollar, two above. */
export function dollars(cost: number): string {
  return `$${cost.toFixed(cost !== 0 && cost < 1 ? 4 : 2)}`
}
/** The same always to four decimals, as plans print it. */
export const exactDollars = (cost: number): string => `$${cost.toFixed(4)}`
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
/** A value as text: text as it is, all else as indented JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  return JSON.stringify(value, null, 2) ?? String(value)
}
/** At most `limit` characters, never half a surrogate pair, with the number left out. */
export function cut(text: string, limit: number): { text: string; rest: number } {
  if (text.length <= limit) return { text, rest: 0 }
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit
  return { text: text.slice(0, end), rest: text.length - end }
}
export function oneLine(text: string, limit = 160): string {
  const { text: head, rest } = cut(text.replace(/\s+/g, ' ').trim(), limit)
  return rest > 0 ? `${head}…` : head
}
export function clock(at: number): string {
  const date = new Date(at)
  const today = new Date().toDateString() === date.toDateString()
  return today
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}
