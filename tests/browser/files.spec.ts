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
