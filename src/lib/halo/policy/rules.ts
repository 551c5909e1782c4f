/** The rules of a policy, one table: what each takes, what it means, and how its arguments become data. */
import { HaloError, messageOf, type Diagnostic } from '../errors.ts'
import { evaluate } from '../run/expression.ts'
import type { Argument, Node, Rule } from '../syntax/ast.ts'
import type { Effect } from '../tools/types.ts'
import { DETECTORS, type Detector } from './detectors.ts'
import { parseGlob, type Glob } from './globs.ts'
import { compileRegex, type CompiledRegex, type RegexUse } from './regex.ts'

export type Side = 'input' | 'output' | 'both'

export type CompiledRule =
  | { rule: 'AllowTools' | 'DenyTools' | 'ApproveTools'; globs: Glob[] }
  | { rule: 'DenyArgs'; glob: Glob; arg?: string; regex: CompiledRegex }
  | { rule: 'AllowArgs'; glob: Glob; arg: string; regex: CompiledRegex }
  | { rule: 'ApproveEffects'; effects: Effect[] }
  | { rule: 'ApproveCategories'; categories: string[] }
  | { rule: 'MaxSpend'; dollars: number }
  | { rule: 'MaxCalls'; glob: Glob; limit: number }
  | { rule: 'MaxSteps'; limit: number }
  | { rule: 'Redact'; on: Side; detector: Detector }
  | { rule: 'Redact'; on: Side; regex: CompiledRegex }
  | { rule: 'Block'; on: Side; regex: CompiledRegex }

export type RuleName = CompiledRule['rule']

export interface RuleSpec {
  name: RuleName
  /** Every way to write it. */
  forms: readonly string[]
  doc: string
  read(args: Reader): CompiledRule[]
}

