import { readFile } from 'node:fs/promises'
import { expect, test, type Page } from '@playwright/test'
import { button, cards, choose, files, open, status, write } from './bench.ts'
import { expectAccessible } from './axe.ts'

const editor = (page: Page) => page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })
const dialog = (page: Page) => page.getByRole('dialog')
async function projects(page: Page): Promise<void> {
  await files(page).getByRole('button', { name: 'Projects' }).click()
  await expect(dialog(page).getByRole('list', { name: 'Your projects' }).getByRole('listitem').first()).toBeVisible()
}
async function versions(page: Page): Promise<void> {
  await files(page).getByRole('button', { name: 'Versions' }).click()
  await expect(dialog(page)).toContainText(/The newest 50|None yet/)
}
async function create(page: Page, from: string): Promise<void> {
  await projects(page)
  await dialog(page).getByLabel('From').selectOption({ label: from })
  await button(dialog(page), 'Create').click()
  await expect(dialog(page)).toHaveCount(0)
}
/** The file that the page gives when this is done. */
async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; path: string }> {
  const download = page.waitForEvent('download')
  await act()
  const file = await download
  return { name: file.suggestedFilename(), path: await file.path() }
}
const bringIn = (page: Page, file: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) => dialog(page).locator('input[type=file]').setInputFiles(file)

test('projects are made, named, opened and deleted, and what was deleted can be put back with its versions', async ({ page }) => {
  await open(page)
  await create(page, 'Empty')
  await expect(editor(page)).toBeVisible()
  await write(page, 'pipeline One(a: String) : a\n')
  await create(page, 'Note keeper')
  await expect(editor(page)).toContainText('note')
  await projects(page)
  await expectAccessible(page, 'dialog')
  await button(dialog(page), 'Rename Untitled').click()
  await dialog(page).getByRole('textbox', { name: 'Name of the project' }).fill('My first')
  await page.keyboard.press('Enter')
  await button(dialog(page), 'Open My first').click()
  await expect(editor(page)).toContainText('pipeline One')
  await expect(page.getByRole('button', { name: 'Project: My first' })).toBeVisible()

  await projects(page)
  await button(dialog(page), 'Delete My first').click()
  await expect(dialog(page)).toContainText('“My first” is deleted')
  await expect(button(dialog(page), 'Open My first')).toHaveCount(0)
  await button(dialog(page), 'Undo').click()
  await button(dialog(page), 'Open My first').click()
  await expect(editor(page)).toContainText('pipeline One')
  await versions(page)
  await expect(dialog(page)).toContainText('before typing')
  await page.keyboard.press('Escape')

  await projects(page)
  await button(dialog(page), 'Delete My first').click()
  await page.keyboard.press('Escape')
  await page.waitForTimeout(600)
  await page.reload()
  await projects(page)
  await expect(button(dialog(page), 'Open My first')).toHaveCount(0)
  await expect(button(dialog(page), 'Open Note keeper')).toHaveCount(1)
})

test('a project with its workspace and arguments comes back from its zip, from elsewhere and inert', async ({ page }) => {
  await open(page)
  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await projects(page)
  const zip = await saved(page, () => button(dialog(page), 'Export').click())
  expect(zip.name).toBe('Fix-failing-tests.zip')
  await bringIn(page, { name: zip.name, mimeType: 'application/zip', buffer: await readFile(zip.path) })
  await expect(page.getByRole('region', { name: 'From elsewhere' })).toContainText('“Fix failing tests” came by a file')
  await expect(files(page).getByRole('treeitem', { name: /^price\.js/ })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
  await button(page, 'Run').click()
  await expect(dialog(page)).toContainText('Run something from elsewhere?')
  await button(dialog(page), 'Don’t run').click()
  await expect(status(page)).toHaveText('ready')

  // The same again from that copy: nothing is lost on the way there and back.
  await projects(page)
  const again = await saved(page, () => button(dialog(page), 'Export').click())
  const { readZip } = await import('../../src/lib/app/files/zip.ts')
  const contents = async (path: string) => readZip(new Blob([new Uint8Array(await readFile(path))]))
  expect(await contents(again.path)).toEqual(await contents(zip.path))
  expect(Object.keys(await contents(zip.path))).toContain('shop/price.js')
})

test('a zip that is none, or would climb out, is refused in words, and the person’s own work stands', async ({ page }) => {
  await open(page)
  const before = await editor(page).textContent()
  for (const [buffer, words] of [
    [Buffer.from('not a zip'), /not a shared project/],
    [Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(60)]), /not a zip file/],
  ] as const) {
    await projects(page)
    await bringIn(page, { name: 'odd.zip', mimeType: 'application/zip', buffer })
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    await button(page, 'Dismiss').click()
  }
  expect(await editor(page).textContent()).toBe(before)
})

