/** Browsers that end as they do for people: a tab is closed, the browser is quit, its process is killed. What they stored stays. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect, test, type BrowserContext, type Page } from '@playwright/test'

export type Death = 'tab' | 'browser' | 'kill'

export interface Lives {
  /** A tab in the browser, which is started again where it has ended. */
  begin(): Promise<Page>
  end(how: Death): Promise<void>
}

/** One person's browser with its profile, over as many lives as `work` gives it. */
export async function withLives(baseURL: string | undefined, work: (lives: Lives) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'halo-profile-'))
  const { launchOptions } = test.info().project.use
  let context: BrowserContext | undefined
  let page: Page | undefined
  try {
    await work({
      async begin() {
        context ??= await chromium.launchPersistentContext(profile, { ...launchOptions, baseURL, reducedMotion: 'reduce' })
        page = await context.newPage()
        return page
      },
      async end(how) {
        if (how === 'tab') return page?.close()
        if (how === 'browser') await context?.close()
        else if (context) await kill(context)
        context = undefined
      },
    })
  } finally {
    await context?.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Waits until the journal says that a call has begun and not how it ended: it may have happened from here on. */
export async function underWay(page: Page, target: string): Promise<void> {
  const unfinished = () =>
    page.evaluate(async (name) => {
      const done = <T>(request: IDBRequest<T>) => new Promise<T>((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = () => reject(request.error ?? new Error(name)))))
      const db = await done(indexedDB.open('halo'))
      const entries = (await done(db.transaction('entries').objectStore('entries').getAll())) as { seq: number; ref?: number; state?: string; target: string }[]
      db.close()
      return entries.filter(({ seq, state, target }) => state === 'begun' && target === name && !entries.some(({ ref }) => ref === seq)).length
    }, target)
  await expect.poll(unfinished, { timeout: 20_000 }).toBe(1)
}

/** Nothing of the browser gets a chance to save anything. */
async function kill(context: BrowserContext): Promise<void> {
  const cdp = await context.browser()?.newBrowserCDPSession()
  const { processInfo } = (await cdp?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  const browser = processInfo.find(({ type }) => type === 'browser')
  if (!browser) throw new Error('the browser did not tell its process')
  process.kill(browser.id, 'SIGKILL')
  await expect.poll(() => isAlive(browser.id)).toBe(false)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
