import { expect, test, type Page } from '@playwright/test'
import { button, cards, open, status, transcript } from './bench.ts'

test('a run that waits is there again after the tab was closed, and goes on without repeating a call', async ({ context }) => {
  const first = await context.newPage()
  await open(first)
  await button(first, 'Run').click()
  const before = cards(first).last()
  await expect(button(before, 'Allow')).toBeEnabled()
  const shown = await before.getByRole('region').first().innerText()
  await first.close()

  const page = await context.newPage()
  await open(page)
  await expect(page.getByText('1 run is waiting for you')).toBeVisible()
  await button(page, 'Open it').click()
  const card = cards(page).last()
  await expect(card).toBeVisible()
  expect(await card.getByRole('region').first().innerText()).toBe(shown)
  await expect(status(page)).toHaveText('paused')
  await expect(transcript(page)).toContainText('2 failed')

  await button(card, 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(page)).toContainText('3 passed')
  await expect(transcript(page).getByRole('button', { name: /Code\.list/ })).toHaveCount(1)
  await expect(page.getByText('1 run is waiting for you')).toHaveCount(0)
})

test('a denial after reopening reaches the same conversation', async ({ context }) => {
  const first = await context.newPage()
  await open(first)
  await first.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Scenario: a denied edit comes back another way' })
  await button(first, 'Run').click()
  await expect(button(cards(first).last(), 'Allow')).toBeEnabled()
  await first.close()

  const page = await context.newPage()
  await open(page)
  await button(page, 'Open it').click()
  const card = cards(page).first()
  await card.getByRole('textbox', { name: 'Reason' }).fill('write the whole file')
  await button(card, 'Deny').click()
  await expect(transcript(page)).toContainText('I was not allowed to edit the file.')
})

test('a second tab leaves a run to the tab that has it', async ({ context }) => {
  const first = await context.newPage()
  await open(first)
  await button(first, 'Run').click()
  await expect(button(cards(first).last(), 'Allow')).toBeEnabled()
  const second = await context.newPage()
  await open(second)
  await expect(second.getByRole('combobox', { name: 'Example' })).toBeVisible()
  await expect(second.getByText('1 run is waiting for you')).toHaveCount(0)
  await button(cards(first).last(), 'Allow').click()
  await expect(status(first)).toHaveText('completed', { timeout: 20_000 })
})

test('what is typed is there again after a reload', async ({ page }) => {
  await open(page)
  const editor = page.getByRole('textbox', { name: /^Text of/ })
  await toEnd(page, 'test.js") != null')
  await page.keyboard.insertText('\n// kept')
  await expect(editor).toContainText('// kept')
  await stored(page, '// kept')
  await page.reload()
  await toEnd(page, '// kept')
})

/** Waits until a project in storage has this text. */
async function stored(page: Page, text: string): Promise<void> {
  const files = () =>
    page.evaluate(async () => {
      const done = <T>(request: IDBRequest<T>) => new Promise<T>((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = () => reject(new Error('storage')))))
      const db = await done(indexedDB.open('halo'))
      const all = await done(db.transaction('projects').objectStore('projects').getAll())
      db.close()
      return JSON.stringify(all)
    })
  await expect.poll(files).toContain(text)
}

/** Goes to the end of the text, which ends like this; the editor's keys may come a moment after the editor. */
async function toEnd(page: Page, ending: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: /^Text of/ })
  await editor.click()
  await expect(async () => {
    await page.keyboard.press('ControlOrMeta+End')
    expect((await editor.innerText()).trimEnd().endsWith(ending)).toBe(true)
  }).toPass()
}
