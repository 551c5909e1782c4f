/**
 * Finds a Chromium for the browser tests: CHROMIUM_PATH, Playwright's own, or the system's. When there is none,
 * `installChromium` takes Debian's, which needs root.
 */
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { run } from './run.js'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** @returns {string | undefined} */
export function findChromium() {
  const wanted = process.env.CHROMIUM_PATH
  if (wanted) {
    if (existsSync(wanted)) return wanted
    throw new Error(`CHROMIUM_PATH is ${wanted}, but there is no such file.`)
  }
  return [chromium.executablePath(), ...SYSTEM].find((path) => path !== '' && existsSync(path))
}

/** A Chromium, installed when need be. @returns {Promise<string>} */
export async function installChromium() {
  const found = findChromium()
  if (found) return found
  const how = 'Install one (Debian: apt-get install chromium; anywhere: npx playwright install chromium) or set CHROMIUM_PATH.'
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(`The browser tests need a Chromium. ${how}`)
  console.log('No Chromium found: installing it with apt-get …')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await run('apt-get', args, { quiet: true, env })
    if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${output.trim()}\n${how}`)
  }
  const installed = findChromium()
  if (!installed) throw new Error(`apt-get installed no Chromium that was found. ${how}`)
  return installed
}
