/** May this call run? Deny wins, every AllowTools has to allow, then the arguments, then whether a person is asked. */
import type { Effect } from '../tools/types.ts'
import type { OwnedRule } from './compile.ts'
import { matchesGlob, type Glob } from './globs.ts'
import { testRegex, type CompiledRegex } from './regex.ts'
import { firstOf, isPromise, andThen, type Maybe } from './sequence.ts'
import type { CallFacts, Decision, RegexRunner } from './types.ts'

/** What the model is told about a refused call. */
export function refusalText(policy: string, reason: string): string {
  return `Refused by policy "${policy}": ${reason}. Don't try this call again.`
}

export function decide(rules: readonly OwnedRule[], facts: CallFacts, runner: RegexRunner | undefined): Maybe<Decision> {
  const { target } = facts
  const byName = refusalByName(rules, target)
  if (byName) return byName
  const byArgs = firstOf(rules, ({ policy, rule }) => {
    if (rule.rule === 'DenyArgs' && matchesGlob(rule.glob, target)) return deniedArgument(policy, rule, facts, runner)
    return undefined
  })
  const orUnfit = andThen(byArgs, (refused) => refused ?? firstOf(rules, ({ policy, rule }) => {
    if (rule.rule === 'AllowArgs' && matchesGlob(rule.glob, target)) return unfitArgument(policy, rule, facts, runner)
    return undefined
  }))
  return andThen(orUnfit, (refused): Decision => {
    if (refused) return refused
    const policy = approvalFor(rules, facts)
    return policy === undefined ? { decision: 'allow' } : { decision: 'approve', policy }
  })
}

export function hides(rules: readonly OwnedRule[], target: string): boolean {
  return refusalByName(rules, target) !== undefined
}

type Refusal = Extract<Decision, { decision: 'refuse' }>

function refuse(policy: string, reason: string): Refusal {
  return { decision: 'refuse', policy, reason }
}

function refusalByName(rules: readonly OwnedRule[], target: string): Refusal | undefined {
  for (const { policy, rule } of rules) {
    if (rule.rule === 'DenyTools' && rule.globs.some((glob) => matchesGlob(glob, target))) return refuse(policy, `${target} is denied`)
  }
  for (const { policy, rule } of rules) {
    if (rule.rule !== 'AllowTools' || rule.globs.some((glob) => matchesGlob(glob, target))) continue
    return refuse(policy, `${target} isn't among the calls it allows (${rule.globs.map(({ text }) => text).join(', ')})`)
  }
  return undefined
}

/** The first policy, as listed, that has a person asked. A call whose effect nobody describes may have any. */
export function approvalFor(rules: readonly OwnedRule[], call: { target: string; effect?: Effect; categories?: readonly string[] }): string | undefined {
  const { target, effect, categories = [] } = call
  return rules.find(({ rule }) => {
    switch (rule.rule) {
      case 'ApproveTools': return rule.globs.some((glob) => matchesGlob(glob, target))
      case 'ApproveEffects': return effect === undefined || rule.effects.includes(effect)
      case 'ApproveCategories': return rule.categories.some((category) => categories.includes(category))
      default: return false
    }
  })?.policy
}

// ------------------------------------------------------------------ arguments

interface Piece {
  path: string
  text: string
}

function deniedArgument(policy: string, rule: { glob: Glob; arg?: string; regex: CompiledRegex }, facts: CallFacts, runner: RegexRunner | undefined): Maybe<Refusal | undefined> {
  const pieces = [facts.args, facts.normalised].flatMap((args) => {
    if (rule.arg === undefined) return Object.keys(args).flatMap((name) => piecesOf(args[name], name))
    return Object.hasOwn(args, rule.arg) ? piecesOf(args[rule.arg], rule.arg) : []
  })
  const seen = new Set<string>()
  return firstOf(pieces, ({ path, text }) => {
    if (seen.has(text)) return undefined
    seen.add(text)
    return checked(policy, path, testing(rule.regex, text, runner), (matches) =>
      matches ? refuse(policy, `the argument ${path} matches the denied pattern ${rule.regex.source}`) : undefined,
    )
  })
}

/** Every value to look at: a text as it is, all else as its JSON, and what is inside it each on its own. */
function piecesOf(value: unknown, path: string, pieces: Piece[] = []): Piece[] {
  if (value === undefined) return pieces
  pieces.push({ path, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null') })
  if (Array.isArray(value)) for (const [i, item] of value.entries()) piecesOf(item, `${path}[${i}]`, pieces)
  else if (typeof value === 'object' && value !== null) for (const [key, item] of Object.entries(value)) piecesOf(item, `${path}.${key}`, pieces)
  return pieces
}

function unfitArgument(policy: string, rule: { arg: string; regex: CompiledRegex }, facts: CallFacts, runner: RegexRunner | undefined): Maybe<Refusal | undefined> {
  const { arg, regex } = rule
  const value = Object.hasOwn(facts.normalised, arg) ? facts.normalised[arg] : undefined
  if (value === undefined) return refuse(policy, `the argument ${arg} is missing, and has to match ${regex.source}`)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return checked(policy, arg, testing(regex, text, runner), (matches) => (matches ? undefined : refuse(policy, `the argument ${arg} doesn't match ${regex.source}`)))
}

function testing(regex: CompiledRegex, text: string, runner: RegexRunner | undefined): Maybe<boolean> {
  try {
    return testRegex(regex, text, runner)
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)))
  }
}

/** A check that fails or takes too long refuses: a call that can't be checked doesn't run. */
function checked(policy: string, path: string, result: Maybe<boolean>, decide: (matches: boolean) => Refusal | undefined): Maybe<Refusal | undefined> {
  if (!isPromise(result)) return decide(result)
  return result.then(decide, () => refuse(policy, `the argument ${path} couldn't be checked in time`))
}
