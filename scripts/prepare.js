/** Runs after `npm ci`: the types SvelteKit makes, and dist/ with its declarations, so that `import … from "halo"` and `npx halo` work at once. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { buildLibrary, buildTypes } from './build-lib.js'
import { root, tool } from './run.js'

const sync = await tool('svelte-kit', ['sync'], { quiet: true })
if (sync.code !== 0) {
  console.error(sync.output)
  process.exit(sync.code)
}
await Promise.all([buildLibrary(), buildTypes()])

// npx looks for a package's own command there, and would else try to fetch one of that name.
if (process.platform !== 'win32') {
  const link = `${root}node_modules/.bin/halo`
  mkdirSync(`${root}node_modules/.bin`, { recursive: true })
  rmSync(link, { force: true })
  symlinkSync('../../bin/halo.js', link)
}
