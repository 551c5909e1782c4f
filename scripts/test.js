/**
 * `npm test`: everything that must hold before a change is kept. Each step runs even when one before it failed, so that
 * one look shows every fault; the end names what failed and sums up.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { buildLibrary } from './build-lib.js'
import { installChromium } from './chromium.js'
import { root, tool } from './run.js'

const results = `${root}test-results`
let passed = 0
/** What failed, each with the first of its words: said again at the end, where a long log is read first. */
const failures = /** @type {string[]} */ ([])

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
  else failures.push(named(name, fault))
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
 * @param {string} suite
 * @param {number} code
 * @param {string} file
 * @param {(report: any) => { passed: number, failed: string[] }} read
 */
function count(suite, code, file, read) {
  let result = { passed: 0, failed: /** @type {string[]} */ ([]) }
  let fault = `it ended with code ${code}`
  try {
    result = read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (thrown) {
    fault = `no report was written: ${thrown instanceof Error ? thrown.message : thrown}`
  }
  passed += result.passed
  failures.push(...result.failed)
  // A crash, or a fault outside any test, fails the suite without a failed test in it.
  if (code !== 0 && result.failed.length === 0) failures.push(named(suite, fault))
}

/** @param {string} name @param {string} words */
const named = (name, words) =>
  `${name}\n    ${stripVTControlCharacters(words).trim().split('\n').slice(0, 6).join('\n    ')}`

/** @param {any} report of Vitest: a file that could not be loaded has a message and no tests */
const unitResults = ({ numPassedTests, testResults }) => ({
  passed: numPassedTests,
  failed: testResults.flatMap((/** @type {any} */ { name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter((/** @type {any} */ test) => test.status === 'failed')
    if (failed.length === 0) return status === 'failed' ? [named(file, message)] : []
    return failed.map((/** @type {any} */ test) =>
      named(`${file} › ${test.fullName}`, test.failureMessages.join('\n')),
    )
  }),
})

/** @param {any} report of Playwright: suites within suites, each with its tests ("specs") */
function browserResults({ stats, suites }) {
  const failed = /** @type {string[]} */ ([])
  const walk = (/** @type {any[]} */ within) => {
    for (const { specs, suites } of within) {
      for (const { ok, file, title, tests } of specs) {
        const errors = tests.flatMap((/** @type {any} */ test) =>
          test.results.flatMap((/** @type {any} */ result) => result.errors),
        )
        if (!ok) failed.push(named(`${file} › ${title}`, errors[0]?.message ?? ''))
      }
      walk(suites ?? [])
    }
  }
  walk(suites)
  return { passed: stats.expected + stats.flaky, failed }
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
  step(
    'type check',
    check('svelte-check', ['--tsconfig', './tsconfig.json', '--threshold', 'error', '--output', 'human']),
  ),
])

console.log('\nUnit, grammar and conformance tests')
const unit = await tool('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${results}/unit.json`,
])
count('unit tests', unit.code, `${results}/unit.json`, unitResults)

console.log('\nBrowser tests')
/** @type {string | undefined} */
let chromium
if (await step('a Chromium is there', async () => void (chromium = await installChromium()))) {
  if (await app) {
    const browser = await tool('playwright', ['test', '--pass-with-no-tests', '--reporter=list,json'], {
      env: {
        CHROMIUM_PATH: chromium ?? '',
        HALO_APP_BUILT: '1',
        PLAYWRIGHT_JSON_OUTPUT_FILE: `${results}/browser.json`,
      },
    })
    count('browser tests', browser.code, `${results}/browser.json`, browserResults)
  } else {
    failures.push('browser tests: they need the app, which was not built')
  }
}

if (failures.length > 0) console.log(`\nFailed:\n${failures.map((failure) => `✗ ${failure}`).join('\n')}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
