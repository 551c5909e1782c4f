import { describe, expect, test, vi } from 'vitest'
import { Disk } from '../../src/lib/app/files/disk.svelte.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { Folder } from './support-folder.ts'

const utf8 = new TextDecoder()

async function opened(folder: Folder) {
  const shown = new Map<string, string>()
  const heard: string[] = []
  const contents = new Map<string, Uint8Array>()
  const picture = {
    set(path: string, hash: string | undefined) {
      heard.push(`${hash === undefined ? 'gone' : 'there'} ${path}`)
      if (hash === undefined) shown.delete(path)
      else shown.set(path, hash)
    },
    show(files: Record<string, string>) {
      shown.clear()
      for (const [path, hash] of Object.entries(files)) shown.set(path, hash)
    },
    contents: { put: async (hash: string, content: Uint8Array) => void contents.set(hash, content), get: async (hash: string) => contents.get(hash) },
  }
  const disk = new Disk(folder.handle, picture)
  await disk.open()
  const sandbox = await disk.around(memorySandbox())
  /** Of the sandbox, as a tool reads it. */
  const read = async (path: string) => utf8.decode(await sandbox.read(path))
  return { disk, sandbox, shown, heard, read }
}

/** A folder whose next reading stops at its end until it is let go on. */
function slow(folder: Folder) {
  let go = () => {}
  let began = () => {}
  const reached = new Promise<void>((resolve) => (began = resolve))
  const wait = new Promise<void>((resolve) => (go = resolve))
  folder.between = () => {
    folder.between = () => Promise.resolve()
    began()
    return wait
  }
  return { reached, go: () => go() }
}

describe('what is not part of the workspace', () => {
  test.each(['.git/config', 'sub/.git/config', 'node_modules/left/index.js', '.GIT/config'])('%s can not be read by its name either', async (path) => {
    const folder = new Folder('shop')
    folder.put('a.txt', 'a')
    folder.put(path, 'url = https://me:secret@example.org')
    const { sandbox, shown } = await opened(folder)
    await expect(sandbox.read(`/${path}`).then((bytes) => utf8.decode(bytes))).rejects.toThrow()
    expect([...shown.keys()]).toEqual(['/a.txt'])
  })
})

test('a list of files has what came to the disk since', async () => {
  const folder = new Folder('shop')
  const { sandbox } = await opened(folder)
  folder.put('late.txt', 'late')
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000)
  expect((await sandbox.list('/')).map(({ path }) => path)).toEqual(['/late.txt'])
  clock.mockRestore()
})

describe('while the folder is read again', () => {
  test('a file that a command makes meanwhile is on the disk, in the sandbox and on the page', async () => {
    const folder = new Folder('shop')
    folder.put('a.txt', 'a')
    const { disk, sandbox, shown, read } = await opened(folder)
    const { reached, go } = slow(folder)
    const again = disk.open()
    await reached
    const made = sandbox.exec('echo new > made.txt; echo b > a.txt')
    await expect.poll(() => shown.has('/made.txt'), { timeout: 15_000 }).toBe(true)
    go()
    await Promise.all([again, made])
    await disk.settled()
    expect(folder.text('made.txt')).toBe('new\n')
    expect(await read('/made.txt')).toBe('new\n')
    expect(folder.text('a.txt')).toBe('b\n')
    expect(shown.get('/made.txt')).toBe(disk.folder.hashOf('/made.txt'))
    expect(shown.get('/a.txt')).toBe(disk.folder.hashOf('/a.txt'))
  })

  test('what a command writes over a text that came to the disk meanwhile is put beside it', async () => {
    const folder = new Folder('shop')
    folder.put('a.txt', 'first')
    const { disk, sandbox, shown } = await opened(folder)
    const before = shown.get('/a.txt')
    folder.put('a.txt', 'by another program')
    const { reached, go } = slow(folder)
    const again = disk.open()
    await reached
    const made = sandbox.exec('echo ours > a.txt')
    await expect.poll(() => shown.get('/a.txt'), { timeout: 15_000 }).not.toBe(before)
    go()
    const [result] = await Promise.all([made, again])
    expect(folder.text('a.txt')).toBe('by another program')
    expect(folder.text('a (from Halo).txt')).toBe('ours\n')
    expect(result.exitCode).toBe(1)
  })

  test('what two commands make and take away again is not left on the disk', async () => {
    const folder = new Folder('shop')
    const { disk, sandbox, heard } = await opened(folder)
    const { reached, go } = slow(folder)
    const again = disk.open()
    await reached
    const both = Promise.all([sandbox.exec('echo x > tmp.txt'), sandbox.exec('rm tmp.txt')])
    await expect.poll(() => heard, { timeout: 15_000 }).toEqual(['there /tmp.txt', 'gone /tmp.txt'])
    go()
    await Promise.all([again, both])
    await disk.settled()
    expect(folder.text('tmp.txt')).toBeUndefined()
  })
})
