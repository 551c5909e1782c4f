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

// What still waits (the deadline of a paused run, say) must not hold the command: the journal has it.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
process.exit()
