/** Checks policies: their rules, what the rules take, and rules that look stricter than they are. */
import type { Argument, Node, PolicyDeclaration, Rule } from '../syntax/ast.ts'
import { checkArguments } from './arguments.ts'
import { fault, referTo, replacement, warn, type Context } from './context.ts'
import { checkGlob, sidesOf, toolsMatching } from './globs.ts'
import { nearest } from './nearest.ts'
import { newScope } from './scope.ts'
import { RULES, type Signature } from './signatures.ts'
import { matchesSide } from '../policy/globs.ts'
import { toolFacts } from './tool-facts.ts'
import { checkShellRule } from './weak-rules.ts'

export function checkPolicy(context: Context, policy: PolicyDeclaration): void {
  for (const rule of policy.rules) {
    const signature = RULES.get(rule.name)
    if (signature) checkRule(context, rule, signature)
    else checkPolicyReference(context, policy, rule)
  }
}

function checkPolicyReference(context: Context, policy: PolicyDeclaration, rule: Rule): void {
  const { policies } = context.program
  const other = policies.get(rule.name)
  if (other) {
    referTo(context, rule.nameSpan, other)
    if (rule.args) fault(context, rule, 'not-callable', `${rule.name} is a policy; it stands without parentheses.`, { fix: replacement(rule, rule.name) })
    if (leadsTo(context, rule.name, policy.name)) {
      fault(context, rule.nameSpan, 'policy-cycle', rule.name === policy.name ? `${policy.name} includes itself.` : `${policy.name} and ${rule.name} include each other.`)
    }
    return
  }
  if (rule.name === '' || context.doubtful.has(rule.name)) return
  const near = nearest(rule.name, rule.args ? RULES.keys() : [...policies.keys(), ...RULES.keys()])
  fault(context, rule.nameSpan, 'unknown-rule', `There is no rule or policy "${rule.name}".${near ? ` Did you mean "${near}"?` : ` Rules are ${[...RULES.keys()].join(', ')}.`}`, {
    ...(near ? { fix: replacement(rule.nameSpan, near) } : {}),
  })
}

function leadsTo(context: Context, from: string, wanted: string): boolean {
  const seen = new Set([from])
  for (const name of seen) {
    if (name === wanted) return true
    for (const rule of context.program.policies.get(name)?.rules ?? []) {
      // Longer cycles than that are reported nowhere: the check stays linear in the file.
      if (!RULES.has(rule.name) && seen.size < 50) seen.add(rule.name)
    }
  }
  return false
}

function checkRule(context: Context, rule: Rule, signature: Signature): void {
  const args = rule.args ?? []
  const bound = checkArguments(context, rule.nameSpan, args, signature, { scope: newScope() }, { literal: true })
  const globs = signature.rest?.kind === 'glob' ? bound.rest : [bound.byName.get('glob')].filter((a) => a !== undefined)
  for (const { value } of globs) if (value.kind === 'String') checkGlob(context, value, value.value)
  if (signature.name === 'DenyArgs' || signature.name === 'AllowArgs') checkArgumentRule(context, rule, bound.byName, bound.open)
  if (signature.name === 'MaxSpend') {
    const value = bound.byName.get('dollars')?.value
    if (value?.kind === 'Number' && value.value === 0) warn(context, value, 'nothing-allowed', 'MaxSpend(0) stops every model call that costs anything.')
  }
}

/** The second argument may be given by its own name: `DenyArgs(glob, path: regex)`. */
function checkArgumentRule(context: Context, rule: Rule, byName: ReadonlyMap<string, Argument>, open: readonly Argument[]): void {
  const glob = byName.get('glob')?.value
  const arg = byName.get('arg')
  const named = open[0]
  const regex = named ?? byName.get('regex')
  const both = open.length ? (arg ?? byName.get('regex')) : undefined
  if (both) {
    fault(context, both, 'argument-count', `${rule.name} takes either "arg", regex or arg: regex, not both.`)
  }
  if (glob?.kind !== 'String') return
  const name = named?.name ?? (arg?.value.kind === 'String' ? arg.value.value : undefined)
  const at: Node | undefined = named?.nameSpan ?? arg?.value
  if (name !== undefined && at) checkArgumentName(context, at, glob.value, name, named === undefined)
  if (regex?.value.kind === 'String') checkShellRule(context, rule, glob.value, name, regex.value)
}

function checkArgumentName(context: Context, at: Node, glob: string, name: string, quoted: boolean): void {
  const names = new Set<string>()
  const [toolSide, methodSide] = sidesOf(glob)
  for (const tool of toolsMatching(context, toolSide).slice(0, 50)) {
    const methods = toolFacts(context, tool)?.methods
    if (!methods) return
    for (const [method, { parameters, open }] of methods) {
      if (!matchesSide(methodSide, method)) continue
      if (open || !parameters) return
      for (const parameter of parameters.keys()) names.add(parameter)
    }
  }
  if (!names.size || names.has(name)) return
  const near = nearest(name, names)
  const tail = near ? ` Did you mean "${near}"?` : ` They have ${[...names].join(', ')}.`
  warn(context, at, 'unknown-argument', `No call that "${glob}" matches has an argument "${name}".${tail}`, near ? { fix: replacement(at, quoted ? JSON.stringify(near) : near) } : {})
}
