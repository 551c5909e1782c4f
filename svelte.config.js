import adapter from '@sveltejs/adapter-static'
import { csp } from './scripts/headers.js'

// Vite's dev server injects scripts and styles of its own, which no policy for the built app would let through.
const dev = process.argv.includes('dev')

/** @type {import('@sveltejs/kit').Config} */
export default {
  kit: {
    // Each page is a file of its own with relative addresses, so that the folder can lie under any path of any host; 404.html
    // is what hosts answer for addresses that don't exist. .gz and .br lie beside each file for servers that can send them.
    adapter: adapter({ fallback: '404.html', precompress: true }),
    alias: { halo: 'src/lib/halo/index.ts', 'halo/*': 'src/lib/halo/*', $grammar: 'grammar' },
    csp: dev ? undefined : { mode: 'hash', directives: csp },
    // Small style sheets stand in the page, by their hashes: each file less is a round trip less before the first paint.
    inlineStyleThreshold: 10_000,
    // Only 404.html needs to know where it is: BASE_PATH=/halo npm run build.
    paths: { base: /** @type {'' | `/${string}`} */ (process.env.BASE_PATH ?? '') },
    // src/lib/app/offline registers it, so that it can offer updates.
    serviceWorker: { register: false },
  },
}
