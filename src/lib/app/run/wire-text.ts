import { asText } from '../text/format.ts'

/**
 * A request or response of the raw view as one reads HTTP: what it is, its headers, a blank line, its body. JSON is indented;
 * the events of a stream stay in their lines. Anything of another form is shown as JSON.
 */
export function wireText(message: unknown): string {
  if (typeof message !== 'object' || message === null || !('body' in message)) return asText(message)
  const { method, url, status, headers, body, ...more } = message as Record<string, unknown>
  const first = [method, url, status].filter((part) => part !== undefined).map(String).join(' ')
  const lines = typeof headers === 'object' && headers !== null ? Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`) : []
  const rest = Object.entries(more).map(([name, value]) => `(${name}: ${asText(value)})`)
  return [first, ...lines, '', typeof body === 'string' ? indented(body) : asText(body), ...rest].join('\n')
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
