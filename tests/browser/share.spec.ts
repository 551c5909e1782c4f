import { gzipSync } from 'node:zlib'
import { expect, test, type BrowserContext, type Page } from '@playwright/test'
import { toLink } from '../../src/lib/app/share/codec.ts'
import type { SharedProject } from '../../src/lib/app/share/shared-project.ts'
import { button, cards, files, open, status, transcript, write } from './bench.ts'

const source = `policy Careful : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
tool Net : Http(base_url: "https://api.example", headers: { authorization: Env.TOKEN })
agent Clerk [openai/gpt-4o] equips Notes requires Careful
pipeline Tidy(task: String) -> String : task |> Clerk.work(tools: [Notes])
test "it writes" runs Tidy(task: "tidy") :
  mock Clerk.work : call("Notes.write", { path: "a.md", content: "changed" }) then "done"
`
const shared: SharedProject = {
  name: 'Tidy notes',
  files: { 'main.halo': source, 'other.halo': '// another\n' },
  active: 'main.halo',
  workspace: { '/notes/a.md': new TextEncoder().encode('as it came\n') },
  fields: { Tidy: { task: 'from the link' } },
  mode: 'scenario:it writes',
}
const hashOf = async (project: SharedProject) => `#${(await toLink(project)).hash}`
const elsewhere = (page: Page) => page.getByRole('region', { name: 'From elsewhere' })
const text = (page: Page) => page.getByRole('textbox', { name: /^Text of/ })

/** Every request that goes further than the page's own files. */
function watchRequests(context: BrowserContext): string[] {
  const gone: string[] = []
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.hostname !== 'localhost') gone.push(request.url())
  })
  return gone
}

test('a shared link opens inert, says what it may do, and leaves one’s own work alone', async ({ page, context }) => {
  const gone = watchRequests(context)
  await open(page)
  await write(page, '// my own work\n')
  await expect(text(page)).toContainText('my own work')
  await page.waitForTimeout(400)
  await page.goto(`/${await hashOf(shared)}`)
  await page.reload()

  await expect(elsewhere(page)).toContainText('“Tidy notes” came by a link')
  await expect(elsewhere(page)).toContainText('Notes.write')
  await expect(elsewhere(page)).toContainText('openai/gpt-4o')
  await expect(elsewhere(page)).toContainText('TOKEN')
  await expect(elsewhere(page)).toContainText('https://api.example')
  await expect(text(page)).toContainText('pipeline Tidy')
  await expect(transcript(page)).toContainText('Nothing has run yet')
  await expect(files(page).getByRole('treeitem', { name: 'a.md' })).toBeVisible()
  await page.waitForTimeout(500)
  expect(gone).toEqual([])

  await button(page, 'Back to my own').click()
  await expect(text(page)).toContainText('my own work')
  await expect(elsewhere(page)).toHaveCount(0)
  expect(new URL(page.url()).hash).toBe('')
})

