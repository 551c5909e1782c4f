import { expect, test, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { button, cards, files, open, status, transcript, write } from './bench.ts'

/** What axe can't see: the first minute with a keyboard, a screen reader, magnified, without motion, in forced colours, and from right to left. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 100; step++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const node = document.activeElement
      return node?.getAttribute('aria-label') ?? node?.textContent?.trim() ?? ''
    })
    if (name.test(at)) return
  }
  throw new Error(`no Tab stop is ${String(name)}`)
}
async function startRun(page: Page): Promise<void> {
  await button(page, 'Run').click()
  await expect(button(cards(page).last(), 'Allow')).toHaveAttribute('aria-disabled', 'false', { timeout: 20_000 })
}

test('a call is denied with a reason by the keyboard alone, and the agent is told it', async ({ page }) => {
  await open(page)
  await page.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Scenario: a denied edit comes back another way' })
  await page.getByRole('combobox', { name: 'Mode' }).focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(button(cards(page).first(), 'Deny')).toBeVisible({ timeout: 20_000 })
  // The card has not taken the focus from where the person was.
  await expect(page.getByRole('combobox', { name: 'Mode' })).toBeFocused()
  await tabTo(page, /wants to call/)
  await page.keyboard.press('e')
  await expect(button(cards(page).first(), 'Keep as it was')).toBeVisible()
  await tabTo(page, /^Keep as it was$/)
  await page.keyboard.press('Enter')
  const reason = cards(page).first().getByRole('textbox', { name: 'Reason' })
  await tabTo(page, /^Reason$/)
  // The letters of the card's keys are letters here.
  await page.keyboard.type('add one, dear')
  await expect(reason).toHaveValue('add one, dear')
  await page.keyboard.press('Enter')
  await expect(cards(page).first()).toContainText('denied: add one, dear')
  await expect(transcript(page)).toContainText('I was not allowed to edit the file.')
})

test('a screen reader is told the first minute: the card with who, what and why, the state, and what changed', async ({ page }) => {
  await open(page)
  await startRun(page)
  await expect(cards(page).last()).toMatchAriaSnapshot(`
    - group "Fixer wants to call Code.edit":
      - heading "Fixer wants to call Code.edit write Fixing price.js" [level=3]
      - region "price.js"
      - button "Allow"
      - button "Deny"
      - textbox "Reason"
      - button "Edit arguments"
  `)
  await expect(page.getByRole('region', { name: 'Run of the pipeline' })).toMatchAriaSnapshot(`
    - region "Transcript":
      - region "1 Fixer.fix":
        - heading "1 Fixer.fix" [level=2]
        - button /ok Code.list/
        - button /ok Code.read/
        - button /refused Code.edit/
        - button /ok Shell.run node --test 2 failed, 1 passed/
        - button /running Code.edit price.js waits for you/
        - group "Fixer wants to call Code.edit"
    - status: paused
  `)
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expect(status(page)).toHaveAttribute('role', 'status')
  await expect(files(page)).toMatchAriaSnapshot(`
    - region "Files":
      - tree:
        - treeitem "price.js , changed"
  `)
  // Nothing shouts, but for the framework's word that another page was opened.
  expect(await page.locator('[aria-live=assertive]:not(#svelte-announcer)').count()).toBe(0)
})

test('at 200 % the first minute needs no scrolling to the side, and the card can be read and answered', async ({ browser }) => {
  const page = await browser.newPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, reducedMotion: 'reduce' })
  await page.goto('/')
  await button(page, 'Run').click()
  const allow = button(cards(page).last(), 'Allow')
  await expect(allow).toHaveAttribute('aria-disabled', 'false', { timeout: 20_000 })
  await allow.scrollIntoViewIfNeeded()
  for (const name of ['Allow', 'Deny', 'Edit arguments']) {
    const box = await button(cards(page).last(), name).boundingBox()
    expect(box && box.x >= 0 && box.x + box.width <= 640, name).toBe(true)
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await allow.click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await expectAccessible(page, '200 %')
  await page.close()
})

test('where motion is not wanted nothing moves', async ({ browser }) => {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  await page.addInitScript(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    for (const type of ['animationstart', 'transitionstart']) document.addEventListener(type, (event) => moved.push(`${type} ${(event.target as Element).className}`), true)
  })
  await open(page)
  await startRun(page)
  await page.getByRole('tab', { name: 'Graph', exact: true }).click()
  await button(page, 'Settings').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  const slow = await page.evaluate(() => document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().activeDuration ?? 0) > 1).length)
  expect(slow).toBe(0)
  await page.close()
})

test('in forced colours the focus, what is chosen and the state can still be told', async ({ browser }) => {
  const page = await browser.newPage({ forcedColors: 'active', colorScheme: 'dark', reducedMotion: 'reduce' })
  await open(page)
  await startRun(page)
  // A focus that a script gives is not one that a keyboard is shown.
  await page.getByRole('tab', { name: 'Run', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  const tab = page.getByRole('tab', { name: 'Plan', exact: true })
  await expect(tab).toBeFocused()
  expect(await tab.evaluate((node) => getComputedStyle(node).outlineStyle)).not.toBe('none')
  const look = (node: Element) => {
    const style = getComputedStyle(node)
    return [style.color, style.backgroundColor, style.borderBottomColor, style.borderBottomWidth, style.outlineStyle, style.fontWeight, style.textDecorationLine].join()
  }
  await page.getByRole('tab', { name: 'Run', exact: true }).click()
  const chosen = await page.getByRole('tab', { name: 'Run', exact: true, selected: true }).evaluate(look)
  const other = await page.getByRole('tab', { name: 'Recordings', exact: true, selected: false }).evaluate(look)
  expect(chosen).not.toBe(other)
  const border = await cards(page).last().evaluate((node) => getComputedStyle(node).borderTopWidth)
  expect(parseFloat(border)).toBeGreaterThan(0)
  await button(cards(page).last(), 'Allow').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  await page.close()
})

test('values from right to left read from right to left, and leave the page as it is', async ({ page }) => {
  const hebrew = 'שלום (world), 12%!'
  await open(page)
  await write(page, `policy Ask : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
agent Clerk [mock/clerk] equips Notes requires Ask
pipeline Go(task: String) -> String : task |> Clerk.work(tools: [Notes]) |! yield("${hebrew}")
test "go" runs Go(task: "${hebrew}") :
  files "./notes" : { "a.md": "x" }
  mock Clerk.work : call("Notes.write", { path: "ב.md", content: "${hebrew}" }) then "${hebrew}"
`)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:go')
  await expect(page.getByRole('textbox', { name: 'task' })).toHaveCSS('direction', 'rtl')
  await startRun(page)
  const card = cards(page).last()
  await expect(card).toContainText(hebrew)
  /** Where the first and the last letter of a text stand on screen. */
  const ends = (selector: 'card' | 'yield') =>
    page.evaluate(
      ([text, where]) => {
        const root = where === 'card' ? document.querySelector('[data-card=approval]') : document.querySelector('[data-card=yield] pre')
        const walker = document.createTreeWalker(root ?? document.body, NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = node.textContent?.indexOf(text) ?? -1
          if (at < 0) continue
          const place = (from: number) => {
            const range = document.createRange()
            range.setStart(node, at + from)
            range.setEnd(node, at + from + 1)
            return range.getBoundingClientRect().left
          }
          return { first: place(0), last: place(text.length - 1) }
        }
        return undefined
      },
      [hebrew, selector] as const,
    )
  const shown = await ends('card')
  expect(shown && shown.first > shown.last, 'the exclamation mark stands at the left end').toBe(true)
  const box = await button(card, 'Allow').boundingBox()
  const reason = await card.getByRole('textbox', { name: 'Reason' }).boundingBox()
  expect(box && reason && box.x < reason.x + reason.width, 'the card itself goes from left to right').toBe(true)
  await button(card, 'Allow').click()
  const question = transcript(page).getByRole('group', { name: /Waits for you/ })
  await expect(question).toBeVisible({ timeout: 20_000 })
  const asked = await ends('yield')
  expect(asked && asked.first > asked.last).toBe(true)
  await expect(button(question, 'Go on')).toHaveAttribute('aria-disabled', 'false')
  await button(question, 'Go on').click()
  await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
})
