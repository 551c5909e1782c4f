import { expect, test, type Page } from '@playwright/test'
import { button, files, open, status, transcript, write } from './bench.ts'
import { expectAccessible } from './axe.ts'

const dialog = (page: Page) => page.getByRole('dialog')
/** A folder of the origin's own file system stands for one of the person's disk: it has the same interface. */
async function disk(page: Page, contents: Record<string, string> = {}): Promise<void> {
  await page.addInitScript(() => {
    const state = window as unknown as { showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle> }
    state.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('my-shop', { create: true })
  })
  await open(page)
  for (const [path, text] of Object.entries(contents)) await put(page, path, text)
}
async function put(page: Page, path: string, text: string): Promise<void> {
  await page.evaluate(
    async ([at = '', content = '']) => {
      const names = at.split('/')
      let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('my-shop', { create: true })
      for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true })
      const file = await (await folder.getFileHandle(names.at(-1) ?? '', { create: true })).createWritable()
      await file.write(content)
      await file.close()
    },
    [path, text],
  )
}
/** undefined: it isn't there. */
async function onDisk(page: Page, path: string): Promise<string | undefined> {
  return page.evaluate(async (at) => {
    const names = at.split('/')
    try {
      let folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('my-shop')
      for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name)
      return await (await (await folder.getFileHandle(names.at(-1) ?? '')).getFile()).text()
    } catch (thrown) {
      if (thrown instanceof DOMException && (thrown.name === 'NotFoundError' || thrown.name === 'TypeMismatchError')) return undefined
      throw thrown
    }
  }, path)
}
async function use(page: Page): Promise<void> {
  await button(files(page), 'Workspace actions').click()
  await button(files(page), 'Use a folder of my disk…').click()
  await expect(files(page)).toContainText('Live runs and the terminal work on the folder “my-shop”')
  await button(files(page), 'Workspace actions').click()
}
/** A live run of a program that calls no model. */
async function live(page: Page, body: string): Promise<void> {
  await write(page, `tool Code : Workspace(".", write: true)\ntool Shell : Bash(cwd: ".")\n${body}`)
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('live')
  await button(page, 'Run').click()
}
async function command(page: Page, text: string): Promise<void> {
  const tab = page.getByRole('tab', { name: 'Terminal', exact: true })
  // It shuts as well as opens.
  if ((await page.getByRole('tabpanel', { name: 'Terminal' }).count()) === 0) await tab.click()
  const field = page.getByRole('tabpanel', { name: 'Terminal' }).getByRole('textbox')
  await field.fill(text)
  await field.press('Enter')
}

test('a live run reads and writes the folder that was chosen, says so, and what it changed can be undone there, also after a reload', async ({ page }) => {
  await disk(page, { 'src/price.js': 'export const price = 1\n', 'notes/todo.txt': 'nothing', 'node_modules/x/index.js': 'x', '.git/config': 'secret' })
  await use(page)
  await expect(files(page).getByRole('treeitem', { name: /price\.js/ })).toBeVisible()
  await expect(files(page)).toContainText('Not read, and out of reach of tools: .git, node_modules')
  await expectAccessible(page, 'a folder of the disk')
  await live(page, 'pipeline Go() : "x" |> Code.write(path: "src/price.js", content: "changed\\n") |> Code.write(path: "new/made.txt", content: "made\\n") |> Shell.run(command: "cat src/price.js notes/todo.txt; rm notes/todo.txt")\n')
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await expect(transcript(page)).toContainText('Works on the folder “my-shop” of your disk.')
  expect(await onDisk(page, 'src/price.js')).toBe('changed\n')
  expect(await onDisk(page, 'new/made.txt')).toBe('made\n')
  expect(await onDisk(page, 'notes/todo.txt')).toBeUndefined()
  expect(await onDisk(page, '.git/config')).toBe('secret')

  await page.waitForTimeout(400)
  await page.reload()
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
  // Someone else works on one of the files meanwhile: that stays.
  await put(page, 'new/made.txt', 'made, and gone on with by hand\n')
  await button(files(page), 'Undo changes').click()
  await expect(files(page)).toContainText('Changed since the run, so left as they are: /new/made.txt')
  expect(await onDisk(page, 'src/price.js')).toBe('export const price = 1\n')
  expect(await onDisk(page, 'notes/todo.txt')).toBe('nothing')
  expect(await onDisk(page, 'new/made.txt')).toBe('made, and gone on with by hand\n')
})

