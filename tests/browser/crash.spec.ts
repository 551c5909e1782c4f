import { expect, test, type Page } from '@playwright/test'
import { button, open, status, transcript, write } from './bench.ts'
import { underWay, withLives } from './lives.ts'

/** The agent's shell sleeps long enough to be cut off in its call. */
const source = `
tool Shell : Bash(cwd: "./app")
agent Op [mock/op] equips Shell
pipeline Go(task: String) -> String : task |> Op.work(tools: [Shell])
test "it works" runs Go(task: "go") :
  files "./app" : { "a.txt": "a" }
  mock Op.work : call("Shell.run", { command: "echo begun > begun.txt; sleep 60" }) then "the end"
`

async function startCall(page: Page): Promise<void> {
  await open(page)
  await write(page, source)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it works')
  await button(page, 'Run').click()
  await expect(transcript(page).getByRole('button', { name: /Shell\.run/ })).toBeVisible({ timeout: 15_000 })
  await underWay(page, 'Shell.run')
}

async function recover(page: Page): Promise<void> {
  await open(page)
  await expect(page.getByText('1 run was cut off')).toBeVisible()
  await button(page, 'Look at it').click()
  await expect(transcript(page)).toContainText('The page closed while this run was under way')
  await button(page, 'Resume').click()
  const card = transcript(page).getByRole('group', { name: /A call was cut off/ })
  await expect(card).toContainText('Shell.run')
  await expect(card).toContainText('sleep 60')
  await expect(status(page)).toHaveText('paused')
  await card.getByRole('textbox', { name: 'Its result as JSON' }).fill('{ "exitCode": 0 ')
  await expect(button(card, 'It has happened')).toHaveAttribute('aria-disabled', 'false')
  await button(card, 'It has happened').click()
  await expect(card.getByRole('alert')).toContainText('not JSON')
  await card.getByRole('textbox', { name: 'Its result as JSON' }).fill('{ "exitCode": 0, "stdout": "done by hand" }')
  await button(card, 'It has happened').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(page)).toContainText('the end')
}

test('after a crash in mid call the person says what became of it, and the run goes on', async ({ context }) => {
  const page = await context.newPage()
  await startCall(page)
  const crashed = page.waitForEvent('crash')
  const cdp = await context.newCDPSession(page)
  void cdp.send('Page.crash').catch(() => undefined)
  await crashed
  await recover(await context.newPage())
})

test('a browser that is killed in mid call keeps the run', async ({ baseURL }) => {
  test.setTimeout(60_000)
  await withLives(baseURL, async (lives) => {
    await startCall(await lives.begin())
    await lives.end('kill')
    await recover(await lives.begin())
  })
})
