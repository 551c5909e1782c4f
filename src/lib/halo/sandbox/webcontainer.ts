import { bootContainer, type Container } from './container.ts'
import { createSandbox, type SandboxParts } from './create.ts'
import { CANCELLED_WORDS, EXIT_CANCELLED, EXIT_TIMEOUT, timeoutWords, withLine, type ExecHooks, type Executed, type Executor, type ExecRequest } from './executor.ts'
import { gate } from './engine/dispatch.ts'
import { exactly, makeFolders, removeTree, walkUp } from './filesystem.ts'
import { MemoryFileSystem } from './memory-files.ts'
import { basename, child, dirname } from './paths.ts'
import { guard } from './rules.ts'
import { sameBytes } from './tracking.ts'
import { FileError, type Sandbox } from './types.ts'

/**
 * A sandbox whose commands run in a WebContainer: real Node and npm, with a network, which this can't hold back. Files are
 * the page's, as in the embedded one: they go in before a command and what it changed comes out after it, through the rules.
 * The container comes with the first command. Standard output and error come as one stream.
 */
export function webContainerSandbox(options: { files?: Record<string, string | Uint8Array>; from?: MemoryFileSystem; boot?: () => Promise<Container> } = {}): Sandbox {
  const boot = options.boot ?? bootContainer
  const parts = (files: MemoryFileSystem): SandboxParts => ({
    files,
    base: '/',
    engine: 'webcontainer',
    executor: () => containerExecutor(files, boot),
    copy: () => parts(files.copy()),
  })
  return createSandbox(parts(options.from ?? new MemoryFileSystem({ files: options.files })))
}