test('versions are kept by themselves; one can be looked at and gone back to, and back again', async ({ page }) => {
  await open(page)
  const original = await page.evaluate(() => document.querySelector('.cm-content')?.textContent ?? '')
  await versions(page)
  await expect(dialog(page)).toContainText('None yet')
  await page.keyboard.press('Escape')
  await write(page, 'pipeline Mine(a: String) : a\n')
  await versions(page)
  await expect(dialog(page).getByRole('list', { name: 'Versions' }).getByRole('listitem')).toHaveCount(1)
  await dialog(page).getByRole('button', { name: /before typing/ }).click()
  await expect(dialog(page).getByRole('region', { name: 'What was changed in fix-failing-tests.halo since then' })).toContainText('pipeline Mine')
  await expectAccessible(page, 'dialog')
  await button(dialog(page), 'Go back').click()
  await expect(dialog(page)).toContainText('The files are as they were then')
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.querySelector('.cm-content')?.textContent ?? '')).toBe(original)
  await page.reload()
  await expect(editor(page)).toContainText('policy Fixing')
  await versions(page)
  await dialog(page).getByRole('button', { name: /before going back/ }).click()
  await button(dialog(page), 'Go back').click()
  await page.keyboard.press('Escape')
  await expect(editor(page)).toContainText('pipeline Mine')
})

test('an example that is put back as it came leaves what was made of it as a version', async ({ page }) => {
  await open(page)
  await write(page, 'pipeline Mine(a: String) : a\n')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('put the example back')
  await page.keyboard.press('Enter')
  await expect(editor(page)).toContainText('policy Fixing')
  await page.reload()
  await expect(editor(page)).toContainText('policy Fixing')
  await versions(page)
  await expect(dialog(page)).toContainText('before the example was put back')
})

test('another tab’s text is taken in where nothing is typed here; where both typed, both texts are kept', async ({ context }) => {
  const [one, two] = [await context.newPage(), await context.newPage()]
  await open(one)
  await choose(one, 'Note keeper')
  await open(two)
  await choose(two, 'Note keeper')
  await write(one, 'pipeline First(a: String) : a\n')
  await expect(editor(two)).toContainText('pipeline First')
  await write(two, 'pipeline Second(a: String) : a\n')
  await expect(editor(one)).toContainText('pipeline Second')

  // Neither hears of the other in time.
  await two.evaluate(() => {
    const post = BroadcastChannel.prototype.postMessage
    BroadcastChannel.prototype.postMessage = function (message: unknown) {
      setTimeout(() => post.call(this, message), 1500)
    }
  })
  await one.evaluate(() => {
    BroadcastChannel.prototype.postMessage = () => undefined
  })
  await write(one, 'pipeline Ours(a: String) : a\n')
  await one.waitForTimeout(500)
  await write(two, 'pipeline Theirs(a: String) : a\n')
  await expect(two.getByRole('alert').filter({ hasText: 'Another tab changed the same file' })).toBeVisible()
  await expect(one.getByRole('alert').filter({ hasText: 'Two tabs changed the same file' })).toBeVisible()
  await expect(editor(one)).toContainText('pipeline Theirs')
  await versions(one)
  await dialog(one).getByRole('button', { name: /text of another tab/ }).click()
  await button(dialog(one), 'Go back').click()
  await one.keyboard.press('Escape')
  await expect(editor(one)).toContainText('pipeline Ours')
})

