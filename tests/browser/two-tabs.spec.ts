import { expect, test } from '@playwright/test'
import { button, cards, choose, files, open, status, transcript } from './bench.ts'

test('a run of one tab is shown live in another, and an answer given there goes to it', async ({ context }) => {
  const owner = await context.newPage()
  await open(owner)
  await button(owner, 'Run').click()
  await expect(button(cards(owner).last(), 'Allow')).toBeEnabled()

  const other = await context.newPage()
  await open(other)
  await expect(other.getByText('1 run is waiting for you')).toHaveCount(0)
  await expect(other.getByText('1 run works in another tab')).toBeVisible()
  await button(other, 'Watch it').click()
  await expect(transcript(other)).toContainText('2 failed')
  await expect(status(other)).toHaveText('paused')
  const card = cards(other).last()
  await expect(button(card, 'Allow')).toBeEnabled()
  await button(card, 'Allow').click()

  await expect(status(owner)).toHaveText('completed', { timeout: 20_000 })
  await expect(status(other)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(other)).toContainText('3 passed')
  await expect(transcript(other).getByRole('button', { name: /Code\.list/ })).toHaveCount(1)
  await expect(cards(other).last()).toContainText('allowed')
  await expect(files(other).getByRole('treeitem', { name: /price\.js ?, changed/ })).toBeVisible()
})

test('the first answer counts, and a second one is told so', async ({ context }) => {
  const owner = await context.newPage()
  await open(owner)
  await owner.getByRole('combobox', { name: 'Mode' }).selectOption({ label: 'Scenario: a denied edit comes back another way' })
  await button(owner, 'Run').click()
  await expect(button(cards(owner).first(), 'Allow')).toBeEnabled()
  const other = await context.newPage()
  await open(other)
  await button(other, 'Watch it').click()
  await expect(button(cards(other).first(), 'Deny')).toBeEnabled()
  // Both answer before they hear of each other: what the other tab says is held back until the owner has answered.
  await other.evaluate(() => {
    const ask = BroadcastChannel.prototype.postMessage
    const held: (() => void)[] = []
    BroadcastChannel.prototype.postMessage = function (message: unknown) {
      held.push(() => ask.call(this, message))
    }
    Object.assign(window, { letGo: () => held.forEach((send) => send()) })
  })
  await cards(other).first().getByRole('textbox', { name: 'Reason' }).fill('too late')
  await button(cards(other).first(), 'Deny').click()
  await cards(owner).first().getByRole('textbox', { name: 'Reason' }).fill('write the whole file')
  await button(cards(owner).first(), 'Deny').click()
  await expect(cards(owner).first()).toContainText('denied: write the whole file')
  await other.evaluate(() => (window as unknown as { letGo(): void }).letGo())
  await expect(cards(other).first()).toContainText('Already decided (denied: write the whole file)')
})

test('Stop in the other tab stops the run, and a run whose tab is gone goes on in the tab that showed it', async ({ context }) => {
  const owner = await context.newPage()
  await open(owner)
  await button(owner, 'Run').click()
  await expect(button(cards(owner).last(), 'Allow')).toBeEnabled()
  const other = await context.newPage()
  await open(other)
  await button(other, 'Watch it').click()
  await expect(button(cards(other).last(), 'Allow')).toBeEnabled()
  await expect(transcript(other)).toContainText('Another tab works on this run')
  await owner.close()
  await expect(transcript(other)).not.toContainText('Another tab works on this run')
  await button(cards(other).last(), 'Allow').click()
  await expect(status(other)).toHaveText('completed', { timeout: 20_000 })
  await expect(transcript(other)).toContainText('3 passed')

  await button(other, 'Run').click()
  await expect(button(cards(other).last(), 'Allow')).toBeEnabled()
  const third = await context.newPage()
  await open(third)
  await button(third, 'Watch it').click()
  await expect(button(cards(third).last(), 'Allow')).toBeEnabled()
  await button(third, 'Stop').click()
  await expect(status(other)).toHaveText('cancelled')
  await expect(status(third)).toHaveText('cancelled')
})

test('five tabs run an example each, and none gets in the way of another', async ({ context }) => {
  test.setTimeout(60_000)
  const titles = [/fix failing/i, /note keeper/i, /review in parallel/i, /route a ticket/i, /summarise/i]
  const pages = []
  for (const title of titles) {
    const page = await context.newPage()
    await open(page)
    await choose(page, title)
    await button(page, 'Run').click()
    pages.push(page)
  }
  for (const page of pages) {
    // It asks as often as its example does; each card is allowed once it may be.
    const allow = button(transcript(page), 'Allow').last()
    const ended = status(page).filter({ hasText: /completed|failed|declined/ })
    while (!(await ended.isVisible())) {
      await expect(allow.or(ended).first()).toBeVisible({ timeout: 20_000 })
      if (await allow.isVisible()) await allow.click({ timeout: 3000 }).catch(() => undefined)
    }
    await expect(status(page)).toHaveText('completed', { timeout: 15_000 })
  }
})
