/** What a first visit loads, by a real browser from the built app. */
import { chromium } from '@playwright/test'
import { findChromium } from '../../scripts/chromium.js'
import { tool } from '../../scripts/run.js'
import { serve } from '../../scripts/serve.js'

export async function firstLoad() {
  const built = await tool('vite', ['build', '--logLevel', 'warn'], { quiet: true })
  if (built.code !== 0) throw new Error(built.output)
  const { url, close } = await serve({ port: 4300, host: '127.0.0.1' })
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const times = []
    let sizes = { scripts: 0, kilobytes: 0 }
    for (let i = 0; i < 5; i++) {
      // A new context has an empty cache.
      const page = await (await browser.newContext()).newPage()
      // What waits for an idle page is not the first load, however quick this machine is idle.
      await page.addInitScript(() => void (window.requestIdleCallback = () => 0))
      await page.goto(url)
      await page.locator('.cm-content').first().waitFor()
      times.push(await page.evaluate(() => performance.now()))
      sizes = await page.evaluate(() => {
        const scripts = performance.getEntriesByType('resource').filter(({ name }) => /\.m?js(\?|$)/.test(name))
        return { scripts: scripts.length, kilobytes: scripts.reduce((sum, entry) => sum + entry.encodedBodySize, 0) / 1024 }
      })
      await page.context().close()
    }
    times.sort((a, b) => a - b)
    return { ...sizes, ready: times[2] ?? NaN }
  } finally {
    await browser.close()
    close()
  }
}
