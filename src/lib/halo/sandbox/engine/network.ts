import type { ProgramWorld } from './js/process.ts'
import { textOf, bytesOf } from './encoding.ts'

const MAX_BODY = 10 << 20
const MAX_REDIRECTS = 10

/** fetch that only goes where the rules say; without rules, nowhere. Each redirect is tried like the first address. */
export function networkFetch(allowed: readonly string[] | undefined, remaining: () => number): ProgramWorld['fetch'] {
  return async (url, init) => {
    let target = new URL(url)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!allowed) throw new Error(`fetch failed: there is no network here (asked for ${target.origin}).`)
      if (!allowed.some((prefix) => permits(prefix, target))) throw new Error(`fetch failed: ${target.origin}${target.pathname} is not among the addresses allowed here.`)
      const response = await fetch(target, {
        method: init.method,
        headers: init.headers,
        body: init.body === null ? undefined : (bytesOf(init.body, 'base64') as BodyInit),
        redirect: 'manual',
        signal: AbortSignal.timeout(Math.max(1, Math.min(remaining(), 2_147_483_647))),
      })
      // A page isn't told where a redirect leads, so it can't be tried: it isn't followed.
      if (response.type === 'opaqueredirect') throw new Error(`fetch failed: ${target.origin} redirects, and a page can't see where to.`)
      const location = response.headers.get('location')
      if (response.status >= 300 && response.status < 400 && location !== null) {
        target = new URL(location, target)
        continue
      }
      const body = new Uint8Array(await response.arrayBuffer())
      if (body.length > MAX_BODY) throw new Error(`fetch failed: the answer has ${body.length} bytes; the limit is ${MAX_BODY}.`)
      return { status: response.status, statusText: response.statusText, headers: [...response.headers], url: target.href, body: textOf(body, 'base64') }
    }
    throw new Error(`fetch failed: more than ${MAX_REDIRECTS} redirects.`)
  }
}

/** A prefix holds for whole path segments of its own origin; a bare scheme for every address of it. */
function permits(prefix: string, url: URL): boolean {
  if (/^https?:\/\/$/.test(prefix)) return url.protocol === prefix.slice(0, -2)
  let rule: URL
  try {
    rule = new URL(prefix)
  } catch {
    return false
  }
  if (rule.origin !== url.origin) return false
  // Encoded separators could mean another path to the server than here.
  if (rule.pathname !== '/' && /%2f|%5c|%2e/i.test(url.pathname)) return false
  const base = rule.pathname.replace(/\/$/, '')
  return url.pathname === base || url.pathname === rule.pathname || url.pathname.startsWith(`${base}/`)
}