/** The rules by name; the only ones there are. */
export const RULES: ReadonlyMap<string, RuleSpec> = new Map(
  (
    [
      { name: 'AllowTools', forms: ['AllowTools("Tool.method", …)'], doc: 'Only calls that match one of its globs. Each AllowTools rule must allow.', read: (args) => [{ rule: 'AllowTools', globs: args.globs() }] },
      { name: 'DenyTools', forms: ['DenyTools("Tool.method", …)'], doc: 'Never these; deny wins.', read: (args) => [{ rule: 'DenyTools', globs: args.globs() }] },
      {
        name: 'DenyArgs', forms: ['DenyArgs("Tool.method", "regex")', 'DenyArgs("Tool.method", "arg", "regex")', 'DenyArgs("Tool.method", arg: "regex")'],
        doc: 'Refuses a call when any argument value matches, or one named argument does: each value on its own, nested ones too, what is no text also as its JSON.',
        read: (args) => {
          const glob = args.glob(0)
          const named = args.namedRegexes('search')
          if (named.length > 0) return args.count(1), named.map(({ arg, regex }) => ({ rule: 'DenyArgs', glob, arg, regex }))
          return args.count(2, 3) === 2 ? [{ rule: 'DenyArgs', glob, regex: args.regex(1, 'search') }] : [{ rule: 'DenyArgs', glob, arg: args.text(1), regex: args.regex(2, 'search') }]
        },
      },
      {
        name: 'AllowArgs', forms: ['AllowArgs("Tool.method", "arg", "regex")', 'AllowArgs("Tool.method", arg: "regex")'],
        doc: 'Refuses a call unless the whole value of the named argument matches; a path in its normal form, what is no text as its JSON.',
        read: (args) => {
          const glob = args.glob(0)
          const named = args.namedRegexes('whole')
          if (named.length > 0) return args.count(1), named.map(({ arg, regex }) => ({ rule: 'AllowArgs', glob, arg, regex }))
          return args.count(3), [{ rule: 'AllowArgs', glob, arg: args.text(1), regex: args.regex(2, 'whole') }]
        },
      },
      { name: 'ApproveTools', forms: ['ApproveTools("Tool.method", …)'], doc: 'Calls that match wait for a person.', read: (args) => [{ rule: 'ApproveTools', globs: args.globs() }] },
      {
        name: 'ApproveEffects', forms: ['ApproveEffects(read, write, external)'],
        doc: 'Calls with one of these effects wait for a person, and calls whose effect nobody describes. Effects don\'t imply each other.',
        read: (args) => [{ rule: 'ApproveEffects', effects: args.words(['read', 'write', 'external']) }],
      },
      { name: 'ApproveCategories', forms: ['ApproveCategories("category", …)'], doc: 'Calls of tools in one of these categories wait for a person.', read: (args) => [{ rule: 'ApproveCategories', categories: args.texts() }] },
      { name: 'MaxSpend', forms: ['MaxSpend(0.50)'], doc: 'A hard limit in US dollars on what the run spends, for the agents that require it.', read: (args) => (args.count(1), [{ rule: 'MaxSpend', dollars: args.number(0) }]) },
      { name: 'MaxCalls', forms: ['MaxCalls("Tool.method", 20)'], doc: 'At most so many calls that match run.', read: (args) => (args.count(2), [{ rule: 'MaxCalls', glob: args.glob(0), limit: args.integer(1) }]) },
      { name: 'MaxSteps', forms: ['MaxSteps(50)'], doc: 'At most so many model requests in the run.', read: (args) => (args.count(1), [{ rule: 'MaxSteps', limit: args.integer(0) }]) },
      {
        name: 'Redact', forms: ['Redact("regex", on: both)', 'Redact("email", on: input)'],
        doc: `Replaces what matches by [redacted]: a regular expression, or ${Object.keys(DETECTORS).join(', ')}. Before the model (input), in its answer (output), or both.`,
        read: (args) => {
          const on = args.side()
          return args.texts().map((text, i) => {
            const detector = Object.hasOwn(DETECTORS, text) ? DETECTORS[text] : undefined
            return detector ? { rule: 'Redact', on, detector } : { rule: 'Redact', on, regex: args.regex(i, 'replace') }
          })
        },
      },
      {
        name: 'Block', forms: ['Block("regex", on: both)'], doc: 'A prompt that matches isn\'t sent, a tool result is withheld, an answer is rejected.',
        read: (args) => {
          const on = args.side()
          return args.texts().map((_, i) => ({ rule: 'Block', on, regex: args.regex(i, 'search') }))
        },
      },
    ] satisfies RuleSpec[]
  ).map((spec) => [spec.name, spec]),
)

/** A rule as data, or every fault that keeps it from being one. `rule.name` has to be in `RULES`. */
export function readRule(rule: Rule): { rules: CompiledRule[]; faults: Diagnostic[] } {
  const spec = RULES.get(rule.name)
  if (!spec) return { rules: [], faults: [diagnostic(rule.nameSpan, `There is no rule ${rule.name}.`)] }
  try {
    const reader = new Reader(spec, rule)
    const rules = spec.read(reader)
    reader.noMoreNames()
    return { rules, faults: [] }
  } catch (error) {
    if (error instanceof RuleFault) return { rules: [], faults: [diagnostic(error.node, error.message)] }
    throw error
  }
}

function diagnostic(node: Node, message: string): Diagnostic {
  return { code: 'policy-rule', severity: 'error', message, from: node.from, to: node.to }
}

class RuleFault extends Error {
  readonly node: Node
  constructor(node: Node, message: string) {
    super(message)
    this.node = node
  }
}

/** The arguments of one rule. Its methods throw a RuleFault where they don't find what they are asked for. */
class Reader {
  readonly #spec: RuleSpec
  readonly #rule: Rule
  readonly #positional: readonly Argument[]
  readonly #named: Map<string, Argument>