test('a scenario and mock runs leave the disk alone', async ({ page }) => {
  await disk(page, { 'shop/price.js': 'of the disk' })
  await use(page)
  await button(page, 'Run').click()
  await button(transcript(page), 'Allow').last().click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await expect(files(page)).toContainText('The folder on your disk is as it was')
  expect(await onDisk(page, 'shop/price.js')).toBe('of the disk')
  expect(await onDisk(page, 'shop/price.test.js')).toBeUndefined()
  await button(files(page), 'Show the folder').click()
  await expect(files(page)).toContainText('Folder “my-shop”')
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('mock')
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText(/completed|failed/, { timeout: 30_000 })
  expect(await onDisk(page, 'shop/price.js')).toBe('of the disk')
})

test('a file that was changed on the disk meanwhile is not overwritten: a tool is told, a command’s text stands beside', async ({ page }) => {
  await disk(page, { 'a.txt': 'first', 'b.txt': 'first' })
  await use(page)
  await command(page, 'cat a.txt && echo')
  const terminal = page.getByRole('tabpanel', { name: 'Terminal' })
  await expect(terminal).toContainText('first')
  await command(page, 'sleep 2; echo of the command > b.txt')
  await page.waitForTimeout(700)
  await put(page, 'b.txt', 'of the person')
  await expect(terminal).toContainText('"/b.txt" was changed on the disk meanwhile', { timeout: 15_000 })
  expect(await onDisk(page, 'b.txt')).toBe('of the person')
  expect(await onDisk(page, 'b (from Halo).txt')).toBe('of the command\n')

  await live(page, 'pipeline Go() : "x" |> Shell.run(command: "sleep 1.5") |> Code.write(path: "a.txt", content: "of the tool")\n')
  await expect(status(page)).toHaveText('running')
  await page.waitForTimeout(700)
  await put(page, 'a.txt', 'of the person')
  await expect(status(page)).toHaveText('failed', { timeout: 30_000 })
  await expect(transcript(page)).toContainText('"a.txt" was changed on the disk meanwhile')
  expect(await onDisk(page, 'a.txt')).toBe('of the person')
})

test('what a person types into a file of the disk is written there; what others change is read when it is asked for', async ({ page }) => {
  await disk(page, { 'a.txt': 'first' })
  await use(page)
  await files(page).getByRole('treeitem', { name: /a\.txt/ }).click()
  await write(page, 'typed here')
  await expect.poll(() => onDisk(page, 'a.txt')).toBe('typed here')
  await put(page, 'sub/c.txt', 'made elsewhere')
  await button(files(page), 'Read again').click()
  await expect(files(page).getByRole('treeitem', { name: /c\.txt/ })).toBeVisible()
  await button(files(page), 'Leave the folder').click()
  await expect(files(page)).not.toContainText('my-shop')
  await expect(files(page).getByRole('treeitem', { name: /c\.txt/ })).toHaveCount(0)
  expect(await onDisk(page, 'a.txt')).toBe('typed here')
})

test('the browser wants permission again after a reload: nothing runs on the folder until a click gave it', async ({ page }) => {
  await disk(page, { 'a.txt': 'first' })
  await use(page)
  await page.addInitScript(() => {
    const handle = FileSystemHandle.prototype as unknown as Record<string, () => Promise<string>>
    let given = false
    handle.queryPermission = async () => (given ? 'granted' : 'prompt')
    handle.requestPermission = async () => ((given = true), 'granted')
  })
  await page.reload()
  await expect(files(page)).toContainText('wants your permission again for the folder “my-shop”')
  await live(page, 'pipeline Go() : "x" |> Code.read(path: "a.txt")\n')
  await expect(page.getByRole('alert').filter({ hasText: 'gives the page no access to the folder “my-shop”' })).toBeVisible()
  await button(files(page), 'Allow access').click()
  await expect(files(page).getByRole('treeitem', { name: /a\.txt/ })).toBeVisible()
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
})

