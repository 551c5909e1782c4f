import type { Command, ResolvedCommandContext } from 'just-bash/browser'
import type { FileSystem } from '../../filesystem.ts'
import { bytesOf, textOf } from '../encoding.ts'
import type { ProgramWorld } from '../js/process.ts'

export interface CommandResult {
  stdout: string
  stderr: string
  exitCode: number
  stdoutKind?: 'text' | 'bytes'
  stdoutEncoding?: 'binary'
}

/** What commands of this sandbox have beside the shell's own context. */
export interface CommandWorld extends ProgramWorld {
  files: FileSystem
  /** Runs a shell command line in a shell of its own, that allow lists don't hold (deny lists do). */
  shell(command: string, options: { cwd: string; env: Record<string, string>; stdin: string; args: string[] }): Promise<CommandResult>
  /** Set when a limit ended a program: the whole command ends with it. */
  ended(limit: 'time' | 'memory' | 'output' | 'cancelled'): void
}

export type Run = (args: string[], world: CommandWorld, context: ResolvedCommandContext) => Promise<CommandResult> | CommandResult

export function command(name: string, world: CommandWorld, run: Run): Command {
  return { name, execute: async (args, context) => run(args, world, context) }
}

export function fails(name: string, message: string, exitCode = 1): CommandResult {
  return { stdout: '', stderr: `${name}: ${message}\n`, exitCode }
}

/** Bytes as the shell's pipes carry them. */
export function bytesResult(stdout: Uint8Array, stderr: Uint8Array, exitCode: number): CommandResult {
  return { stdout: textOf(stdout, 'latin1'), stdoutKind: 'bytes', stdoutEncoding: 'binary', stderr: textOf(stderr), exitCode }
}

/** Standard input as text, of a command's context: a pipe carries bytes, one per character. */
export function stdinText(context: ResolvedCommandContext): string {
  return textOf(stdinBytes(context))
}
export function stdinBytes(context: ResolvedCommandContext): Uint8Array {
  return bytesOf(String(context.stdin as unknown as string), 'latin1')
}

export function exported(context: ResolvedCommandContext): Record<string, string> {
  return { ...(context.exportedEnv ?? Object.fromEntries(context.env)) }
}
