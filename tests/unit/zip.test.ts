import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksZipped, readZip, writeZip, zipLimits, type ZipFiles } from '../../src/lib/app/files/zip.ts'
import { projectOf, zipOf } from '../../src/lib/app/project/project-zip.ts'

interface Raw {
  name: string | Uint8Array
  content?: string | Uint8Array
  /** General purpose flags. Default: names are UTF-8. */
  flags?: number
  /** Upper half of the attributes: a Unix mode. */
  mode?: number
  method?: number
  /** What the headers say, where that isn't so. */
  says?: { size?: number; crc?: number }
  /** Where its data lies, if not behind its own header. */
  at?: number
}

/** A zip as anyone may write it, byte by byte. */
function zipFrom(entries: Raw[], options: { count?: number } = {}): Blob {
  const parts: Uint8Array[] = []
  const central: Uint8Array[] = []
  let offset = 0
  for (const { name, content = '', flags = 0x800, mode = 0, method = 8, says = {}, at } of entries) {
    const named = typeof name === 'string' ? new TextEncoder().encode(name) : name
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const data = method === 8 ? deflateRawSync(bytes) : bytes
    const size = says.size ?? bytes.length
    const crc = says.crc ?? crc32(bytes)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(method, 8)
    local.writeUInt32LE(crc, 14)
    local.writeUInt32LE(data.length, 18)
    local.writeUInt32LE(size, 22)
    local.writeUInt16LE(named.length, 26)
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE(0x0314, 4)
    head.writeUInt16LE(20, 6)
    head.writeUInt16LE(flags, 8)
    head.writeUInt16LE(method, 10)
    head.writeUInt32LE(crc, 16)
    head.writeUInt32LE(data.length, 20)
    head.writeUInt32LE(size, 24)
    head.writeUInt16LE(named.length, 28)
    head.writeUInt32LE((mode << 16) >>> 0, 38)
    head.writeUInt32LE(at ?? offset, 42)
    if (at === undefined) {
      parts.push(local, named, data)
      offset += local.length + named.length + data.length
    }
    central.push(head, named)
  }
  const size = central.reduce((sum, one) => sum + one.length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE((options.count ?? entries.length) & 0xffff, 8)
  end.writeUInt16LE((options.count ?? entries.length) & 0xffff, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return new Blob([...parts, ...central, end].map((part) => new Uint8Array(part)))
}
const cut = async (zip: Blob, bytes: number): Promise<Blob> => zip.slice(0, zip.size - bytes)
const texts = (files: ZipFiles) => Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]))

describe('what is read', () => {
  test('files come back as they were packed, whatever is in them', async () => {
    const path = fc.array(fc.stringMatching(/^[a-zA-Zäß0-9 _.-]{1,8}$/).filter((name) => !/^\.*$/.test(name)), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/').normalize('NFC'))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, fc.uint8Array({ maxLength: 300 }), { minKeys: 1, maxKeys: 6 }), async (files) => {
        const paths = Object.keys(files)
        fc.pre(!paths.some((a) => paths.some((b) => b.startsWith(`${a}/`)) || /\.DS_Store|Thumbs|desktop\.ini|MACOSX/.test(a)))
        expect(await readZip(await writeZip(files))).toEqual(Object.fromEntries(Object.entries(files).map(([at, bytes]) => [at, new Uint8Array(bytes)])))
      }),
      { numRuns: 100 },
    )
  })
  test('a zip of another program is read: stored and packed files, folders, and what its system added is passed over', async () => {
    const zip = zipFrom([
      { name: 'app/', method: 0, mode: 0o040755 },
      { name: 'app/a.txt', content: 'a', mode: 0o100644 },
      { name: 'app/b.txt', content: 'b', method: 0 },
      { name: '__MACOSX/app/._a.txt', content: 'x' },
      { name: 'app/.DS_Store', content: 'x' },
    ])
    expect(texts(await readZip(zip))).toEqual({ 'app/a.txt': 'a', 'app/b.txt': 'b' })
    expect(await looksZipped(zip)).toBe(true)
    expect(await looksZipped(new Blob(['PK, said the text']))).toBe(false)
  })
})

