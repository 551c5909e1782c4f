import fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fromFile, fromHash, toFileText, toLink } from '../../src/lib/app/share/codec.ts'
import { fromBase64Url, pack, toBase64Url, unpack } from '../../src/lib/app/share/packing.ts'
import { ShareProblem } from '../../src/lib/app/share/problem.ts'
import { digestOf, fromJson, toJson, type SharedProject } from '../../src/lib/app/share/shared-project.ts'

const small: SharedProject = {
  name: 'Two words',
  files: { 'main.halo': 'pipeline Main() -> String : "ü 🦀"\n' },
  active: 'main.halo',
  workspace: { '/shop/price.js': new TextEncoder().encode('export const price = 1\n'), '/logo.bin': Uint8Array.of(0, 255, 128, 31, 139) },
  fields: { Main: { task: 'say "hi"' } },
  mode: 'mock',
}

/** Any text, lone surrogates included. */
const text = fc.string({ unit: 'binary', maxLength: 60 })
const anyCode = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes))
const part = fc.string({ unit: fc.constantFrom(...'abc.-_ ü🦀'), minLength: 1, maxLength: 8 }).filter((name) => !/^\.+$/.test(name))
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const key = fc.oneof(text, fc.constantFrom('constructor', 'toString', '0', '')).filter((name) => name !== '__proto__')
/** No file is a folder of another one too. */
const tree = (files: Record<string, Uint8Array>) => Object.keys(files).every((file) => !Object.keys(files).some((other) => other.startsWith(`${file}/`)))
const project: fc.Arbitrary<SharedProject> = fc
  .record(
    {
      name: text,
      example: text,
      files: fc.dictionary(path, fc.oneof(text, anyCode), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      workspace: fc.dictionary(path.map((one) => `/${one}`), fc.oneof(fc.uint8Array({ maxLength: 80 }), text.map((one) => new TextEncoder().encode(one)), fc.constant(Uint8Array.of(0xef, 0xbb, 0xbf, 65))), { maxKeys: 4, noNullPrototype: true }).filter(tree),
      fields: fc.dictionary(key, fc.dictionary(key, anyCode, { maxKeys: 3, noNullPrototype: true }), { maxKeys: 3, noNullPrototype: true }),
      pipeline: text,
      mode: text,
      recording: fc.record({ mode: text, lines: text }),
      editable: fc.boolean(),
    },
    { requiredKeys: ['name', 'files', 'workspace', 'fields'] },
  )
  .map((made) => ({ ...made, active: Object.keys(made.files)[0] ?? '' }))

async function problem(hash: string): Promise<string> {
  const thrown: unknown = await fromHash(hash).then(
    () => 'opened',
    (error: unknown) => error,
  )
  return thrown instanceof ShareProblem ? thrown.kind : String(thrown)
}
const packed = (bytes: Uint8Array, version = 1) => toBase64Url(new Uint8Array(Buffer.concat([Uint8Array.of(version), bytes])))

describe('a shared project', () => {
  it('comes out of a link exactly as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(project, async (given) => {
        const { hash } = await toLink(given)
        expect(hash).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(await fromHash(`#${hash}`)).toEqual(given)
      }),
      { numRuns: 150 },
    )
  })

  it('comes out of a file exactly as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(project, async (given) => {
        expect(await fromFile(new Blob([toFileText(given)]))).toEqual(given)
      }),
      { numRuns: 60 },
    )
  })

  it('has one digest however its names are ordered, and another for other content', async () => {
    const turned = { ...small, workspace: Object.fromEntries(Object.entries(small.workspace).reverse()) }
    expect(await digestOf(turned)).toBe(await digestOf(small))
    expect(await digestOf({ ...small, editable: true })).toBe(await digestOf(small))
    for (const other of [{ ...small, mode: 'live' }, { ...small, fields: {} }, { ...small, files: { 'main.halo': '' } }, { ...small, workspace: {} }]) {
      expect(await digestOf(other)).not.toBe(await digestOf(small))
    }
  })

  it('keeps its digest on the way through a link', async () => {
    await fc.assert(
      fc.asyncProperty(project, async (given) => {
        expect(await digestOf(await fromHash((await toLink(given)).hash))).toBe(await digestOf(given))
      }),
      { numRuns: 40 },
    )
  })

  it('is offered as a long link over 8 KB and as a file alone over 32 KB', async () => {
    const noise = (bytes: number) => Uint8Array.from({ length: bytes }, (_, at) => (Math.imul(at + 1, 2654435761) >>> 13) ^ (Math.imul(at ^ 77, 40503) >>> 5))
    expect((await toLink(small)).size).toBe('fine')
    expect((await toLink({ ...small, workspace: { '/a': noise(7500) } })).size).toBe('long')
    expect((await toLink({ ...small, workspace: { '/a': noise(40_000) } })).size).toBe('too long')
    expect((await toLink({ ...small, workspace: { '/a': new Uint8Array(5_000_000).fill(97) } })).size).toBe('too long')
  })
})

