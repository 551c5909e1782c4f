/**
 * The page's policies demand Trusted Types (scripts/headers.js): a string can't become markup or a script's address, except
 * through a named policy. This one lets the app start its own workers and nothing else.
 */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown
}

/** An address of a worker: a script of this origin, or a program the page itself made. @throws TypeError for any other */
export function ownScript(url: string, page: string = location.href): string {
  const { origin, protocol, pathname } = new URL(url, page)
  const own = new URL(page).origin
  // Only JavaScript, so that an answer of another kind (a file some tool wrote, say) is never taken for a program.
  if (origin === own && (protocol === 'blob:' || /\.(js|ts|mjs)$/.test(pathname))) return url
  throw new TypeError(`A script from ${protocol === 'blob:' || origin === 'null' ? protocol : origin} is not started.`)
}

// The types of the DOM don't know them yet (TypeScript 5.9).
const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
// The build loads this file where there is no page.
if (typeof document !== 'undefined') types?.createPolicy('default', { createScriptURL: (url) => ownScript(url) })
