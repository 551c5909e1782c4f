import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { analyse } from '../../src/lib/halo/check/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...readdirSync(`${root}docs`).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]

/** Files that the pages' programs import. */
const IMPORTED: Record<string, string> = { './policies.halo': 'policy Shared : MaxSteps(20)' }

describe.each(pages)('%s', (page) => {
  const text = readFileSync(root + page, 'utf8')

  test('its programs are valid', () => {
    for (const [, source = ''] of text.matchAll(/^```halo\n([\s\S]*?)^```/gm)) {
      const { diagnostics } = analyse(source, { path: page, resolve: (path) => IMPORTED[path] })
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('its links lead somewhere', () => {
    const files = new Set([...pages, ...readdirSync(root), 'docs/'])
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^[a-z]+:|^#/.test(target)) continue
      const [path = ''] = target.split('#')
      const full = page.startsWith('docs/') ? `docs/${path}`.replace(/^docs\/\.\.\//, '') : path
      expect(files, `${page}: ${target}`).toContain(full)
    }
  })
})