describe('what is refused, as a whole and in words', () => {
  const limits = { files: 50, file: 10_000, total: 30_000 }
  const cases: [string, () => Blob | Promise<Blob>, RegExp][] = [
    ['no zip at all', () => new Blob(['hello, this is text that is longer than the end of a zip file is']), /not a zip file/],
    ['an empty file', () => new Blob([]), /not a zip file/],
    ['a zip without files', () => zipFrom([]), /no files in this zip/],
    ['a zip of folders', () => zipFrom([{ name: 'a/', method: 0 }]), /no files in this zip/],
    ['a zip that was cut off at its end', () => cut(zipFrom([{ name: 'a', content: 'a' }]), 10), /not a zip file|damaged/],
    ['a zip that lost its middle', async () => new Blob([await zipFrom([{ name: 'a', content: 'a'.repeat(500) }]).slice(40).arrayBuffer()]), /damaged|not a zip file/],
    ['a path that climbs out', () => zipFrom([{ name: '../evil', content: 'x' }]), /names a file “\.\.\/evil”/],
    ['a path that climbs out from within', () => zipFrom([{ name: 'a/../../evil', content: 'x' }]), /no name within a folder/],
    ['a path that climbs out the Windows way', () => zipFrom([{ name: '..\\evil', content: 'x' }]), /no name within a folder/],
    ['an absolute path', () => zipFrom([{ name: '/etc/passwd', content: 'x' }]), /no name within a folder/],
    ['a drive', () => zipFrom([{ name: 'C:/x', content: 'x' }]), /no name within a folder/],
    ['an empty name', () => zipFrom([{ name: '', content: 'x' }]), /no name within a folder/],
    ['a NUL in a name', () => zipFrom([{ name: 'a\0.txt', content: 'x' }]), /no name within a folder/],
    ['a name of a prototype', () => zipFrom([{ name: 'a/__proto__', content: 'x' }]), /no name within a folder/],
    ['a name that is longer than any disk has', () => zipFrom([{ name: 'a'.repeat(2000), content: 'x' }]), /no name within a folder/],
    ['the same name twice', () => zipFrom([{ name: 'a', content: '1' }, { name: 'a', content: '2' }]), /“a” twice/],
    ['the same name in two forms', () => zipFrom([{ name: 'é', content: '1' }, { name: 'e\u0301', content: '2' }]), /twice/],
    ['a name that is a file and a folder', () => zipFrom([{ name: 'a', content: '1' }, { name: 'a/b', content: '2' }]), /“a” twice/],
    ['a symbolic link', () => zipFrom([{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]), /is a link to another file/],
    ['a device', () => zipFrom([{ name: 'tty', content: '', mode: 0o020666 }]), /no name within a folder/],
    ['an encrypted file', () => zipFrom([{ name: 'a', content: 'x', flags: 0x801 }]), /“a” in this zip is encrypted/],
    ['a name in a code page of old', () => zipFrom([{ name: new Uint8Array([0x66, 0x81, 0x72]), content: 'x', flags: 0 }]), /no encoding that can be read/],
    ['a way of packing that is not read', () => zipFrom([{ name: 'a', content: 'x', method: 98 }]), /packed in a way/],
    ['a checksum that does not fit', () => zipFrom([{ name: 'a', content: 'x', says: { crc: 1 } }]), /damaged at “a”/],
    ['a file larger than it says', () => zipFrom([{ name: 'bomb', content: new Uint8Array(9_000_000), says: { size: 10 } }]), /damaged at “bomb”/],
    ['a file smaller than it says', () => zipFrom([{ name: 'a', content: 'x', says: { size: 100 } }]), /damaged at “a”/],
    ['a file over the limit', () => zipFrom([{ name: 'a', content: new Uint8Array(10_001) }]), /“a” in this zip is larger than/],
    ['files that are too much together', () => zipFrom(['a', 'b', 'c', 'd'].map((name) => ({ name, content: new Uint8Array(9000) }))), /would unpack to more than/],
    ['entries that share their data', () => zipFrom([{ name: 'a', content: new Uint8Array(9000) }, { name: 'b', content: new Uint8Array(9000), at: 0 }, { name: 'c', content: new Uint8Array(9000), at: 0 }]), /damaged/],
    ['too many files', () => zipFrom(Array.from({ length: 51 }, (_, n) => ({ name: `f${n}`, content: '' }))), /more than 50 files/],
    ['a zip larger than all it may hold', () => new Blob([new Uint8Array(100_000)]), /larger than/],
  ]
  for (const [what, make, words] of cases) {
    test(what, async () => {
      await expect(readZip(await make(), limits)).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(words) as string })
    })
  }
  test('more than 65,535 entries, which the old form can’t count', async () => {
    const zip = zipFrom(Array.from({ length: 66_000 }, (_, n) => ({ name: `f${n}`, method: 0 })))
    await expect(readZip(zip)).rejects.toThrow(/more than 20,000 files|damaged/)
  })
  test('a bomb is known before any of it is unpacked', async () => {
    // 60 files of 32 MB each are about 2 MB packed, and would be 2 GB.
    const one = new Uint8Array(zipLimits.file)
    const zip = zipFrom(Array.from({ length: 60 }, (_, n) => ({ name: `f${n}`, content: n === 0 ? one : '', says: { size: one.length } })))
    const before = process.memoryUsage().arrayBuffers
    await expect(readZip(zip)).rejects.toThrow(/would unpack to more than 64/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20)
  })
  test('any damage gives the files as they were, or words', async () => {
    const files = { 'a.txt': new TextEncoder().encode('hello '.repeat(50)), 'b/c.bin': new Uint8Array(200).map((_, n) => (n * 7919) % 251) }
    const whole = new Uint8Array(await (await writeZip(files)).arrayBuffer())
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = whole.slice()
        bytes[at] = (bytes[at] ?? 0) ^ flip
        try {
          const read = await readZip(new Blob([bytes]))
          // A flipped bit in a name or a time gives another name or time; contents are under a checksum.
          for (const content of Object.values(read)) expect(Object.values(files).some((one) => Buffer.from(one).equals(Buffer.from(content)))).toBe(true)
        } catch (thrown) {
          refused++
          expect(thrown).toMatchObject({ code: 'VALIDATION' })
        }
      }),
      { numRuns: 500 },
    )
    expect(refused).toBeGreaterThan(100)
  })
})

