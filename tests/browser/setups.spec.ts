import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { serve } from '../../scripts/serve.js'
import { button, cards, files, open, status, transcript, write } from './bench.ts'

test.use({ serviceWorkers: 'allow' })

/** Five browsers and hosts that lack something: each says what it can't do, and does the rest. */
const about = (page: Page) => page.getByRole('region', { name: 'About this page' })
const editor = (page: Page) => page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })

async function runs(page: Page): Promise<void> {
  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await expect(transcript(page)).toContainText('3 passed')
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
}

test.describe.configure({ timeout: 90_000 })

for (const [how, script] of [
  ['there is none', () => Object.defineProperty(window, 'indexedDB', { value: undefined })],
  ['opening it is refused', () => Object.defineProperty(IDBFactory.prototype, 'open', { value: () => { throw new DOMException('The operation is insecure.', 'SecurityError') } })],
] as const) {
  test(`no IndexedDB, as ${how}: the page says that nothing is kept, and everything works`, async ({ page }) => {
    await page.addInitScript(script)
    await open(page)
    await expect(about(page)).toContainText('gives the page no storage')
    await runs(page)
    await page.getByRole('tab', { name: 'Recordings', exact: true }).click()
    await expect(page.getByRole('tabpanel', { name: 'Recordings' })).toContainText('completed')
    await button(page, 'Understood').click()
    await expect(about(page)).not.toContainText('storage')
  })
}

test('storage of 5 MB: the page says that it can not be kept offline, runs, and when it is full nothing that was stored is lost', async ({ page, baseURL }) => {
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(baseURL ?? '').origin, quotaSize: 5_000_000 })
  await open(page)
  await expect(about(page)).toContainText('could not be kept for use without a network', { timeout: 60_000 })
  // The attempt took nothing of the room for the person's own work.
  expect(await page.evaluate(() => caches.keys())).toEqual([])
  await runs(page)

  await page.getByRole('tab', { name: 'Terminal', exact: true }).click()
  const terminal = page.getByRole('tabpanel', { name: 'Terminal' })
  // Storage packs what repeats itself within 64 kB.
  await terminal.getByRole('textbox').fill(`node -e 'let s = ""; while (s.length < 80000) s += Math.random().toString(36).slice(2); require("fs").writeFileSync("big.txt", s.repeat(80))'`)
  await terminal.getByRole('textbox').press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'storage for this page is full' })).toBeVisible({ timeout: 30_000 })
  // What is there can still be taken out of the browser.
  await page.getByRole('tab', { name: 'Recordings', exact: true }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('tabpanel', { name: 'Recordings' }).getByRole('button', { name: 'Export', exact: true }).first().click()
  expect(readFileSync(await (await saved).path(), 'utf8')).toMatch(/^\{"kind":"start"/)
  await write(page, '// what is typed after that is kept again once there is room\n')
  await expect(editor(page)).toContainText('kept again once there is room')
  await page.reload()
  await page.getByRole('tab', { name: 'Recordings', exact: true }).click()
  await expect(page.getByRole('tabpanel', { name: 'Recordings' })).toContainText('completed')
  await expect(editor(page)).not.toBeEmpty()
})

test('no service worker: the page says that it needs a network to open, and everything works', async ({ page }) => {
  await page.addInitScript(() => {
    delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker
  })
  await open(page)
  await expect(about(page)).toContainText('no service workers')
  await runs(page)
})

test('no isolation headers: the page says what that costs, and everything works, Stop of a busy loop too', async ({ browser }) => {
  const server = await serve({ port: 0, host: '127.0.0.1', headers: () => ({}) })
  // The worker would put the headers in from the second visit on.
  const context = await browser.newContext({ serviceWorkers: 'block', reducedMotion: 'reduce' })
  const page = await context.newPage()
  try {
    await open(page, server.url)
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false)
    await expect(about(page)).toContainText('not cross-origin isolated')
    await runs(page)
    await page.getByRole('tab', { name: 'Terminal', exact: true }).click()
    const terminal = page.getByRole('tabpanel', { name: 'Terminal' })
    await terminal.getByRole('textbox').fill('while true; do :; done')
    await terminal.getByRole('textbox').press('Enter')
    await expect(terminal).toContainText('while true')
    await terminal.getByRole('textbox').press('Control+c')
    await terminal.getByRole('textbox').fill('echo still $((40+2))')
    await terminal.getByRole('textbox').press('Enter')
    await expect(terminal).toContainText('still 42')
  } finally {
    await context.close()
    server.close()
  }
})

test('a host without isolation headers: from the second visit on the service worker isolates the page', async ({ page }) => {
  const server = await serve({ port: 0, host: '127.0.0.1', headers: () => ({}) })
  try {
    await open(page, server.url)
    const controlled = () => page.evaluate(async () => navigator.serviceWorker.controller?.state)
    await expect.poll(controlled, { timeout: 60_000 }).toBe('activated')
    await page.reload()
    await expect(button(page, 'Run')).toBeVisible()
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    await expect(about(page)).not.toContainText('isolated')
  } finally {
    server.close()
  }
})

test('no clipboard: the page says so, and everything works', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined }))
  await open(page)
  await expect(about(page)).toContainText('not use the clipboard')
  await runs(page)
  // The link is there to be taken by hand.
  await button(page, 'Share').click()
  const dialog = page.getByRole('dialog')
  const link = dialog.getByRole('textbox').first()
  await expect(link).toHaveValue(/#\S{100}/)
  await dialog.getByRole('button', { name: /^Copy/ }).click()
  await expect(dialog.getByRole('status')).toContainText(/press|select|copy/i)
  await expect(link).toBeFocused()
  expect(await link.evaluate((node: HTMLInputElement | HTMLTextAreaElement) => (node.selectionEnd ?? 0) - (node.selectionStart ?? 0) === node.value.length)).toBe(true)
})

test('under a path of a host, without being built for it, everything works', async ({ page }) => {
  const server = await serve({ port: 0, host: '127.0.0.1', base: '/halo' })
  const missing: string[] = []
  page.on('response', (response) => response.status() >= 400 && missing.push(response.url()))
  try {
    await open(page, server.url)
    await runs(page)
    expect(missing).toEqual([])
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)).toBe(server.url)
  } finally {
    server.close()
  }
})
