#!/usr/bin/env node
import { buildLibrary, isStale } from '../scripts/build-lib.js'

try {
  if (isStale()) await buildLibrary()
  const { main } = await import('../dist/cli.js')
  process.exitCode = await main(process.argv.slice(2))
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 1
}
