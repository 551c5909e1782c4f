import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { button, choose, open, status, transcript } from './bench.ts'

const names = readdirSync(fileURLToPath(new URL('../../examples', import.meta.url))).filter((file) => file.endsWith('.halo'))
/** The examples one after another in a few pages: a page each would spend its time on loading. */
const PAGES = 3

/** Says yes to all that is asked until the run has ended. */
async function allowAll(page: Page): Promise<string> {
  const open = transcript(page).getByRole('button', { name: /^(Allow|Go on|Send event)$/ })
  for (let round = 0; round < 200; round++) {
    const said = (await status(page).textContent()) ?? ''
    if (['completed', 'failed', 'declined', 'cancelled'].includes(said)) return said
    const button = open.first()
    if (await button.isVisible()) {
      const payload = transcript(page).getByRole('textbox', { name: 'Payload as JSON' }).first()
      if (await payload.isVisible()) await payload.fill('{ "cents": 400, "from": "Ada" }')
      if ((await button.getAttribute('aria-disabled')) === 'false') await button.click({ timeout: 2000 }).catch(() => undefined)
    }
    await page.waitForTimeout(100)
  }
  return 'still running'
}

for (let at = 0; at < PAGES; at++) {
  const mine = names.filter((_, index) => index % PAGES === at)
  test(`scenarios run to their end when all is allowed: ${mine.map((name) => name.replace('.halo', '')).join(', ')}`, async ({ page }) => {
    test.setTimeout(90_000)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await open(page)
    for (const name of mine) {
      const words = name.replace(/\.halo$/, '').replace(/^\d+-/, '').replaceAll('-', ' ')
      await choose(page, new RegExp(words, 'i'))
      await button(page, 'Run').click()
      await expect(status(page)).not.toHaveText('ready')
      expect(await allowAll(page), name).toBe('completed')
    }
    expect(faults).toEqual([])
  })
}

test('an example chosen before the page is ready is the one that is shown, and so is a mode chosen right after it', async ({ page }) => {
  await page.goto('/', { waitUntil: 'commit' })
  await page.getByRole('combobox', { name: 'Example' }).selectOption('note-keeper')
  await page.getByRole('combobox', { name: 'Mode' }).selectOption('mock')
  await expect(page.getByRole('textbox', { name: 'Text of note-keeper.halo' })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Example' })).toHaveValue('note-keeper')
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('mock')
  await page.waitForTimeout(500)
  await expect(page.getByRole('combobox', { name: 'Example' })).toHaveValue('note-keeper')
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('mock')
  for (const id of ['read-an-invoice', 'fix-failing-tests', 'note-keeper', 'improve-a-draft']) await page.getByRole('combobox', { name: 'Example' }).selectOption(id)
  await expect(page.getByRole('textbox', { name: 'Text of improve-a-draft.halo' })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
})
