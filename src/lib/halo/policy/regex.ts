/** Regular expressions of policies and of `matches()`: JavaScript's, run so that no text can stall a run. */
import { messageOf } from '../errors.ts'
import { isLinear } from './regex-proof.ts'
import { programOf } from './regex-program.ts'
import { canSimulate, canSimulateReplace, mayBeExponential, simulate, simulateReplace } from './regex-simulate.ts'
import type { RegexRunner } from './types.ts'

export type RegexUse =
  /** Matches somewhere in the text. */
  | 'search'
  /** Matches the whole text. */
  | 'whole'
  /** Every match is replaced. */
  | 'replace'

export interface CompiledRegex {
  /** As it was written. */
  source: string
  /** What a runner has to be given: the source, with its anchors where the whole text has to match. */
  pattern: string
  /** Absent: only a runner with a time limit may run it. */
  test?(text: string): boolean
  /** The same for `replace`, which takes the replacement literally. Throws where one text takes too long all the same. */
  replace?(text: string, replacement: string): string
}

const compiled = new Map<string, CompiledRegex | { fault: string }>()
/** Patterns that a program makes up as it runs aren't kept for ever. */
const KEPT = 500

/** A pattern ready to run, or what is wrong with it. The same pattern is analysed once. */
export function compileRegex(source: string, use: RegexUse = 'search'): CompiledRegex | { fault: string } {
  const key = `${use} ${source}`
  const known = compiled.get(key)
  if (known) return known
  if (compiled.size >= KEPT) compiled.clear()
  const made = make(source, use)
  compiled.set(key, made)
  return made
}

function make(source: string, use: RegexUse): CompiledRegex | { fault: string } {
  const checked = flagsFor(source)
  if ('fault' in checked) return checked
  const { flags } = checked
  const pattern = use === 'whole' ? `^(?:${source})$` : source
  const written = programOf(pattern, flags === 'u', 'written')
  const analysed = programOf(pattern, flags === 'u', use === 'replace' ? 'replace' : 'search')
  if (!written || !analysed || mayBeExponential(written.program)) return { source, pattern }
  const { program } = analysed
  if (isLinear(program)) {
    if (use === 'replace') {
      const once = new RegExp(pattern, flags)
      const all = new RegExp(pattern, `g${flags}`)
      return { source, pattern, test: (text) => once.test(text), replace: (text, replacement) => text.replace(all, () => replacement) }
    }
    const regex = new RegExp(analysed.source, flags)
    return { source, pattern, test: (text) => regex.test(text) }
  }
  if (!canSimulate(program)) return { source, pattern }
  if (use !== 'replace') return { source, pattern, test: (text) => simulate(program, text) }
  const whole = written.program
  if (!canSimulateReplace(whole)) return { source, pattern }
  return { source, pattern, test: (text) => simulate(whole, text), replace: (text, replacement) => simulateReplace(whole, text, replacement) }
}

/** `u` where the pattern compiles with it: then a character is a character, not half of one. */
export function flagsFor(source: string): { flags: 'u' | '' } | { fault: string } {
  try {
    new RegExp(source, 'u')
    return { flags: 'u' }
  } catch {
    try {
      new RegExp(source)
      return { flags: '' }
    } catch (error) {
      return { fault: messageOf(error).replace(/^Invalid regular expression:\s*/, '') }
    }
  }
}

/** Does it match? By the runner where it may take long; a promise only then. Rejects when the runner gives up. */
export function testRegex(regex: CompiledRegex, text: string, runner: RegexRunner | undefined): boolean | Promise<boolean> {
  if (regex.test) return regex.test(text)
  if (runner) return runner.test(regex.pattern, text)
  throw new Error(`The regular expression ${regex.source} needs a runner with a time limit.`)
}