function containerExecutor(files: MemoryFileSystem, boot: () => Promise<Container>): Executor {
  let container: Promise<Container> | undefined
  /** What the container has, as far as known: contents by path, undefined for folders. */
  const inside = new Map<string, Uint8Array | undefined>()

  async function start(): Promise<Container> {
    container ??= boot()
    try {
      return await container
    } catch (error) {
      container = undefined
      throw new Error(`WebContainers could not be started: ${error instanceof Error ? error.message : String(error)} The embedded engine needs none of this.`, { cause: error })
    }
  }

  /** Brings the page's files in: what is new or differs, and removals. Links have no counterpart there and go in as copies. */
  async function bringIn(box: Container): Promise<void> {
    const wanted = new Set<string>()
    for (const { path, type } of [...walkUp(files, '/')].reverse()) {
      if (path === '/') continue
      const stat = type === 'symlink' ? files.stat(path) : { type }
      if (!stat) continue
      wanted.add(path)
      if (stat.type === 'directory') {
        if (!inside.has(path)) await box.fs.mkdir(relativePath(path), { recursive: true })
        inside.set(path, undefined)
      } else {
        const content = files.read(path)
        if (!sameBytes(inside.get(path), content)) await box.fs.writeFile(relativePath(path), content.slice())
        inside.set(path, content)
      }
    }
    for (const path of [...inside.keys()].filter((known) => !wanted.has(known)).sort((a, b) => b.length - a.length)) {
      await box.fs.rm(relativePath(path), { recursive: true, force: true })
      inside.delete(path)
    }
  }

  /** Takes out what the command changed, through its rules; what they refuse is put back as it was. */
  async function bringOut(box: Container, request: ExecRequest, hooks: ExecHooks): Promise<string[]> {
    const ruled = guard(hooks.files, request.layers)
    const refused: string[] = []
    const seen = new Set<string>()
    const attempt = async (path: string, act: () => void, undo: () => Promise<void>) => {
      try {
        act()
      } catch (error) {
        if (!(error instanceof FileError)) throw error
        refused.push(error.message)
        await undo()
      }
    }
    const visit = async (folder: string): Promise<void> => {
      for (const entry of await box.fs.readdir(relativePath(folder), { withFileTypes: true })) {
        const path = child(folder, entry.name)
        // What npm installs stays in the container: it is large, and comes from the lock file.
        if (entry.name === 'node_modules' && !files.lstat(path)) continue
        seen.add(path)
        if (entry.isDirectory()) {
          if (!files.stat(path)) await attempt(path, () => makeFolders(ruled, path), () => box.fs.rm(relativePath(path), { recursive: true, force: true }))
          if (files.stat(path)) {
            inside.set(path, undefined)
            await visit(path)
          }
          continue
        }
        const content = await box.fs.readFile(relativePath(path))
        const before = inside.get(path)
        if (inside.has(path) && sameBytes(before, content)) continue
        await attempt(
          path,
          () => ruled.write(path, content),
          () => (before ? box.fs.writeFile(relativePath(path), before.slice()) : box.fs.rm(relativePath(path), { force: true })),
        )
        const now = exactly(files, path)
        if (now?.type === 'file') inside.set(path, files.read(path))
      }
    }
    await visit('/')
    for (const path of [...inside.keys()].filter((known) => !seen.has(known)).sort((a, b) => b.length - a.length)) {
      const before = inside.get(path)
      await attempt(
        path,
        () => {
          if (files.lstat(path)) removeTree(ruled, path)
          inside.delete(path)
        },
        async () => {
          await box.fs.mkdir(relativePath(before ? dirname(path) : path), { recursive: true })
          if (before) await box.fs.writeFile(relativePath(path), before.slice())
        },
      )
    }
    return refused
  }

  async function run(request: ExecRequest, hooks: ExecHooks): Promise<Executed> {
    const done = await runIn(request, hooks)
    // The container's own errors are in its one stream; these words are ours.
    if (done.stderr !== '') hooks.onOutput?.('stderr', done.stderr)
    return done
  }

  async function runIn(request: ExecRequest, hooks: ExecHooks): Promise<Executed> {
    const why = refusal(request)
    if (why !== undefined) return { exitCode: 126, stdout: '', stderr: `${why}\n` }
    const box = await unlessStopped(start(), hooks.signal)
    if (!box) return { exitCode: EXIT_CANCELLED, stdout: '', stderr: `${CANCELLED_WORDS}\n`, limit: 'cancelled' }
    await bringIn(box)
    const process = await box.spawn('jsh', ['-c', request.command], { cwd: relativePath(request.cwd), env: request.env })
    let limit: Executed['limit']
    const stop = (reason: 'time' | 'cancelled') => {
      limit ??= reason
      process.kill()
    }
    const cancel = () => stop('cancelled')
    const timer = setTimeout(() => stop('time'), request.timeoutMs)
    hooks.signal?.addEventListener('abort', cancel, { once: true })
    if (hooks.signal?.aborted) cancel()
    let stdout = ''
    const reading = (async () => {
      if (request.stdin !== '') {
        const writer = process.input.getWriter()
        await writer.write(request.stdin)
        await writer.close()
      }
      const reader = process.output.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        stdout += part.value
        hooks.onOutput?.('stdout', part.value)
      }
    })()
    // A killed process may leave its stream open.
    const exitCode = await process.exit.finally(() => {
      clearTimeout(timer)
      hooks.signal?.removeEventListener('abort', cancel)
    })
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 200))])
    let stderr = (await bringOut(box, request, hooks)).map((words) => `${words}\n`).join('')
    if (limit) stderr = withLine(stderr, limit === 'time' ? timeoutWords(request.timeoutMs) : CANCELLED_WORDS)
    return { exitCode: limit === 'time' ? EXIT_TIMEOUT : limit ? EXIT_CANCELLED : exitCode || (stderr === '' ? 0 : 1), stdout, stderr, limit }
  }

  return {
    run,
    async dispose() {
      ;(await container?.catch(() => undefined))?.teardown()
      container = undefined
      inside.clear()
    },
  }
}

/** What comes of it, or undefined once it is no longer wanted. */
async function unlessStopped<T>(coming: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return coming
  let stop = () => {}
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  return Promise.race([coming, stopped]).finally(() => signal.removeEventListener('abort', stop))
}

/** The shell in there tells nobody what it runs, so only a plain command can be held against allow and deny. */
function refusal({ command, allow, deny }: ExecRequest): string | undefined {
  const theGate = gate(allow, deny)
  if (!theGate.active) return undefined
  if (/[^\w\s./:@%+,=-]/.test(command.trim()) || command.trim().includes('\n')) return 'On WebContainers allow and deny hold for single plain commands only, without quotes, pipes, redirections or variables.'
  const words = command.trim().split(/\s+/)
  return theGate.refuses([basename(words[0] ?? ''), ...words.slice(1)])
}

/** Its file system takes paths relative to its working folder. */
function relativePath(path: string): string {
  return path === '/' ? '.' : path.slice(1)
}
