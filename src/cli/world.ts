/** What a run of the command line has at hand: the current folder's files, the environment, the clock of this machine. */
import type { RegexRunner } from '../lib/halo/policy/types.ts'
import type { Sandbox, SandboxFactory } from '../lib/halo/sandbox/types.ts'
import { nodeSandbox } from './node-sandbox.ts'
import { nodeRegexRunner } from './regex-runner.ts'

export interface FolderWorld {
  sandbox: SandboxFactory
  regexRunner: RegexRunner
  /** Ends what the world has started: without it the process would not end. */
  dispose(): Promise<void>
}

export function worldOfFolder(folder = process.cwd()): FolderWorld {
  let sandbox: Sandbox | undefined
  const regex = nodeRegexRunner()
  return {
    sandbox: () => (sandbox ??= nodeSandbox({ base: folder })),
    regexRunner: regex,
    async dispose() {
      await sandbox?.dispose()
      regex.close()
    },
  }
}

/** The environment as tool declarations see it (`Env.NAME`). */
export function environment(): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  return env
}
