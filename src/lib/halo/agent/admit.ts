/** What may go to a model and what may come from it: texts through the policies, and the answer's schema. */
import { HaloError, type Span } from '../errors.ts'
import type { PolicySet } from '../policy/index.ts'
import { conform } from '../run/arguments.ts'
import type { Frame } from '../run/frame.ts'
import { textOf } from '../run/plain.ts'
import { faultsText } from '../run/schema.ts'
import { journaled } from './journaled.ts'
import type { Answer, Conversation } from './request.ts'

export interface Admitted {
  prompt: string
  instructions?: string
}

/**
 * The texts as the model gets them: redacted, what is to be withheld left out.
 * @throws HaloError POLICY_BLOCKED when one of them must not be sent.
 */
export async function admit(here: { frame: Frame; agent: string; span: Span; policies: PolicySet }, path: string, { prompt, system }: { prompt: string; system?: string }): Promise<Admitted> {
  const { frame, agent, span, policies } = here
  const { run } = frame
  const blocked =
    (await journaled(here, `${path}/prompt:blocked`, policies.promptBlocked(prompt))) ??
    (system === undefined ? undefined : await journaled(here, `${path}/system:blocked`, policies.promptBlocked(system)))
  if (blocked !== undefined) {
    const violation = { phase: 'input' as const, policy: blocked.policy, message: blocked.reason, agent, path }
    run.meta.violations.push(violation)
    run.emit({ type: 'violation', path, span, violation })
    throw new HaloError('POLICY_BLOCKED', `Policy ${blocked.policy} blocks the prompt of ${agent}: ${blocked.reason}. Nothing was sent.`, { path, span })
  }
  const text = (await journaled(here, `${path}/prompt`, policies.inputText(prompt))).text
  const instructions = system === undefined ? undefined : (await journaled(here, `${path}/system`, policies.inputText(system))).text
  return { prompt: text, instructions }
}

export type Checked = { value: unknown; fault?: undefined } | { fault: HaloError; why: string }

/** The final answer through the policies for what goes out, and the schema. */
export async function checkAnswer(talk: Conversation, path: string, answer: Answer, verdict: string): Promise<Checked> {
  const { policies, settings, frame, agent, span } = talk
  const { run } = frame
  const checked = await journaled(talk, verdict, policies.outputText(answer.text))
  const { blocked } = checked
  if (blocked !== undefined) {
    const violation = { phase: 'output' as const, policy: blocked.policy, message: blocked.reason, agent, path }
    run.meta.violations.push(violation)
    run.emit({ type: 'violation', path, span, violation })
    return {
      fault: new HaloError('POLICY_BLOCKED', `Policy ${blocked.policy} blocks the answer of ${agent}: ${blocked.reason}.`, { path, span }),
      why: `Policy "${blocked.policy}" rejects your answer: it holds something that must not be said.`,
    }
  }
  // A value that a mock gave stays the value it is, unless policy changed its text.
  const value = checked.text === answer.text ? answer.value : typeof answer.value === 'string' ? checked.text : parsed(checked.text)
  if (settings.schema === undefined) return { value }
  const fit = conform(settings.schema.schema, value)
  if (fit.faults.length === 0) return { value: fit.value }
  const faults = faultsText(fit.faults, 'the answer')
  const cut = answer.stop === 'max_tokens' ? ' The answer was cut at max_tokens.' : ''
  return {
    fault: new HaloError('SCHEMA_MISMATCH', `The answer of ${agent} is no ${settings.schema.name}:\n${faults}${cut}`, { path, span, data: { faults: fit.faults, text: textOf(answer.value) } }),
    why: `Your answer is no ${settings.schema.name}:\n${faults}\n${cut.trim()}`.trimEnd(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
