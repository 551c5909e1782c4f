import { Bash, type IFileSystem } from 'just-bash/browser'
import { EXIT_CANCELLED, EXIT_TIMEOUT, CANCELLED_WORDS, timeoutWords, withLine, type Executed, type ExecRequest } from '../executor.ts'
import type { FileSystem } from '../filesystem.ts'
import { megabytes, MemoryFileSystem } from '../memory-files.ts'
import { guard } from '../rules.ts'
import { bun } from './commands/bun.ts'
import { gzip } from './commands/gzip.ts'
import { node } from './commands/node.ts'
import { npm } from './commands/npm.ts'
import { patch } from './commands/patch.ts'
import { command, type CommandResult, type CommandWorld, type Run } from './commands/program.ts'
import { cmp, explainAbsent, mktemp, nproc, realpath, shuf, uname, yes } from './commands/small.ts'
import { tar } from './commands/tar.ts'
import { gate, guardCommands, type Gate } from './dispatch.ts'
import { meter } from './meter.ts'
import { mount, systemFiles } from './mount.ts'
import { networkFetch } from './network.ts'
import { shellFiles } from './shell-files.ts'
import type { WasmSource } from './js/quickjs.ts'

export interface EngineLimits {
  /** Bytes of one JavaScript program's memory. */
  memoryBytes: number
  /** Bytes that one command line may write to its output. */
  outputBytes: number
  /** Bytes by which one command line may grow the files. */
  writtenBytes: number
  /** Files, folders and links that one command line may make. */
  createdEntries: number
}
export const engineLimits: EngineLimits = { memoryBytes: 256 << 20, outputBytes: 16 << 20, writtenBytes: 256 << 20, createdEntries: 20_000 }

export interface EngineOptions {
  wasm?: WasmSource
  limits?: Partial<EngineLimits>
}

export interface EngineHooks {
  /** Read between commands and inside of programs. */
  cancelled(): boolean
  /** Before each command: whoever keeps a copy of the files may be told now. */
  onDispatch?(): void
  onOutput?(stream: 'stdout' | 'stderr', text: string): void
}

export interface Engine {
  exec(request: ExecRequest, files: FileSystem, hooks: EngineHooks): Promise<Executed>
}

const OWN: Record<string, Run> = { node: node('node'), tsx: node('tsx'), npm, bun, tar, gzip: gzip('gzip'), gunzip: gzip('gunzip'), zcat: gzip('zcat'), patch, realpath, mktemp, cmp, shuf, yes, nproc, uname }

