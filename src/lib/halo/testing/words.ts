const SHOWN = 200

/** What an agent was asked when a mock had no answer left: its step, and the end of the conversation. */
export function targetWords(request: unknown): string {
  if (typeof request !== 'object' || request === null) return ''
  const { step, prompt, messages } = request as { step?: unknown; prompt?: unknown; messages?: unknown }
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const text = typeof last === 'object' && last !== null && 'content' in last ? last.content : prompt
  const where = typeof step === 'number' ? ` (step ${step} of its call)` : ''
  return typeof text === 'string' && text !== '' ? `${where}, after: ${JSON.stringify(short(text))}` : where
}

/** A value in a line: JSON, cut where it is long. */
export function inWords(value: unknown): string {
  return short(JSON.stringify(value) ?? 'null')
}

function short(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
