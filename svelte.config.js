import adapter from '@sveltejs/adapter-static'

/** @type {import('@sveltejs/kit').Config} */
export default {
  kit: {
    adapter: adapter({ fallback: 'index.html' }),
    alias: { halo: 'src/lib/halo/index.ts', 'halo/*': 'src/lib/halo/*', $grammar: 'grammar' },
  },
}
