import { mkdtempSync, rmSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { rooted, webContainerMissing, type Container } from '../../src/lib/halo/sandbox/container.ts'
import { webContainerSandbox } from '../../src/lib/halo/sandbox/webcontainer.ts'

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** The documented interface over a real folder and a real shell: what a container does, without one. */
function container(): Container {
  const root = mkdtempSync(join(tmpdir(), 'halo-container-'))
  folders.push(root)
  const at = (path: string) => join(root, path)
  return {
    fs: {
      readdir: (path: string) => fs.readdir(at(path), { withFileTypes: true }),
      readFile: async (path: string) => new Uint8Array(await fs.readFile(at(path))),
      writeFile: (path: string, data: Uint8Array) => fs.writeFile(at(path), data),
      mkdir: (path: string) => fs.mkdir(at(path), { recursive: true }),
      rm: (path: string, options: object) => fs.rm(at(path), options),
    } as unknown as Container['fs'],
    teardown() {},
    async spawn(_shell, args, options) {
      const child = spawn('sh', args, { cwd: at(options?.cwd ?? '.'), env: { ...process.env, ...options?.env }, detached: true })
      const output = new ReadableStream<string>({
        start(controller) {
          child.stdout.on('data', (data: Buffer) => controller.enqueue(data.toString()))
          child.stderr.on('data', (data: Buffer) => controller.enqueue(data.toString()))
          child.on('close', () => controller.close())
        },
      })
      const input = new WritableStream<string>({ write: (text) => void child.stdin.write(text), close: () => void child.stdin.end() })
      const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
      return { exit, output, input, kill: () => void (child.pid && process.kill(-child.pid)) }
    },
  }
}
const make = (files: Record<string, string>) => webContainerSandbox({ files, boot: async () => container() })
const text = async (box: { read(path: string): Promise<Uint8Array> }, path: string) => new TextDecoder().decode(await box.read(path))

test('says in words what is missing, and is not loaded until a command runs', async () => {
  expect(webContainerMissing({ isSecureContext: true, crossOriginIsolated: false })).toContain('Cross-Origin-Opener-Policy')
  expect(webContainerMissing({ isSecureContext: false })).toContain('https')
  expect(webContainerMissing({ isSecureContext: true, crossOriginIsolated: true })).toBeUndefined()
  const box = webContainerSandbox({ files: { '/a': 'a' } })
  expect(box.engine).toBe('webcontainer')
  expect(await text(box, '/a')).toBe('a')
  await expect(box.exec('ls')).rejects.toThrow('embedded engine')
})

test('files go in before a command and its changes come out after it', async () => {
  const box = make({ '/a.txt': 'one', '/d/b.txt': 'two' })
  const result = await box.exec('cat a.txt d/b.txt; echo three > c.txt; rm a.txt; echo more >> d/b.txt; mkdir -p node_modules/x; echo > node_modules/x/y')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'onetwo' })
  expect(result.changed.map((c) => c.path)).toEqual(['/a.txt', '/c.txt', '/d/b.txt'])
  expect(await text(box, '/d/b.txt')).toBe('twomore\n')
  await box.write('/c.txt', 'changed here')
  await box.remove('/d/b.txt')
  expect((await box.exec('cat c.txt; ls d', { env: { A: '1' } })).stdout).toBe('changed here')
  expect((await box.exec('exit 3')).exitCode).toBe(3)
})

test('rules hold: what they refuse is put back and said', async () => {
  const box = make({ '/p/a.test.ts': 'T', '/p/b.ts': 'b', '/q/c': 'c' })
  const inner = box.open({ roots: ['p'], protect: ['**/*.test.*'] })
  const result = await inner.exec('echo x > p/a.test.ts; echo y > p/b.ts; rm q/c; echo new > q/d; rm -f p/gone')
  expect(result.exitCode).toBe(1)
  expect(result.stderr).toContain('protected')
  expect([await text(box, '/p/a.test.ts'), await text(box, '/p/b.ts'), await text(box, '/q/c')]).toEqual(['T', 'y\n', 'c'])
  expect(await box.stat('/q/d')).toBeUndefined()
  expect((await box.exec('cat p/a.test.ts q/c; ls q')).stdout).toBe('Tcc\n')
})

test('allow and deny hold for plain commands; what can not be resolved is denied', async () => {
  const box = make({ '/a': 'a' })
  expect((await box.exec('cat a', { allow: ['cat *'] })).stdout).toBe('a')
  for (const command of ['ls', 'cat a; rm a', 'cat a > b', 'cat $(rm a)', 'c"a"t a', 'cat a\nrm a']) {
    expect((await box.exec(command, { allow: ['cat *'] })).exitCode, command).toBe(126)
  }
})

test('time limits and Stop end a command', async () => {
  const box = make({})
  expect(await box.exec('sleep 5', { timeoutMs: 200 })).toMatchObject({ exitCode: 124, limit: 'time' })
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 200)
  expect(await box.exec('sleep 5', { signal: controller.signal })).toMatchObject({ exitCode: 130, limit: 'cancelled' })
})

test('Stop ends the wait for a container that does not come', async () => {
  const box = webContainerSandbox({ files: {}, boot: () => new Promise(() => {}) })
  const controller = new AbortController()
  let heard = ''
  const command = box.exec('ls', { signal: controller.signal, onOutput: (stream, text) => (heard += `${stream}: ${text}`) })
  setTimeout(() => controller.abort(), 20)
  expect(await command).toMatchObject({ exitCode: 130, limit: 'cancelled' })
  expect(heard).toMatch(/^stderr: .*stopped/)
})

test('one container serves several sandboxes, each in a folder of its own; a fork is one of them', async () => {
  const shared = container()
  let made = 0
  const boot = () => rooted(shared, `box-${++made}`)
  const one = webContainerSandbox({ files: { '/a': 'one' }, boot })
  const two = webContainerSandbox({ files: { '/a': 'two' }, boot })
  expect((await one.exec('cat a; echo 1 > mine')).stdout).toBe('one')
  expect((await two.exec('cat a; ls')).stdout).toBe('twoa\n')
  const fork = await one.fork()
  expect((await fork.exec('cat a mine; echo fork > a')).stdout).toBe('one1\n')
  expect((await one.exec('cat a')).stdout).toBe('one')
  await one.dispose()
  expect((await two.exec('cat a')).stdout).toBe('two')
  expect((await fork.exec('cat a')).stdout).toBe('fork\n')
})