  constructor(spec: RuleSpec, rule: Rule) {
    this.#spec = spec
    this.#rule = rule
    const args = rule.args ?? []
    this.#positional = args.filter((arg) => arg.name === undefined)
    this.#named = new Map()
    for (const arg of args) {
      if (arg.name === undefined) continue
      if (this.#named.has(arg.name)) throw new RuleFault(arg, `${rule.name} has ${arg.name} twice.`)
      this.#named.set(arg.name, arg)
    }
  }

  count(least: number, most = least): number {
    const count = this.#positional.length
    if (count < least || count > most) throw this.#misused()
    return count
  }

  #misused(): RuleFault {
    return new RuleFault(this.#rule, `${this.#spec.name} is written ${this.#spec.forms.join(' or ')}.`)
  }

  #arg(index: number): Argument {
    const arg = this.#positional[index]
    if (!arg) throw this.#misused()
    return arg
  }

  #value(arg: Argument): unknown {
    try {
      return evaluate(arg.value, { mode: 'value', has: () => false, lookup: () => null })
    } catch (error) {
      throw new RuleFault(arg, `${this.#spec.name} takes fixed values only: ${messageOf(error)}`)
    }
  }

  #text(arg: Argument): string {
    const value = this.#value(arg)
    if (typeof value === 'string') return value
    throw new RuleFault(arg, `${this.#spec.name} takes a text here.`)
  }

  text(index: number): string {
    return this.#text(this.#arg(index))
  }

  texts(): string[] {
    if (this.#positional.length === 0) throw this.#misused()
    return this.#positional.map((arg) => this.#text(arg))
  }

  words<T extends string>(words: readonly T[]): T[] {
    return this.texts().map((text, i) => {
      const word = words.find((each) => each === text)
      if (word === undefined) throw new RuleFault(this.#arg(i), `${this.#spec.name} takes ${words.join(', ')}, not ${JSON.stringify(text)}.`)
      return word
    })
  }

  number(index: number): number {
    const arg = this.#arg(index)
    const value = this.#value(arg)
    if (typeof value === 'number' && value >= 0) return value
    throw new RuleFault(arg, `${this.#spec.name} takes a number from 0 on here.`)
  }

  integer(index: number): number {
    const value = this.number(index)
    if (Number.isInteger(value)) return value
    throw new RuleFault(this.#arg(index), `${this.#spec.name} takes a whole number here.`)
  }

  #glob(arg: Argument): Glob {
    const glob = parseGlob(this.#text(arg))
    if ('fault' in glob) throw new RuleFault(arg, `${this.#spec.name}: the glob ${glob.fault}.`)
    return glob
  }

  glob(index: number): Glob {
    return this.#glob(this.#arg(index))
  }

  globs(): Glob[] {
    if (this.#positional.length === 0) throw this.#misused()
    return this.#positional.map((arg) => this.#glob(arg))
  }

  #regex(arg: Argument, use: RegexUse): CompiledRegex {
    const regex = compileRegex(this.#text(arg), use)
    if ('fault' in regex) throw new RuleFault(arg, `${this.#spec.name} has a faulty regular expression: ${regex.fault}.`)
    return regex
  }

  regex(index: number, use: RegexUse): CompiledRegex {
    return this.#regex(this.#arg(index), use)
  }

  /** `arg: regex`: the names are the tool's. */
  namedRegexes(use: RegexUse): { arg: string; regex: CompiledRegex }[] {
    const found = [...this.#named].map(([arg, argument]) => ({ arg, regex: this.#regex(argument, use) }))
    this.#named.clear()
    return found
  }

  side(): Side {
    const arg = this.#named.get('on')
    this.#named.delete('on')
    if (!arg) return 'both'
    const value = this.#text(arg)
    if (value === 'input' || value === 'output' || value === 'both') return value
    throw new RuleFault(arg, `on: takes input, output or both, not ${JSON.stringify(value)}.`)
  }

  noMoreNames(): void {
    const [arg] = this.#named.values()
    if (arg) throw new RuleFault(arg, `${this.#spec.name} takes no ${arg.name}:. It is written ${this.#spec.forms.join(' or ')}.`)
  }
}

/** The VALIDATION for a policy that can't be used. */
export function policyError(policy: string, faults: readonly Diagnostic[]): HaloError {
  return new HaloError('VALIDATION', `Policy ${policy} can't be used:\n${faults.map(({ message }) => `  ${message}`).join('\n')}`, { span: faults[0], diagnostics: [...faults] })
}
