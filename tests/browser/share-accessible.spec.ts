import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test, type Page } from '@playwright/test'
import { toLink } from '../../src/lib/app/share/codec.ts'
import { button } from './bench.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const source = `policy Careful : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
tool Net : Http(base_url: "https://api.example", headers: { authorization: Env.TOKEN })
agent Clerk [openai/gpt-4o] equips Notes, Net requires Careful
pipeline Tidy(task: String) -> String : task |> Clerk.work(tools: [Notes, Net])
test "it writes" runs Tidy(task: "tidy") :
  mock Clerk.work : "done"
`
const shared = { name: 'Tidy \u202Enotes', files: { 'main.halo': source, 'more.halo': '// more\n' }, active: 'main.halo', workspace: { '/notes/a.md': new TextEncoder().encode('x\n') }, fields: {}, mode: 'scenario:it writes' }

async function check(page: Page): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary ?? ''}`).join('\n  ')}`)
  })
  expect(found).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1440, 390]) {
    test(`sharing, what comes from elsewhere and the embedded page are sound at ${width} px, ${colorScheme}`, async ({ browser }, info) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: width === 390 ? 844 : 900 }, reducedMotion: 'reduce' })
      const page = await context.newPage()
      const shot = (name: string) => page.screenshot({ path: info.outputPath(`${name}.png`) })
      const { hash } = await toLink(shared)
      await page.goto(`/#${hash}`)
      const banner = page.getByRole('region', { name: 'From elsewhere' })
      await expect(banner).toContainText('It may:')
      // Hidden characters in a name from elsewhere are shown for what they are.
      await expect(banner).toContainText('U+202E')
      await check(page)
      await shot('banner')
      await button(page, 'Run').click()
      const ask = page.getByRole('dialog')
      await expect(button(ask, 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
      await check(page)
      await shot('ask')
      await ask.getByText('Plan of Tidy').click()
      await check(page)
      await shot('ask-plan')
      // With the keyboard alone: away with Escape, back, and on to the yes.
      await page.keyboard.press('Escape')
      await expect(ask).toHaveCount(0)
      await button(page, 'Run').press('Enter')
      await expect(button(ask, 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
      await button(ask, 'Don’t run').press('Shift+Tab')
      await expect(button(ask, 'Agree and run')).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('status').filter({ hasText: 'completed' })).toBeVisible()
      await button(page, 'Share').click()
      await expect(page.getByRole('textbox', { name: 'The link' })).toBeVisible()
      await check(page)
      await shot('share')
      const recording = page.getByRole('combobox', { name: 'A recording' })
      await recording.selectOption({ index: 1 })
      await button(page, 'Include it as shown').click()
      await expect(page.getByText('The recording is in the link.')).toBeVisible()
      await check(page)
      await shot('share-recording')
      await page.getByRole('radio', { name: 'Embed' }).check()
      await expect(page.getByRole('textbox', { name: 'HTML of the frame' })).toHaveValue(/<iframe src="http.*\/embed#/)
      await check(page)
      await page.goto(`/embed#${hash}`)
      await expect(page.getByRole('textbox', { name: /^Text of/ })).toContainText('pipeline Tidy')
      await check(page)
      await shot('embed')
      await context.close()
    })
  }
}

test('a recording that goes along can be looked at where it arrives, and nobody can go on with it', async ({ page, browser }) => {
  const { hash } = await toLink(shared)
  await page.goto(`/#${hash}`)
  await expect(page.getByRole('region', { name: 'From elsewhere' })).toContainText('It may:')
  await button(page, 'Run').click()
  await expect(button(page, 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
  await button(page, 'Agree and run').click()
  await expect(page.getByRole('status').filter({ hasText: 'completed' })).toBeVisible()
  await button(page, 'Share').click()
  await page.getByRole('combobox', { name: 'A recording' }).selectOption({ index: 1 })
  const link = page.getByRole('textbox', { name: 'The link' })
  const without = await link.inputValue()
  await button(page, 'Include it as shown').click()
  await expect(link).not.toHaveValue(without)
  const address = await link.inputValue()
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(address)
  await other.getByRole('tab', { name: 'Recordings' }).click()
  await expect(other.getByRole('tabpanel').filter({ hasText: 'Tidy' })).toContainText('completed')
  await expect(other.getByText('is waiting for you')).toHaveCount(0)
  await context.close()
})
