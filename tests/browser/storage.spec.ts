import { expect, test, type Page } from '@playwright/test'
import { button, cards, files, status, transcript } from './bench.ts'

/** What lies in storage as no version of the page would have put it: said in words where it shows, and everything else works. */
type Row = { store: string; value: object | string | number | null; key?: string | (string | number)[] }

const notice = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ })
const text = (page: Page) => page.getByRole('textbox', { name: /^Text of/ })

/** A page of the same origin that has no app on it. */
async function aside(page: Page): Promise<void> {
  await page.goto('/manifest.webmanifest')
}
async function put(page: Page, rows: readonly Row[]): Promise<void> {
  await page.evaluate(async (all) => {
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('halo')
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error ?? new Error('not opened'))
    })
    for (const { store, value, key } of all) {
      const tx = db.transaction(store, 'readwrite')
      const target = tx.objectStore(store)
      if (key === undefined) target.put(value)
      else target.put(value, key)
      await new Promise((resolve) => (tx.oncomplete = resolve))
    }
    db.close()
  }, rows)
}
async function works(page: Page): Promise<void> {
  await expect(text(page)).toBeVisible()
  await button(page, 'Run').click()
  await expect(button(cards(page).last(), 'Allow')).toHaveAttribute('aria-disabled', 'false', { timeout: 20_000 })
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
}

const source = 'pipeline Go(task: String) -> String :\n  task |! yield("Which colour?")\n'
const run = (more: object) => ({ runId: 'bad', pipeline: 'Go', at: Date.now(), entries: 1, asked: [0], mode: 'live', ...more })
const start = (more: object) => ({ runId: 'bad', pipeline: 'Go', args: { task: 'x' }, at: 1, main: 'main.halo', sources: { 'main.halo': source }, version: '0.1.0', ...more })
const question = { seq: 0, kind: 'yield', path: '1', target: 'yield', state: 'asked', at: 1, request: { channel: 'yield', message: 'Which?', named: {} } }
const later = Date.now() + 1e9

interface Damage {
  what: string
  rows: Row[]
  /** The waiting run is opened: it says what is wrong with it. */
  opens?: boolean
  see?(page: Page): Promise<void>
}
const openSettings = (tab: string) => async (page: Page) => {
  await button(page, 'Settings').click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('tab', { name: tab, exact: true }).click()
  await expect(dialog.getByRole('tabpanel')).not.toBeEmpty()
}
const damages: Damage[] = [
  { what: 'a project without files', rows: [{ store: 'projects', value: { id: 'own:bad', opened: later } }] },
  { what: 'a project whose files are none', rows: [{ store: 'projects', value: { id: 'own:bad', name: 7, files: { 'main.halo': 5 }, active: 'gone', fields: null, opened: later } }] },
  { what: 'a project that is open at a file it lacks', rows: [{ store: 'projects', value: { id: 'own:bad', name: 'Mine', files: { 'main.halo': source }, active: 'gone.halo', fields: {}, opened: 'never' } }] },
  { what: 'a workspace without files', rows: [{ store: 'workspaces', value: { id: 'example:fix-failing-tests' } }, { store: 'workspaces', value: { id: 'example:fix-failing-tests', files: 'x', baseline: 3 } }] },
  { what: 'a workspace whose contents are gone', rows: [{ store: 'workspaces', value: { id: 'example:fix-failing-tests', files: { '/shop/price.js': 'no-such-hash' } } }] },
  { what: 'a run that says nothing', rows: [{ store: 'runs', value: { runId: 'bad', at: 1 } }, { store: 'runs', value: { runId: 'worse', at: 2, pipeline: 3, asked: 'x', entries: null, end: 'y' } }] },
  { what: 'a run without its start', rows: [{ store: 'runs', value: run({}) }], opens: true },
  { what: 'a start without a program', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: start({ sources: {} }) }, { store: 'entries', value: question, key: ['bad', 0] }], opens: true },
  { what: 'a start whose program no longer reads', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: start({ sources: { 'main.halo': 'pipeline (((' } }) }, { store: 'entries', value: question, key: ['bad', 0] }], opens: true },
  { what: 'a start that is nothing', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: { runId: 'bad' } }], opens: true },
  { what: 'entries that are none', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: start({}) }, { store: 'entries', value: null, key: ['bad', 0] }, { store: 'entries', value: 'x', key: ['bad', 1] }, { store: 'entries', value: { seq: 'a' }, key: ['bad', 2] }], opens: true },
  { what: 'a question without its card', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: start({}) }, { store: 'entries', value: { ...question, request: null }, key: ['bad', 0] }], opens: true },
  { what: 'events that are none', rows: [{ store: 'runs', value: run({}) }, { store: 'starts', value: start({}) }, { store: 'entries', value: question, key: ['bad', 0] }, { store: 'events', value: null, key: ['bad', 0] }, { store: 'events', value: { type: 'tool' }, key: ['bad', 1] }, { store: 'events', value: { type: 'of a later version', path: 3 }, key: ['bad', 2] }], opens: true },
  { what: 'keys that can’t be read', rows: [{ store: 'settings', value: { version: 1, protection: 'browser', key: 'x', sealed: 5 }, key: 'keys' }], see: openSettings('Models') },
  { what: 'keys of a newer version', rows: [{ store: 'settings', value: { version: 99 }, key: 'keys' }], see: openSettings('Models') },
  { what: 'prices that are none', rows: [{ store: 'settings', value: { 'openai/gpt-4o': 'dear' }, key: 'prices' }], see: openSettings('Prices') },
  { what: 'agreements that are none', rows: [{ store: 'settings', value: 5, key: 'agreed' }, { store: 'settings', value: { a: 1 }, key: 'egress:x' }, { store: 'settings', value: [null, 3, 'https://x.test'], key: 'egress:y' }], see: openSettings('Agreed') },
  { what: 'a version without files', rows: [{ store: 'versions', value: { project: 'example:fix-failing-tests', at: 5 } }], see: async (page) => {
    await button(page, 'Versions').click()
    await expect(page.getByRole('dialog')).toBeVisible()
  } },
]

