import { CANCELLED_WORDS, DEFAULT_TIMEOUT_MS, EXIT_CANCELLED, cut, type Executor, type ExecRequest } from './executor.ts'
import type { FileSystem } from './filesystem.ts'
import { makeFolders } from './filesystem.ts'
import { child, dirname, normalise } from './paths.ts'
import { guard, layerOf, type Layer } from './rules.ts'
import { track, type RawChange, type TrackedFiles } from './tracking.ts'
import type { ContentHash, ExecOptions, ExecResult, FileChange, FileRules, FileStat, Sandbox, SandboxHandle } from './types.ts'

export interface SandboxParts {
  files: FileSystem
  base: string
  /** Default: embedded. */
  engine?: Sandbox['engine']
  /** Called on the first exec. */
  executor(): Executor
  /** The parts of an independent copy. */
  copy(): SandboxParts
}

type Listener = (change: FileChange) => void

/** The embedded sandbox: one file system, the rules of each handle before it, and something that runs commands. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const { files, base } = parts
  const contents = new Map<ContentHash, Uint8Array>()
  const watchers = new Set<Listener>()
  let executor: Executor | undefined
  let publishing: Promise<unknown> = Promise.resolve()
  let running: Promise<unknown> = Promise.resolve()

  async function remember(content: Uint8Array | undefined): Promise<ContentHash | undefined> {
    if (!content) return undefined
    const hash = await sha256(content)
    contents.set(hash, content)
    return hash
  }

  /** Hashes are asynchronous in browsers; the queue keeps changes in the order in which they were made. */
  function publish(changes: RawChange[], listeners: readonly Listener[]): Promise<FileChange[]> {
    const done = publishing.then(async () => {
      const published: FileChange[] = []
      for (const { path, before, after } of changes) published.push({ path, before: await remember(before), after: await remember(after) })
      for (const change of published) for (const listener of [...listeners, ...watchers]) listener(change)
      return published
    })
    publishing = done.catch(() => undefined)
    return done
  }

  function handle(layers: readonly Layer[], listeners: readonly Listener[]): SandboxHandle {
    const reading = guard(files, layers)

    async function change(act: (files: FileSystem) => void): Promise<void> {
      const tracked = track(files)
      try {
        act(guard(tracked, layers))
      } finally {
        executor?.changed?.(tracked.touched())
        await publish(tracked.changes(), listeners)
      }
    }

    return {
      base,
      read: async (path) => reading.read(normalise(path, base)),
      stat: async (path) => {
        const at = normalise(path, base)
        const stat = reading.lstat(at)
        return stat && describe(at, stat)
      },
      list: async (path) => {
        const at = normalise(path, base)
        const entries: FileStat[] = []
        for (const { name } of reading.list(at)) {
          const stat = reading.lstat(child(at, name))
          if (stat) entries.push(describe(child(at, name), stat))
        }
        return entries
      },
      write: (path, content) =>
        change((f) => {
          const at = normalise(path, base)
          makeFolders(f, dirname(at))
          // A copy: the caller may go on using its array.
          f.write(at, typeof content === 'string' ? new TextEncoder().encode(content) : content.slice())
        }),
      mkdir: (path) => change((f) => makeFolders(f, normalise(path, base))),
      remove: (path) => change((f) => f.remove(normalise(path, base))),
      rename: (from, to) => change((f) => f.rename(normalise(from, base), normalise(to, base))),
      realpath: async (path) => files.realpath(normalise(path, base)),
      exec: (command, options) => exec(command, options ?? {}, layers, listeners),
      open: (rules, onChange) => handle(isLoose(rules) ? layers : [...layers, layerOf(rules, base, files)], onChange ? [...listeners, onChange] : listeners),
    }
  }

  async function exec(command: string, options: ExecOptions, layers: readonly Layer[], listeners: readonly Listener[]): Promise<ExecResult> {
    const { cwd, env, stdin, timeoutMs, signal, allow, deny, network, onOutput } = options
    const request: ExecRequest = {
      command, base, allow, deny, network,
      cwd: normalise(cwd ?? '.', base),
      env: { ...env },
      stdin: stdin ?? '',
      timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
      layers: [...layers],
    }
    // One at a time: commands share files, and an engine has one thread. Waiting doesn't count as running.
    let begun = false
    const turn = running.then(async () => {
      begun = true
      const started = performance.now()
      if (signal?.aborted) return cancelled(0)
      const tracked: TrackedFiles = track(files)
      executor ??= parts.executor()
      const result = await executor.run(request, { files: tracked, signal, onOutput })
      const durationMs = Math.round(performance.now() - started)
      const changed = await publish([...tracked.changes(), ...(result.changes ?? [])], listeners)
      const { exitCode, limit } = result
      return { exitCode, stdout: cut(result.stdout), stderr: cut(result.stderr), durationMs, changed, ...(limit && { limit }) } satisfies ExecResult
    })
    running = turn.catch(() => undefined)
    if (!signal) return turn
    return new Promise((resolve, reject) => {
      // A command still waiting for its turn ends at once; one that runs is ended by its executor.
      const leave = () => {
        if (!begun) resolve(cancelled(0))
      }
      signal.addEventListener('abort', leave, { once: true })
      turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      if (signal.aborted) leave()
    })
  }

  const own = handle([], [])
  return {
    ...own,
    engine: parts.engine ?? 'embedded',
    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    content: async (hash) => contents.get(hash),
    fork: async () => {
      await running
      return createSandbox(parts.copy())
    },
    dispose: () => executor?.dispose(),
  }
}

/** Rules that change nothing make no layer. */
function isLoose(rules: FileRules): boolean {
  return !rules.roots && rules.write !== false && !rules.protect?.length
}

function cancelled(durationMs: number): ExecResult {
  return { exitCode: EXIT_CANCELLED, stdout: '', stderr: `${CANCELLED_WORDS}\n`, durationMs, changed: [], limit: 'cancelled' }
}

function describe(path: string, stat: { type: FileStat['type']; size: number; modified: number }): FileStat {
  return { path, type: stat.type, size: stat.size, modified: stat.modified }
}

async function sha256(content: Uint8Array): Promise<ContentHash> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content as BufferSource))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
