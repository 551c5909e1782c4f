import type { Effect } from '../tools/types.ts'

/** Runs one regular expression outside this thread, with a time limit. Rejects with `RegexTimeout` when it is over. */
export interface RegexRunner {
  test(pattern: string, text: string): Promise<boolean>
  /** Replaces every match; for Redact and for `replace`. */
  replace?(pattern: string, text: string, replacement: string): Promise<string>
}

/** One call, as the policies see it. */
export interface CallFacts {
  /** `Tool.method`. */
  target: string
  /** After the provider's defaults and schema. */
  args: Record<string, unknown>
  /** The same with every path argument in its normal form; equal to `args` where there is none. */
  normalised: Record<string, unknown>
  effect?: Effect
  categories?: readonly string[]
}

export type Decision =
  | { decision: 'allow' }
  | { decision: 'refuse'; policy: string; reason: string }
  /** The policy that asks, as listed in `requires`. */
  | { decision: 'approve'; policy: string }
