#!/usr/bin/env node
import { buildLibrary, isStale } from '../scripts/build-lib.js'

let unwritten
// Whoever reads may leave early (`| head -1`): no reason to stop a run half way. A full disk is told.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') unwritten ??= error
  })
}

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
if (unwritten !== undefined) {
  console.error(`The output could not be written: ${unwritten.message}`)
  process.exitCode ||= 1
}
process.exit()