/** just-bash and QuickJS on one file system. Keeps /tmp and the like between commands, nothing else. */
export function createEngine(options: EngineOptions = {}): Engine {
  const limits = { ...engineLimits, ...options.limits }
  const commands = Object.keys(OWN)
  let system: MemoryFileSystem | undefined

  async function exec(request: ExecRequest, raw: FileSystem, hooks: EngineHooks): Promise<Executed> {
    const deadline = performance.now() + request.timeoutMs
    const remaining = () => deadline - performance.now()
    let limit: Executed['limit']
    const over = () => {
      if (limit === undefined && hooks.cancelled()) limit = 'cancelled'
      if (limit === undefined && remaining() <= 0) limit = 'time'
      return limit !== undefined
    }
    system ??= systemFiles([...commands, ...new Bash().fs.getAllPaths().filter((p) => p.startsWith('/bin/')).map((p) => p.slice(5))])
    const metered = meter(raw, limits, () => (limit ??= 'files'))
    const { files, isSystem } = mount(guard(metered, request.layers), system, raw, request.base, request.layers)
    const commandFiles = shellFiles(files)
    const signal = pollingSignal(over)
    const sleep = async (ms: number) => {
      for (const until = performance.now() + ms; !over(); ) {
        const left = until - performance.now()
        if (left <= 0) return
        await new Promise((resolve) => setTimeout(resolve, Math.min(left, 50)))
      }
    }
    const world: CommandWorld = {
      files, remaining, sleep,
      wasm: options.wasm,
      memoryBytes: limits.memoryBytes,
      maxOutputBytes: limits.outputBytes,
      cancelled: over,
      fetch: networkFetch(request.network, remaining),
      ended: (reached) => (limit ??= reached),
      // Inside an allowed runner the file system and the network hold, and what is denied stays denied.
      shell: (line, { cwd, env, stdin, args }) => run([line, ...args.map(quoted)].join(' '), gate(undefined, request.deny), { cwd, env, stdin }),
    }

    async function run(line: string, theGate: Gate, place: { cwd: string; env: Record<string, string>; stdin: string }): Promise<CommandResult> {
      const shell = new Bash({
        fs: shellFiles(files, (path) => {
          const why = theGate.active && !isSystem(path) ? theGate.refusesRedirect(path) : undefined
          if (why !== undefined) throw Object.assign(new Error(`EACCES: permission denied (${why})`), { code: 'EACCES' })
        }) as IFileSystem,
        cwd: place.cwd,
        env: { HOME: '/home/user', USER: 'user', PATH: '/usr/local/bin:/usr/bin:/bin', SHELL: '/bin/bash', LANG: 'C.UTF-8', PWD: place.cwd, TERM: 'dumb', ...place.env },
        sleep,
        defenseInDepth: false,
        customCommands: Object.entries(OWN).map(([name, own]) => command(name, world, own)),
        ...(request.network && { fetch: shellFetch(world) }),
        executionLimits: {
          // The signal ends it in time, with the words for it; this one stands behind.
          maxExecutionTimeMs: Math.max(1, Math.ceil(remaining())) + 250,
          maxOutputSize: limits.outputBytes,
          maxStringLength: 16 << 20,
          maxLiveBytes: 256 << 20,
          maxLoopIterations: 10_000_000,
          maxCommandCount: 1_000_000,
          maxWorkUnits: 100_000_000,
          maxCallDepth: 100,
        },
      })
      guardCommands(shell, theGate, commandFiles, () => hooks.onDispatch?.())
      return shell.exec(`set -o pipefail; ${line}`, { stdin: place.stdin, signal, rawScript: true })
    }

    if (!files.stat(request.cwd)) return { exitCode: 1, stdout: '', stderr: `bash: cd: ${request.cwd}: No such file or directory\n` }
    let result: CommandResult
    try {
      result = await run(request.command, gate(request.allow, request.deny), { cwd: request.cwd, env: request.env, stdin: request.stdin })
    } catch (error) {
      result = { stdout: '', stderr: `bash: ${error instanceof Error ? error.message : String(error)}\n`, exitCode: 1 }
    }
    over()
    if (limit === undefined && /output (?:size )?limit exceeded|total output size/i.test(result.stderr)) limit = 'output'
    const ended = withLimit(result, limit, request, limits)
    if (hooks.onOutput) {
      if (ended.stdout) hooks.onOutput('stdout', ended.stdout)
      if (ended.stderr) hooks.onOutput('stderr', ended.stderr)
    }
    return ended
  }

  return { exec }
}

function withLimit(result: CommandResult, limit: Executed['limit'], request: ExecRequest, limits: EngineLimits): Executed {
  const { exitCode } = result
  const stdout = explainAbsent(result.stdout)
  const stderr = explainAbsent(result.stderr)
  if (limit === undefined) return { stdout, stderr, exitCode }
  const words = {
    time: timeoutWords(request.timeoutMs),
    cancelled: CANCELLED_WORDS,
    memory: `The program was stopped: it needed more than its ${megabytes(limits.memoryBytes)} of memory.`,
    output: `The command was stopped: it wrote more than ${megabytes(limits.outputBytes)}.`,
    files: `The command was stopped: it made more than ${limits.createdEntries} files, or wrote more than ${megabytes(limits.writtenBytes)}.`,
  }[limit]
  // What a program's own end says about it stands, where it says anything.
  const code = { time: EXIT_TIMEOUT, cancelled: EXIT_CANCELLED, memory: 137, output: 1, files: exitCode === 0 || exitCode === EXIT_TIMEOUT ? 1 : exitCode }[limit]
  return { stdout, stderr: withLine(stderr.replace(/^bash: (?:execution aborted|.*exceeded its execution deadline)\n/gm, ''), words), exitCode: code, limit }
}

/**
 * An abort signal that is looked up instead of fired: a busy shell runs in microtasks, in which no event is delivered, but
 * it reads `aborted` at each statement.
 */
function pollingSignal(over: () => boolean): AbortSignal {
  const { signal } = new AbortController()
  return Object.defineProperties(signal, {
    aborted: { get: over },
    throwIfAborted: { value: () => { if (over()) throw new DOMException('The command was stopped.', 'AbortError') } },
  })
}

/** A word as the shell reads it back. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function shellFetch(world: CommandWorld) {
  return async (url: string, init: { method?: string; headers?: Headers | Record<string, string>; body?: string } = {}) => {
    const answer = await world.fetch(url, { method: init.method ?? 'GET', headers: [...new Headers(init.headers)], body: init.body === undefined ? null : btoa(String.fromCharCode(...new TextEncoder().encode(init.body))) })
    return { status: answer.status, statusText: answer.statusText, headers: Object.fromEntries(answer.headers), url: answer.url, body: Uint8Array.from(atob(answer.body), (c) => c.charCodeAt(0)) }
  }
}
