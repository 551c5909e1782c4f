import type { Bash, Command, IFileSystem, ResolvedCommandContext } from 'just-bash/browser'

/** `allow` and `deny` on what the shell is about to run, after all expansion. */
export interface Gate {
  /** Words of refusal, or undefined when the command may run. `deniedOnly`: it needn't be allowed. */
  refuses(argv: readonly string[], deniedOnly?: boolean): string | undefined
  /** The same for a file that the shell itself opens for writing (`> path`). */
  refusesRedirect(path: string): string | undefined
  /** false: everything may run. */
  active: boolean
}

export function gate(allow: readonly string[] | undefined, deny: readonly string[] | undefined): Gate {
  const allowed = allow?.map(pattern)
  const denied = (deny ?? []).map(pattern)
  function refuses(line: string, deniedOnly = false): string | undefined {
    const by = denied.find((p) => p.matches(line))
    if (by) return `"${short(line)}" is denied here (deny: ${by.glob})`
    if (!deniedOnly && allowed && !allowed.some((p) => p.matches(line))) return `"${short(line)}" is not allowed here; allowed: ${allowed.map((p) => p.glob).join(', ') || 'nothing'}`
    return undefined
  }
  return {
    active: allowed !== undefined || denied.length > 0,
    refuses: (argv, deniedOnly) => refuses(argv.join(' '), deniedOnly),
    refusesRedirect: (path) => refuses(`> ${path}`),
  }
}

/** `*` is any run of characters, spaces too; a glob that ends in ` *` also stands for the command alone. */
function pattern(glob: string): { glob: string; matches(line: string): boolean } {
  const parts = glob.trim().split('*')
  const bare = glob.trim().endsWith(' *') ? glob.trim().slice(0, -2) : undefined
  return { glob, matches: (line) => line === bare || matchesParts(parts, line) }
}

/** Without a regular expression: linear, and nothing in a glob can be special by accident. */
function matchesParts(parts: readonly string[], line: string): boolean {
  const [first = '', ...rest] = parts
  if (!line.startsWith(first)) return false
  if (rest.length === 0) return line === first
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = line.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return line.length - at >= last.length && line.endsWith(last)
}

const short = (line: string) => (line.length > 200 ? `${line.slice(0, 200)}…` : line)

/** Builtins that run nothing else and touch no file: they hold the shell's own state. */
const STATE_ONLY = new Set([
  ':', 'true', 'false', 'cd', 'pushd', 'popd', 'dirs', 'set', 'unset', 'export', 'local', 'declare', 'typeset', 'readonly', 'shift', 'getopts', 'let', 'shopt',
  'return', 'break', 'continue', 'exit', 'wait', 'read', 'mapfile', 'readarray', 'test', '[', 'alias', 'unalias', 'pwd', 'compgen', 'complete', 'compopt', 'hash', 'type', 'help',
  // These run others, which are tried in their turn.
  'eval', 'source', '.', 'command', 'builtin', 'exec',
])

/** Shells and runners of commands: what they run is tried, they themselves needn't be allowed. */
const RUNS_OTHERS = new Set(['bash', 'sh', 'xargs', 'env', 'time', 'timeout', 'nohup'])

/**
 * Puts the gate before every command of the registry, and gives commands the files without the gate on redirections: that
 * one is for what the shell itself opens.
 */
export function guardCommands(bash: Bash, theGate: Gate, commandFiles: IFileSystem, onDispatch: () => void): void {
  // just-bash has no hook on dispatch; its registry of commands is a Map that it keeps to itself.
  const registry = (bash as unknown as { commands?: unknown }).commands
  if (!(registry instanceof Map)) throw new Error('just-bash keeps its commands elsewhere than expected: allow and deny cannot be held.')
  for (const [name, command] of registry as Map<string, Command>) {
    registry.set(name, {
      ...command,
      execute: async (args: string[], context: ResolvedCommandContext) => {
        onDispatch()
        const why = theGate.refuses([name, ...args], STATE_ONLY.has(name) || RUNS_OTHERS.has(name))
        if (why !== undefined) return { stdout: '', stderr: `bash: ${name}: ${why}\n`, exitCode: 126 }
        return command.execute(args, Object.create(context, { fs: { value: commandFiles, enumerable: true } }) as ResolvedCommandContext)
      },
    })
  }
}
