import { expect, test, type Locator, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { button, cards, choose, open, status, transcript, write } from './bench.ts'

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const graph = (page: Page): Locator => page.getByRole('region', { name: 'Graph of the pipeline' })
const view = (page: Page, name: string) => graph(page).getByText(name, { exact: true })

test('the picture shows each stage with its state, live while a run goes on', async ({ page }) => {
  await open(page)
  await tab(page, 'Graph').click()
  await expect(graph(page).getByRole('button', { name: /^1 Fixer\.fix/ })).toContainText('not begun')
  await button(page, 'Run').click()
  const allow = button(cards(page).last(), 'Allow')
  await expect(allow).toBeEnabled({ timeout: 20_000 })
  await tab(page, 'Graph').click()
  await expect(graph(page).getByRole('button', { name: /^1 Fixer\.fix running/ })).toBeVisible()
  await expect(graph(page).getByRole('button', { name: /^2 Shell\.run not begun/ })).toBeVisible()
  await tab(page, 'Run').click()
  await page.waitForTimeout(600)
  await allow.click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await tab(page, 'Graph').click()
  await expect(graph(page).getByRole('button', { name: /^1 Fixer\.fix done, .*6 requests/ })).toBeVisible()

  // From a stage to its place in the file, and to that in the transcript.
  await graph(page).getByRole('button', { name: /^2 Shell\.run/ }).click()
  await expect(page.getByRole('region', { name: 'Editor' }).getByRole('textbox', { name: /^Text of/ })).toBeFocused()
  await button(graph(page), 'Show in the transcript').click()
  await expect(transcript(page).getByRole('region', { name: '2 Shell.run' })).toBeFocused()
})

test('the outline and the timeline have the same facts as text', async ({ page }) => {
  await open(page)
  await button(page, 'Run').click()
  const allow = button(cards(page).last(), 'Allow')
  await expect(allow).toBeEnabled({ timeout: 20_000 })
  await page.waitForTimeout(600)
  await allow.click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await tab(page, 'Graph').click()
  await view(page, 'Outline').click()
  const stage = graph(page).getByRole('listitem').filter({ hasText: '1 Fixer.fix' })
  await expect(stage).toContainText(/done, .*6 requests, \d calls/)
  await view(page, 'Timeline').click()
  const rows = graph(page).getByRole('row')
  await expect(rows).toHaveCount(13)
  await expect(rows.nth(1)).toContainText('1 Fixer.fix')
  await button(rows.last(), '2 Shell.run').click()
  await expect(graph(page).getByRole('group', { name: 'Chosen stage' })).toContainText('2 Shell.run')
})

test('a pipeline that an agent calls is drawn within the agent, in picture and outline', async ({ page }) => {
  await open(page)
  await write(
    page,
    [
      'agent A [mock/a]', 'tool Find : Pipeline(Inner)', 'agent Boss [mock/boss]', '  equips Find', '',
      'pipeline Inner(text: String = "") -> Any:', '  text', '    |> A.inside("In")', '',
      'pipeline Main(text: String = "x") -> Any:', '  text', '    |> Boss.lead("Lead", tools: [Find])', '',
    ].join('\n'),
  )
  await tab(page, 'Graph').click()
  await page.getByRole('combobox', { name: 'Pipeline' }).selectOption('Main')
  await expect(graph(page).getByRole('button', { name: /^1 Boss\.lead/ })).toBeVisible({ timeout: 15_000 })
  await button(graph(page), 'Show the stages of Boss.lead').click()
  await expect(graph(page).getByRole('button', { name: /^1\.1 A\.inside/ })).toBeVisible()
  await expectAccessible(page, 'a pipeline within an agent')
  await view(page, 'Outline').click()
  await expect(graph(page).getByRole('button', { name: /^1\.1 A\.inside/ })).toBeVisible()
})

test('branches stand side by side, arms have their conditions, and called pipelines open', async ({ page }) => {
  await open(page)
  await write(
    page,
    [
      'agent A [mock/a]', '',
      'pipeline Inner(text: String = "") -> Any:', '  text', '    |> A.inside("In")', '',
      'pipeline Main(text: String = "x") -> Any:', '  text', '    |* {', '      A.left("Left"),', '      A.right("Right") |> Inner()', '    }',
      '    |? {', '      len(text) > 3 => A.long("Long"),', '      else => System.Value(1)', '    }', '',
    ].join('\n'),
  )
  await tab(page, 'Graph').click()
  await page.getByRole('combobox', { name: 'Pipeline' }).selectOption('Main')
  const left = graph(page).getByRole('button', { name: /^1a A\.left/ })
  const right = graph(page).getByRole('button', { name: /^1b\.1 A\.right/ })
  await expect(left).toBeVisible({ timeout: 15_000 })
  const [a, b] = [await left.boundingBox(), await right.boundingBox()]
  expect(a && b && Math.abs(a.y - b.y) < 5 && a.x + a.width <= b.x).toBe(true)
  await expect(graph(page).getByText('len(text) > 3')).toBeVisible()
  await expect(graph(page).getByRole('button', { name: /A\.inside/ })).toHaveCount(0)
  await button(graph(page), 'Show the stages of Inner').click()
  await expect(graph(page).getByRole('button', { name: /^1b\.2\.1 A\.inside/ })).toBeVisible()
  await view(page, 'Outline').click()
  await expect(graph(page).getByRole('listitem').filter({ hasText: 'A.inside' }).last()).toBeVisible()
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    test(`axe finds no fault in the graph at ${viewport.width} px in the ${colorScheme} theme`, async ({ browser }) => {
      const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' })
      if (viewport.width < 900) {
        await page.goto('/')
        await expect(transcript(page)).toContainText('Nothing has run yet.')
        await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'Review in parallel' })
      } else {
        await open(page)
        await choose(page, /parallel/i)
      }
      await button(page, 'Run').click()
      await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
      await tab(page, 'Graph').click()
      await graph(page).getByRole('button', { name: /^1a/ }).click()
      if (viewport.width < 900) await tab(page, 'Graph').click()
      for (const name of ['Picture', 'Outline', 'Timeline']) {
        await view(page, name).click()
        await expectAccessible(page, name)
      }
      await page.close()
    })
  }
}
