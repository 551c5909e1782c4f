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

test('the palette scrolls along with what is chosen, and gives the focus to where a command leads or back', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Settings' }).focus()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  for (let step = 0; step < 22; step++) await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option', { selected: true })).toBeInViewport({ ratio: 0.9 })
  await page.keyboard.type('show the plan')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Plan' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('button', { name: 'Settings' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.type('your projects')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Projects' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Settings' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.type('go to the editor')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: /^Text of/ })).toBeFocused()
})

test('the keys of the page do nothing behind a dialog', async ({ page }) => {
  await open(page)
  await page.getByRole('button', { name: 'Settings' }).focus()
  await page.keyboard.press('Enter')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await expect(settings).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(settings).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(settings).toHaveCount(0)
  await expect(status(page)).toHaveText('ready')
})

test('a text is searched through to lines that are not drawn, and Escape goes back to it', async ({ page }) => {
  await open(page)
  await page.getByRole('textbox', { name: /^Text of/ }).click()
  await page.keyboard.press('ControlOrMeta+f')
  await expect(page.getByRole('textbox', { name: 'Find' })).toBeFocused()
  await page.keyboard.type('A letter was missing')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: /^Text of/ }).getByText('A letter was missing').first()).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: /^Text of/ })).toBeFocused()
})

test('a problem far below is brought into view, with the cursor at it', async ({ page }) => {
  await open(page)
  const text = page.getByRole('textbox', { name: /^Text of/ })
  await text.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('zzz')
  await expect(page.getByRole('tab', { name: 'Problems' })).toContainText('1')
  await page.keyboard.press('ControlOrMeta+s')
  await page.reload()
  await page.getByRole('tab', { name: 'Problems' }).click()
  await page.getByRole('tabpanel', { name: 'Problems' }).getByRole('button', { name: /zzz/ }).click()
  await expect(text).toBeFocused()
  await expect(text.getByText('zzz').first()).toBeInViewport()
})

test('Ctrl and Enter in the field of a card answers the card and starts no other run', async ({ page }) => {
  await open(page)
  await page.keyboard.press('ControlOrMeta+Enter')
  const card = cards(page).last()
  await expect(button(card, 'Allow')).toBeEnabled({ timeout: 15_000 })
  await expect(status(page)).toHaveText('paused')
  const recording = await page.getByRole('region', { name: 'Run of the pipeline' }).getByText(/^recording/).textContent()
  await card.focus()
  await page.keyboard.press('e')
  await expect(card.getByRole('textbox', { name: 'Arguments as JSON' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('{ nope')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(card.getByRole('textbox', { name: 'Arguments as JSON' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(card).toBeFocused()
  await card.getByRole('textbox', { name: /Reason/ }).focus()
  await page.keyboard.type('not like this')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(card).toContainText('not like this')
  await expect(card).toBeFocused()
  await expect(page.getByRole('region', { name: 'Run of the pipeline' }).getByText(/^recording/)).toHaveText(recording ?? '')
})

test('a run that waits is told of while another is shown', async ({ page }) => {
  await open(page)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(status(page)).toHaveText('paused', { timeout: 15_000 })
  await page.keyboard.press('ControlOrMeta+Enter')
  const told = page.getByRole('region', { name: /waiting for you/ })
  await expect(told).toBeVisible({ timeout: 15_000 })
  await button(told, 'Open it').click()
  await expect(button(cards(page).last(), 'Allow')).toBeVisible()
})
