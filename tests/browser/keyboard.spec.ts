import { expect, test, type Page } from '@playwright/test'
import { button, cards, open, status } from './bench.ts'

/** Presses Tab until the wanted thing has the focus; fails after 80 steps. */
async function tabTo(page: Page, name: string | RegExp, role = 'button'): Promise<void> {
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const node = document.activeElement
      return { role: node?.getAttribute('role') ?? node?.tagName.toLowerCase() ?? '', text: node?.getAttribute('aria-label') ?? node?.textContent?.trim() ?? '' }
    })
    if (found.role === role && (typeof name === 'string' ? found.text.includes(name) : name.test(found.text))) return
  }
  throw new Error(`no Tab stop called ${name}`)
}

test('a run is started, read, and its card answered by keyboard alone', async ({ page }) => {
  await open(page)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(button(cards(page).last(), 'Allow')).toBeEnabled({ timeout: 15_000 })
  await tabTo(page, /wants to call/, 'group')
  await page.keyboard.press('a')
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
})

test('Tab leaves the editor, and every control has a visible focus', async ({ page }) => {
  await open(page)
  await page.getByRole('textbox', { name: /^Text of/ }).click()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: /^Text of/ })).not.toBeFocused()
  const outline = await page.evaluate(() => document.activeElement && getComputedStyle(document.activeElement).outlineStyle)
  expect(outline).not.toBe('none')
})

test('the palette opens by its key, filters, and runs what is chosen', async ({ page }) => {
  await open(page)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.type('problems')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Problems' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('No problems found.')).toBeVisible()
})

test('tabs are moved along by arrow keys', async ({ page }) => {
  await open(page)
  await page.getByRole('tab', { name: 'Run', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Plan' })).toBeFocused()
  await expect(page.getByRole('tab', { name: 'Plan' })).toHaveAttribute('aria-selected', 'true')
})
