import fc from 'fast-check'
import { applyPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import type { Sandbox } from '../../src/lib/halo/sandbox/types.ts'
import { applyEdit, unifiedDiff } from '../../src/lib/halo/tools/providers/workspace-edit.ts'
import { protectedGlobs, workspace } from '../../src/lib/halo/tools/providers/workspace.ts'
import type { Method, ToolContext } from '../../src/lib/halo/tools/types.ts'
import { expectDescribed } from './tool-results.ts'

const PROVIDER = { tool: 'Files', fetch, env: {}, runId: 'r' }

function context(sandbox: Sandbox): ToolContext {
  const none = () => Promise.reject(new Error('no one to ask'))
  return { signal: new AbortController().signal, runId: 'r', callId: 'c', path: '1', fetch, env: {}, sandbox, log() {}, progress() {}, requestHumanInput: none, interrupt: none }
}

async function tools(config: Record<string, unknown>, files: Record<string, string | Uint8Array> = {}, box = memorySandbox({ files })) {
  const methods = await workspace.provider(config, PROVIDER)
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await (methods[name] as Method)(args, context(box))) as Record<string, unknown>
    expectDescribed(workspace, name, result)
    return result
  }
  return { box, methods, call, text: async (path: string) => new TextDecoder().decode(await box.read(path)) }
}

describe('what is offered', () => {
  test('without write: true the methods that change files are neither offered nor there', async () => {
    expect(workspace.methods?.({})).toEqual(['read', 'list', 'glob', 'search'])
    expect(workspace.methods?.({ write: false })).toHaveLength(4)
    expect(workspace.methods?.({ write: true })).toEqual(['read', 'write', 'edit', 'list', 'glob', 'search', 'mkdir', 'delete'])
    expect(Object.keys((await tools({})).methods)).toEqual(['read', 'list', 'glob', 'search'])
    expect(Object.keys(workspace.info ?? {})).toHaveLength(8)
  })

  test('path arguments are marked as paths', () => {
    for (const about of Object.values(workspace.info ?? {})) {
      expect((about.parameters as unknown as { properties: Record<string, { format?: string }> }).properties.path?.format).toBe('path')
    }
  })

  test('the normal form of a path is relative to the root', async () => {
    const { box } = await tools({}, { '/notes/a/b.md': '' })
    const normal = workspace.paths?.({ root: './notes' }, box)
    expect(await normal?.('a/../a//b.md')).toBe('a/b.md')
    expect(await normal?.('/notes/a/b.md')).toBe('a/b.md')
    expect(await normal?.('../secret')).toBe('/secret')
    expect(await normal?.('.')).toBe('.')
  })

  test("protect, as globs of the whole workspace, for the program's other tools", () => {
    expect(protectedGlobs({ root: './app', protect: ['**/*.test.*'] })).toEqual(['app/**/*.test.*'])
    expect(protectedGlobs({ root: ['a', '/b'], protect: ['x'] })).toEqual(['a/x', '/b/x'])
    expect(protectedGlobs({ protect: ['*.lock'] })).toEqual(['*.lock'])
    expect(protectedGlobs({ root: 'a' })).toEqual([])
  })
})

