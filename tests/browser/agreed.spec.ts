import { expect, test, type Page } from '@playwright/test'
import { toLink } from '../../src/lib/app/share/codec.ts'
import { expectAccessible } from './axe.ts'
import { button, status } from './bench.ts'
import { world } from './world.ts'

const settings = (page: Page) => page.getByRole('dialog', { name: 'Settings' })
const agree = (page: Page) => page.getByRole('dialog', { name: 'Run something from elsewhere?' })
const request = (page: Page) => page.getByRole('dialog', { name: 'A request to a new address' })

async function openAgreed(page: Page): Promise<void> {
  await button(page, 'Settings').click()
  await settings(page).getByRole('tab', { name: 'Agreed', exact: true }).click()
}

test('what was agreed to is listed in Settings, taken back there, and asked about again', async ({ page, context }) => {
  test.setTimeout(60_000)
  const { url, count, close } = await world()
  try {
    const source = `tool World : Http(base_url: "{{where}}")\npipeline Go(where: String) -> String : where |> World.get(path: "look") as it |> System.Value("looked {{it.body.n}}")\n`
    const { hash } = await toLink({ name: 'From afar', files: { 'main.halo': source }, active: 'main.halo', workspace: {}, fields: { Go: { where: url } }, mode: 'live' })
    await page.goto(`/#${hash}`)
    await button(page, 'Run').click()
    await expect(button(agree(page), 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
    await button(agree(page), 'Agree and run').click()
    await expect(button(request(page), 'Allow requests')).toHaveAttribute('aria-disabled', 'false')
    expect(count('/look')).toBe(0)
    await button(request(page), 'Allow requests').click()
    await expect(status(page)).toHaveText('completed', { timeout: 20_000 })

    // Once agreed, neither is asked again.
    await button(page, 'Run').click()
    await expect.poll(() => count('/look')).toBe(2)
    await expect(status(page)).toHaveText('completed')

    const other = await context.newPage()
    await other.goto('/')
    await openAgreed(other)
    await expect(settings(other)).toContainText('From afar')
    await expect(settings(other).getByRole('list', { name: 'Addresses of From afar' })).toContainText(url)
    await expectAccessible(other, 'Agreed')
    // Taken back in one tab, it holds in all.
    await button(settings(other), 'Take back: From afar').click()
    await expect(settings(other)).toContainText('None. The first run of a link')
    await button(settings(other), `Take back: ${url}`).click()
    await expect(settings(other)).toContainText('None. A request to an address')

    await button(page, 'Run').click()
    await expect(button(agree(page), 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
    await button(agree(page), 'Agree and run').click()
    await expect(request(page)).toBeVisible()
    await button(request(page), 'Refuse').click()
    await expect(status(page)).toHaveText('failed', { timeout: 20_000 })
    expect(count('/look')).toBe(2)
  } finally {
    await close()
  }
})
