import { createServer } from 'node:http'
import { expect, test, type Page } from '@playwright/test'
import { serve } from '../../scripts/serve.js'
import { button, cards, files, open, status } from './bench.ts'

test.use({ serviceWorkers: 'allow' })

/** What the page's policies refuse from here on, and what went wrong besides. */
async function watch(page: Page): Promise<() => Promise<string[]>> {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security policy|trusted/i.test(message.text())) faults.push(message.text())
  })
  page.on('worker', (worker) => worker.on('console', (message) => message.type() === 'error' && faults.push(message.text())))
  await page.addInitScript(() => {
    const refused: string[] = []
    Object.assign(window, { refused })
    document.addEventListener('securitypolicyviolation', (event) => refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`))
  })
  return async () => [...faults, ...(await page.evaluate(() => (window as unknown as { refused: string[] }).refused))]
}

test('a run, the editor, the engine, the terminal and every dialog work under the policies', async ({ page }) => {
  test.setTimeout(90_000)
  const refused = await watch(page)
  await open(page)
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  const editor = page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.type('# a remark\n')
  await page.keyboard.press('ControlOrMeta+Space')
  await page.keyboard.press('Escape')
  // Its rules were let in: without them a line number stands above its line.
  await expect(page.locator('.cm-gutters')).toHaveCSS('display', 'flex')

  await button(page, 'Run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 30_000 })
  await files(page).getByRole('treeitem', { name: /price\.js ?, changed/ }).click()
  await expect(page.getByRole('region', { name: '/shop/price.js' })).toBeVisible()
  for (const name of ['Plan', 'Recordings', 'Problems', 'Terminal']) await page.getByRole('tab', { name, exact: true }).click()
  const terminal = page.getByRole('tabpanel', { name: 'Terminal' }).getByRole('textbox')
  await terminal.fill(`node -e 'console.log(6*7)'`)
  await terminal.press('Enter')
  await expect(page.getByRole('tabpanel', { name: 'Terminal' })).toContainText('42')
  await button(page, 'Settings').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await button(page, 'Commands').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  expect(await refused()).toEqual([])
})

test('scripts in the page, evaluated text and markup from strings are refused', async ({ page }) => {
  await open(page)
  const results = await page.evaluate(async () => {
    const attempt = async (what: string, act: () => unknown): Promise<[string, string]> => {
      try {
        return [what, String(await act())]
      } catch (thrown) {
        return [what, (thrown as Error).name]
      }
    }
    const ran = (element: HTMLElement) => {
      document.body.append(element)
      return new Promise((resolve) => setTimeout(() => resolve('ran' in window), 100))
    }
    return Object.fromEntries([
      await attempt('markup', () => (document.createElement('div').innerHTML = '<b>x</b>')),
      await attempt('worker', () => new Worker('https://example.com/x.js')),
      await attempt('data worker', () => new Worker('data:text/javascript,1')),
      await attempt('inline', () => {
        const script = document.createElement('script')
        script.append('window.ran = 1')
        return ran(script)
      }),
      await attempt('policy', () => (window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }).trustedTypes.createPolicy('mine', {})),
      await attempt('image', async () => {
        const image = new Image()
        const loaded = new Promise((resolve) => {
          image.onload = () => resolve('loaded')
          image.onerror = () => resolve('refused')
        })
        image.src = 'https://example.com/x.png'
        return loaded
      }),
    ])
  })
  expect(results).toEqual({ markup: 'TypeError', worker: 'TypeError', 'data worker': 'TypeError', inline: 'false', policy: 'TypeError', image: 'refused' })
  // Playwright evaluates past the policy; a page's own timer does not.
  const evaluated = await page.evaluate(() => {
    const names: string[] = []
    document.addEventListener('securitypolicyviolation', (event) => names.push(event.violatedDirective))
    const button = document.createElement('button')
    button.setAttribute('on' + 'click', 'window.clicked = 1')
    document.body.append(button)
    button.click()
    return 'clicked' in window
  }).catch((thrown: Error) => thrown.message.includes('TrustedScript') ? false : Promise.reject(thrown))
  expect(evaluated).toBe(false)
})

/** A site of another origin that shows an address in a frame. */
async function framing(address: string): Promise<{ url: string; close(): void }> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(`<iframe src="${address}"></iframe>`))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return { url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/`, close: () => server.close() }
}

test('another site can not put the workbench into a frame', async ({ page, baseURL }) => {
  const site = await framing(`${baseURL}/`)
  await page.goto(site.url)
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  await expect(page.frameLocator('iframe').getByRole('button', { name: 'Run' })).toHaveCount(0)
  site.close()
})

test('where a host lets anyone frame it, the page says so and shows no workbench', async ({ page }) => {
  const server = await serve({ port: 0, host: '127.0.0.1', headers: () => ({}) })
  const site = await framing(server.url)
  await page.goto(site.url)
  await expect(page.frameLocator('iframe').getByRole('link', { name: 'Open it in a tab of its own' })).toBeVisible()
  await expect(page.frameLocator('iframe').getByRole('button', { name: 'Run' })).toHaveCount(0)
  site.close()
  server.close()
})
