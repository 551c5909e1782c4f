import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Nothing that axe knows as a fault is on the page as it is now, and nothing is wider than it. `state` names it in a failure. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${String(node.target)} ${node.failureSummary ?? ''}`).join('\n  ')}`)
  })
  expect(found, state).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${state}: width`).toBeLessThanOrEqual(0)
}
