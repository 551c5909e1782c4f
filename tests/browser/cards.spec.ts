import { expect, test } from '@playwright/test'
import { button, cards, choose, files, open, status, transcript, write } from './bench.ts'

const note = (lines: string, rest = '') => `
policy Careful : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
agent Clerk [mock/clerk] equips Notes requires Careful
pipeline Tidy(task: String) -> String : task |> Clerk.work(tools: [Notes])
test "it writes" runs Tidy(task: "tidy") :
  files "./notes" : { "a.md": "one\\ntwo\\n" }
  mock Clerk.work : ${lines}
${rest}`

async function start(page: import('@playwright/test').Page, source: string) {
  await open(page)
  await write(page, source)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it writes')
  await button(page, 'Run').click()
}

test('a card says who wants what, under which policy, with which effect, and shows a diff', async ({ page }) => {
  await start(page, note('call("Notes.write", { path: "a.md", content: "one\\nthree\\n" }) then "done"'))
  const card = cards(page).last()
  await expect(card).toHaveAccessibleName(/Clerk wants to call Notes\.write/)
  await expect(card).toContainText('Careful')
  await expect(card).toContainText('write')
  await expect(card.getByText('removed: ').locator('..')).toContainText('two')
  await expect(card.getByText('added: ').locator('..')).toContainText('three')
})

test('Allow is inert for half a second after a card appears', async ({ page }) => {
  // Presses Allow in the very moment in which it comes, as a hand would that was about to press something else.
  await page.addInitScript(() => {
    const seen = new MutationObserver(() => {
      const allow = [...document.querySelectorAll('button')].find((node) => node.textContent?.trim().startsWith('Allow'))
      if (!allow) return
      seen.disconnect()
      document.documentElement.dataset.pressed = allow.getAttribute('aria-disabled') ?? 'false'
      allow.click()
    })
    seen.observe(document, { subtree: true, childList: true })
  })
  await start(page, note('call("Notes.write", { path: "a.md", content: "x" }) then "done"'))
  const allow = button(cards(page).last(), 'Allow')
  await expect(allow).toBeEnabled()
  await expect(page.locator('html')).toHaveAttribute('data-pressed', 'true')
  await expect(status(page)).toHaveText('paused')
  await allow.click()
  await expect(status(page)).toHaveText('completed')
})

test('the keys A, D and E work only while the card has the focus', async ({ page }) => {
  await start(page, note('call("Notes.write", { path: "a.md", content: "x" }) then "done"'))
  const card = cards(page).last()
  await expect(button(card, 'Allow')).toBeEnabled()
  await page.keyboard.press('a')
  await page.keyboard.press('d')
  await expect(status(page)).toHaveText('paused')
  const reason = card.getByRole('textbox', { name: 'Reason' })
  await reason.fill('')
  await reason.press('a')
  await expect(status(page)).toHaveText('paused')
  await card.focus()
  await page.keyboard.press('a')
  await expect(status(page)).toHaveText('completed')
  await expect(card).toContainText('allowed')
})

test('a card never takes the focus from the text that is being typed', async ({ page }) => {
  await open(page)
  await write(page, note('call("Notes.write", { path: "a.md", content: "x" }) then "done"'))
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it writes')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(button(cards(page).last(), 'Allow')).toBeEnabled()
  await page.keyboard.type('// a')
  await expect(page.getByRole('textbox', { name: /^Text of/ })).toBeFocused()
  await expect(status(page)).toHaveText('paused')
})

test('edited arguments are checked as JSON, and the call runs as edited', async ({ page }) => {
  await start(page, note('call("Notes.write", { path: "a.md", content: "x" }) then "done"'))
  const card = cards(page).last()
  await button(card, 'Edit arguments').click()
  const field = card.getByRole('textbox', { name: 'Arguments as JSON' })
  await field.fill('{ "path": ')
  await expect(card.getByRole('alert')).toContainText('not JSON')
  await field.fill('{ "path": "b.md", "content": "edited" }')
  await button(card, 'Allow as edited').click()
  await expect(status(page)).toHaveText('completed')
  await expect(files(page).getByRole('treeitem', { name: /b\.md ?, added/ })).toBeVisible()
})

test('"every call of this tool" answers the calls that come after', async ({ page }) => {
  await start(page, note('call("Notes.write", { path: "a.md", content: "x" }) then call("Notes.write", { path: "b.md", content: "y" }) then "done"'))
  const card = cards(page).first()
  await button(card, 'Always').click()
  await button(card, 'Every Notes.write of this agent, until the run ends').click()
  await expect(status(page)).toHaveText('completed')
  await expect(cards(page).last()).toContainText('allowed, as you said before')
})

test('several cards at once are answered together', async ({ page }) => {
  await open(page)
  await write(
    page,
    `policy Careful : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
agent A [mock/a] equips Notes requires Careful
agent B [mock/b] equips Notes requires Careful
pipeline Both(task: String) : task |* { A.work(tools: [Notes]), B.work(tools: [Notes]) }
test "it writes" runs Both(task: "go") :
  mock A.work : call("Notes.write", { path: "a.md", content: "a" }) then "a"
  mock B.work : call("Notes.write", { path: "b.md", content: "b" }) then "b"
`,
  )
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it writes')
  await button(page, 'Run').click()
  await expect(cards(page)).toHaveCount(2)
  await button(page, 'Yes to all 2').click()
  await expect(status(page)).toHaveText('completed')
})

test('hidden and look-alike characters are shown for what they are', async ({ page }) => {
  await start(page, note('call("Notes.write", { path: "p\\u0430y\\u202Egpj.md", content: "x\\u200By" }) then "done"'))
  const card = cards(page).last()
  await expect(card).toContainText('U+0430')
  await expect(card).toContainText('U+202E')
  await expect(card).toContainText('U+200B')
  await expect(card).toContainText('hidden or look like others')
})

test('a shell command is shown in its parts', async ({ page }) => {
  await open(page)
  await write(
    page,
    `policy Careful : ApproveTools("Shell.run")
tool Shell : Bash(cwd: "./app")
agent Op [mock/op] equips Shell requires Careful
pipeline Go(task: String) -> String : task |> Op.work(tools: [Shell])
test "it writes" runs Go(task: "go") :
  mock Op.work : call("Shell.run", { command: "echo hi && ls | wc -l > n.txt" }) then "done"
`,
  )
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it writes')
  await button(page, 'Run').click()
  const command = cards(page).last().getByRole('region', { name: 'Shell.run' })
  await expect(command).toContainText(/&&\s*ls/)
  await expect(command).toContainText(/\|\s*wc/)
})

test('a yield waits with its message, and an answer flows on', async ({ page }) => {
  await open(page)
  await choose(page, /confirm|before sending/i)
  await button(page, 'Run').click()
  const card = transcript(page).getByRole('group', { name: /Waits for you/ })
  await expect(card).toBeVisible()
  await button(card, 'End here').click()
  await expect(status(page)).toHaveText('declined')
})