describe('read', () => {
  test('gives path, content and the number of lines, to which a final line end adds none', async () => {
    const { call } = await tools({ root: './notes' }, { '/notes/a.md': 'a\nb\n', '/notes/b.md': 'a\nb', '/notes/empty': '' })
    expect(await call('read', { path: 'a.md' })).toEqual({ path: 'a.md', content: 'a\nb\n', lines: 2 })
    expect(await call('read', { path: '/notes/b.md' })).toEqual({ path: 'b.md', content: 'a\nb', lines: 2 })
    expect(await call('read', { path: 'empty' })).toEqual({ path: 'empty', content: '', lines: 0 })
  })

  test('gives a part by offset and limit, and where to go on', async () => {
    const { call } = await tools({}, { '/a': '0\n1\n2\n3\n' })
    expect(await call('read', { path: 'a', offset: 1, limit: 2 })).toEqual({ path: 'a', content: '1\n2\n', lines: 4, next: 3, truncated: { shown: 2, of: 4 } })
    expect(await call('read', { path: 'a', offset: 3 })).toEqual({ path: 'a', content: '3\n', lines: 4, truncated: { shown: 1, of: 4 } })
    await expect(call('read', { path: 'a', offset: 4 })).rejects.toThrow('has 4 lines')
  })

  test('reading on by next gives every line once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('', 'a', 'bc', 'é'), { maxLength: 12 }), fc.boolean(), fc.integer({ min: 1, max: 5 }), async (lines, end, limit) => {
        const content = lines.join('\n') + (end && lines.length > 0 ? '\n' : '')
        const { call } = await tools({}, { '/f': content })
        let all = ''
        for (let offset: unknown = 0; offset !== undefined; ) {
          const part = await call('read', { path: 'f', offset, limit })
          all += String(part.content)
          offset = part.next
        }
        expect(all).toBe(content)
      }),
      { numRuns: 50 },
    )
  })

  test('images come back as parts, binary and huge files are answered with words', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
    const { call } = await tools({}, { '/p.png': png, '/x.bin': new Uint8Array([1, 0, 2]), '/latin': new Uint8Array([0x66, 0xe9]), '/long.txt': 'x'.repeat(3_000_000), '/many.txt': 'line\n'.repeat(500_000) })
    expect(await call('read', { path: 'p.png' })).toMatchObject({ parts: [{ type: 'text' }, { type: 'image', mimeType: 'image/png', data: Buffer.from(png).toString('base64') }] })
    await expect(call('read', { path: 'x.bin' })).rejects.toThrow('"x.bin" is a binary file')
    await expect(call('read', { path: 'latin' })).rejects.toThrow('not UTF-8')
    const long = await call('read', { path: 'long.txt' })
    expect(String(long.content).length).toBeLessThan(1_100_000)
    expect(long.truncated).toBeDefined()
    expect((await call('read', { path: 'many.txt' })).next).toBeGreaterThan(1000)
  })

  test('refusals name the path as it was given, not where it lies', async () => {
    const { call } = await tools({ root: '/deep/root' }, { '/deep/root/a': '', '/deep/b': '' })
    await expect(call('read', { path: 'none.md' })).rejects.toThrow('"none.md"')
    await expect(call('read', { path: '../b' })).rejects.toMatchObject({ code: 'outside' })
  })
})

describe('write, mkdir, delete', () => {
  test('write creates folders and says whether the file is new', async () => {
    const { call, text } = await tools({ root: './notes', write: true })
    expect(await call('write', { path: 'a/b.md', content: 'é' })).toEqual({ path: 'a/b.md', created: true, bytes: 2 })
    expect(await call('write', { path: 'a/b.md', content: 'x' })).toMatchObject({ created: false })
    expect(await text('/notes/a/b.md')).toBe('x')
    await call('mkdir', { path: 'c/d' })
    await expect(call('delete', { path: 'a' })).rejects.toThrow('not empty')
    expect(await call('delete', { path: 'c/d' })).toEqual({ path: 'c/d', deleted: true })
    expect(await call('delete', { path: 'a/b.md' })).toEqual({ path: 'a/b.md', deleted: true })
  })

  test('protected files keep their content whatever is tried', async () => {
    const { call, text } = await tools({ root: './p', write: true, protect: ['**/*.test.*'] }, { '/p/src/a.test.ts': 'T' })
    for (const [name, args] of [
      ['write', { path: 'src/a.test.ts', content: '' }],
      ['edit', { path: 'src/../src/a.test.ts', old_string: 'T', new_string: '' }],
      ['delete', { path: 'src/a.test.ts' }],
      ['write', { path: 'src/A.Test.TS', content: '' }],
    ] as const) await expect(call(name, args)).rejects.toMatchObject({ code: 'protected' })
    expect(await text('/p/src/a.test.ts')).toBe('T')
  })
})

