/** One process at a time goes on with a run: two that did would do its work twice and write one journal over each other. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { HaloError } from '../lib/halo/errors.ts'

/** The files of the claims that this process holds. */
const held = new Set<string>()

process.on('exit', () => {
  for (const file of held) rmSync(file, { force: true })
})

/**
 * Claims a run until `release`, or until this process ends. A claim of a process that is gone (killed, say) counts for
 * nothing.
 * @param file where the claim is written down; its folder is made
 * @throws HaloError VALIDATION when another process has it
 */
export function claim(file: string, runId: string): void {
  if (held.has(file) || taken(file)) return
  const holder = holderOf(file)
  if (holder !== undefined && isAlive(holder)) throw busy(runId, holder, file)
  // Of several that find a claim of the dead, only one moves it away; the others, and whoever moved a newer one, give way.
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  const moved = holderOf(aside)
  if (moved !== undefined && moved !== holder && isAlive(moved)) {
    renameSync(aside, file)
    throw busy(runId, moved, file)
  }
  rmSync(aside, { force: true })
  if (!taken(file)) throw busy(runId, holderOf(file), file)
}

export function release(file: string): void {
  if (held.delete(file)) rmSync(file, { force: true })
}

function taken(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
  held.add(file)
  return true
}

/** undefined: there is none, or it was not written to its end. */
function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function isAlive(pid: number): boolean {
  // Ours but not held: of an earlier process that had the same number, as happens in containers.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

function busy(runId: string, holder: number | undefined, file: string): HaloError {
  const who = holder === undefined ? 'Another process' : `Another process (${holder})`
  return new HaloError('VALIDATION', `${who} is at run ${runId}. Wait until it has ended or paused; if it has nothing to do with Halo, delete ${file}.`)
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
