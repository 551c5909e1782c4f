/** The library and the command line for Node, into dist/. Dependencies stay outside. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { lezer } from '@lezer/generator/rollup'
import { defineConfig } from 'vite'

const at = (/** @type {string} */ path) => new URL(path, import.meta.url).pathname
const { dependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'))

/** @type {Record<string, string>} */
const input = { index: at('src/lib/halo/index.ts') }
for (const [name, path] of [['replay', 'src/cli/replay-node.ts'], ['cli', 'src/cli/main.ts']]) {
  if (existsSync(at(path))) input[name] = at(path)
}
// Code that Node starts in a worker thread is a file of its own in dist/.
for (const name of readdirSync(at('src/cli'))) {
  const worker = /^(.*worker.*)\.ts$/.exec(name)?.[1]
  if (worker) input[worker] = at(`src/cli/${name}`)
}

const outside = [...Object.keys(dependencies), ...builtinModules]

/**
 * The worker of `new URL('./x-worker.ts', import.meta.url)` is a file beside the one that names it, here as in the sources:
 * all of dist/ lies in one folder.
 * @returns {import('vite').Plugin}
 */
const workersBeside = () => ({
  name: 'workers-beside',
  transform(code) {
    const found = code.replace(/(new URL\('\.\/[\w-]*worker[\w-]*)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    return found === code ? undefined : { code: found, map: null }
  },
})

export default defineConfig({
  plugins: [lezer(), workersBeside()],
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rolldownOptions: {
      input,
      external: (id) => id.startsWith('node:') || outside.some((name) => id === name || id.startsWith(`${name}/`)),
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name].js' },
    },
  },
})
