import { expect, type Locator, type Page } from '@playwright/test'

/** The workbench as a person or a screen reader finds it: by roles and names alone. */
export const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true })
export const status = (page: Page): Locator => page.getByRole('status')
export const transcript = (page: Page): Locator => page.getByRole('region', { name: 'Transcript' })
export const files = (page: Page): Locator => page.getByRole('region', { name: 'Files' })
/** The cards of calls that wait or have been decided. */
export const cards = (page: Page): Locator => transcript(page).getByRole('group', { name: /wants to call/ })

/** Opens the page and waits until the example can be run. */
export async function open(page: Page, path = '/'): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
}

/** Chooses an example by its title, and waits until it is the one shown. */
export async function choose(page: Page, title: string | RegExp): Promise<void> {
  const example = page.getByRole('combobox', { name: 'Example' })
  const label = await example.getByRole('option').filter({ hasText: title }).first().textContent()
  await example.selectOption({ label: label ?? '' })
  // Until its text is there, what is chosen next would be chosen for the example before.
  await expect(page.getByRole('textbox', { name: `Text of ${(label ?? '').trim().toLowerCase().replaceAll(' ', '-')}.halo` })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
}

/** Replaces the text in the editor. */
export async function write(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}
