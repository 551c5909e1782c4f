import { textOf } from '../run/plain.ts'
import type { HaloEvent, JournalEntry } from '../run/types.ts'
import type { Conversation } from './request.ts'

export type Shown = Partial<Pick<Extract<HaloEvent, { type: 'llm' }>, 'text' | 'reasoning' | 'toolCalls'>>

/** What of an answer events show in place of it: policies hold for whoever watches. */
export async function shownOf({ frame, policies }: Pick<Conversation, 'frame' | 'policies'>, entry: JournalEntry): Promise<Shown> {
  if (!frame.run.listening || !policies.filters) return {}
  const shown: Shown = {}
  if (policies.filtersOutput && entry.error === undefined && entry.value !== undefined && entry.value !== null) shown.text = textOf(await policies.redactValue(entry.value))
  if (policies.filtersOutput && entry.reasoning !== undefined) shown.reasoning = textOf(await policies.redactValue(entry.reasoning))
  if (entry.toolCalls !== undefined) {
    shown.toolCalls = []
    for (const call of entry.toolCalls) {
      shown.toolCalls.push({ ...call, args: await policies.redactArgs(call.args), ...(call.invalid === undefined ? {} : { invalid: textOf(await policies.redactValue(call.invalid)) }) })
    }
  }
  return shown
}
