/**
 * Where tools keep files and run commands. One interface; the embedded engine (files in memory or on disk, a shell and a
 * JavaScript engine in a worker) and WebContainers implement it, and one contract suite tests both.
 *
 * Paths handed in are resolved against `base` (`/` in memory, the current folder on a disk).
 */

/** A content hash, hex SHA-256. */
export type ContentHash = string

export interface FileChange {
  /** Absolute, normalised. */
  path: string
  /** undefined: it did not exist before. */
  before?: ContentHash
  /** undefined: it does not exist any more. */
  after?: ContentHash
}

export interface FileStat {
  path: string
  type: 'file' | 'directory' | 'symlink'
  size: number
  /** Milliseconds since the epoch. */
  modified: number
}

/** What a handle may reach. Held by the file system itself, so every route to a file keeps to it. */
export interface FileRules {
  /** Folders outside of which nothing is seen or changed; relative to `base`. Absent: everything. */
  roots?: string[]
  /** false: every change is refused. */
  write?: boolean
  /** Globs (relative to each root, `**` crosses folders) of files that may be read but never changed, moved or replaced. */
  protect?: string[]
}

export interface ExecOptions {
  /** Working folder, relative to `base`. */
  cwd?: string
  env?: Record<string, string>
  stdin?: string
  /** Milliseconds of wall clock. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Globs on the resolved argv, tried command by command at dispatch. */
  allow?: string[]
  deny?: string[]
  /** URL prefixes that commands may fetch; absent: no network. */
  network?: string[]
  /** Output as it comes, for the transcript and the terminal. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void
}

export interface ExecResult {
  exitCode: number
  stdout: string
  stderr: string
  durationMs: number
  changed: FileChange[]
  /** Set when a limit ended it; says which in words (also the last line of stderr). */
  limit?: 'time' | 'memory' | 'output' | 'files' | 'cancelled'
}

/** Files and commands, seen through rules. Every method throws `FileError` with words for the model. */
export interface SandboxHandle {
  readonly base: string
  read(path: string): Promise<Uint8Array>
  /** undefined when there is nothing. */
  stat(path: string): Promise<FileStat | undefined>
  /** Entries of a folder, by name. */
  list(path: string): Promise<FileStat[]>
  write(path: string, content: Uint8Array | string): Promise<void>
  mkdir(path: string): Promise<void>
  /** A file, a link or an empty folder. */
  remove(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** The normal form: `.`, `..`, `//`, NFC; links resolved by the nearest existing parent. Absolute. Doesn't throw when nothing is there. */
  realpath(path: string): Promise<string>
  exec(command: string, options?: ExecOptions): Promise<ExecResult>
  /** A narrower view of the same files; rules add up, never loosen. Changes are reported to both. */
  open(rules: FileRules, onChange?: (change: FileChange) => void): SandboxHandle
}

export interface Sandbox extends SandboxHandle {
  readonly engine: 'embedded' | 'webcontainer'
  /** Every change by anyone, in order. Returns the way to stop listening. */
  watch(listener: (change: FileChange) => void): () => void
  /** Content by hash, for as long as the sandbox lives; undefined when it was never seen. */
  content(hash: ContentHash): Promise<Uint8Array | undefined>
  /** An independent copy of all files: tests, mocks and forks write there. */
  fork(): Promise<Sandbox>
  dispose(): void | Promise<void>
}

/** Called once per runtime, on first use. */
export type SandboxFactory = () => Sandbox | Promise<Sandbox>

/** A refused or impossible file operation; `message` is for a person or a model, without machine paths. */
export class FileError extends Error {
  readonly code: 'not_found' | 'exists' | 'is_directory' | 'not_directory' | 'not_empty' | 'outside' | 'protected' | 'read_only' | 'too_large' | 'invalid'
  constructor(code: FileError['code'], message: string) {
    super(message)
    this.name = 'FileError'
    this.code = code
  }
}
