import { expect, test, type Page } from '@playwright/test'
import { button, choose, open, status, transcript, write } from './bench.ts'

test('a listen waits for its event, refuses what is no JSON, and flows on with the payload', async ({ page }) => {
  await open(page)
  await choose(page, /payment/i)
  await page.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Live' })
  await page.getByRole('textbox', { name: 'article' }).fill('tea')
  await page.getByRole('textbox', { name: 'cents' }).fill('400')
  await button(page, 'Run').click()
  const card = transcript(page).getByRole('group', { name: /Waits for the event “paid”/ })
  await expect(card).toBeVisible()
  await expect(card).toContainText('until')
  await expect(status(page)).toHaveText('paused')
  const payload = card.getByRole('textbox', { name: 'Payload as JSON' })
  await payload.fill('{ cents: 400')
  await expect(button(card, 'Send event')).toHaveAttribute('aria-disabled', 'false')
  await button(card, 'Send event').click()
  await expect(card.getByRole('alert')).toContainText('not JSON')
  await payload.fill('{ "cents": 400, "from": "Ada" }')
  await button(card, 'Send event').click()
  await expect(status(page)).toHaveText('completed')
  await expect(transcript(page)).toContainText('Thank you, Ada.')
})

test('a yield’s answer flows on in place of the value', async ({ page }) => {
  await open(page)
  await write(
    page,
    `pipeline Ask(task: String) -> String :
  task |! yield("Which colour?") |> System.Value("chosen: {{input}}")
`,
  )
  await expect(page.getByRole('combobox', { name: 'Pipeline' })).toHaveValue('Ask')
  await page.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Live' })
  await page.getByRole('textbox', { name: 'task' }).fill('paint')
  await button(page, 'Run').click()
  const card = transcript(page).getByRole('group', { name: /Waits for you/ })
  await expect(card).toContainText('Which colour?')
  await expect(card).toContainText('paint')
  await card.getByRole('textbox', { name: /Answer/ }).fill('green')
  await button(card, 'Go on').click()
  await expect(status(page)).toHaveText('completed')
  await expect(transcript(page)).toContainText('chosen: green')
})

/** A run as a tool's question left it in storage. Such tools are brought by programs that embed Halo, so none is in a file. */
async function storeQuestion(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('halo')
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error ?? new Error('not opened'))
    })
    const tx = db.transaction(['runs', 'starts', 'entries'], 'readwrite')
    const at = Date.now() - 60_000
    const schema = {
      type: 'object',
      required: ['city', 'nights'],
      properties: { city: { type: 'string', title: 'City' }, nights: { type: 'integer', title: 'Nights' }, class: { enum: ['first', 'second'] } },
    }
    const source = 'pipeline Go(task: String) : task |> System.Value("x")\n'
    tx.objectStore('runs').put({ runId: 'asked-1', pipeline: 'Go', at, entries: 1, asked: [0], mode: 'live' })
    tx.objectStore('starts').put({ runId: 'asked-1', pipeline: 'Go', args: { task: 'x' }, at, main: 'main.halo', sources: { 'main.halo': source }, version: '0.1.0' })
    const request = { channel: 'input', message: 'Where do you want to stay?', named: { target: 'Hotel.book', schema } }
    tx.objectStore('entries').put({ seq: 0, kind: 'input', path: '1/call:0', target: 'Hotel.book', state: 'asked', at, request }, ['asked-1', 0])
    await new Promise((resolve) => (tx.oncomplete = resolve))
    db.close()
  })
}

test('a tool’s question is a form made from its schema', async ({ page }) => {
  await open(page)
  await storeQuestion(page)
  await page.reload()
  await button(page, 'Open it').click()
  const card = transcript(page).getByRole('group', { name: /A tool asks/ })
  await expect(card).toContainText('Where do you want to stay?')
  await expect(card.getByRole('textbox', { name: 'City' })).toBeVisible()
  await expect(card.getByRole('combobox', { name: /class/ }).getByRole('option')).toContainText(['first', 'second'])
  await expect(button(card, 'Answer')).toBeEnabled()
  await card.getByRole('textbox', { name: 'City' }).fill('Oslo')
  await card.getByRole('textbox', { name: 'Nights' }).fill('two')
  await button(card, 'Answer').click()
  await expect(card.getByRole('alert')).toContainText('Nights')
  await card.getByRole('textbox', { name: 'Nights' }).fill('2')
  await button(card, 'Answer').click()
  await expect(card).toContainText('answered')
})