describe('a hash that is not a project of this version', () => {
  it('is foreign when it is something else', async () => {
    for (const hash of ['', '#', '#section-2', '#a', '#%E0%A4%A', '#halo=1', 'AA', '#/route/to', 'é', '#' + 'A'.repeat(5000)]) expect(await problem(hash), hash).toBe('foreign')
  })

  it('is from a newer version when its first byte says so', async () => {
    const { hash } = await toLink(small)
    const bytes = fromBase64Url(hash) ?? new Uint8Array()
    for (const version of [2, 3, 15, 200, 255]) expect(await problem(packed(bytes.subarray(1), version))).toBe('newer')
    expect(await problem(packed(Uint8Array.of(1, 2, 3), 2))).toBe('newer')
  })

  it('is damaged wherever it is cut off or a byte is turned', async () => {
    const { hash } = await toLink(small)
    for (let at = 6; at < hash.length; at += 3) expect(await problem(hash.slice(0, at)), `cut at ${at}`).toMatch(/damaged|foreign/)
    const bytes = fromBase64Url(hash) ?? new Uint8Array()
    for (let at = 11; at < bytes.length; at += 2) {
      const turned = bytes.slice()
      turned[at] = (turned[at] ?? 0) ^ 0x55
      expect(await problem(toBase64Url(turned)), `byte ${at}`).toBe('damaged')
    }
    expect(await problem(packed(Uint8Array.of(0x1f, 0x8b)))).toBe('damaged')
  })

  it('is damaged when the gzip holds something else than a project', async () => {
    const holds = [
      'null', '[]', '1', '"x"', '{}', 'not json', '{"name":1}',
      JSON.stringify({ name: '', files: {}, active: 'main.halo', workspace: {}, fields: {} }),
      JSON.stringify({ name: '', files: { 'main.halo': '' }, active: 'toString', workspace: {}, fields: {} }),
      JSON.stringify({ name: '', files: { 'main.halo': 1 }, active: 'main.halo', workspace: {}, fields: {} }),
      JSON.stringify({ name: '', files: { 'main.halo': '' }, active: 'main.halo', workspace: { '/a': { base64: '*' } }, fields: {} }),
      '{"name":"","files":{"main.halo":""},"active":"main.halo","workspace":{},"fields":{"__proto__":{"x":"1"}}}',
    ]
    for (const text of holds) expect(await problem(await pack(text)), text).toBe('damaged')
    expect(await problem(packed(gzipSync(Uint8Array.of(0x7b, 0xff, 0xfe))))).toBe('damaged')
  })

  it('is damaged when a path would lead elsewhere', async () => {
    for (const path of ['../x.halo', '/x.halo', 'a/../x.halo', './x.halo', 'a//b.halo', '', 'a\\b.halo', 'a\u0000b.halo', '__proto__']) {
      const text = JSON.stringify({ name: '', files: Object.fromEntries([['main.halo', ''], [path, '']]), active: 'main.halo', workspace: {}, fields: {} })
      expect(await problem(await pack(text)), path).toBe('damaged')
    }
    for (const path of ['x', '/../x', '/a/./b', '/', '/a/__proto__/b', '/a/']) {
      const text = JSON.stringify({ name: '', files: { 'main.halo': '' }, active: 'main.halo', workspace: Object.fromEntries([[path, '']]), fields: {} })
      expect(await problem(await pack(text)), path).toBe('damaged')
    }
  })

  it('is refused as too big before a bomb has gone off', async () => {
    const bomb = packed(gzipSync(new Uint8Array(150_000_000), { level: 9 }))
    expect(bomb.length).toBeLessThan(256 * 1024)
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 1)
    expect(await problem(bomb)).toBe('big')
    clearInterval(watch)
    expect(most).toBeLessThan(40_000_000)
    expect(await problem('A'.repeat(300_000))).toBe('big')
  })

  it('never leaves anything but words, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 }).map((bytes) => packed(bytes)), fc.json().map((one) => packed(gzipSync(one)))), async (hash) => {
        expect(await problem(hash)).toMatch(/^(foreign|newer|damaged|big)$/)
      }),
      { numRuns: 200 },
    )
  })

  it('gives the packed text back whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (given) => {
        expect(await unpack(await pack(given), 10_000)).toBe(given)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a file that is not a shared project', () => {
  it('is refused in words', async () => {
    const kind = (content: string) => fromFile(new Blob([content])).then(() => 'opened', (error: ShareProblem) => error.kind)
    expect(await kind('PK\u0003\u0004')).toBe('notAFile')
    expect(await kind('{}')).toBe('notAFile')
    expect(await kind('null')).toBe('notAFile')
    expect(await kind('{"form":"halo-project","version":2,"project":{}}')).toBe('newer')
    expect(await kind('{"form":"halo-project","version":1,"project":{}}')).toBe('damaged')
    expect(await kind('{"form":"halo-project","version":1}')).toBe('damaged')
  })
})

it('what is read as JSON is only what is known of a project', () => {
  const given = JSON.parse(toJson(small)) as object
  expect(fromJson(JSON.stringify({ ...given, keys: { openai: 'sk-1' }, env: { A: 'b' }, agreed: true, elsewhere: null }))).toEqual(small)
})