test('files that two tabs change are brought together where they are different files', async ({ context }) => {
  const one = await context.newPage()
  await open(one)
  await create(one, 'Empty')
  await files(one).getByRole('button', { name: 'New file' }).click()
  await files(one).getByRole('textbox', { name: 'Name of the new file' }).fill('other.halo')
  await one.keyboard.press('Enter')
  await one.waitForTimeout(400)
  const two = await context.newPage()
  await two.goto('/')
  await expect(editor(two)).toBeVisible()
  for (const page of [one, two]) await page.evaluate(() => { BroadcastChannel.prototype.postMessage = () => undefined })
  await files(one).getByRole('treeitem', { name: 'main.halo' }).click()
  await write(one, '// of the first tab\n')
  await files(two).getByRole('treeitem', { name: 'other.halo' }).click()
  await write(two, '// of the second tab\n')
  await two.waitForTimeout(600)
  await two.reload()
  await expect(editor(two)).toContainText('of the second tab')
  await files(two).getByRole('treeitem', { name: 'main.halo' }).click()
  await expect(editor(two)).toContainText('of the first tab')
})

test('what a run changed can be undone after the page was opened again', async ({ page }) => {
  await open(page)
  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await page.waitForTimeout(400)
  await page.reload()
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
  await button(files(page), 'Undo changes').click()
  await expect(files(page)).toContainText('1 file put back')
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toHaveCount(0)
})

test('storage that is full offers the project as a zip beside the words, with what found no room', async ({ page, baseURL }) => {
  test.setTimeout(60_000)
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(baseURL ?? '').origin, quotaSize: 5_000_000 })
  await open(page)
  await page.getByRole('tab', { name: 'Terminal', exact: true }).click()
  const terminal = page.getByRole('tabpanel', { name: 'Terminal' })
  await terminal.getByRole('textbox').fill(`node -e 'let s = ""; while (s.length < 80000) s += Math.random().toString(36).slice(2); require("fs").writeFileSync("big.txt", s.repeat(80))'`)
  await terminal.getByRole('textbox').press('Enter')
  const notice = page.getByRole('alert').filter({ hasText: 'storage for this page is full' })
  await expect(notice).toBeVisible({ timeout: 30_000 })
  const zip = await saved(page, () => button(notice, 'Export').click())
  const { readZip } = await import('../../src/lib/app/files/zip.ts')
  const contents = await readZip(new Blob([new Uint8Array(await readFile(zip.path))]))
  expect(contents['big.txt']?.length).toBeGreaterThan(6_000_000)
  expect(contents['fix-failing-tests.halo']?.length).toBeGreaterThan(100)
})

test('the dialogs fit a phone, in both themes', async ({ browser }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
    await page.goto('/')
    await page.getByRole('tab', { name: 'Editor', exact: true }).click()
    await write(page, 'pipeline Mine(a: String) : a\n')
    await page.getByRole('tab', { name: 'Files', exact: true }).click()
    await files(page).getByRole('button', { name: 'Workspace actions' }).click()
    await expect(files(page).getByText('Add files…')).toBeVisible()
    await expectAccessible(page, 'dialog')
    await page.screenshot({ path: test.info().outputPath(`files-${colorScheme}.png`) })
    await projects(page)
    await expectAccessible(page, 'dialog')
    await page.screenshot({ path: test.info().outputPath(`projects-${colorScheme}.png`) })
    await page.keyboard.press('Escape')
    await versions(page)
    await dialog(page).getByRole('button', { name: /before typing/ }).click()
    await expectAccessible(page, 'dialog')
    await page.screenshot({ path: test.info().outputPath(`versions-${colorScheme}.png`) })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await page.close()
  }
})

test('a project is renamed and deleted by keyboard, and the focus stays in the dialog', async ({ page }) => {
  await open(page)
  await create(page, 'Note keeper')
  await projects(page)
  await button(dialog(page), 'Rename Note keeper').focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByRole('textbox', { name: 'Name of the project' })).toBeFocused()
  await page.keyboard.type('مشروع 😀')
  await page.keyboard.press('Enter')
  await expect(button(dialog(page), 'Rename مشروع 😀')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(button(dialog(page), 'Rename مشروع 😀')).toBeFocused()
  await button(dialog(page), 'Delete مشروع 😀').focus()
  await page.keyboard.press('Enter')
  await expect(button(dialog(page), 'Undo')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(button(dialog(page), 'Rename مشروع 😀')).toBeVisible()
})