test.describe.configure({ timeout: 60_000 })

for (const { what, rows, opens, see } of damages) {
  test(`${what}: said where it shows, and everything else works`, async ({ page }) => {
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto('/')
    await expect(text(page)).toBeVisible()
    await page.waitForFunction(async () => (await indexedDB.databases()).some(({ name }) => name === 'halo'))
    await aside(page)
    await put(page, rows)
    await page.goto('/')
    await expect(text(page)).toBeVisible()
    if (opens) {
      await button(page, 'Open it').first().click()
      // Either it can be shown, or there are words about it.
      await expect(notice(page).or(transcript(page).getByRole('group')).first()).toBeVisible()
      const said = await notice(page).allTextContents()
      expect(said.join(' ')).not.toMatch(/undefined|Cannot read|is not (a function|iterable|an object)|\[object/)
    }
    if (see) {
      await see(page)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await page.getByRole('tab', { name: 'Recordings', exact: true }).click()
    await expect(page.getByRole('tabpanel', { name: 'Recordings' })).not.toBeEmpty()
    await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'Fix failing tests' })
    await expect(text(page)).toContainText('pipeline FixTests')
    await page.getByRole('tab', { name: 'Run', exact: true }).click()
    await works(page)
    expect(faults).toEqual([])
  })
}

const V1 = ['projects', 'workspaces', 'contents', 'runs', 'starts', 'entries', 'events', 'settings']
/** A database of the first version with a project in it, left open as a tab does that knows of no other. */
async function oldVersion(page: Page): Promise<void> {
  await aside(page)
  await page.evaluate(
    async ([stores, program]) => {
      const keyed: Record<string, string> = { projects: 'id', workspaces: 'id', runs: 'runId', starts: 'runId' }
      const db = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open('halo', 1)
        opening.onupgradeneeded = () => {
          for (const name of stores) {
            const store = opening.result.createObjectStore(name, keyed[name] === undefined ? {} : { keyPath: keyed[name] })
            if (name === 'runs') store.createIndex('at', 'at')
          }
        }
        opening.onsuccess = () => resolve(opening.result)
      })
      const tx = db.transaction(['projects', 'runs', 'starts', 'entries'], 'readwrite')
      tx.objectStore('projects').put({ id: 'own:old', name: 'Old work', files: { 'main.halo': program }, active: 'main.halo', fields: {}, opened: Date.now() })
      tx.objectStore('runs').put({ runId: 'old', pipeline: 'Go', project: 'own:old', at: 1, entries: 1, asked: [0], mode: 'live' })
      tx.objectStore('starts').put({ runId: 'old', pipeline: 'Go', args: { task: 'x' }, at: 1, main: 'main.halo', sources: { 'main.halo': program }, version: '0.1.0' })
      await new Promise((resolve) => (tx.oncomplete = resolve))
      Object.assign(window, { kept: db })
    },
    [V1, source] as const,
  )
}

