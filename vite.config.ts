import { lezer } from '@lezer/generator/rollup'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [lezer(), sveltekit()],
  worker: {
    format: 'es',
    plugins: () => [lezer()],
    rolldownOptions: { output: { codeSplitting: false } },
  },
  test: {
    include: ['tests/{unit,grammar,conformance}/**/*.test.ts'],
    environment: 'node',
    testTimeout: 30_000,
  },
})
