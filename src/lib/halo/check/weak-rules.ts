/**
 * Rules on a shell command that look stricter than they are. A rule sees the command's text, the shell sees what becomes of
 * it: `r\m`, `"r"m`, `$a$b`, `eval`, `xargs`, `find -delete` all get past a rule that looks for `rm`. (Of 50 commands that
 * delete or damage a file, a rule on `\brm\b` stopped 2.)
 */
import type { Node, Rule } from '../syntax/ast.ts'
import { warn, type Context } from './context.ts'
import { sidesOf, toolsMatching } from './globs.ts'
import { matchesSide } from '../policy/globs.ts'
import { toolFacts } from './tool-facts.ts'

/** Providers whose argument is run by a shell, and its name. */
const SHELLS: Readonly<Record<string, { method: string; argument: string }>> = { Bash: { method: 'run', argument: 'command' } }

export function checkShellRule(context: Context, rule: Rule, glob: string, argument: string | undefined, regex: Node & { value: string }): void {
  const shell = shellIn(context, glob)
  if (!shell || (argument !== undefined && argument !== shell.argument)) return
  if (rule.name === 'AllowArgs') {
    if (letsAnythingThrough(regex.value)) {
      warn(context, regex, 'weak-rule', `This lets more through than one command: its wildcard matches "; rm -r ." too. Name the characters that may come, such as [\\w ./-]*, or use Bash(allow: […]), which sees each command as the shell runs it.`)
    }
    return
  }
  const allowList = /^\^\(\?!(.*)\)(?:\.\*\$?)?$/s.exec(regex.value)
  if (!allowList) {
    warn(context, regex, 'weak-rule', `This looks at the command's text, and quoting defeats it: r\\m, "r"m and $a$b pass. Say what may run instead: AllowArgs("${shell.tool}.${shell.method}", ${shell.argument}: …) or Bash(allow: […]), which sees each command as the shell runs it.`)
    return
  }
  const [, inner = ''] = allowList
  if (!inner.endsWith('$') || letsAnythingThrough(inner)) {
    warn(context, regex, 'weak-rule', `What is allowed here may go on with anything: "; rm -r ." after it passes too. End it with [\\w ./-]*$ or the like.`)
  }
}

function shellIn(context: Context, glob: string): { tool: string; method: string; argument: string } | undefined {
  const [toolSide, methodSide] = sidesOf(glob)
  for (const tool of toolsMatching(context, toolSide)) {
    const provider = toolFacts(context, tool)?.declaration.provider.name ?? ''
    const shell = Object.hasOwn(SHELLS, provider) ? SHELLS[provider] : undefined
    if (shell && matchesSide(methodSide, shell.method)) return { tool, ...shell }
  }
  return undefined
}

/** A `.` that stands for any character, repeated; or a repeated class of all but a few. */
function letsAnythingThrough(pattern: string): boolean {
  const bare = pattern.replace(/\\[^]/g, (escape) => (/\\[SDW]/.test(escape) ? '.' : '_')).replace(/\[\^[^\]]*\]/g, '.').replace(/\[[^\]]*\]/g, '_')
  return /\.(?:[*+]|\{\d+,\d*\})/.test(bare)
}
