import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describe, expect, test } from 'vitest'
import { formatCommand } from '../../src/cli/format.ts'
import type { Command } from '../../src/cli/options.ts'
import { planCommand } from '../../src/cli/plan.ts'
import { recordingsCommand } from '../../src/cli/recordings.ts'
import { replayCommand } from '../../src/cli/replay.ts'
import { resumeCommand } from '../../src/cli/resume.ts'
import { runCommand } from '../../src/cli/run.ts'
import { testCommand } from '../../src/cli/test.ts'
import { toolsCommand } from '../../src/cli/tools.ts'
import { validateCommand } from '../../src/cli/validate.ts'
import { linkedPlace, placeOf, sectionsOf, slug } from '../../src/lib/app/docs/sections.ts'
import { CODES } from '../../src/lib/halo/check/codes.ts'
import { analyse } from '../../src/lib/halo/check/index.ts'
import * as library from '../../src/lib/halo/index.ts'
import * as replaying from '../../src/cli/replay-node.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const pages = ['README.md', ...readdirSync(`${root}docs`).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
const sections = new Map(pages.map((page) => [page, sectionsOf(page.replace(/^docs\/|\.md$/g, ''), read(page))]))

/** Files that the pages' programs import. */
const IMPORTED: Record<string, string> = { './policies.halo': 'policy Shared : MaxSteps(20)' }

const COMMANDS: Record<string, Command<NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object>> = {
  validate: validateCommand, format: formatCommand, tools: toolsCommand, plan: planCommand, run: runCommand, resume: resumeCommand,
  replay: replayCommand, test: testCommand, recordings: recordingsCommand,
}

