/** The files a scenario starts from, in the current folder. A file of the person's own is not overwritten without asking. */
import { createInterface } from 'node:readline/promises'
import type { Sandbox } from '../lib/halo/sandbox/types.ts'
import type { Scenario } from '../lib/halo/testing/index.ts'
import { UsageError } from './exit.ts'
import { atTerminal } from './terminal.ts'

/** @param agreed overwrite without asking */
export async function writeScenarioFiles({ name, files }: Scenario, sandbox: Sandbox, agreed: boolean): Promise<void> {
  const others: string[] = []
  for (const [path, content] of Object.entries(files)) {
    const stat = await sandbox.stat(path)
    if (stat !== undefined && (stat.type !== 'file' || new TextDecoder().decode(await sandbox.read(path)) !== content)) others.push(path)
  }
  if (others.length > 0 && !agreed && !(await agrees(name, others))) {
    throw new UsageError(`The scenario ${JSON.stringify(name)} starts from its own ${others.join(', ')}, and there are others here. Run it in another folder, or move them away.`)
  }
  for (const [path, content] of Object.entries(files)) await sandbox.write(path, content)
}

async function agrees(name: string, paths: string[]): Promise<boolean> {
  if (!atTerminal()) return false
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await reader.question(`The scenario ${JSON.stringify(name)} overwrites ${paths.join(', ')}. Go on? [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    reader.close()
  }
}
