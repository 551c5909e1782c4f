import { Type } from 'typebox'
import { relative, within } from '../../sandbox/paths.ts'
import type { FileChange } from '../../sandbox/types.ts'
import type { ProviderDefinition } from '../types.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 3_600_000

interface BashConfig {
  cwd?: string
  timeout_ms?: number
  env?: Record<string, string>
  allow?: string[]
  deny?: string[]
  network?: boolean | string[]
  root?: string | string[]
  protect?: string[]
}

/** Commands of the sandbox. */
export const bash: ProviderDefinition = {
  name: 'Bash',
  description: 'A shell on the workspace, with node, npm, bun and tsx for JavaScript and TypeScript.',
  config: Type.Object(
    {
      cwd: Type.Optional(Type.String({ format: 'path', description: 'The folder that commands run in. Default: the workspace folder.' })),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS, description: `The time one command may take. Default ${DEFAULT_TIMEOUT_MS}.` })),
      env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Environment variables of the commands.' })),
      allow: Type.Optional(Type.Array(Type.String(), { description: 'Globs; only commands whose resolved words match one may run. "bun test *" also allows "bun test". "> *" allows writing to files by redirection.' })),
      deny: Type.Optional(Type.Array(Type.String(), { description: 'Globs; commands whose resolved words match one never run.' })),
      network: Type.Optional(Type.Union([Type.Boolean(), Type.Array(Type.String())], { description: 'URL prefixes that commands may fetch. Default: none.' })),
      root: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], { format: 'path', description: 'The folder, or list of folders, outside of which commands see nothing. Default: the workspace folder.' })),
      protect: Type.Optional(Type.Array(Type.String(), { description: 'Globs of files, relative to the root, that commands can read but not change.' })),
    },
    { additionalProperties: false },
  ),
  info: {
    run: {
      description: 'Run a shell command. Gives exitCode, stdout, stderr, durationMs and the files it changed. A pipeline fails when any of its commands does.',
      effect: 'external',
      parameters: Type.Object(
        {
          command: Type.String({ minLength: 1, description: 'The command line, for bash.' }),
          stdin: Type.Optional(Type.String({ description: 'Text for the standard input.' })),
          timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS, description: 'A shorter time limit than the tool has.' })),
        },
        { additionalProperties: false },
      ),
      result: Type.Object({
        exitCode: Type.Integer(),
        stdout: Type.String(),
        stderr: Type.String(),
        durationMs: Type.Number(),
        changed: Type.Array(Type.Object({ path: Type.String(), change: Type.Union(['created', 'modified', 'deleted'].map((change) => Type.Literal(change))) }), { description: 'The files that the command changed.' }),
        limit: Type.Optional(Type.Union(['time', 'memory', 'output', 'files', 'cancelled'].map((limit) => Type.Literal(limit)), { description: 'The limit that ended it.' })),
      }),
    },
  },
  provider: (raw) => {
    const config = raw as BashConfig
    const limit = config.timeout_ms ?? DEFAULT_TIMEOUT_MS
    const network = config.network === true ? ['https://', 'http://'] : config.network || undefined
    return {
      run: async (args, context) => {
        const { command, stdin, timeout_ms } = args as { command: string; stdin?: string; timeout_ms?: number }
        const base = await context.sandbox.realpath('.')
        const cwd = await context.sandbox.realpath(config.cwd ?? '.')
        // On a real disk a shell without a root of its own is kept to the folder it works in.
        const root = config.root ?? (within(base, cwd) ? base : cwd)
        const sandbox = context.sandbox.open({ roots: [root].flat(), protect: config.protect })
        const { exitCode, stdout, stderr, durationMs, changed, limit: reached } = await sandbox.exec(command, {
          cwd, stdin, network,
          env: config.env,
          timeoutMs: Math.min(timeout_ms ?? limit, limit),
          signal: context.signal,
          allow: config.allow,
          deny: config.deny,
          onOutput: (_stream, text) => context.progress(0, undefined, text),
        })
        return { exitCode, stdout, stderr, durationMs, changed: changed.map((change) => ({ path: relative(cwd, change.path), change: kindOf(change) })), ...(reached && { limit: reached }) }
      },
    }
  },
}

function kindOf({ before, after }: FileChange): 'created' | 'modified' | 'deleted' {
  return before === undefined ? 'created' : after === undefined ? 'deleted' : 'modified'
}
