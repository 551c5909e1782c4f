/** A recording as it may be given to others. */
import { HaloError, messageOf } from '../../halo/errors.ts'
import { compilePolicies, type PolicySet } from '../../halo/policy/index.ts'
import type { RegexRunner } from '../../halo/policy/types.ts'
import { maskSecrets } from '../../halo/run/secrets.ts'
import { programOf } from '../../halo/run/runtime.ts'
import type { JournalEntry, JournalRecord, JournalStart } from '../../halo/run/types.ts'
import type { Secrets } from './secrets.ts'

export interface Redacted {
  record: JournalRecord
  /** Whether any policy of the program says what to take out. */
  ruled: boolean
}

/**
 * What was said, with all that any policy of the program redacts or blocks taken out, and every secret of this browser.
 * Provider's opaque parts go too: nobody can look into them. What remains of a run that waits is a run that was cut off,
 * so that no one can go on with it.
 * @throws HaloError VALIDATION when a policy can't be read: then it can't be known what must not be shown
 */
export async function redactRecording(record: JournalRecord, secrets: Secrets, regexRunner?: RegexRunner): Promise<Redacted> {
  const policies = policiesOf(record.start, regexRunner)
  const clean = async (value: unknown): Promise<unknown> => (value === undefined ? undefined : maskSecrets(await policies.redactValue(value), secrets))
  const cleanEntry = async ({ opaque: _opaque, ...entry }: JournalEntry): Promise<JournalEntry> => {
    const made: JournalEntry = { ...entry }
    for (const part of ['request', 'value', 'toolCalls', 'reasoning', 'error', 'files'] as const) {
      if (entry[part] !== undefined) Object.assign(made, { [part]: await clean(entry[part]) })
    }
    return made
  }
  const entries: JournalEntry[] = []
  for (const entry of record.entries) entries.push(await cleanEntry(entry))
  const { start, end } = record
  const cleanStart = { ...start, args: (await clean(start.args)) as Record<string, unknown>, sources: maskSecrets(start.sources, secrets) as Record<string, string> }
  const over = end && end.status !== 'paused'
  const cleanEnd = over
    ? { ...end, output: (await clean(end.output)) ?? null, ...(end.error ? { error: (await clean(end.error)) as typeof end.error } : {}) }
    : { status: 'cancelled' as const, output: null, at: end?.at ?? entries.at(-1)?.at ?? start.at }
  const ruled = policies.rules.some(({ rule }) => rule.rule === 'Redact' || rule.rule === 'Block')
  return { record: { start: cleanStart, entries, end: cleanEnd }, ruled }
}

function policiesOf(start: JournalStart, regexRunner: RegexRunner | undefined): PolicySet {
  try {
    const program = programOf(start)
    return compilePolicies([...program.policies.keys()], program, regexRunner ? { regexRunner } : {})
  } catch (thrown) {
    throw new HaloError('VALIDATION', `This recording can’t be shared: its program can’t be read, so nobody knows what it takes out. ${messageOf(thrown)}`, { cause: thrown })
  }
}
