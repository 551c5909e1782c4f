import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { serve } from '../../scripts/serve.js'
import { button, cards, files, open, status, transcript } from './bench.ts'

test.use({ serviceWorkers: 'allow' })

const BUILT = fileURLToPath(new URL('../../build', import.meta.url))
const about = (page: Page) => page.getByRole('region', { name: 'About this page' })
const host = '127.0.0.1'

/** Resolves when the page is kept for use without a network. */
async function kept(page: Page): Promise<void> {
  const state = () => page.evaluate(async () => navigator.serviceWorker.controller && (await navigator.serviceWorker.getRegistration())?.active?.state)
  await expect.poll(state, { timeout: 60_000 }).toBe('activated')
}

test('after one visit the page works with its server gone, reload, engine and all', async ({ page }) => {
  test.setTimeout(120_000)
  const server = await serve({ port: 0, host })
  try {
    await open(page, server.url)
    await kept(page)
  } finally {
    server.close()
  }
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/^scenario:/)
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await expect(transcript(page)).toContainText('3 passed')
  await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
  // Parts that were never opened while there was a server.
  await button(page, 'Settings').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Plan', exact: true }).click()
  await expect(page.getByRole('tabpanel', { name: 'Plan' })).not.toBeEmpty()
})

test('a newer version is offered, waits for a run to end, and comes only when asked for', async ({ page }) => {
  test.setTimeout(120_000)
  const folder = await mkdtemp(join(tmpdir(), 'halo-build-'))
  await cp(BUILT, folder, { recursive: true })
  let server = await serve({ port: 0, host, folder })
  try {
    await open(page, server.url)
    await kept(page)
    await button(page, 'Run').click()
    await expect(button(cards(page).last(), 'Allow')).toBeVisible()
    // Another version in the same folder, as a host has it after an upload.
    server.close()
    await publish(folder)
    server = await serve({ port: Number(new URL(server.url).port), host, folder, strict: true })
    await page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration())?.update()))
    await expect(about(page)).toContainText('A newer version of Halo is ready.', { timeout: 60_000 })
    await button(cards(page).last(), 'Allow').click()
    await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
    await page.reload()
    await expect(about(page)).toContainText('A newer version of Halo is ready.')
    const before = await page.evaluate(() => caches.keys())
    expect(before).toHaveLength(2)
    await Promise.all([page.waitForEvent('load'), button(page, 'Update and reload').click()])
    await expect(button(page, 'Run')).toBeVisible()
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting ?? null)).toBe(null)
    await expect(about(page)).not.toContainText('newer version')
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
})

async function publish(folder: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(folder, '_app/version.json'), 'utf8')) as { version: string }
  const path = join(folder, 'service-worker.js')
  const worker = await readFile(path, 'utf8')
  expect(worker).toContain(version)
  await writeFile(path, worker.replaceAll(version, `${version}-next`))
  // The page's server prefers the compressed file.
  await rm(`${path}.gz`)
  await rm(`${path}.br`)
}

test('the page can be installed', async ({ page }) => {
  await open(page)
  await kept(page)
  const session = await page.context().newCDPSession(page)
  const { errors, url } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = (await (await page.request.get(url)).json()) as { icons: { src: string; sizes: string; purpose?: string }[]; start_url: string; display: string }
  expect(manifest.display).toBe('standalone')
  for (const { src } of manifest.icons) expect((await page.request.get(new URL(src, url).href)).status()).toBe(200)
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // A test's window keeps nothing, as a private one does.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
})