test('data of an earlier version that another tab holds open: words first, and all of it is there once that tab is closed', async ({ context }) => {
  const old = await context.newPage()
  await oldVersion(old)
  const page = await context.newPage()
  await page.goto('/')
  await expect(notice(page)).toContainText('Another tab holds an older version of this page open. Close it, then reload this one.', { timeout: 15_000 })
  await old.close()
  await page.reload()
  await expect(text(page)).toContainText('Which colour?')
  await expect(page.getByRole('banner').or(page.locator('header')).first()).toContainText('Old work')
  await expect(page.getByRole('region', { name: '1 run is waiting for you' })).toBeVisible()
})

test('a tab whose database is taken over by a newer version says so, and so does one that finds a newer one; nothing of it is touched', async ({ context }) => {
  const page = await context.newPage()
  await page.goto('/')
  await expect(text(page)).toBeVisible()
  const other = await context.newPage()
  await aside(other)
  await other.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('halo', 99)
        opening.onupgradeneeded = () => opening.result.createObjectStore('of tomorrow').put('untouched', 'key')
        opening.onsuccess = () => (opening.result.close(), resolve())
        opening.onerror = () => reject(opening.error ?? new Error('not opened'))
      }),
  )
  await expect(notice(page)).toContainText('A newer version of this page has written here.')
  await page.reload()
  await expect(notice(page)).toContainText('A newer version of this page has written here.')
  const kept = await other.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open('halo')
        opening.onsuccess = () => {
          const asked = opening.result.transaction('of tomorrow').objectStore('of tomorrow').get('key')
          asked.onsuccess = () => resolve([opening.result.version, asked.result])
        }
      }),
  )
  expect(kept).toEqual([99, 'untouched'])
})

/** IndexedDB of the page fails from the nth write on, until `room()`. */
async function failing(page: Page, n: number, name: 'QuotaExceededError' | 'AbortError'): Promise<void> {
  await page.addInitScript(
    ([nth, fault]) => {
      let writes = 0
      let full = false
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (...given: Parameters<typeof put>) {
        // Only what is written once the page is asked to count.
        if (sessionStorage.getItem('count') !== 'yes') return put.apply(this, given)
        if (++writes === nth) full = true
        if (!full) return put.apply(this, given)
        const request = put.apply(this, given)
        if (fault === 'QuotaExceededError') throw new DOMException('no room', fault)
        this.transaction.abort()
        return request
      }
      Object.assign(window, { room: () => (full = false), wrote: () => writes })
    },
    [n, name] as const,
  )
}

for (const [n, fault] of [[4, 'QuotaExceededError'], [12, 'QuotaExceededError'], [25, 'AbortError'], [45, 'AbortError'], [60, 'QuotaExceededError']] as const) {
  test(`storage that fails from its write ${n} on (${fault}): it is said, the run can be resumed once there is room, and ends as it would have`, async ({ page }) => {
    await failing(page, n, fault)
    await page.goto('/')
    await expect(text(page)).toBeVisible()
    await page.evaluate(() => sessionStorage.setItem('count', 'yes'))
    await button(page, 'Run').click()
    const allow = button(cards(page), 'Allow').last()
    const over = status(page).filter({ hasText: /completed|failed/ })
    await expect(allow.or(over).or(notice(page)).first()).toBeVisible({ timeout: 20_000 })
    if (await allow.isVisible()) {
      await expect(allow).toHaveAttribute('aria-disabled', 'false')
      await allow.click()
      await expect(over).toBeVisible({ timeout: 20_000 })
    }
    const said = [...(await notice(page).allTextContents()), await transcript(page).innerText()].join('\n')
    const wrote = await page.evaluate(() => (window as unknown as { wrote(): number }).wrote())
    if (wrote >= n) expect(said).toMatch(/storage|written/)
    await page.evaluate(() => (window as unknown as { room(): void }).room())
    const resume = button(transcript(page), 'Resume')
    if (await resume.isVisible()) await resume.click()
    else if (!/completed/.test((await status(page).textContent()) ?? '')) await button(page, 'Run').click()
    const again = button(transcript(page), 'Call it again')
    await expect(async () => {
      if (await again.isVisible()) await again.click({ timeout: 1000 })
      else if (await allow.isVisible()) await allow.click({ timeout: 1000 })
      await expect(status(page)).toHaveText('completed', { timeout: 1000 })
    }).toPass({ timeout: 30_000 })
    await expect(files(page).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
    await expect(transcript(page)).toContainText('3 passed')
  })
}
