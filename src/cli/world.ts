/** What a run of the command line has at hand: the current folder's files, the environment, the clock of this machine. */
import { credentialsFromEnv } from '../lib/halo/models/credentials.ts'
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

/** Keys of model providers, from `OPENAI_API_KEY` and so on. */
export const keys = credentialsFromEnv(process.env)

/**
 * The variables a program names as `Env.NAME`, and no others: the values of Env are kept out of what a run says, and PATH or
 * HOME among them would black out half of it.
 */
export function environmentOf(sources: Iterable<string>): Record<string, string> {
  const env: Record<string, string> = {}
  for (const source of sources) {
    for (const [, name = ''] of source.matchAll(/\bEnv\s*\.\s*([A-Za-z_]\w*)/g)) {
      const value = process.env[name]
      if (value !== undefined) env[name] = value
    }
  }
  return env
}
