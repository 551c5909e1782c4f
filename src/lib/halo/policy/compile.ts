/** The policies that hold at one place, as one set that can be asked. */
import { HaloError } from '../errors.ts'
import type { PolicyDeclaration } from '../syntax/ast.ts'
import type { Effect } from '../tools/types.ts'
import { approvalFor, decide, hides } from './decide.ts'
import { contentFilter, type Blocked, type Filtered } from './filter.ts'
import { policyError, readRule, RULES, type CompiledRule } from './rules.ts'
import type { CallFacts, Decision, RegexRunner } from './types.ts'
import { matchesGlob } from './globs.ts'
import type { Maybe } from './sequence.ts'

/** The part of a `Program` that policies need. */
export interface PolicyNames {
  policies: ReadonlyMap<string, PolicyDeclaration>
}

/** A rule with the name of the policy in `requires` that brought it, directly or by including another. */
export interface OwnedRule {
  policy: string
  rule: CompiledRule
}

export interface PolicySet {
  /** As listed, each once. */
  readonly names: readonly string[]
  readonly rules: readonly OwnedRule[]
  /** Is the method never offered: denied, or not among the allowed ones? */
  hides(target: string): boolean
  /** May the call run? A promise only where a regular expression needs the runner. Never rejects: what can't be checked is refused. */
  decide(facts: CallFacts): Maybe<Decision>
  /** The policy that has a person asked about such a call, if one does; what `decide` says once nothing refuses. */
  approvalFor(target: string, effect: Effect | undefined, categories?: readonly string[]): string | undefined
  /** The prompt is blocked: the policy and why. */
  promptBlocked(text: string): Maybe<Blocked | undefined>
  /** Text that goes into the model: redacted; what a Block matches is replaced by a note that it was withheld. */
  inputText(text: string): Maybe<Filtered>
  /** The model's answer: redacted, or `blocked`. */
  outputText(text: string): Maybe<Filtered>
  /** A value as events and people may see it: all Redact and Block rules, whatever their `on:`, at any depth, keys too. */
  redactValue(value: unknown): Maybe<unknown>
  /** The same for arguments: an object stays one. */
  redactArgs(args: Record<string, unknown>): Maybe<Record<string, unknown>>
  /** Any Redact or Block applies: what a model asks of tools may be shown only after the check. */
  readonly filters: boolean
  /** An output Redact or Block applies: text may be shown only after the check. */
  readonly filtersOutput: boolean
  /** The least of all MaxSpend rules, in US dollars. */
  readonly maxSpend?: { policy: string; dollars: number }
  readonly maxCalls: readonly { policy: string; glob: string; limit: number; matches(target: string): boolean }[]
  /** The least of all MaxSteps rules. */
  readonly maxSteps?: { policy: string; limit: number }
}

export interface PolicyOptions {
  /** Runs patterns that aren't provably linear. Without one such a pattern is VALIDATION. */
  regexRunner?: RegexRunner
}

/**
 * Compiles the policies of a `requires` list. Throws HaloError VALIDATION, with a diagnostic for each fault, for names that no
 * policy has, policies that include themselves, rules that can't be read, and slow patterns without a runner.
 */
export function compilePolicies(names: readonly (string | { name: string })[], program: PolicyNames, options: PolicyOptions = {}): PolicySet {
  const listed = [...new Set(names.map((name) => (typeof name === 'string' ? name : name.name)))]
  const rules = listed.flatMap((name) => rulesOf(name, program, []).map((rule) => ({ policy: name, rule })))
  for (const { policy, rule } of rules) requireRunner(policy, rule, options.regexRunner)
  const filter = contentFilter(rules, options.regexRunner)
  return {
    names: listed,
    rules,
    hides: (target) => hides(rules, target),
    decide: (facts) => decide(rules, facts, options.regexRunner),
    approvalFor: (target, effect, categories = []) => approvalFor(rules, { target, effect, categories }),
    ...filter,
    maxSpend: least(rules.flatMap(({ policy, rule }) => (rule.rule === 'MaxSpend' ? [{ policy, dollars: rule.dollars }] : [])), ({ dollars }) => dollars),
    maxSteps: least(rules.flatMap(({ policy, rule }) => (rule.rule === 'MaxSteps' ? [{ policy, limit: rule.limit }] : [])), ({ limit }) => limit),
    maxCalls: rules.flatMap(({ policy, rule }) =>
      rule.rule === 'MaxCalls' ? [{ policy, glob: rule.glob.text, limit: rule.limit, matches: (target: string) => matchesGlob(rule.glob, target) }] : [],
    ),
  }
}

function rulesOf(name: string, program: PolicyNames, inside: readonly string[]): CompiledRule[] {
  const declaration = program.policies.get(name)
  if (!declaration) throw new HaloError('VALIDATION', `There is no policy named ${name}.`)
  if (inside.includes(name)) throw new HaloError('VALIDATION', `Policy ${name} includes itself: ${[...inside, name].join(' → ')}.`, { span: { ...declaration.nameSpan, file: declaration.file } })
  return declaration.rules.flatMap((rule) => {
    if (!RULES.has(rule.name) && rule.args === undefined) return rulesOf(rule.name, program, [...inside, name])
    const { rules, faults } = readRule(rule)
    if (faults.length > 0) throw policyError(name, faults.map((fault) => ({ ...fault, file: declaration.file })))
    return rules
  })
}

function requireRunner(policy: string, rule: CompiledRule, runner: RegexRunner | undefined): void {
  if (!('regex' in rule)) return
  const redacts = rule.rule === 'Redact'
  if (redacts ? rule.regex.replace : rule.regex.test) return
  if (runner && (!redacts || runner.replace)) return
  throw new HaloError(
    'VALIDATION',
    `Policy ${policy}: ${rule.rule} has the regular expression ${JSON.stringify(rule.regex.source)}, which may take very long on some texts, and no regexRunner is configured that could stop it. Write it without repeats that overlap, or configure one.`,
  )
}

function least<T>(items: readonly T[], amount: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>((found, item) => (found === undefined || amount(item) < amount(found) ? item : found), undefined)
}
