import { gzipSync } from 'node:zlib'
import { expect, test, type Page } from '@playwright/test'
import { button, status } from './bench.ts'

test.use({ serviceWorkers: 'allow' })

const KB = 1024

/** Adds up the scripts that the page itself loads, gzip'd, in bytes. */
function countScripts(page: Page): () => Promise<{ sum: number; list: string }> {
  const sizes = new Map<string, number>()
  const counted: Promise<void>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // What the service worker fetches for later is not the page's.
    if (!pathname.endsWith('.js') || response.request().serviceWorker() || pathname.endsWith('/service-worker.js')) return
    counted.push(response.body().then((body) => void sizes.set(pathname, gzipSync(body, { level: 9 }).length)))
  })
  return async () => {
    await Promise.all(counted)
    const list = [...sizes].sort((a, b) => b[1] - a[1]).map(([path, size]) => `${size} ${path}`)
    return { sum: [...sizes.values()].reduce((total, size) => total + size, 0), list: list.join('\n') }
  }
}

test('the page is there with at most 200 KB of scripts; the rest comes when it is idle, or used', async ({ page }) => {
  // A page that is never idle shows what the first load is, however quick the machine.
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0
  })
  const count = countScripts(page)
  await page.goto('/')
  await expect(page.locator('.cm-content')).toBeVisible()
  await expect(status(page)).toHaveText('ready')
  await expect(button(page, 'Run')).toBeEnabled()
  await page.waitForTimeout(1000)
  const { sum, list } = await count()
  expect(sum, list).toBeGreaterThan(50 * KB)
  expect(sum, list).toBeLessThanOrEqual(200 * KB)
})

test('what an idle page loads of itself stays small', async ({ page }) => {
  const count = countScripts(page)
  await page.goto('/')
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
  await page.waitForTimeout(2500)
  const { sum, list } = await count()
  expect(sum, list).toBeLessThanOrEqual(230 * KB)
})
