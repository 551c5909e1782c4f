/** What an embedded page tells the page that holds it. */
export interface SizeMessage {
  type: 'halo:size'
  /** CSS pixels that the content takes. */
  height: number
}

/**
 * Tells the page around this frame how high the content is, now and whenever that changes. Returns what ends it.
 *
 * The message goes to the parent's origin alone where that is known. Not every browser says it (`ancestorOrigins`), a page may
 * hide it (`Referrer-Policy`), and a sandboxed parent has none that can be named: then it goes to whoever is the parent. It
 * holds a number and nothing of the project.
 */
export function reportSize(content: HTMLElement): () => void {
  if (window.parent === window) return () => undefined
  const target = parentOrigin() ?? '*'
  let last = 0
  const tell = (): void => {
    const height = Math.ceil(content.getBoundingClientRect().height)
    if (height === last) return
    last = height
    window.parent.postMessage({ type: 'halo:size', height } satisfies SizeMessage, target)
  }
  const observer = new ResizeObserver(tell)
  observer.observe(content)
  tell()
  return () => observer.disconnect()
}

function parentOrigin(): string | undefined {
  const known = window.location.ancestorOrigins?.[0] ?? originOf(document.referrer)
  return known === undefined || known === 'null' ? undefined : known
}
function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined
}