/** The words of a command as a shell would give them, without what follows a pipe or a redirection. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ (?:\||>|&&|#) /)
  return [...command.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double: string | undefined, single: string | undefined) => double ?? single ?? ''))
}

const blocks = (text: string, language: string): string[] => [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, source = '']) => source)

describe.each(pages)('%s', (page) => {
  const text = read(page)

  test('its programs are valid', () => {
    for (const source of blocks(text, 'halo')) {
      const { diagnostics } = analyse(source, { path: page, resolve: (path) => IMPORTED[path] })
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('its tests pass', async () => {
    for (const source of blocks(text, 'halo')) {
      const { file } = analyse(source, { path: page, resolve: (path) => IMPORTED[path] })
      for await (const { name, passed, failures } of library.runTests(file)) expect({ name, passed, failures }).toEqual({ name, passed: true, failures: [] })
    }
  })

  test('its commands exist, with the words they are given', () => {
    for (const line of blocks(text, 'sh').join('').split('\n')) {
      if (!line.startsWith('npx halo ')) continue
      const [, , name = '', ...words] = wordsOf(line)
      if (name.startsWith('--')) {
        expect(['--help', '--version'], line).toContain(name)
        continue
      }
      const command = COMMANDS[name]
      if (command === undefined) throw new Error(`${line}: there is no such command`)
      const { positionals } = parseArgs({ args: words, options: command.options, allowPositionals: true, strict: true })
      expect(positionals.length, line).toBeGreaterThanOrEqual(command.least)
      expect(positionals.length, line).toBeLessThanOrEqual(command.most)
    }
  })

  test('what its TypeScript imports from the library is there', () => {
    for (const source of blocks(text, 'ts')) {
      for (const [, names = '', from = ''] of source.matchAll(/import \{([^}]*)\} from ['"](halo(?:\/replay)?)['"]/g)) {
        const there: object = from === 'halo' ? library : replaying
        for (const name of names.split(',').map((one) => one.trim())) expect(Object.hasOwn(there, name), `${name} of ${from}`).toBe(true)
      }
    }
  })

  test('its links lead somewhere', () => {
    const files = new Set([...pages, ...readdirSync(root), 'docs/'])
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const full = path === '' ? page : page.startsWith('docs/') ? `docs/${path}`.replace(/^docs\/\.\.\//, '') : path
      expect(files, `${page}: ${target}`).toContain(full)
      if (anchor !== undefined) expect(sections.get(full)?.map(({ id }) => id), `${page}: ${target}`).toContain(anchor)
    }
  })
})

test('every page is in the list of pages, from which the app has its own', () => {
  const listed = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name = '']) => `docs/${name}`)
  expect([...listed].sort()).toEqual(pages.filter((page) => page !== 'README.md' && page !== 'docs/README.md').sort())
})

describe('library.md', () => {
  test('its sessions, gates and tools of a page run as they are written', async () => {
    const { Type } = await import('typebox')
    const from = read('docs/library.md').split(/^## Chat sessions$/m)[1] ?? ''
    const program = blocks(from, 'ts').join('\n').replace(/^import \{([^}]*)\} from 'halo'$/gm, 'const {$1} = library').replace(/^import \{ Type \} from 'typebox'$/gm, '')
    expect(program).not.toMatch(/^import /m)
    const said: unknown[][] = []
    const run = new Function('library', 'Type', 'console', `return (async () => { ${program}\nreturn { session, later, chat } })()`) as (...args: unknown[]) => Promise<Record<string, library.Session>>
    const { session, later, chat } = await run(library, Type, { log: (...words: unknown[]) => said.push(words) })
    expect(session?.snapshot()).toMatchObject({ status: 'idle', policy: 'once', items: [{ type: 'user' }, { type: 'assistant', text: '[mock assistant.chat]' }] })
    expect(later?.snapshot().items).toHaveLength(4)
    expect(chat?.tools().map(({ name }) => name)).toEqual(['read_note'])
    expect(said.at(-1)).toEqual(['put {"what":"keys","at":"desk"}', 'Not made: not this one', 'search {}'])
  })
})

describe('errors.md', () => {
  const entries = sections.get('docs/errors.md')?.filter(({ level }) => level === 3) ?? []

  test('has every code of an error and of a diagnostic, and no other', () => {
    const declared = /export type ErrorCode =([\s\S]*?)\n\n/.exec(read('src/lib/halo/errors.ts'))?.[1] ?? ''
    const errors = [...declared.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code)
    expect(errors.length).toBeGreaterThan(10)
    expect(entries.map(({ title }) => title).sort()).toEqual([...errors, ...Object.keys(CODES)].sort())
  })

  test.each(entries.map((entry) => [entry.title, entry] as const))('%s has a cause and a fix, where a link from the app leads', (code, { id, text }) => {
    expect(id).toBe(slug(code))
    expect(text).toMatch(/^\*\*Cause:\*\* [^]+\n\n\*\*Fix:\*\* [^]+[.:`]$/)
  })
})

describe('CONTRIBUTING.md', () => {
  const text = read('CONTRIBUTING.md')
  const folders = (path: string): string[] =>
    readdirSync(root + path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && readdirSync(`${root}${path}/${entry.name}`).length > 0)
      .map(({ name }) => name)

  test('has every room of the library and of the app on its map', () => {
    for (const room of folders('src/lib/halo')) expect(text).toContain(`\`src/lib/halo/${room}/\``)
    for (const room of folders('src/lib/app')) expect(text).toContain(`\`${room}/\``)
  })

  test('names files, folders and tests that are there', () => {
    const known = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: false }).filter((path) => !/^(node_modules|build|dist|\.svelte-kit|\.git|test-results)\//.test(path))
    const bare = (path: string): string => path.replace(/\/$/, '')
    for (const [, path = ''] of text.matchAll(/`((?:src|tests|scripts|docs|grammar|hosting|bin|static|examples)\/[^`\s]*)`/g)) {
      if (/\b(?:X|NAME)\b/.test(path)) continue
      const pattern = new RegExp(`^${bare(path).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
      expect(known.some((one) => pattern.test(one)), path).toBe(true)
    }
  })
})

describe('command-line.md', () => {
  const text = read('docs/command-line.md')

  test.each(Object.entries(COMMANDS))('tells of %s and of every flag it has', (name, { options }) => {
    expect(text).toContain(`halo ${name}`)
    for (const flag of Object.keys(options)) expect(text, `--${flag}`).toContain(`--${flag}`)
  })

  test('knows every command there is', () => {
    const there = [...read('src/cli/main.ts').matchAll(/^ {2}(\w+): \(\) => import/gm)].map(([, name]) => name)
    expect(Object.keys(COMMANDS).sort()).toEqual(there.sort())
  })
})

describe('sections of a page', () => {
  test('are cut at headings, but not in code', () => {
    const cut = sectionsOf('p', '# A page\n\nFirst.\n\n## `A_CODE`\n\n```sh\n# no heading\n```\n\n### Two words\nLast.\n')
    expect(cut).toEqual([
      { page: 'p', id: '', title: 'A page', level: 1, text: 'First.' },
      { page: 'p', id: 'a_code', title: 'A_CODE', level: 2, text: '```sh\n# no heading\n```' },
      { page: 'p', id: 'two-words', title: 'Two words', level: 3, text: 'Last.' },
    ])
  })

  test('have addresses that links lead to, and only links between pages', () => {
    expect(linkedPlace('tools', 'models.md#keys')).toBe('models#keys')
    expect(linkedPlace('tools', '#providers')).toBe('tools#providers')
    expect(linkedPlace('tools', 'policies.md')).toBe('policies')
    for (const href of ['https://example.com/a.md', '../README.md', 'javascript:alert(1)', '//evil.example/x.md', '']) expect(linkedPlace('tools', href)).toBeUndefined()
    expect(placeOf('models#keys')).toEqual({ page: 'models', id: 'keys' })
  })
})
