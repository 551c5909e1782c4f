/** Regular expressions of rules and of `matches`: that they compile, and that they can't run for ever. */
import { compileRegex, isLinear } from '../policy/regex.ts'
import type { Node } from '../syntax/ast.ts'
import { fault, warn, type Context } from './context.ts'

const judged = new Map<string, { error?: string; linear: boolean; empty: boolean }>()
/** More patterns than that are forgotten again; a file has dozens. */
const KEPT = 2000

export function checkRegex(context: Context, node: Node, pattern: string, what: { matchesAnything?: string } = {}): void {
  let verdict = judged.get(pattern)
  if (!verdict) {
    if (judged.size >= KEPT) judged.clear()
    judged.set(pattern, (verdict = judge(pattern)))
  }
  if (verdict.error !== undefined) {
    fault(context, node, 'bad-regex', `This is no regular expression: ${verdict.error}.`)
    return
  }
  if (!verdict.linear && !context.options.regexRunner) {
    fault(context, node, 'regex-not-linear', `This regular expression may take very long on some texts, and there is no worker to stop it here. Avoid a repeated group within a repetition, such as (a+)+, and back references.`)
    return
  }
  if (verdict.empty && what.matchesAnything) warn(context, node, 'regex-matches-anything', `This matches an empty text, so it matches everything: ${what.matchesAnything}`)
}

function judge(pattern: string): { error?: string; linear: boolean; empty: boolean } {
  try {
    const regex = compileRegex(pattern)
    return { linear: isLinear(pattern), empty: isLinear(pattern) && regex.test('') && /^[^^]/.test(pattern) && regex.test('x') }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message.replace(/^Invalid regular expression: /, '').replace(/^\/.*\/[a-z]*: /s, '') : String(thrown)
    return { error: message.charAt(0).toLowerCase() + message.slice(1), linear: false, empty: false }
  }
}
