import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { build } from 'vite'
import { nodeMemorySandbox, nodeSandbox } from '../../src/cli/node-sandbox.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { sandboxCases, workerCases, type SandboxCase } from './sandbox-cases.ts'

const root = new URL('../..', import.meta.url).pathname
const made: string[] = []
const folder = (prefix: string) => {
  const path = mkdtempSync(join(tmpdir(), prefix))
  made.push(path)
  return path
}
let workerUrl: URL

beforeAll(async () => {
  // Node can't run the worker's TypeScript: it gets what the command line's build makes of it.
  const outDir = join(root, 'node_modules/.cache/halo-sandbox-worker')
  await build({
    configFile: false, root, logLevel: 'error', publicDir: false,
    build: { ssr: true, outDir, target: 'node20', minify: false, rolldownOptions: { input: { worker: join(root, 'src/cli/node-sandbox-worker.ts') }, output: { format: 'es', entryFileNames: '[name].mjs' } } },
  })
  workerUrl = pathToFileURL(join(outDir, 'worker.mjs'))
}, 120_000)
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))

const kinds: [string, () => Sandbox, SandboxCase[]][] = [
  ['files in memory, engine in this thread', () => memorySandbox(), sandboxCases],
  ['files in memory, engine in a worker', () => nodeMemorySandbox({}, { workerUrl }), [...sandboxCases, ...workerCases]],
  ['a folder of the disk', () => nodeSandbox({ base: folder('halo-sandbox-'), workerUrl }), [...sandboxCases, ...workerCases]],
]

for (const [name, make, cases] of kinds) {
  describe(name, () => {
    for (const one of cases) {
      test(one.name, { timeout: 120_000 }, async () => {
        const box = make()
        try {
          await one.run(box)
        } finally {
          await box.dispose()
        }
      })
    }
  })
}
