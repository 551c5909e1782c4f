import { posix } from 'node:path'
import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { leavesFolder, normalPath, normaliseArgs, pathArguments } from '../../src/lib/halo/policy/paths.ts'

const segment = fc.constantFrom('.', '..', '', 'a', 'b.ts', 'é', 'é', '...', '.git', ' ', '\\', 'a\\b', '-rf')
const path = fc.tuple(fc.constantFrom('', '/', '//'), fc.array(segment, { maxLength: 8 }), fc.constantFrom('', '/')).map(([start, parts, end]) => start + parts.join('/') + end)

describe('the normal form', () => {
  test.each([
    ['', '.'], ['.', '.'], ['./', '.'], ['a//b/', 'a/b'], ['./a/./b', 'a/b'], ['a/../b', 'b'], ['a/..', '.'], ['../a', '../a'], ['a/../../b', '../b'], ['/..', '/'], ['//a', '/a'], ['/a/../../b', '/b'], ['e\u0301', '\u00e9'], ['...', '...'], ['a\\..\\b', 'a\\..\\b'], ['a/ /b', 'a/ /b'],
  ])('%j is %j', (from, to) => {
    expect(normalPath(from)).toBe(to)
  })

  test('is one form: applying it again changes nothing', () => {
    fc.assert(fc.property(fc.oneof(path, fc.string({ unit: 'binary' })), (each) => {
      expect(normalPath(normalPath(each))).toBe(normalPath(each))
    }), { numRuns: 2_000 })
  })

  test('has no . and no //, and .. only at the front of one that leaves its folder', () => {
    fc.assert(fc.property(path, (each) => {
      const normal = normalPath(each)
      if (normal === '.' || normal === '/') return
      const parts = (normal.startsWith('/') ? normal.slice(1) : normal).split('/')
      expect(parts).not.toContain('')
      expect(parts).not.toContain('.')
      const inside = parts.slice(parts.findIndex((part) => part !== '..'))
      if (inside[0] !== '..') expect(inside).not.toContain('..')
      expect(normal.startsWith('/') && parts.includes('..')).toBe(false)
      expect(parts.includes('..')).toBe(leavesFolder(normal))
    }), { numRuns: 2_000 })
  })

  test('names what Node\'s path.posix names', () => {
    fc.assert(fc.property(path, (each) => {
      const theirs = posix.normalize(each.normalize('NFC'))
      expect(normalPath(each)).toBe(theirs.length > 1 && theirs.endsWith('/') ? theirs.slice(0, -1) : theirs)
    }), { numRuns: 2_000 })
  })

  test('never escapes: below a folder, a path that doesn\'t say so stays there', () => {
    fc.assert(fc.property(path, (each) => {
      const normal = normalPath(each)
      const resolved = posix.resolve('/root/folder', normal.startsWith('/') ? `.${normal}` : normal)
      if (!leavesFolder(normal)) expect(resolved === '/root/folder' || resolved.startsWith('/root/folder/')).toBe(true)
    }), { numRuns: 2_000 })
  })
})

describe('path arguments', () => {
  const schema = Type.Object({
    path: Type.String({ format: 'path' }),
    text: Type.Optional(Type.String()),
    files: Type.Optional(Type.Array(Type.String({ format: 'path' }))),
    edits: Type.Optional(Type.Array(Type.Object({ file: Type.String({ format: 'path' }), at: Type.Number() }))),
    maybe: Type.Optional(Type.Union([Type.Null(), Type.String({ format: 'path' })])),
    pair: Type.Optional(Type.Tuple([Type.String(), Type.String({ format: 'path' })])),
    byName: Type.Optional(Type.Record(Type.String(), Type.String({ format: 'path' }))),
  })

  test('are those whose schema says so, wherever they stand', () => {
    expect(normaliseArgs({ path: './a', text: './a', files: ['b//c', 'd'], edits: [{ file: 'x/../y', at: 1 }], maybe: './m', pair: ['./p', './p'], byName: { './k': './v' } }, schema)).toEqual({
      path: 'a', text: './a', files: ['b/c', 'd'], edits: [{ file: 'y', at: 1 }], maybe: 'm', pair: ['./p', 'p'], byName: { './k': 'v' },
    })
  })

  test('that are normal already leave the object as it is', () => {
    const args = { path: 'a', files: ['b'], edits: [{ file: 'c', at: 1 }], maybe: null }
    expect(normaliseArgs(args, schema)).toBe(args)
    expect(normaliseArgs({ path: 5, files: 'x' }, schema)).toEqual({ path: 5, files: 'x' })
    expect(normaliseArgs({ path: './a' }, undefined)).toEqual({ path: './a' })
  })

  test('go through realpath in their lexical form; a promise only when it gives one', async () => {
    const seen: string[] = []
    const real = (each: string): string => (seen.push(each), each === 'link/x' ? 'target/x' : each)
    expect(normaliseArgs({ path: './link//x', files: ['b'] }, schema, real)).toEqual({ path: 'target/x', files: ['b'] })
    expect(seen).toEqual(['link/x', 'b'])
    const later = normaliseArgs({ path: './link//x', files: ['b', './c'] }, schema, (each) => Promise.resolve(real(each)))
    expect(later).toBeInstanceOf(Promise)
    expect(await later).toEqual({ path: 'target/x', files: ['b', 'c'] })
    await expect(normaliseArgs({ path: 'a' }, schema, () => Promise.reject(new Error('a loop of links')))).rejects.toThrow('a loop of links')
  })

  test('a __proto__ argument stays an argument', () => {
    const args = JSON.parse('{"path":"./a","__proto__":{"x":1}}') as Record<string, unknown>
    expect(JSON.stringify(normaliseArgs(args, schema))).toBe('{"path":"a","__proto__":{"x":1}}')
  })

  test('are found in a schema, recursive ones too', () => {
    expect(pathArguments(schema)).toBe(true)
    expect(pathArguments(Type.Object({ a: Type.String() }))).toBe(false)
    expect(pathArguments(undefined)).toBe(false)
    const tree = { type: 'object', properties: { file: { type: 'string', format: 'path' }, inside: { type: 'array', items: { $ref: '#' } } } }
    expect(pathArguments(tree)).toBe(true)
    expect(normaliseArgs({ file: './a', inside: [{ file: './b', inside: [{ file: 'c/' }] }] }, tree)).toEqual({ file: 'a', inside: [{ file: 'b', inside: [{ file: 'c' }] }] })
  })
})
