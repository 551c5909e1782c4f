/** An attacker's server, a browser with a key and a variable saved in it, and all the places where they must not turn up. */
import { expect, type Page } from '@playwright/test'
import { serve, json, type LocalServer } from '../conformance/servers/http.ts'
import { button } from './bench.ts'
import { PLANTED } from './provider.ts'

export const KEY = PLANTED
export const VARIABLE = 'var-planted-8Hq2wZt5Rk0-yy71'

/** Answers everything, with what suits a model, a list, a page or a tool as badly as any other. */
export function attacker(): Promise<LocalServer> {
  return serve((_, response) => json(response, 200, { taken: true, choices: [], data: [] }))
}

/** Saves the key for OpenAI's own address, and a variable. */
export async function plant(page: Page): Promise<void> {
  await page.goto('/')
  await button(page, 'Settings').click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('button', { name: /^OpenAI\s/ }).click()
  await dialog.getByLabel('OpenAI API key', { exact: true }).fill(KEY)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(dialog.getByText('Saved.', { exact: true })).toBeVisible()
  await dialog.getByRole('tab', { name: 'Variables', exact: true }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('TOKEN')
  await dialog.getByLabel('Value', { exact: true }).fill(VARIABLE)
  await dialog.getByRole('button', { name: 'Save variable' }).click()
  await expect(dialog.getByRole('row', { name: /TOKEN/ })).toBeVisible()
  await page.keyboard.press('Escape')
}

export interface Watch {
  /** Requests to this origin are the test's own. */
  expects(origin: string): void
  /** Fails if anything ran, asked, opened, left or shows the key. */
  clean(page: Page, given?: { variableMayGo?: boolean }): Promise<void>
}

export function watch(page: Page, server: LocalServer): Watch {
  const odd: string[] = []
  const logged: string[] = []
  const expected = ['https://api.openai.com', server.url]
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.hostname !== 'localhost' && !expected.includes(url.origin)) odd.push(`request: ${request.url()}`)
    if (/^(file|ftp|ws|wss):/.test(url.protocol)) odd.push(`request: ${request.url()}`)
  })
  page.on('dialog', (dialog) => (odd.push(`dialog: ${dialog.message()}`), void dialog.dismiss()))
  page.on('popup', (popup) => odd.push(`popup: ${popup.url()}`))
  page.on('console', (message) => logged.push(message.text()))
  page.on('pageerror', (error) => odd.push(`error: ${error.message}`))
  return {
    expects: (origin) => void expected.push(origin),
    async clean(page, { variableMayGo = false } = {}) {
      expect(odd).toEqual([])
      expect(await page.evaluate(() => ['ran' in window, 'polluted' in {}, Object.prototype.hasOwnProperty.call(Object.prototype, 'x')])).toEqual([false, false, false])
      const places = { sent: JSON.stringify(server.received), dom: await page.content(), log: logged.join('\n'), address: decodeURIComponent(page.url()), kept: await page.evaluate(everythingKept) }
      for (const [where, text] of Object.entries(places)) {
        expect(text, where).not.toContain(KEY)
        if (!(variableMayGo && where === 'sent')) expect(text, where).not.toContain(VARIABLE)
      }
    },
  }
}

/** All of the page's storage as text, bytes as Latin-1. */
export async function everythingKept(): Promise<string> {
  const asText = (value: unknown): string => {
    if (value instanceof ArrayBuffer) return asText(new Uint8Array(value))
    if (value instanceof Uint8Array) return Array.from(value, (byte) => String.fromCharCode(byte)).join('')
    if (typeof value !== 'object' || value === null) return String(value)
    return Object.entries(value).map(([name, part]) => `${name}=${asText(part)}`).join('\n')
  }
  const done = <T>(request: IDBRequest<T>) => new Promise<T>((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = () => reject(new Error('idb')))))
  let text = asText({ ...localStorage }) + asText({ ...sessionStorage }) + document.cookie
  for (const { name = '' } of await indexedDB.databases()) {
    const db = await done(indexedDB.open(name))
    for (const store of db.objectStoreNames) text += `\n[${store}]\n${asText(await done(db.transaction(store).objectStore(store).getAll()))}`
    db.close()
  }
  for (const cache of await caches.keys()) for (const request of await (await caches.open(cache)).keys()) text += request.url
  return text
}
