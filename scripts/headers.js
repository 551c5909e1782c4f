/**
 * The headers that every address of the app is served with, in dev, preview and `npm start`. One source: `csp` also makes
 * the policy in the pages themselves (svelte.config.js), and tests/unit/hosting.test.ts holds the files for other hosts
 * (static/_headers, vercel.json, hosting/nginx.conf) to it. docs/hosting.md says what each header is for.
 */

/** Own endpoints (gateways, Ollama, MCP servers) can be anywhere, so requests are held back by the app's egress gate, not here. */
const CONNECT = ['self', 'https:', 'http:']
/** WebContainers run in frames of these. */
const CONTAINERS = ['https://stackblitz.com', 'https://*.webcontainer.io', 'https://*.webcontainer-api.io']

/**
 * What a page may do, as SvelteKit takes it: it adds the hash of its start script, the one inline script there is, and
 * writes the whole into each page as a meta element.
 * @type {NonNullable<NonNullable<import('@sveltejs/kit').KitConfig['csp']>['directives']>}
 */
export const csp = {
  'default-src': ['none'],
  'script-src': ['self', 'wasm-unsafe-eval'],
  // The editor writes its rules into one style element, which bears this nonce. A nonce that anyone can read is no secret:
  // it keeps out markup that slipped through, not scripts.
  'style-src': ['self', 'nonce-halo-editor'],
  // The style attribute of SvelteKit's announcer of page changes. Anything else is styled from code, which is always allowed.
  'style-src-attr': ['unsafe-hashes', 'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo='],
  'img-src': ['self', 'data:', 'blob:'],
  'font-src': ['self'],
  'connect-src': /** @type {any} */ (CONNECT),
  // blob: is for the worker of regular expressions, whose program is a text (src/lib/halo/policy/regex-worker.ts).
  'worker-src': ['self', 'blob:'],
  'frame-src': /** @type {any} */ (CONTAINERS),
  'manifest-src': ['self'],
  'base-uri': ['none'],
  'form-action': ['none'],
  'require-trusted-types-for': ['script'],
  'trusted-types': ['default', 'svelte-trusted-html', 'sveltekit-trusted-url', 'dompurify'],
}

/** A worker has the policy of its own file, not that of the page that starts it. */
const WORKER_CSP = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ${CONNECT.slice(1).join(' ')}`
/** What a meta element can't say, and a second lock for what it can. */
const PAGE_CSP = "object-src 'none'; base-uri 'none'; form-action 'none'"

/** For every address. The first two make the page cross-origin isolated, which SharedArrayBuffer and WebContainers need. */
const common = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy':
    'accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()',
}
const page = {
  'Content-Security-Policy': `${PAGE_CSP}; frame-ancestors 'self'`,
  'X-Frame-Options': 'SAMEORIGIN',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}
/** The one page that others may put into a frame. */
const embed = {
  'Content-Security-Policy': `${PAGE_CSP}; frame-ancestors *`,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-cache',
}
const worker = { 'Content-Security-Policy': WORKER_CSP, 'Cross-Origin-Resource-Policy': 'same-origin' }
/** A sandboxed frame has no origin of its own, so the embedded page there asks for its own scripts as a stranger. They are public. */
const parts = { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' }
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/**
 * The headers of an address, without the base path and the query.
 * @param {string} path
 * @returns {Record<string, string>}
 */
export function headersFor(path) {
  if (/^\/embed(\.html)?$/.test(path)) return { ...common, ...embed }
  if (path === '/service-worker.js') return { ...common, ...worker, 'Cache-Control': 'no-cache' }
  if (path.startsWith('/_app/immutable/workers/')) return { ...common, ...worker, ...FOR_EVER }
  if (path.startsWith('/_app/immutable/')) return { ...common, ...parts, ...FOR_EVER }
  return { ...common, ...page }
}

/** SvelteKit ignores `server.headers` and `preview.headers`, so a middleware in front of it sets them. */
export function isolation() {
  /** @type {import('vite').Connect.NextHandleFunction} */
  const setHeaders = (request, response, next) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    for (const [name, value] of Object.entries(headersFor(path))) response.setHeader(name, value)
    next()
  }
  return /** @type {import('vite').Plugin} */ ({
    name: 'cross-origin-isolation',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        setHeaders(request, response, next)
        // Vite sets its own, and its modules are none of those that the policies are written for.
        response.removeHeader('Cache-Control')
      })
    },
    configurePreviewServer(server) {
      server.middlewares.use(setHeaders)
    },
  })
}
