import { expect, test, type Page } from '@playwright/test'
import { button, files, open, status, transcript, write } from './bench.ts'

async function run(page: Page, source: string): Promise<void> {
  await open(page)
  await write(page, source)
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it works')
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText('completed', { timeout: 25_000 })
}
const shell = (command: string) => `
tool Shell : Bash(cwd: "./app")
pipeline Go(task: String) : task |> Shell.run(command: "${command}")
test "it works" runs Go(task: "go") :
  files "./app" : { "a.txt": "a" }
`

/** The longest time in which the page did nothing else, in ms, from now on. */
async function watchHangs(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const state = window as unknown as { longest: number }
    state.longest = 0
    let last = performance.now()
    setInterval(() => {
      state.longest = Math.max(state.longest, performance.now() - last)
      last = performance.now()
    }, 20)
  })
  return () => page.evaluate(() => (window as unknown as { longest: number }).longest)
}

test('a file of 50 MB and one that is no text do not stop the page', async ({ page }) => {
  test.setTimeout(60_000)
  await open(page)
  const longest = await watchHangs(page)
  await write(page, shell('node -e \\"require(\'fs\').writeFileSync(\'big.txt\', \'x\'.repeat(5e7))\\"; printf \'\\\\x00\\\\x01\\\\xff\' > b.bin; ls -l'))
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue('scenario:it works')
  await button(page, 'Run').click()
  await expect(status(page)).toHaveText(/completed|failed/, { timeout: 40_000 })
  await expect(transcript(page)).toContainText('big.txt')
  await files(page).getByRole('treeitem', { name: /b\.bin/ }).click()
  await expect(page.getByText('Not a text file')).toBeVisible()
  await files(page).getByRole('treeitem', { name: /big\.txt/ }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toContainText('Too long to be compared')
  expect(await longest()).toBeLessThan(3000)
})

test('thousands of files are listed in parts', async ({ page }) => {
  await run(page, shell('for i in $(seq 1 1500); do echo $i > f$i.txt; done'))
  await expect(files(page).getByRole('treeitem', { name: /^f1\.txt/ })).toBeVisible()
  expect(await files(page).getByRole('tree', { name: 'Workspace' }).getByRole('treeitem').count()).toBeLessThan(1000)
  await expect(files(page).getByRole('button', { name: /^Show more \(1\d\d\d\)$/ }).first()).toBeVisible()
})

test('files that a tool protects are marked', async ({ page }) => {
  await run(
    page,
    `
tool Code : Workspace("{{dir}}", write: true, protect: ["*.test.js"])
pipeline Go(dir: String) : dir |> Code.list()
test "it works" runs Go(dir: "./app") :
  files "./app" : { "a.js": "a", "a.test.js": "t" }
`,
  )
  await expect(files(page).getByRole('treeitem', { name: /a\.test\.js ?, protected/ })).toBeVisible()
  await expect(files(page).getByRole('treeitem', { name: /^a\.js/ })).not.toContainText('protected')
})

test('what a scenario puts into the workspace is said', async ({ page }) => {
  await run(page, shell('ls'))
  await expect(transcript(page)).toContainText('The scenario’s own file was put into the workspace first.')
})

test('typing in a file of the workspace goes on after each pause, and the file holds it', async ({ page }) => {
  await open(page)
  await files(page).getByRole('treeitem', { name: 'price.js' }).click()
  const text = page.getByRole('textbox', { name: 'Text of /shop/price.js' })
  await text.click()
  await page.keyboard.press('ControlOrMeta+Home')
  for (const part of ['// one', ' two', ' three']) {
    await page.keyboard.type(part)
    // Longer than the moment after which what was typed is written.
    await page.waitForTimeout(700)
    await expect(text).toBeFocused()
  }
  await expect(text).toContainText('// one two three')
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await page.getByRole('textbox', { name: 'Command' }).click()
  await page.keyboard.type('head -c 16 shop/price.js')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tabpanel', { name: 'Terminal' })).toContainText('// one two three', { timeout: 20_000 })
})

test('a file with the line ends of Windows stays as it is while it is looked at, and keeps them when it is edited', async ({ page }) => {
  await open(page)
  await page.getByRole('tab', { name: 'Terminal' }).click()
  const command = page.getByRole('textbox', { name: 'Command' })
  const terminal = page.getByRole('tabpanel', { name: 'Terminal' })
  const enter = async (line: string) => {
    await command.click()
    await page.keyboard.type(line)
    await page.keyboard.press('Enter')
  }
  await enter("printf 'a\\r\\nb\\r\\n' > shop/dos.txt")
  await files(page).getByRole('treeitem', { name: 'dos.txt' }).click()
  const text = page.getByRole('textbox', { name: 'Text of /shop/dos.txt' })
  await expect(text).toBeVisible()
  await enter('wc -c shop/dos.txt')
  await expect(terminal).toContainText('6 shop/dos.txt', { timeout: 20_000 })
  await text.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('c')
  await page.keyboard.press('Enter')
  await enter('wc -c shop/dos.txt')
  await expect(terminal).toContainText('9 shop/dos.txt', { timeout: 20_000 })
})

test('programs are made, renamed and deleted by keyboard, under any name a path can have, and the focus stays with them', async ({ page }) => {
  await open(page)
  await button(page, 'New file').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Name of the new file' })).toBeFocused()
  await page.keyboard.type('../out')
  await page.keyboard.press('Enter')
  await expect(page.getByText('A name like')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(button(page, 'New file')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Größe 😀')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Text of Größe 😀.halo' })).toBeFocused()
  await page.keyboard.type('// mine')
  await files(page).getByRole('treeitem', { name: 'Größe 😀.halo' }).focus()
  await page.keyboard.press('F2')
  await expect(page.getByRole('textbox', { name: 'New name of Größe 😀.halo' })).toBeFocused()
  await page.keyboard.type('size')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Text of size.halo' })).toHaveText('// mine')
  await expect(page.getByRole('textbox', { name: 'Text of size.halo' })).toBeFocused()
  await expect(files(page).getByRole('treeitem', { name: 'Größe' })).toHaveCount(0)
  await button(page, 'Program actions').focus()
  await page.keyboard.press('Enter')
  await button(page, 'Delete size.halo').focus()
  await page.keyboard.press('Enter')
  await expect(files(page).getByText('size.halo is deleted. Versions has it as it was.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Text of fix-failing-tests.halo' })).toBeFocused()
})
