import { createServer } from 'node:http'
import { expect, test, type Page } from '@playwright/test'
import { toLink } from '../../src/lib/app/share/codec.ts'
import type { SharedProject } from '../../src/lib/app/share/shared-project.ts'

const shared: SharedProject = {
  name: 'A greeting',
  files: { 'main.halo': 'agent Host [mock/host]\npipeline Greet(name: String) -> String : "Hello {{name}}" |> Host.greet\n' },
  active: 'main.halo',
  workspace: {},
  fields: { Greet: { name: 'you' } },
  mode: 'mock',
}

/** A page of another origin that holds the embedded one, and keeps what it is told. From a real server: Chromium keeps pages it takes for public ones from framing this machine. */
let holder = { body: '', address: '', close: (): void => undefined }
test.beforeAll(async () => {
  const server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(holder.body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  holder = { body: '', address: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`, close: () => void server.close() }
})
test.afterAll(() => holder.close())

async function embed(page: Page, base: string | undefined, project: SharedProject, attributes = ''): Promise<void> {
  const src = `${base ?? ''}/embed#${(await toLink(project)).hash}`
  holder.body = `<!doctype html><title>Holder</title><script>told = []; onmessage = (e) => told.push({ origin: e.origin, data: e.data })</script>
<iframe title="Halo" src="${src}" style="width: 600px; height: 300px" ${attributes}></iframe>`
  await page.goto(holder.address)
}
const told = (page: Page) => page.evaluate(() => (window as unknown as { told: { origin: string; data: { type: string; height: number } }[] }).told)

test('an embedded project shows its text, reports its height and runs after a yes, without keys', async ({ page, baseURL }) => {
  await embed(page, baseURL, shared)
  const frame = page.frameLocator('iframe')
  await expect(frame.getByRole('heading', { name: 'A greeting' })).toBeVisible()
  await expect(frame.getByRole('textbox', { name: /^Text of/ })).toContainText('pipeline Greet')
  await expect(frame.getByRole('textbox', { name: /^Text of/ })).toHaveAttribute('aria-readonly', 'true')
  await expect(frame.getByText('Read only')).toBeVisible()
  await expect.poll(async () => (await told(page)).length).toBeGreaterThan(0)
  const messages = await told(page)
  for (const { origin, data } of messages) {
    expect(origin).toBe(baseURL)
    expect(data.type).toBe('halo:size')
    expect(Object.keys(data).sort()).toEqual(['height', 'type'])
  }
  expect(messages.at(-1)?.data.height).toBeGreaterThan(150)
  await expect(frame.getByRole('link', { name: 'Open in Halo' })).toHaveAttribute('href', new RegExp(`^${baseURL}/#`))

  await frame.getByRole('button', { name: 'Run', exact: true }).click()
  const dialog = frame.getByRole('dialog')
  await expect(dialog).toContainText('In this frame it has no keys')
  await dialog.getByRole('button', { name: 'Agree and run' }).click()
  await expect(frame.getByRole('status').filter({ hasText: 'completed' })).toBeVisible()
  expect((await told(page)).at(-1)?.data.height).toBeGreaterThan(messages.at(-1)?.data.height ?? 0)
})

test('an editable one can be changed, and the link to Halo holds the change', async ({ page, baseURL }) => {
  await embed(page, baseURL, { ...shared, editable: true })
  const frame = page.frameLocator('iframe')
  const link = frame.getByRole('link', { name: 'Open in Halo' })
  const before = await link.getAttribute('href')
  await frame.getByRole('textbox', { name: /^Text of/ }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('// mine\n')
  await frame.getByRole('button', { name: 'Run', exact: true }).focus()
  await expect(link).not.toHaveAttribute('href', before ?? '')
})

test('in a closed sandbox the text is shown and nothing can run', async ({ page, baseURL }) => {
  await embed(page, baseURL, shared, 'sandbox="allow-scripts"')
  const frame = page.frameLocator('iframe')
  await expect(frame.getByRole('textbox', { name: /^Text of/ })).toContainText('pipeline Greet')
  await expect(frame.getByRole('button', { name: 'Run', exact: true })).toHaveCount(0)
  await expect(frame.getByText('closed off')).toBeVisible()
  await expect.poll(async () => (await told(page)).length).toBeGreaterThan(0)
})

test('a damaged address says so', async ({ page, baseURL }) => {
  await page.goto(`${baseURL}/embed#AR-LCAAA`)
  await expect(page.getByRole('alert')).toContainText('damaged')
})
