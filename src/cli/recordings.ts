import { DONE } from './exit.ts'
import { command, readWords } from './options.ts'
import { give, say } from './print.ts'
import { recordingsFolder } from './recordings-folder.ts'
import { RECORDINGS } from './run-store.ts'

export const recordingsCommand = command({
  usage: 'recordings [--json]',
  about: 'Lists the recorded runs of this folder, the newest first.',
  options: { json: { type: 'boolean', default: false } },
  least: 0,
  most: 0,
})

export function recordings(words: string[]): number {
  const { values } = readWords(words, recordingsCommand)
  const { summaries, unreadable } = recordingsFolder(RECORDINGS).all()
  if (values.json) give(summaries)
  else if (summaries.length === 0) say('There are no recordings in this folder yet. halo run makes one.')
  else give(summaries.map(({ runId, at, status, pipeline, entries }) => `${runId}  ${new Date(at).toISOString()}  ${status}  ${pipeline}  ${entries} entries`).join('\n'))
  for (const { why } of unreadable) say(why)
  return DONE
}
