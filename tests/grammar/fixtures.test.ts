import { fileTests } from '@lezer/generator/dist/test'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { haloParser } from '../../src/lib/halo/syntax/index.ts'

const folder = new URL('.', import.meta.url)
for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
  describe(`the grammar of ${file}`, () => {
    for (const { name, run } of fileTests(readFileSync(new URL(file, folder), 'utf8'), file)) it(name, () => run(haloParser))
  })
}