describe('edit', () => {
  test('replaces what occurs exactly once and gives a unified diff', async () => {
    const { call, text } = await tools({ write: true }, { '/a.ts': 'one\ntwo\nthree\n' })
    const result = await call('edit', { path: 'a.ts', old_string: 'two', new_string: '2' })
    expect(result).toMatchObject({ path: 'a.ts', replacements: 1 })
    expect(result.diff).toBe('--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n')
    expect(await text('/a.ts')).toBe('one\n2\nthree\n')
  })

  test('what occurs not at all or more than once is refused with words, unless replace_all', async () => {
    const { call, text } = await tools({ write: true }, { '/a': 'x\ny\nx\n' })
    await expect(call('edit', { path: 'a', old_string: 'z', new_string: '' })).rejects.toThrow('does not occur in "a"')
    await expect(call('edit', { path: 'a', old_string: 'x', new_string: 'w' })).rejects.toThrow('occurs 2 times in "a" (lines 1, 3)')
    await expect(call('edit', { path: 'a', old_string: '', new_string: 'w' })).rejects.toThrow('empty')
    await expect(call('edit', { path: 'a', old_string: 'x', new_string: 'x' })).rejects.toThrow('the same')
    await expect(call('edit', { path: 'a' })).rejects.toThrow('needs old_string')
    expect(await call('edit', { path: 'a', old_string: 'x', new_string: '$&', replace_all: true })).toMatchObject({ replacements: 2 })
    expect(await text('/a')).toBe('$&\ny\n$&\n')
  })

  test('a list of edits is all or nothing', async () => {
    const { call, text } = await tools({ write: true }, { '/a': 'one two' })
    await expect(call('edit', { path: 'a', edits: [{ old_string: 'one', new_string: '1' }, { old_string: 'three', new_string: '3' }] })).rejects.toThrow('Edit 2 of 2')
    expect(await text('/a')).toBe('one two')
    expect(await call('edit', { path: 'a', edits: [{ old_string: 'one', new_string: '1' }, { old_string: '1 two', new_string: '12' }] })).toMatchObject({ replacements: 2 })
    expect(await text('/a')).toBe('12')
  })

  test('says when only line ends or white space differ', async () => {
    const { call } = await tools({ write: true }, { '/a': 'one\r\ntwo\r\n', '/b': 'if (x)  {\n' })
    await expect(call('edit', { path: 'a', old_string: 'one\ntwo', new_string: '' })).rejects.toThrow('\\r\\n')
    await expect(call('edit', { path: 'b', old_string: 'if (x) {', new_string: '' })).rejects.toThrow('white space')
  })

  test('an edit is a replacement and nothing else, and its diff leads from one text to the other', () => {
    const piece = fc.constantFrom('a', 'b', '\n', 'ab', '$1', 'é', '🙂')
    fc.assert(
      fc.property(fc.array(piece).map((p) => p.join('')), fc.array(piece, { minLength: 1 }).map((p) => p.join('')), fc.array(piece).map((p) => p.join('')), fc.boolean(), (text, old, replacement, all) => {
        const count = text.split(old).length - 1
        const run = () => applyEdit(text, { old_string: old, new_string: replacement, replace_all: all }, 'The edit', 'f')
        if (old === replacement || count === 0 || (count > 1 && !all)) return void expect(run).toThrow('was not made')
        const result = run()
        expect(result).toEqual({ count, text: text.split(old).join(replacement) })
        expect(applyPatch(text, unifiedDiff('f', text, result.text))).toBe(result.text)
      }),
    )
  })
})

