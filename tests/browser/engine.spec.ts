import { expect, test, type Page } from '@playwright/test'
import { button, open } from './bench.ts'

const engine = (page: Page) => page.getByRole('combobox', { name: 'Commands', exact: true })

async function pageSettings(page: Page): Promise<void> {
  await button(page, 'Settings').click()
  await page.getByRole('dialog', { name: 'Settings' }).getByRole('tab', { name: 'Page' }).click()
}
async function command(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Command' }).fill(text)
  await page.keyboard.press('Enter')
}

test('WebContainers are asked for only when chosen and used; what does not come is waited for until Stop, and the embedded engine is one choice away', async ({ page }) => {
  const asked: string[] = []
  await page.context().route(/stackblitz|webcontainer/, (route) => {
    asked.push(route.request().url())
    return route.abort()
  })
  await open(page)
  await pageSettings(page)
  await engine(page).selectOption('In WebContainers')
  await expect(engine(page)).toHaveAccessibleDescription(/a network of their own/)
  await button(page, 'Open it anew').click()
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await expect(page.getByRole('textbox', { name: 'Command' })).toBeFocused()
  expect(asked).toEqual([])
  await command(page, 'node -v')
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  expect(asked.every((url) => new URL(url).protocol === 'https:')).toBe(true)
  await expect(page.getByText('WebContainers', { exact: true })).toBeVisible()
  await button(page, 'Break off').click()
  await expect(page.getByRole('log')).toContainText('stopped')
  await pageSettings(page)
  await engine(page).selectOption('In the embedded engine')
  await button(page, 'Open it anew').click()
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await command(page, 'node -p "6*7"')
  await expect(page.getByRole('log')).toContainText('42')
})

test('where the page is not isolated, Settings say why WebContainers are not there, and commands run in the embedded engine', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'crossOriginIsolated', { value: false })
    localStorage.setItem('halo-engine', 'webcontainer')
  })
  await open(page)
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await command(page, 'node -p "6*7"')
  await expect(page.getByRole('log')).toContainText('42')
  await expect(page.getByRole('alert').filter({ hasText: 'cross-origin isolated page' })).toBeVisible()
  await pageSettings(page)
  await expect(engine(page)).toHaveAccessibleDescription(/need a cross-origin isolated page/)
})