test('the first run of a link asks, once for each content, and a no runs nothing', async ({ page }) => {
  await page.goto(`/${await hashOf(shared)}`)
  await expect(elsewhere(page)).toBeVisible()
  await button(page, 'Run').click()
  const dialog = page.getByRole('dialog', { name: 'Run something from elsewhere?' })
  await expect(dialog).toContainText('after asking you: Notes.write')
  await expect(button(dialog, 'Don’t run')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(transcript(page)).toContainText('Nothing has run yet')

  await button(page, 'Run').click()
  await expect(button(dialog, 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
  await button(dialog, 'Agree and run').click()
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed')
  await expect(elsewhere(page)).toContainText('You agreed')

  await page.reload()
  await expect(elsewhere(page)).toContainText('You agreed')
  await button(page, 'Run').click()
  await expect(cards(page).last()).toBeVisible()

  await page.goto(`/${await hashOf({ ...shared, workspace: {} })}`)
  await expect(elsewhere(page)).toContainText('Nothing of it has run')
  await button(page, 'Run').click()
  await expect(dialog).toBeVisible()
})

test('a copy is one’s own, and still asks before its first run', async ({ page }) => {
  await page.goto(`/${await hashOf(shared)}`)
  await button(page, 'Keep a copy').click()
  await expect(button(page, 'Keep a copy')).toHaveCount(0)
  await expect.poll(() => new URL(page.url()).hash).toBe('')
  await page.reload()
  await expect(text(page)).toContainText('pipeline Tidy')
  await expect(files(page).getByRole('treeitem', { name: 'a.md' })).toBeVisible()
  await button(page, 'Run').click()
  await expect(page.getByRole('dialog', { name: 'Run something from elsewhere?' })).toBeVisible()
})

test('hashes that hold no project are answered in words, and one’s own work stays', async ({ page }) => {
  await open(page)
  await write(page, '// my own work\n')
  await page.waitForTimeout(400)
  const good = (await hashOf(shared)).slice(1)
  const bytes = Buffer.from(good, 'base64url')
  const with0 = (first: number, rest: Buffer) => Buffer.concat([Buffer.of(first), rest]).toString('base64url')
  const cases: [string, RegExp][] = [
    ['section-2', /not a shared project/],
    ['%E0%A4%A', /not a shared project/],
    [good.slice(0, good.length - 40), /damaged/],
    [with0(2, bytes.subarray(1)), /newer version/],
    [with0(1, gzipSync(Buffer.alloc(100_000_000))), /larger than/],
    [with0(1, gzipSync('{"files":{}}')), /damaged/],
    [`${good}AAAA`, /damaged/],
  ]
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  for (const [hash, words] of cases) {
    await page.goto('about:blank')
    await page.goto(`/#${hash}`)
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    await expect(text(page)).toContainText('my own work')
    await expect(elsewhere(page)).toHaveCount(0)
  }
  expect(faults).toEqual([])
  // The same while the page is open.
  await page.evaluate(() => (location.hash = 'AQID'))
  await expect(page.getByRole('alert').filter({ hasText: /damaged/ })).toBeVisible()
  await expect(text(page)).toContainText('my own work')
})

test('a link made by Share opens elsewhere as it was, and the address follows changes', async ({ page, browser }) => {
  await open(page)
  await write(page, source)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it writes')
  await button(page, 'Share').click()
  const dialog = page.getByRole('dialog', { name: 'Share this project' })
  const link = await dialog.getByRole('textbox', { name: 'The link' }).inputValue()
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await button(dialog, 'Copy link').click()
  await expect(dialog).toContainText('The text is selected')
  expect(await page.evaluate(() => window.getSelection()?.toString() ?? '')).toBe(link)
  await page.keyboard.press('Escape')
  expect(page.url()).toBe(link)

  // Nothing changed: leaving a field leaves the address alone.
  await text(page).click()
  await button(page, 'Settings').focus()
  await page.waitForTimeout(300)
  expect(page.url()).toBe(link)
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('// more\n')
  await page.waitForTimeout(300)
  expect(page.url()).toBe(link)
  await button(page, 'Settings').focus()
  await expect.poll(() => page.url()).not.toBe(link)
  await page.reload()
  await expect(text(page)).toContainText('// more')
  await expect(elsewhere(page)).toHaveCount(0)

  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await expect(elsewhere(other)).toBeVisible()
  await expect(text(other)).toContainText('pipeline Tidy')
  await expect(text(other)).not.toContainText('// more')
  await other.context().close()
})

test('what is too long for a link is a file, which opens again', async ({ page }) => {
  const noise = Uint8Array.from({ length: 60_000 }, (_, at) => (Math.imul(at + 1, 2654435761) >>> 13) ^ (at >>> 3))
  await page.goto(`/${await hashOf(shared)}`)
  await expect(elsewhere(page)).toBeVisible()
  await write(page, `${source}// ${Buffer.from(noise).toString('base64')}\n`)
  await button(page, 'Share').click()
  const dialog = page.getByRole('dialog', { name: 'Share this project' })
  await expect(dialog.getByRole('alert')).toContainText('Too long for a link')
  const [download] = await Promise.all([page.waitForEvent('download'), button(dialog, 'Save as a file').click()])
  expect(download.suggestedFilename()).toBe('Tidy-notes.halo.json')
  await dialog.getByLabel('Open a shared file').setInputFiles(await download.path())
  await expect(elsewhere(page)).toContainText('came by a file')
})

test('a variable of this browser never leaves in a link', async ({ page }) => {
  await open(page)
  await button(page, 'Settings').click()
  await page.getByRole('tab', { name: 'Variables' }).click()
  await page.getByLabel('Name').fill('TOKEN')
  await page.getByLabel('Value').fill('planted-secret-1234')
  await page.getByRole('button', { name: /^(Add|Save)/ }).click()
  await page.keyboard.press('Escape')
  await write(page, `${source}// planted-secret-1234\n`)
  await button(page, 'Share').click()
  const dialog = page.getByRole('dialog', { name: 'Share this project' })
  await expect(dialog.getByRole('alert')).toContainText('TOKEN')
  await expect(dialog.getByRole('textbox', { name: 'The link' })).toHaveCount(0)
  await expect(button(dialog, 'Save as a file')).toHaveCount(0)
})
