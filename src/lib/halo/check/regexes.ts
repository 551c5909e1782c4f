/** Regular expressions of rules and of `matches`: that they compile, and that they can't run for ever. */
import { compileRegex, type RegexUse } from '../policy/regex.ts'
import type { Node } from '../syntax/ast.ts'
import { fault, warn, type Context } from './context.ts'

/** `always`: what comes of it when the expression matches an empty text, and so every text. */
export function checkRegex(context: Context, node: Node, pattern: string, use: RegexUse = 'search', always?: string): void {
  const regex = compileRegex(pattern, use)
  if ('fault' in regex) {
    const message = regex.fault.replace(/^\/.*\/[a-z]*:\s*/s, '')
    fault(context, node, 'bad-regex', `This is no regular expression: ${message.charAt(0).toLowerCase()}${message.slice(1)}.`)
    return
  }
  const quick = use === 'replace' ? regex.replace !== undefined : regex.test !== undefined
  if (!quick && !context.options.regexRunner) {
    fault(
      context,
      node,
      'regex-not-linear',
      'This regular expression may take very long on some texts, and there is no worker here to stop it. Avoid a repetition within a repetition, such as (a+)+, and back references.',
    )
    return
  }
  // With an assertion, a match of nothing may still depend on what stands around it.
  if (always !== undefined && !/[\^$]|\(\?|\\b/i.test(pattern) && regex.test?.('')) {
    warn(context, node, 'regex-matches-anything', `This matches an empty text, so it matches every text: ${always}`)
  }
}
