import { createServer } from 'node:net'
import { defineConfig } from '@playwright/test'
import { findChromium } from './scripts/chromium.js'

/** A port nobody listens on, so that two runs on one machine don't meet. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

// The worker processes load this file too: they inherit the port that was found first.
const port = (process.env.HALO_TEST_PORT ??= String(await freePort()))
const built = process.env.HALO_APP_BUILT === '1' ? ' --no-build' : ''

export default defineConfig({
  testDir: 'tests/browser',
  outputDir: 'test-results/browser',
  fullyParallel: true,
  workers: 2,
  // One more try on a busy machine; what needed it is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: 'list',
  use: {
    baseURL: `http://localhost:${port}`,
    // A trace takes a picture and a copy of the page at each step: only for what has failed once.
    trace: 'on-first-retry',
    reducedMotion: 'reduce',
    // Keeping the whole app offline takes a fifth of a test's time. Tests of what the service worker has a part in allow it.
    serviceWorkers: 'block',
    launchOptions: {
      executablePath: findChromium(),
      // Root has no sandbox; the rest keeps the browser from asking the network for anything of its own.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  webServer: {
    command: `node scripts/start.js --strict --port ${port}${built}`,
    url: `http://localhost:${port}`,
    timeout: 120_000,
    reuseExistingServer: false,
  },
})
