/** What a page says, as Markdown or plain text; an answer's bytes as text. */

export type TextFormat = 'markdown' | 'text' | 'html' | 'json'

/** The bytes as text, by the charset the answer names, else UTF-8. */
export function decode(bytes: Uint8Array, contentType: string): string {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]
  return decoder(charset).decode(bytes)
}

function decoder(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    // A charset nobody knows is a mistake of the server's; most such pages are UTF-8.
    return new TextDecoder()
  }
}

/** HTML as Markdown: headings, lists, links, code; no scripts, styles, forms or pictures' data. */
export async function markdownOf(html: string): Promise<string> {
  const { default: Turndown } = await import('turndown')
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  service.remove(['script', 'style', 'noscript', 'iframe', 'form', 'button', 'template'])
  service.addRule('inline pictures', {
    filter: (node) => node.nodeName === 'IMG' && (node.getAttribute('src') ?? '').startsWith('data:'),
    replacement: (_content, node) => (node as { getAttribute(name: string): string | null }).getAttribute('alt') ?? '',
  })
  return service.turndown(html)
}

/** HTML as text: what is read, a block a line. */
export async function plainTextOf(html: string): Promise<string> {
  const { default: Turndown } = await import('turndown')
  const service = new Turndown()
  service.remove(['script', 'style', 'noscript', 'iframe', 'form', 'button', 'template'])
  service.escape = (text) => text
  service.addRule('words alone', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'ul', 'ol', 'blockquote', 'pre'],
    replacement: (content) => `\n${content.trim()}\n`,
  })
  service.addRule('no marks', { filter: ['a', 'em', 'i', 'strong', 'b', 'code', 'img'], replacement: (content) => content })
  return service.turndown(html).replace(/\n{3,}/g, '\n\n')
}

/** A page of a long text, from a character on, by the contract that all methods have. */
export function pageOf(text: string, start: number, length: number): { text: string; total: number; next?: number; truncated?: { shown: number; of: number } } {
  let end = Math.min(text.length, start + length)
  const last = text.charCodeAt(end - 1)
  if (end < text.length && end - start > 1 && last >= 0xd800 && last <= 0xdbff) end--
  const shown = text.slice(start, end)
  const rest = end < text.length
  return { text: shown, total: text.length, ...(rest ? { next: end, truncated: { shown: shown.length, of: text.length } } : {}) }
}
