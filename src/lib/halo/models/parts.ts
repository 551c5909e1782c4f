/** The content of messages, as providers that take less than everything can be given it. */
import type { Message, Part } from './types.ts'

export type ImagePart = Part & { type: 'image' }
export type FilePart = Part & { type: 'file' }

export const partsOf = (message: Message): Part[] =>
  typeof message.content === 'string' ? (message.content === '' ? [] : [{ type: 'text', text: message.content }]) : message.content

export const dataUrl = (part: ImagePart | FilePart): string => `data:${part.mimeType};base64,${part.data}`

/** Everything that is text; of the rest a note, so that the model knows there was something. */
export function textOf(message: Message, note: (part: ImagePart | FilePart) => string = notShown): string {
  if (typeof message.content === 'string') return message.content
  return message.content.map((part) => (part.type === 'text' ? part.text : (fileText(part) ?? note(part)))).join('\n')
}

export const notShown = (part: ImagePart | FilePart): string => `[${describe(part)}, not shown to this model]`

export const describe = (part: ImagePart | FilePart): string =>
  part.type === 'image' ? `an image, ${part.mimeType}` : `a file${part.name ? `, ${part.name}` : ''}, ${part.mimeType}`

/** A file that is text, as text with its name; undefined for other parts. */
export function fileText(part: Part): string | undefined {
  if (part.type !== 'file' || !/^text\/|[/+](json|xml|yaml|javascript|typescript|csv)$/.test(part.mimeType.split(';')[0] ?? '')) return undefined
  const text = new TextDecoder().decode(Uint8Array.from(atob(part.data), (char) => char.charCodeAt(0)))
  return part.name ? `${part.name}:\n${text}` : text
}

export const hasImages = (messages: readonly Message[]): boolean =>
  messages.some((message) => typeof message.content !== 'string' && message.content.some((part) => part.type === 'image'))

/**
 * The translation of each message, made once: a conversation is sent again at every step, and only its newest messages are new.
 * Kept as long as the message itself is.
 */
export function translations<T>(translate: (message: Message) => T): (message: Message) => T {
  const made = new WeakMap<Message, T>()
  return (message) => {
    const known = made.get(message)
    if (known !== undefined) return known
    const fresh = translate(message)
    made.set(message, fresh)
    return fresh
  }
}
