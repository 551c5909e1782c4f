import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { openaiProtocol } from '../conformance/servers/openai.ts'
import { scripted } from '../conformance/servers/script.ts'
import { button, open, status, transcript, write } from './bench.ts'
import { world } from './world.ts'

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const recording = (page: Page) => page.getByRole('region', { name: 'Recording', exact: true })
const panel = (page: Page) => page.getByRole('region', { name: 'Recordings of runs' })

async function openRecording(page: Page): Promise<void> {
  await tab(page, 'Recordings').click()
  await button(panel(page), 'Open').first().click()
  await expect(page.getByRole('slider', { name: 'Entry' })).toBeVisible()
}

test('a replay with live models asks the model anew and makes no call of a tool; same and different are told', async ({ page }) => {
  test.setTimeout(60_000)
  const model = await scripted(openaiProtocol({ path: '/v1/chat/completions' }))
  const { url, count, close } = await world()
  try {
    await open(page)
    await write(page, `tool World : Http(base_url: "${url}")
agent Poet [openai-compatible/qwen3-8b, base_url: "${model.url}/v1"]
pipeline Go(task: String = "rain") -> String : task |> World.post(path: "add", body: { n: 1 }) as it |> Poet.write("Write about {{it.body.n}}")
`)
    await expect(page.getByRole('combobox', { name: 'Pipeline' })).toHaveValue('Go')
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('live')
    model.answers.push({ text: ['Rain falls.'] })
    await button(page, 'Run').click()
    await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
    await openRecording(page)
    await button(page, 'Replay').click()
    await expect(recording(page).getByText('It ended as the recorded run did.')).toBeVisible({ timeout: 20_000 })
    expect(model.understood).toHaveLength(1)

    for (const [answer, told] of [['Rain falls.', /ended as the recorded run did/], ['Sun shines.', /Different|otherwise|not as|another/i]] as const) {
      model.answers.push({ text: [answer] })
      await recording(page).getByRole('checkbox', { name: /^Live models/ }).check()
      await button(page, 'Replay again').click()
      await expect(tab(page, 'Run')).toHaveAttribute('aria-selected', 'true')
      await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
      await expect(transcript(page)).toContainText(answer)
      await expect(page.getByText('not recorded')).toBeVisible()
      await tab(page, 'Recordings').click()
      await expect(recording(page).getByText(told).first()).toBeVisible({ timeout: 20_000 })
    }
    expect(model.understood).toHaveLength(3)
    expect(count('/add')).toBe(1)
  } finally {
    await Promise.all([model.close(), close()])
  }
})

test('a fork of an imported recording asks for agreement first: a no starts nothing, a yes only the fork', async ({ page }) => {
  const { url, count, close } = await world()
  try {
    // Somebody ran it and gave the recording away.
    await open(page)
    await write(page, `tool World : Http(base_url: "${url}")\npipeline Main(task: String = "x") -> Any :\n  task |> World.get(path: "look") as it |> World.post(path: "add", body: { n: 1 }) as made |> System.Value("made {{made.body.n}}")\n`)
    await expect(page.getByRole('combobox', { name: 'Pipeline' })).toHaveValue('Main')
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('live')
    await button(page, 'Run').click()
    await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
    await tab(page, 'Recordings').click()
    const saved = page.waitForEvent('download')
    await button(panel(page), 'Export').first().click()
    const file = await (await saved).path()
    await button(panel(page), 'Delete').first().click()
    await button(panel(page).getByRole('group'), 'Delete').click()
    await expect(panel(page)).toContainText('No runs are kept yet.')

    const chosen = page.waitForEvent('filechooser')
    await button(page, 'Import').click()
    await (await chosen).setFiles({ name: 'theirs.jsonl', mimeType: 'application/jsonl', buffer: readFileSync(file) })
    await expect(panel(page)).toContainText('Imported Main')
    const ask = page.getByRole('dialog', { name: 'Run something from elsewhere?' })
    const fork = async (): Promise<void> => {
      await openRecording(page)
      await page.getByRole('listbox', { name: 'Entries' }).press('Home')
      await button(page, 'Fork from here').click()
      await button(page.getByRole('form', { name: 'Fork' }), 'Start the fork').click()
      await expect(ask).toContainText(url)
    }
    await fork()
    await button(ask, 'Don’t run').click()
    await expect(ask).toBeHidden()
    expect([count('/look'), count('/add')]).toEqual([1, 1])
    await fork()
    await expect(button(ask, 'Agree and run')).toHaveAttribute('aria-disabled', 'false')
    await button(ask, 'Agree and run').click()
    await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
    await expect(transcript(page)).toContainText('made 2')
    // What was recorded before the fork is not asked again; the call after it is made.
    expect([count('/look'), count('/add')]).toEqual([1, 2])
  } finally {
    await close()
  }
})
