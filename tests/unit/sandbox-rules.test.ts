import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NodeFileSystem } from '../../src/cli/node-files.ts'
import { makeFolders, removeTree, walkUp, type FileSystem } from '../../src/lib/halo/sandbox/filesystem.ts'
import { MemoryFileSystem } from '../../src/lib/halo/sandbox/memory-files.ts'
import { normalise, relative, within } from '../../src/lib/halo/sandbox/paths.ts'
import { guard, layerOf } from '../../src/lib/halo/sandbox/rules.ts'
import { applyStates, stateOf } from '../../src/lib/halo/sandbox/sync.ts'
import { track } from '../../src/lib/halo/sandbox/tracking.ts'
import { FileError } from '../../src/lib/halo/sandbox/types.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const name = fc.constantFrom('in', 'out', 'a', 'b', 'a.test.ts', 'A.TEST.ts', 'x', '..', '.', 'door')
const anyPath = fc.tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 5 })).map(([absolute, parts]) => (absolute ? '/' : '/in/') + parts.join('/'))
type Step = { op: 'write' | 'append' | 'mkdir' | 'remove' | 'tree' | 'chmod'; path: string } | { op: 'rename' | 'symlink'; path: string; to: string }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constantFrom('write' as const, 'append' as const, 'mkdir' as const, 'remove' as const, 'tree' as const, 'chmod' as const), path: anyPath }),
  fc.record({ op: fc.constantFrom('rename' as const, 'symlink' as const), path: anyPath, to: fc.oneof(anyPath, fc.constantFrom('../out', 'a.test.ts', '.', '/')) }),
)

function act(files: FileSystem, step: Step, base = ''): void {
  const at = (path: string) => base + normalise(path)
  try {
    if (step.op === 'write') files.write(at(step.path), bytes('changed'))
    else if (step.op === 'append') files.append(at(step.path), bytes('+'))
    else if (step.op === 'mkdir') makeFolders(files, at(step.path))
    else if (step.op === 'remove') files.remove(at(step.path))
    else if (step.op === 'tree') removeTree(files, at(step.path))
    else if (step.op === 'chmod') files.chmod(at(step.path), 0o755)
    else if (step.op === 'rename') files.rename(at(step.path), at(step.to))
    else if (step.op === 'symlink') files.symlink(step.to.startsWith('/') ? at(step.to) : step.to, at(step.path))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
  }
}

const START = { '/in/a/a.test.ts': 'T', '/in/a/x': 'x', '/in/b/deep/a.test.ts': 'D', '/out/x': 'secret', '/out/a.test.ts': 'O', '/x': 'top' }
/** Everything under a folder by path from it; links by their target. */
function snapshot(files: FileSystem, root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, type } of walkUp(files, root)) {
    found[relative(root, path)] = type === 'file' ? new TextDecoder().decode(files.read(path)) : type === 'symlink' ? `-> ${files.readlink(path)}` : '/'
  }
  return found
}
const outsideOf = (all: Record<string, string>) => Object.fromEntries(Object.entries(all).filter(([path]) => !within('in', path) && path !== '.'))
const protectedOf = (all: Record<string, string>) => Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith('in/') && /\.test\.ts$/i.test(path)))

test('no sequence of operations changes anything outside of the root, or a protected file, in memory', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const raw = new MemoryFileSystem({ files: START })
      // A link that was there before leads out.
      raw.symlink('../out', '/in/door')
      const before = snapshot(raw, '/')
      const inner = guard(raw, [layerOf({ roots: ['in'], protect: ['**/*.test.*'] }, '/', raw)])
      for (const one of steps) act(inner, one)
      const after = snapshot(raw, '/')
      expect(outsideOf(after)).toEqual(outsideOf(before))
      expect(protectedOf(after)).toEqual(protectedOf(before))
    }),
    { numRuns: 1000 },
  )
})

