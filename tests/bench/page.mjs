/** What a first visit loads, and how soon it can be used, by a real browser from the built app. */
import { chromium } from '@playwright/test'
import { findChromium } from '../../scripts/chromium.js'
import { tool } from '../../scripts/run.js'
import { serve } from '../../scripts/serve.js'
import { median } from './fixture.mjs'

const VISITS = 5
/** Lighthouse's "slow 4G": 150 ms there and back, 1.6 Mb/s down, 750 kb/s up. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }

/** Builds, serves, and gives figures in milliseconds and kilobytes, medians of five visits with an empty cache each. */
export async function pageFigures() {
  const built = await tool('vite', ['build', '--logLevel', 'warn'], { quiet: true })
  if (built.code !== 0) throw new Error(built.output)
  const { url, close } = await serve({ port: 4300, host: '127.0.0.1' })
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return { quick: await visits(browser, url, false), slow: await visits(browser, url, true), engine: await engine(browser, url) }
  } finally {
    await browser.close()
    close()
  }
}

async function visits(browser, url, throttled) {
  const seen = []
  for (let i = 0; i < VISITS; i++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    if (throttled) {
      const devtools = await context.newCDPSession(page)
      await devtools.send('Network.enable')
      await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    }
    await page.addInitScript(() => {
      // What waits for an idle page is not the first load, however quick this machine is idle.
      window.requestIdleCallback = () => 0
      window.longTasks = []
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true })
    })
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator('.cm-content').first().waitFor()
    const editor = await page.evaluate(() => performance.now())
    await page.waitForLoadState('networkidle')
    seen.push({
      editor,
      ...(await page.evaluate(() => {
        const scripts = performance.getEntriesByType('resource').filter(({ name }) => /\.m?js(\?|$)/.test(name))
        return {
          scripts: scripts.length,
          kilobytes: scripts.reduce((sum, entry) => sum + entry.encodedBodySize, 0) / 1024,
          longest: Math.max(0, ...window.longTasks),
          blocked: window.longTasks.reduce((sum, duration) => sum + duration - 50, 0),
        }
      })),
    })
    await context.close()
  }
  return Object.fromEntries(Object.keys(seen[0]).map((key) => [key, median(seen.map((one) => one[key]))]))
}

/** From the click that opens the terminal, with nothing of the engine loaded, to the answer of a first `node -p`. */
async function engine(browser, url) {
  const times = []
  for (let i = 0; i < VISITS; i++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await page.locator('.cm-content').first().waitFor()
    await page.waitForLoadState('networkidle')
    const started = Date.now()
    await page.getByRole('tab', { name: 'Terminal' }).click()
    await page.getByRole('textbox', { name: 'Command' }).fill('node -p "6*7"')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('42', { exact: true }).waitFor()
    times.push(Date.now() - started)
    await context.close()
  }
  return median(times)
}
