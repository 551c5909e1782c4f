import { expect, test } from '@playwright/test'
import { open } from './bench.ts'

test('a line of the plan leads to its place in the file, and the cursor to its line of the plan', async ({ page }) => {
  await open(page)
  await page.getByRole('tab', { name: 'Plan', exact: true }).click()
  const plan = page.getByRole('region', { name: 'Plan of the pipeline' })
  const stage = plan.getByRole('listitem').filter({ hasText: 'Fixer' }).first()
  await stage.getByRole('button').click()
  const editor = page.getByRole('textbox', { name: /^Text of/ })
  await expect(editor).toBeFocused()
  await expect(page.locator('.cm-activeLine')).toContainText('Fixer')
  await expect(stage).toHaveAttribute('aria-current', 'location')
  await page.keyboard.press('ControlOrMeta+Home')
  await expect(plan.locator('[aria-current]')).toHaveCount(0)
})

test('the plan follows what is typed', async ({ page }) => {
  await open(page)
  await page.getByRole('tab', { name: 'Plan', exact: true }).click()
  const plan = page.getByRole('region', { name: 'Plan of the pipeline' })
  await expect(plan.getByRole('listitem').first()).toBeVisible()
  const before = await plan.innerText()
  await page.getByRole('textbox', { name: /^Text of/ }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText('tool Shell : Bash\npipeline Go(task: String) : task |> Shell.run(command: "ls")\n')
  await expect(plan).toContainText('Shell.run')
  await expect.poll(() => plan.innerText()).not.toBe(before)
  await expect(plan).not.toContainText('Fixer')
})
