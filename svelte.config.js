import adapter from '@sveltejs/adapter-static'

/** @type {import('@sveltejs/kit').Config} */
export default {
  kit: {
    // Every address is answered by the one page; .gz and .br lie beside each file for servers that can send them.
    adapter: adapter({ fallback: 'index.html', precompress: true }),
    alias: { halo: 'src/lib/halo/index.ts', 'halo/*': 'src/lib/halo/*', $grammar: 'grammar' },
  },
}