describe('list, glob, search', () => {
  const project = { '/p/a.ts': 'let x = 1\nlet y = x\n', '/p/src/b.ts': 'X\n', '/p/src/c.md': 'text x', '/p/node_modules/m/i.js': 'x', '/p/.git/HEAD': 'x', '/p/.env': 'x', '/p/bin.dat': new Uint8Array([120, 0]) }

  test('list gives a folder, or all below it, without what is nobody\'s own text', async () => {
    const { call } = await tools({ root: 'p' }, project)
    expect(await call('list')).toEqual({
      path: '.', total: 3, skipped: ['.env', '.git', 'node_modules'],
      entries: [{ path: 'a.ts', type: 'file', size: 20 }, { path: 'bin.dat', type: 'file', size: 2 }, { path: 'src', type: 'directory' }],
    })
    expect(((await call('list', { recursive: true })).entries as { path: string }[]).map((e) => e.path)).toEqual(['a.ts', 'bin.dat', 'src', 'src/b.ts', 'src/c.md'])
    expect((await call('list', { path: 'node_modules/m' })).total).toBe(1)
    await expect(call('list', { path: 'none' })).rejects.toThrow('"none"')
    expect(await (await tools({ root: 'not/yet' })).call('list')).toMatchObject({ entries: [], total: 0 })
  })

  test('long lists are cut at 500, globs at 200, and go on at next', async () => {
    const files = Object.fromEntries(Array.from({ length: 620 }, (_, i) => [`/f${String(i).padStart(3, '0')}.txt`, '']))
    const { call } = await tools({}, files)
    const first = await call('list')
    expect(first).toMatchObject({ total: 620, next: 500, truncated: { shown: 500, of: 620 } })
    expect((await call('list', { offset: 500 })).entries).toHaveLength(120)
    expect(await call('glob', { pattern: '*.txt' })).toMatchObject({ total: 620, next: 200, truncated: { shown: 200, of: 620 } })
  })

  test('glob finds files by path, or by name at any depth', async () => {
    const { call } = await tools({ root: 'p' }, project)
    expect(await call('glob', { pattern: '**/*.ts' })).toEqual({ pattern: '**/*.ts', files: ['a.ts', 'src/b.ts'], total: 2 })
    expect((await call('glob', { pattern: '*.ts' })).files).toEqual(['a.ts', 'src/b.ts'])
    expect((await call('glob', { pattern: 'src/*' })).files).toEqual(['src/b.ts', 'src/c.md'])
    expect((await call('glob', { pattern: '*.{md,dat}', path: 'src' })).files).toEqual(['src/c.md'])
    expect((await call('glob', { pattern: 'node_modules/**' })).files).toEqual(['node_modules/m/i.js'])
    await expect(call('glob', { pattern: '../*' })).rejects.toThrow('relative')
  })

  test('search gives lines by regular expression or literally, with context', async () => {
    const { call } = await tools({ root: 'p' }, project)
    expect(await call('search', { pattern: '\\bx\\b' })).toEqual({
      pattern: '\\bx\\b', total: 3,
      matches: [{ path: 'a.ts', line: 1, text: 'let x = 1' }, { path: 'a.ts', line: 2, text: 'let y = x' }, { path: 'src/c.md', line: 1, text: 'text x' }],
    })
    expect((await call('search', { pattern: 'x', ignore_case: true, include: '*.ts', max_results: 2 }))).toMatchObject({ total: 3, next: 2, truncated: { shown: 2, of: 3 } })
    expect((await call('search', { pattern: 'x', ignore_case: true, include: '*.ts', max_results: 2, offset: 2 })).matches).toEqual([{ path: 'src/b.ts', line: 1, text: 'X' }])
    expect((await call('search', { pattern: 'y = x', literal: true, context: 1 })).matches).toEqual([{ path: 'a.ts', line: 2, text: 'let y = x', before: ['let x = 1'], after: [''] }])
    expect((await call('search', { pattern: '(', literal: true })).total).toBe(0)
    await expect(call('search', { pattern: '(' })).rejects.toThrow('RE2')
  })

  test('no pattern makes search slow', async () => {
    const { call } = await tools({}, { '/a.txt': 'a'.repeat(50_000) + '!\n' })
    const started = performance.now()
    await call('search', { pattern: '^(a+)+$' })
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('a list of roots is one workspace of several folders', async () => {
    const { call } = await tools({ root: ['p/src', '/q'] }, { ...project, '/q/z.ts': 'z' })
    expect(await call('read', { path: 'p/src/b.ts' })).toMatchObject({ path: 'p/src/b.ts' })
    expect((await call('glob', { pattern: '**/*.ts' })).files).toEqual(['p/src/b.ts', 'q/z.ts'])
    await expect(call('read', { path: 'p/a.ts' })).rejects.toMatchObject({ code: 'outside' })
  })
})
