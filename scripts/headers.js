/**
 * Headers that every page of the app is served with, in dev, preview and `npm start` alike. The first two make the page
 * cross-origin isolated, which SharedArrayBuffer (stopping a busy shell loop) and WebContainers need.
 */
export const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** SvelteKit ignores `server.headers` and `preview.headers`, so a middleware in front of it sets them. */
export function isolation() {
  /** @type {import('vite').Connect.NextHandleFunction} */
  const setHeaders = (_request, response, next) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    next()
  }
  return /** @type {import('vite').Plugin} */ ({
    name: 'cross-origin-isolation',
    configureServer(server) {
      server.middlewares.use(setHeaders)
    },
    configurePreviewServer(server) {
      server.middlewares.use(setHeaders)
    },
  })
}
