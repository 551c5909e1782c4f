import { lezer } from '@lezer/generator/rollup'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vitest/config'
import { isolation } from './scripts/headers.js'

/** Loaded on first use: were they not named here, the dev server would find them late and reload the page in mid action. */
const loadedLater = [
  '@anthropic-ai/sdk',
  '@codemirror/merge',
  '@codemirror/search',
  '@jitl/quickjs-wasmfile-release-sync',
  '@pydantic/genai-prices',
  '@terraformer/wkt',
  '@turf/boolean-point-in-polygon',
  '@webcontainer/api',
  '@zip.js/zip.js/lib/zip-core-native.js',
  'acorn',
  'diff',
  'dompurify',
  'fake-indexeddb/auto',
  'fflate',
  'geographiclib-geodesic',
  'just-bash/browser',
  'marked',
  'minisearch',
  'openai',
  'openai/core/streaming',
  'quickjs-emscripten-core',
  're2js',
  'sucrase',
  'temporal-polyfill',
]

export default defineConfig({
  plugins: [isolation(), lezer(), sveltekit()],
  optimizeDeps: { include: loadedLater },
  worker: {
    format: 'es',
    plugins: () => [lezer()],
    // One file a worker: else the service worker's list lacks its chunks, and it doesn't start offline.
    rolldownOptions: { output: { codeSplitting: false } },
  },
  test: {
    include: ['tests/{unit,grammar,conformance}/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
    setupFiles: ['tests/property-seed.ts'],
  },
})
