import { expect, test } from '@playwright/test'
import { button, cards, files, open, status, transcript } from './bench.ts'

test.use({ serviceWorkers: 'allow' })

test('a stranger presses Run and sees failing tests pass, with no key and nothing from elsewhere', async ({ page, baseURL }) => {
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(baseURL ?? '').host) elsewhere.push(request.url())
  })
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  await open(page)
  await button(page, 'Run').click()

  await expect(transcript(page)).toContainText('2 failed')
  const card = cards(page).last()
  await expect(card).toContainText('Code.edit')
  await expect(status(page)).toHaveText('paused')
  await button(card, 'Allow').click()

  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(page)).toContainText('3 passed')
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
  await expect(page.getByText(/\d+ model calls/)).toBeVisible()
  await expect(page.getByText(/\d+ tool calls/)).toBeVisible()
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
})

test('a denied write reaches the agent with its reason', async ({ page }) => {
  await open(page)
  await page.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Scenario: a denied edit comes back another way' })
  await button(page, 'Run').click()
  const card = cards(page).first()
  await card.getByRole('textbox', { name: 'Reason' }).fill('write the whole file, it is short')
  await button(card, 'Deny').click()
  await expect(card).toContainText('denied: write the whole file, it is short')
  const row = transcript(page).getByRole('button', { name: /declined Code\.edit/ })
  await expect(row).toBeVisible()
  await expect(transcript(page)).toContainText('I was not allowed to edit the file.')
})

test('changes of a run are listed with their diff and can be undone', async ({ page }) => {
  await open(page)
  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await files(page).getByRole('treeitem', { name: /price\.js ?, changed/ }).click()
  const diff = page.getByRole('region', { name: '/shop/price.js' })
  await expect(diff).toContainText('items >= 10')
  await expect(diff).toContainText('items > 10')
  await button(page, 'Undo changes').click()
  await expect(files(page).getByText('1 file put back.')).toBeVisible()
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toHaveCount(0)
})

test('Stop ends a run within a second, and closes its card', async ({ page }) => {
  await open(page)
  await button(page, 'Run').click()
  const card = cards(page).last()
  await expect(button(card, 'Allow')).toBeVisible()
  await button(page, 'Stop').click()
  await expect(status(page)).toHaveText('cancelled', { timeout: 1000 })
  await expect(card).toContainText('stopped before an answer')
})

test('all tests of the file run from the Mode box, and their results are listed', async ({ page }) => {
  await open(page)
  await page.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'All tests' })
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText('completed', { timeout: 25_000 })
  await expect(transcript(page)).toContainText('the tests go from red to green')
})

test('Run in the same breath as a choice of an example runs that example', async ({ page }) => {
  await open(page)
  await page.evaluate(() => {
    const example = document.querySelector<HTMLSelectElement>('select[aria-label="Example"]')
    const run = [...document.querySelectorAll('button')].find((node) => node.textContent?.includes('Run'))
    if (!example || !run) throw new Error('no page')
    example.value = 'review-in-parallel'
    example.dispatchEvent(new Event('change', { bubbles: true }))
    run.click()
  })
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(page)).toContainText('Editor.weigh')
})
