import { expect, test, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { button, open, status, write } from './bench.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Documentation' })
const search = (page: Page) => dialog(page).getByRole('searchbox', { name: 'Search the documentation' })

async function openDocs(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.type('documentation')
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeVisible()
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the documentation is opened from the commands, read and searched, in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await open(page)
    await openDocs(page)
    await expect(dialog(page).getByRole('heading', { name: 'The first ten minutes' })).toBeVisible()
    await expect(search(page)).toBeFocused()
    await expectAccessible(page, 'a page')

    await dialog(page).getByRole('button', { name: 'Policies' }).click()
    await expect(dialog(page).getByRole('heading', { name: 'Policies', exact: true })).toBeFocused()
    await expect(dialog(page).getByRole('cell', { name: /^MaxSpend/ })).toBeVisible()
    await expectAccessible(page, 'a page with a table')

    await search(page).fill('cors ollama')
    await dialog(page).getByRole('list', { name: 'Found' }).getByRole('button', { name: /^Faults/ }).click()
    await expect(dialog(page).getByRole('heading', { name: 'Faults' })).toBeInViewport()
    await expectAccessible(page, 'what a search found')
    await search(page).fill('qwertzuiop')
    await expect(dialog(page).getByText('Nothing is written about “qwertzuiop”.')).toBeVisible()
  })
}

test('links between pages stay in the dialog and leave the address as it is', async ({ page }) => {
  await open(page)
  const address = page.url()
  await openDocs(page)
  await dialog(page).getByRole('button', { name: 'The library' }).click()
  await dialog(page).getByRole('link', { name: 'Errors', exact: true }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Errors and diagnostics' })).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Plan and replay' }).click()
  await dialog(page).getByRole('link', { name: 'REPLAY_MISMATCH' }).click()
  await expect(dialog(page).getByRole('heading', { name: 'REPLAY_MISMATCH' })).toBeFocused()
  await expect(dialog(page).getByRole('heading', { name: 'REPLAY_MISMATCH' })).toBeInViewport()
  expect(page.url()).toBe(address)
})

test('a code in Problems leads to what it means, and back', async ({ page }) => {
  await open(page)
  await write(page, 'pipeline Main(a: String) -> String:\n  a |> System.Value(b)\n')
  await page.getByRole('tab', { name: 'Problems' }).click()
  const code = button(page, 'What does unknown-name mean?')
  await code.click()
  await expect(dialog(page).getByRole('heading', { name: 'unknown-name' })).toBeInViewport()
  await expect(dialog(page).getByRole('heading', { name: 'unknown-name' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await expect(code).toBeFocused()
})

test('a mark in the editor tells its fault, and leads to what it means', async ({ page }) => {
  await open(page)
  await write(page, 'pipeline Main(a: String) -> String:\n  a |> System.Value(b)\n')
  await expect(page.getByRole('tab', { name: /^Problems/ })).toContainText('1')
  await page.keyboard.press('F8')
  await page.keyboard.press('ControlOrMeta+Shift+m')
  await page.getByRole('region', { name: 'Editor' }).getByRole('button', { name: 'What does this mean?' }).first().click()
  await expect(dialog(page).getByRole('heading', { name: 'unknown-name' })).toBeFocused()
})

test('a failed run leads to what its code means', async ({ page }) => {
  await open(page)
  await write(page, 'pipeline Main(a: String = "x") -> Result:\n  a |> System.Value(parse_json(input))\n')
  await expect(page.getByRole('combobox', { name: 'Mode' })).not.toHaveValue(/^scenario:/)
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText('failed')
  // At the stage and where the run ended.
  const codes = page.getByRole('button', { name: /^What does [A-Z_]+ mean\?$/ })
  await expect(codes).toHaveCount(2)
  await codes.last().click()
  await expect(dialog(page).getByText('Cause:').first()).toBeVisible()
  await expect(dialog(page).getByRole('heading', { name: /^[A-Z_]+$/ }).and(page.locator(':focus'))).toBeInViewport()
})

test('on a narrow page it can be read and closed', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await expect(button(page, 'Run')).toBeVisible()
  await openDocs(page)
  await dialog(page).getByRole('button', { name: 'Tools', exact: true }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Tools', exact: true })).toBeInViewport()
  await expectAccessible(page, 'narrow')
  await button(dialog(page), 'Close').click()
  await expect(dialog(page)).toHaveCount(0)
})