describe('a project as a zip', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  test('comes back exactly: programs, workspace, arguments, what was chosen', async () => {
    const name = fc.constantFrom('main.halo', 'lib/policies.halo', 'halo.json', 'workspace/x.halo', 'app/price.js', 'main.halo/odd', 'workspace', 'a b.txt')
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom('main.halo', 'lib/policies.halo', 'workspace/x.halo', 'workspace'), fc.string({ unit: 'grapheme' }), { minKeys: 1 }),
        fc.dictionary(name.map((path) => `/${path}`), fc.uint8Array({ maxLength: 40 })),
        fc.dictionary(fc.constantFrom('Main', 'Other'), fc.dictionary(fc.constantFrom('a', 'b'), fc.string())),
        async (files, workspace, fields) => {
          const clash = (paths: string[]) => paths.some((a) => paths.some((b) => b.startsWith(`${a}/`)))
          fc.pre(!clash(Object.keys(files)) && !clash(Object.keys(workspace)))
          const project = { name: 'Mine “é”', files: { ...files }, active: Object.keys(files)[0] ?? '', workspace: { ...workspace }, fields: JSON.parse(JSON.stringify(fields)) as typeof fields, pipeline: 'Main', mode: 'scenario:it works' }
          const read = projectOf(await readZip(await writeZip(zipOf(project))), 'other')
          expect(read).toEqual({ ...project, workspace: Object.fromEntries(Object.entries(workspace).map(([at, one]) => [at, new Uint8Array(one)])) })
        },
      ),
      { numRuns: 200 },
    )
  })
  test('lies in the zip as the command line wants it: files beside the program that names them', () => {
    const zip = zipOf({ name: 'n', files: { 'main.halo': '' }, active: 'main.halo', workspace: { '/shop/price.js': bytes('1') }, fields: {} })
    expect(Object.keys(zip).sort()).toEqual(['halo.json', 'main.halo', 'shop/price.js'])
  })
  test('a workspace with a file of a program’s name has a folder of its own', () => {
    const zip = zipOf({ name: 'n', files: { 'main.halo': 'program' }, active: 'main.halo', workspace: { '/main.halo': bytes('file'), '/halo.json': bytes('{}') }, fields: {} })
    expect(Object.keys(zip).sort()).toEqual(['halo.json', 'main.halo', 'workspace/halo.json', 'workspace/main.halo'])
  })
  test('a folder that someone packed is a project if there is a program in it', () => {
    const read = projectOf({ 'mine/main.halo': bytes('program'), 'mine/shop/a.js': bytes('a'), 'mine/lib/p.halo': bytes('policy') }, 'mine')
    expect(read).toEqual({ name: 'mine', files: { 'main.halo': 'program', 'lib/p.halo': 'policy' }, active: 'main.halo', workspace: { '/shop/a.js': bytes('a') }, fields: {} })
  })
  test('what is no project is refused in words', () => {
    const manifest = (change: Record<string, unknown>) => ({ 'main.halo': bytes(''), 'halo.json': bytes(JSON.stringify({ form: 'halo-zip', version: 1, name: 'n', active: 'main.halo', fields: {}, programs: ['main.halo'], workspace: '.', ...change })) })
    expect(() => projectOf({ 'a.txt': bytes('') }, 'n')).toThrow(/no \.halo file/)
    expect(() => projectOf({ 'main.halo': new Uint8Array([0xff, 0xfe, 0]) }, 'n')).toThrow(/“main.halo” in this zip is not a text/)
    expect(projectOf(manifest({}), 'n').name).toBe('n')
    for (const change of [{ version: 2 }, { programs: ['gone.halo'] }, { programs: [] }, { programs: 'main.halo' }, { workspace: 1 }]) expect(() => projectOf(manifest(change), 'n')).toThrow(/halo\.json/)
    for (const change of [{ active: 'gone.halo' }, { fields: { Main: { a: 1 } } }, { name: 5 }, { mode: {} }]) expect(() => projectOf(manifest(change), 'n')).toThrow()
    expect(projectOf({ 'main.halo': bytes(''), 'halo.json': bytes('{"other":1}') }, 'n').workspace['/halo.json']).toEqual(bytes('{"other":1}'))
  })
})