test('a folder that was taken away is told of, and the page goes on', async ({ page }) => {
  await disk(page, { 'a.txt': 'first' })
  await use(page)
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry('my-shop', { recursive: true }))
  await button(files(page), 'Read again').click()
  await expect(files(page)).toContainText('is no longer where it was')
  await live(page, 'pipeline Go() : "x" |> Code.list()\n')
  await expect(page.getByRole('alert').filter({ hasText: 'is no longer where it was' }).first()).toBeVisible()
  await put(page, 'a.txt', 'there again')
  await button(files(page), 'Read again').click()
  await expect(files(page).getByRole('treeitem', { name: /a\.txt/ })).toBeVisible()
})

test('a project from elsewhere never has the folder, not even one made of the project that has it', async ({ page }) => {
  await disk(page, { 'a.txt': 'mine' })
  await use(page)
  await files(page).getByRole('button', { name: 'Projects' }).click()
  const download = page.waitForEvent('download')
  await button(dialog(page), 'Export').click()
  const path = await (await download).path()
  await dialog(page).locator('input[type=file]').setInputFiles({ name: 'copy.zip', mimeType: 'application/zip', buffer: await (await import('node:fs/promises')).readFile(path) })
  await expect(page.getByRole('region', { name: 'From elsewhere' })).toBeVisible()
  await expect(files(page)).not.toContainText('my-shop')
  await button(files(page), 'Workspace actions').click()
  await expect(files(page)).toContainText('once you have agreed to what this project may do')
  await expect(button(files(page), 'Use a folder of my disk…')).toHaveCount(0)
  await button(page, 'Keep a copy').click()
  await expect(files(page)).not.toContainText('my-shop')
})

test('where the browser has no folders, none is offered; names and hidden places of a disk are out of reach', async ({ page, browser }) => {
  const plain = await browser.newPage()
  await plain.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
  await open(plain)
  await button(files(plain), 'Workspace actions').click()
  await expect(files(plain).getByText('Add files…')).toBeVisible()
  await expect(files(plain).getByText(/folder of my disk/)).toHaveCount(0)
  await plain.close()

  await disk(page, { 'a.txt': 'first', '.git/hooks/pre-commit': 'theirs' })
  await use(page)
  await command(page, 'mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo ok > ok.txt; echo up > ../../up.txt')
  await expect(page.getByRole('tabpanel', { name: 'Terminal' })).toContainText('not part of this workspace')
  expect(await onDisk(page, '.git/hooks/pre-commit')).toBe('theirs')
  expect(await onDisk(page, 'ok.txt')).toBe('ok\n')
  expect(await page.evaluate(async () => {
    const names = []
    for await (const name of (await navigator.storage.getDirectory() as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name)
    return names
  })).toEqual(['my-shop'])
})

test('a big folder is read within limits, bytes that are no text stay as they are', async ({ page }) => {
  test.setTimeout(90_000)
  await disk(page)
  await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('my-shop', { create: true })
    const many = await folder.getDirectoryHandle('many', { create: true })
    const put = async (at: FileSystemDirectoryHandle, name: string, content: string | Uint8Array<ArrayBuffer>) => {
      const file = await (await at.getFileHandle(name, { create: true })).createWritable()
      await file.write(content)
      await file.close()
    }
    await put(folder, 'big.bin', new Uint8Array(9 << 20))
    await put(folder, 'some.bin', Uint8Array.from([0, 255, 1, 254]))
    for (let at = 0; at < 600; at += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => put(many, `f${at + n}.txt`, `${at + n}`)))
  })
  await use(page)
  await expect(files(page)).toContainText('big.bin (9.0 MB)')
  await command(page, 'cp some.bin copy.bin; ls many | wc -l')
  await expect(page.getByRole('tabpanel', { name: 'Terminal' })).toContainText('600')
  await expect.poll(() => page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('my-shop')
    const file = await folder.getFileHandle('copy.bin').catch(() => undefined)
    return file && [...new Uint8Array(await (await file.getFile()).arrayBuffer())]
  })).toEqual([0, 255, 1, 254])
})
