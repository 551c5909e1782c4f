import DOMPurify from 'dompurify'
import { Marked } from 'marked'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)

/** Where a link leads, in words; undefined for what is not followed (scripts, data, relative addresses). */
function destination(href: string): string | undefined {
  try {
    const url = new URL(href)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.href
    if (url.protocol === 'mailto:') return url.href
  } catch {
    // Relative or malformed: it leads nowhere a reader could know.
  }
  return undefined
}

/** Where a relative link leads within the product's own pages; undefined: nowhere. */
export type Within = (href: string) => string | undefined

const reader = (within?: Within) => new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }) => escape(text),
    // A header with nothing in it heads nothing: to a screen reader it is a cell.
    tablecell({ tokens, header, align }) {
      const tag = header && tokens.length > 0 ? 'th' : 'td'
      return `<${tag}${align ? ` align="${align}"` : ''}>${this.parser.parseInline(tokens)}</${tag}>\n`
    },
    image: ({ href, text }) => `<span class="image">${escape(text || 'image')} (${escape(href)})</span>`,
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens)
      const place = within?.(href)
      if (place !== undefined) return `<a href="?docs=${escape(encodeURIComponent(place))}">${label}</a>`
      const target = destination(href)
      if (target === undefined) return `${label} (${escape(href)})`
      const shown = label === escape(href) || label === escape(target) ? '' : ` <span class="target">(${escape(target)})</span>`
      return `<a href="${escape(target)}" target="_blank" rel="noopener noreferrer nofollow">${label}</a>${shown}`
    },
  },
})

const foreign = reader()

/** Quotes and lists within each other thirty times over: reading those takes long, and nobody wrote them to be read as such. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){30}|^[ \t]{120}/m

function parsed(text: string, within: Within | undefined): string {
  if (TOO_DEEP.test(text)) return `<pre>${escape(text)}</pre>`
  try {
    return (within ? reader(within) : foreign).parse(text, { async: false })
  } catch (thrown) {
    // Nested deeper than the reader's stack goes, in a way that isn't seen above.
    if (!(thrown instanceof RangeError)) throw thrown
    return `<pre>${escape(text)}</pre>`
  }
}

/** Text of a model or a tool as HTML that can hold no script, no form, no remote image and no style. `within`: of the documentation. */
export function markdownHtml(text: string, within?: Within) {
  return DOMPurify.sanitize(parsed(text, within), {
    ALLOWED_TAGS: [
      'a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 'span',
      'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
    ],
    ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'start', 'align'],
    ADD_ATTR: ['target'],
    // Where the browser has Trusted Types, only what comes out of here may become markup; elsewhere it is a string.
    RETURN_TRUSTED_TYPE: true,
  })
}
