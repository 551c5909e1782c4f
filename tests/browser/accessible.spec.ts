import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test, type Page } from '@playwright/test'
import { button, cards, open, status } from './bench.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function check(page: Page): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary ?? ''}`).join('\n  ')}`)
  })
  expect(found).toEqual([])
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    test(`axe finds no fault at ${viewport.width} px in the ${colorScheme} theme`, async ({ browser }) => {
      const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' })
      const narrow = viewport.width < 900
      const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click()
      await page.goto('/')
      await expect(button(page, 'Run')).toBeVisible()
      await page.waitForTimeout(1500)
      await check(page)
      if (narrow) {
        await tab('Editor')
        await expect(page.getByRole('textbox', { name: /^Text of/ })).toBeVisible()
        await check(page)
        await tab('Files')
        await check(page)
      }
      await button(page, 'Run').click()
      await expect(button(cards(page).last(), 'Allow')).toBeEnabled({ timeout: 15_000 })
      await check(page)
      await button(cards(page).last(), 'Edit arguments').click()
      await check(page)
      await button(page, 'Keep as it was').click()
      await button(cards(page).last(), 'Allow').click()
      await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
      await check(page)
      for (const name of ['Plan', 'Recordings', 'Problems', 'Terminal']) {
        await tab(name)
        await page.waitForTimeout(400)
        await check(page)
      }
      await button(page, 'Settings').click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await check(page)
      await page.close()
    })
  }
}

test('nothing is cut off at 360 px, nor at 200 % zoom', async ({ page }) => {
  for (const viewport of [{ width: 360, height: 740 }, { width: 720, height: 450 }]) {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await expect(button(page, 'Run')).toBeVisible()
    for (const name of ['Run', 'Editor', 'Files', 'Plan', 'Recordings']) {
      await page.getByRole('tab', { name, exact: true }).click()
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${name} at ${viewport.width}`).toBeLessThanOrEqual(0)
    }
  }
})

test('on a phone on its side the top bar is one row, so that the program has room', async ({ page }) => {
  await page.setViewportSize({ width: 844, height: 390 })
  await open(page)
  const bar = await page.getByRole('banner').boundingBox()
  expect(bar?.height).toBeLessThanOrEqual(56)
  await page.getByRole('tab', { name: 'Editor' }).click()
  const text = page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })
  await expect(text.getByText('policy').first()).toBeInViewport()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(844)
})