test('the same on a disk, and both end with the same files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'halo-rules-'))
  try {
    let run = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const base = `${folder}/${run++}`
        const disk = new NodeFileSystem()
        for (const [path, content] of Object.entries(START)) {
          makeFolders(disk, (base + path).replace(/\/[^/]*$/, ''))
          disk.write(base + path, bytes(content))
        }
        disk.symlink('../out', `${base}/in/door`)
        const before = snapshot(disk, base)
        const inner = guard(disk, [layerOf({ roots: ['in'], protect: ['**/*.test.*'] }, base, disk)])
        for (const one of steps) act(inner, one, base)
        const after = snapshot(disk, base)
        expect(outsideOf(after)).toEqual(outsideOf(before))
        expect(protectedOf(after)).toEqual(protectedOf(before))
        const memory = new MemoryFileSystem({ files: Object.fromEntries(Object.entries(START).map(([path, content]) => [base + path, content])) })
        memory.symlink('../out', `${base}/in/door`)
        const same = guard(memory, [layerOf({ roots: ['in'], protect: ['**/*.test.*'] }, base, memory)])
        for (const one of steps) act(same, one, base)
        expect(snapshot(memory, base)).toEqual(after)
      }),
      { numRuns: 150 },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)

test('a copy brought up to date by differences equals the files, and the changes noted lead from the old contents to the new', () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 10 }), { maxLength: 4 }), (rounds) => {
      const raw = new MemoryFileSystem({ files: START })
      const copy = raw.copy()
      for (const steps of rounds) {
        const before = snapshot(raw, '/')
        const tracked = track(raw)
        for (const one of steps) act(guard(tracked, [layerOf({}, '/', raw)]), one)
        applyStates(copy, stateOf(raw, tracked.touched()))
        expect(snapshot(copy, '/')).toEqual(snapshot(raw, '/'))
        const isFile = (value: string | undefined) => value !== undefined && value !== '/' && !value.startsWith('-> ')
        const replayed = Object.fromEntries(Object.entries(before).filter(([, value]) => isFile(value)))
        for (const change of tracked.changes()) {
          const path = relative('/', change.path)
          expect(change.before && new TextDecoder().decode(change.before)).toBe(replayed[path])
          if (change.after) replayed[path] = new TextDecoder().decode(change.after)
          else delete replayed[path]
        }
        expect(replayed).toEqual(Object.fromEntries(Object.entries(snapshot(raw, '/')).filter(([, value]) => isFile(value))))
      }
    }),
    { numRuns: 300 },
  )
})

test('a copy of a real folder reads through and never writes to it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'halo-copy-'))
  try {
    const disk = new NodeFileSystem()
    disk.mkdir(`${folder}/d`)
    disk.write(`${folder}/d/a`, bytes('old'))
    const copy = new MemoryFileSystem({ source: disk })
    copy.write(`${folder}/d/a`, bytes('new'))
    copy.remove(`${folder}/d/a`)
    copy.write(`${folder}/b`, bytes('b'))
    const second = copy.copy()
    second.write(`${folder}/b`, bytes('c'))
    expect(snapshot(disk, folder)).toEqual({ '.': '/', d: '/', 'd/a': 'old' })
    expect(snapshot(copy, folder)).toEqual({ '.': '/', b: 'b', d: '/' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('files in memory have limits, said in words', () => {
  const small = new MemoryFileSystem({ limits: { maxFileBytes: 10, maxTotalBytes: 15, maxEntries: 3 } })
  expect(() => small.write('/a', new Uint8Array(11))).toThrow('"/a" would be')
  small.write('/a', new Uint8Array(10))
  expect(() => small.write('/b', new Uint8Array(6))).toThrow('limit')
  expect(() => small.append('/a', new Uint8Array(1))).toThrow(FileError)
  small.write('/a', new Uint8Array(1))
  small.write('/b', new Uint8Array(6))
  small.mkdir('/c')
  expect(() => small.mkdir('/d')).toThrow('3 files and folders')
  small.remove('/b')
  small.mkdir('/d')
  expect(small.totalBytes).toBe(1)
})

test('appending never changes what was read before, and is fast', () => {
  const files = new MemoryFileSystem()
  const copies: [Uint8Array, string][] = []
  const started = performance.now()
  for (let i = 0; i < 20_000; i++) {
    files.append('/log', bytes('line\n'))
    if (i % 5000 === 0) copies.push([files.read('/log'), new TextDecoder().decode(files.read('/log'))])
  }
  const other = files.copy()
  other.append('/log', bytes('other'))
  files.append('/log', bytes('mine!'))
  expect(new TextDecoder().decode(files.read('/log')).endsWith('mine!')).toBe(true)
  expect(new TextDecoder().decode(other.read('/log')).endsWith('other')).toBe(true)
  for (const [view, text] of copies) expect(new TextDecoder().decode(view)).toBe(text)
  expect(performance.now() - started).toBeLessThan(20_000)
})
