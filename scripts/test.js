/**
 * `npm test`: everything that must hold before a change is kept. Each step runs even when one before it failed, so that
 * one look shows every fault; the last line sums up.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { buildLibrary } from './build-lib.js'
import { installChromium } from './chromium.js'
import { root, tool } from './run.js'

const results = `${root}test-results`
let passed = 0
let failed = 0

/**
 * A step that passes or fails as a whole.
 * @param {string} name
 * @param {() => Promise<string | undefined>} step gives what is wrong, if anything
 */
async function step(name, step) {
  const started = Date.now()
  let fault
  try {
    fault = await step()
  } catch (thrown) {
    fault = thrown instanceof Error ? thrown.message : String(thrown)
  }
  if (fault === undefined) passed++
  else failed++
  console.log(`${fault === undefined ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  if (fault !== undefined) console.log(fault)
  return fault === undefined
}

/** @param {string} name @param {string[]} args */
const check = (name, args) => async () => {
  const { code, output } = await tool(name, args, { quiet: true })
  return code === 0 ? undefined : output.trim()
}

/**
 * Adds up a JSON report; a suite that left none (it crashed, or could not start) counts as one failure.
 * @param {number} code
 * @param {string} file
 * @param {(report: any) => [passed: number, failed: number]} counts
 */
function count(code, file, counts) {
  let sums = /** @type {[number, number]} */ ([0, 0])
  try {
    sums = counts(JSON.parse(readFileSync(file, 'utf8')))
  } catch (thrown) {
    console.log(`✗ no report was written: ${thrown instanceof Error ? thrown.message : thrown}`)
  }
  passed += sums[0]
  // A file that could not be loaded fails the suite without a failed test in it.
  failed += code !== 0 && sums[1] === 0 ? 1 : sums[1]
}

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })

await step('library and command line build', async () => {
  const sync = await check('svelte-kit', ['sync'])()
  if (sync) return sync
  await buildLibrary()
})

// These three need nothing of each other: one core each is busy for about the same time.
const app = step('app build', check('vite', ['build', '--logLevel', 'warn']))
await Promise.all([
  app.then(() => step('lint', check('eslint', ['.']))),
  step('type check', check('svelte-check', ['--tsconfig', './tsconfig.json', '--threshold', 'error', '--output', 'human'])),
])

console.log('\nUnit, grammar and conformance tests')
const unit = await tool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}/unit.json`])
count(unit.code, `${results}/unit.json`, (report) => [report.numPassedTests, report.numFailedTests])

console.log('\nBrowser tests')
/** @type {string | undefined} */
let chromium
if (await step('a Chromium is there', async () => void (chromium = await installChromium()))) {
  if (await app) {
    const browser = await tool('playwright', ['test', '--pass-with-no-tests', '--reporter=list,json'], {
      env: { CHROMIUM_PATH: chromium ?? '', HALO_APP_BUILT: '1', PLAYWRIGHT_JSON_OUTPUT_FILE: `${results}/browser.json` },
    })
    count(browser.code, `${results}/browser.json`, ({ stats }) => [stats.expected + stats.flaky, stats.unexpected])
  } else {
    failed++
    console.log('✗ the browser tests need the app, which was not built')
  }
}

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
