import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from 'diff'
import { makeFolders } from '../../filesystem.ts'
import { dirname, normalise } from '../../paths.ts'
import { textOf } from '../encoding.ts'
import { posixError } from '../shell-files.ts'
import { fails, stdinText, type Run } from './program.ts'

/** `patch` for unified diffs: -p, -i, -d, -R, -o, --dry-run, and one named file. */
export const patch: Run = (args, { files }, context) => {
  let strip: number | undefined
  let input: string | undefined
  let output: string | undefined
  let folder = context.cwd
  let reverse = false
  let dry = false
  let silent = false
  const words: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    const value = (short: string, long: string) => (arg === short || arg === long ? args[++i] : arg.startsWith(`${long}=`) ? arg.slice(long.length + 1) : arg.slice(short.length))
    if (/^-p/.test(arg) || arg.startsWith('--strip')) strip = Number(value('-p', '--strip'))
    else if (/^-i/.test(arg) || arg.startsWith('--input')) input = value('-i', '--input')
    else if (/^-o/.test(arg) || arg.startsWith('--output')) output = value('-o', '--output')
    else if (/^-d/.test(arg) && arg !== '--dry-run' || arg.startsWith('--directory')) folder = normalise(value('-d', '--directory') ?? '.', context.cwd)
    else if (arg === '-R' || arg === '--reverse') reverse = true
    else if (arg === '--dry-run') dry = true
    else if (arg === '-s' || arg === '--silent' || arg === '--quiet') silent = true
    else if (/^-(?:u|N|f|t|l|E|b)$/.test(arg) || ['--forward', '--force', '--batch', '--unified', '--no-backup-if-mismatch'].includes(arg)) continue
    else if (arg.startsWith('-') && arg !== '-') return fails('patch', `the option ${arg} is not here`, 2)
    else words.push(arg)
  }
  let text: string
  try {
    const from = input ?? words[1]
    text = from === undefined || from === '-' ? stdinText(context) : textOf(files.read(normalise(from, context.cwd)))
  } catch {
    return fails('patch', `**** Can't open patch file ${input ?? words[1] ?? ''} : No such file or directory`, 2)
  }
  let patches: StructuredPatch[]
  try {
    patches = parsePatch(text).filter((p) => p.hunks.length > 0)
  } catch (error) {
    return fails('patch', `**** malformed patch: ${error instanceof Error ? error.message : String(error)}`, 2)
  }
  if (patches.length === 0) return fails('patch', '**** Only garbage was found in the patch input.', 2)
  const lines: string[] = []
  let failed = false
  for (const parsed of patches) {
    const one = reverse ? reversePatch(parsed) : parsed
    const name = words[0] ?? target(one, strip, (path) => files.stat(normalise(path, folder)) !== undefined)
    const path = normalise(name, folder)
    const existing = files.stat(path)?.type === 'file' ? textOf(files.read(path)) : ''
    const result = applyPatch(existing, one, { fuzzFactor: 2 })
    if (result === false) {
      failed = true
      lines.push(`checking file ${name}`, `${one.hunks.length} out of ${one.hunks.length} hunks FAILED`)
      continue
    }
    if (!silent) lines.push(`${dry ? 'checking' : 'patching'} file ${name}`)
    if (dry) continue
    try {
      const to = output === undefined ? path : normalise(output, context.cwd)
      if (isNull(one.newFileName) && result === '') files.remove(to)
      else {
        makeFolders(files, dirname(to))
        files.write(to, new TextEncoder().encode(result))
      }
    } catch (error) {
      failed = true
      lines.push(`patch: **** ${posixError(error, 'open', name).message}`)
    }
  }
  return { stdout: lines.map((line) => `${line}\n`).join(''), stderr: '', exitCode: failed ? 1 : 0 }
}

const isNull = (name: string | undefined) => name === undefined || name === '/dev/null'

/** The name to patch: without -p the last part that is there, as patch does; a new file's name otherwise. */
function target(patch: StructuredPatch, strip: number | undefined, exists: (path: string) => boolean): string {
  const names = [patch.oldFileName, patch.newFileName].filter((name): name is string => name !== undefined && !isNull(name))
  const cut = (name: string) => (strip === undefined ? (name.split('/').pop() ?? name) : name.split('/').slice(strip).join('/'))
  const cutNames = names.map(cut)
  return cutNames.find(exists) ?? (strip === undefined ? names.find(exists) : undefined) ?? cutNames.at(-1) ?? ''
}
