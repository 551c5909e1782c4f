import { expect, test, type Page } from '@playwright/test'
import { writeZip } from '../../src/lib/app/files/zip.ts'
import { button, files, open, status } from './bench.ts'
import { expectAccessible } from './axe.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const editor = (page: Page) => page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })
interface Dropped {
  name: string
  text?: string
  bytes?: number[]
  size?: number
}
async function drop(page: Page, dropped: Dropped[]): Promise<void> {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer()
    for (const { name, text, bytes, size } of all) transfer.items.add(new File([text ?? (bytes ? new Uint8Array(bytes) : new Uint8Array(size ?? 0))], name))
    return transfer
  }, dropped)
  await files(page).dispatchEvent('dragover', { dataTransfer: data })
  await files(page).dispatchEvent('drop', { dataTransfer: data })
  await expect(button(dialog(page), 'Add')).toBeVisible()
}
const row = (page: Page, name: RegExp | string) => files(page).getByRole('treeitem', { name })

test('programs go to the project, and are asked about before the next run; other files go to the workspace, and can be undone', async ({ page }) => {
  await open(page)
  await drop(page, [{ name: 'policies.halo', text: 'policy Mine : DenyTools("x")\n' }, { name: 'notes.txt', text: 'hello' }])
  await expect(dialog(page)).toContainText('To the project: policies.halo')
  await expect(dialog(page)).toContainText('To the workspace: 1 file')
  await expectAccessible(page, 'the dialog of added files')
  await dialog(page).getByLabel('Folder of the workspace').fill('shop/../..')
  await expect(button(dialog(page), 'Add')).toBeDisabled()
  await dialog(page).getByLabel('Folder of the workspace').fill('shop')
  await button(dialog(page), 'Add').click()
  await expect(files(page)).toContainText('2 files added.')
  await expect(row(page, 'policies.halo')).toBeVisible()
  await expect(row(page, /notes\.txt ?, added/)).toBeVisible()
  await expect(editor(page)).toContainText('policy Mine')
  await expect(page.getByRole('region', { name: 'From elsewhere' })).toContainText('Programs were added to “Fix failing tests” from files')
  await row(page, 'fix-failing-tests.halo').click()
  await button(page, 'Run').click()
  await expect(dialog(page)).toContainText('Run something from elsewhere?')
  await button(dialog(page), 'Don’t run').click()
  await expect(status(page)).toHaveText('ready')
  await button(files(page), 'Undo changes').click()
  await expect(row(page, /notes\.txt/)).toHaveCount(0)
  await page.reload()
  await expect(row(page, 'policies.halo')).toBeVisible()
  await button(page, 'Run').click()
  await expect(dialog(page)).toContainText('Run something from elsewhere?')
})

test('names that are taken are asked about: kept both, replaced, or left out', async ({ page }) => {
  await open(page)
  const add = async (text: string, choice: string | undefined) => {
    await drop(page, [{ name: 'a.txt', text }])
    if (choice === undefined) await expect(dialog(page)).not.toContainText('There already')
    else await dialog(page).getByRole('radio', { name: choice }).check()
    await button(dialog(page), 'Add').click()
    await expect(dialog(page)).toHaveCount(0)
  }
  const shows = async (name: string, text: string) => {
    await row(page, new RegExp(`^${name.replace('.', '\\.')}`)).click()
    await expect(page.getByRole('region', { name: 'Editor' })).toContainText(text)
  }
  await add('first', undefined)
  await add('second', 'Keep both, the new ones under another name')
  await add('third', 'Leave them out')
  await shows('a 2.txt', 'second')
  await expect(row(page, /^a 3\.txt/)).toHaveCount(0)
  await add('fourth', 'Replace them')
  await shows('a.txt', 'fourth')
})

test('a zip is opened as a project, unpacked, or added as a file, as the person says', async ({ page }) => {
  await open(page)
  const text = (said: string) => new TextEncoder().encode(said)
  const bytes = [...new Uint8Array(await (await writeZip({ 'main.halo': text('pipeline Zipped(a: String) : a\n'), 'data/x.txt': text('x') })).arrayBuffer())]
  await drop(page, [{ name: 'some.zip', bytes }])
  await dialog(page).getByRole('radio', { name: 'Add it as one file' }).check()
  await button(dialog(page), 'Add').click()
  await expect(row(page, /^some\.zip/)).toBeVisible()
  await drop(page, [{ name: 'some.zip', bytes }])
  await dialog(page).getByRole('radio', { name: 'Unpack it into the workspace' }).check()
  await expect(dialog(page)).toContainText('To the project: main.halo')
  await button(dialog(page), 'Cancel').click()
  await drop(page, [{ name: 'some.zip', bytes }])
  await button(dialog(page), 'Add').click()
  await expect(page.getByRole('region', { name: 'From elsewhere' })).toContainText('“some” came by a file')
  await expect(editor(page)).toContainText('pipeline Zipped')
  await expect(row(page, /^x\.txt/)).toBeVisible()
  await drop(page, [{ name: 'broken.zip', bytes: bytes.slice(0, 40) }])
  await dialog(page).getByRole('radio', { name: 'Unpack it into the workspace' }).check()
  await expect(dialog(page).getByRole('alert')).toContainText('not a zip file')
  await expect(button(dialog(page), 'Add')).toBeDisabled()
})

test('a file that is too large is left out in words', async ({ page }) => {
  await open(page)
  await drop(page, [{ name: 'huge.bin', size: 33 << 20 }, { name: 'small.txt', text: 'x' }, { name: '.DS_Store', text: 'x' }])
  await expect(dialog(page)).toContainText('Left out: huge.bin (33.0 MB)')
  await expect(dialog(page)).toContainText('To the workspace: 1 file, 1 bytes')
  await button(dialog(page), 'Add').click()
  await expect(row(page, /^small\.txt/)).toBeVisible()
})

test('the keyboard adds files and folders too, and the workspace is saved as a zip', async ({ page }) => {
  await open(page)
  await button(files(page), 'Workspace actions').click()
  await files(page).locator('input[type=file][multiple]').setInputFiles([{ name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('1') }])
  await button(dialog(page), 'Add').click()
  await expect(row(page, /^one\.txt/)).toBeVisible()
  await files(page).locator('input[type=file][webkitdirectory]').setInputFiles('tests/fixtures')
  await expect(dialog(page)).toContainText('To the workspace:')
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await button(files(page), 'Save as a zip').click()
  expect((await download).suggestedFilename()).toBe('Fix-failing-tests-files.zip')
  // A file input is reached by Tab, under the name that is shown.
  await expect(files(page).getByLabel('Add files…')).toBeAttached()
})
