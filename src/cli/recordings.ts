import { existsSync, writeFileSync } from 'node:fs'
import { HaloError, messageOf } from '../lib/halo/errors.ts'
import { readLines, toLines } from '../lib/halo/recordings/lines.ts'
import { DONE, FAILED, UsageError } from './exit.ts'
import { textOf, whyNot } from './file-words.ts'
import { command, readWords } from './options.ts'
import { give, say } from './print.ts'
import { recordingsFolder, type RecordingsFolder } from './recordings-folder.ts'
import { RECORDINGS } from './run-store.ts'

export const recordingsCommand = command({
  usage: 'recordings [list | pin ID… | unpin ID… | rename ID NAME | delete ID… | export ID [FILE] | import FILE…] [--json]',
  about: `Lists the recorded runs of this folder, the newest first; the newest 50 are kept, and pinned and open ones beside them.
Recordings lie in ${RECORDINGS} and are not redacted: keep them out of version control and shared storage.`,
  options: { json: { type: 'boolean', default: false } },
  least: 0,
  most: 1000,
})

const UNREDACTED = 'Recordings are not redacted: they hold what was said and read as it was, before any policy. Mind whom you give it to.'

export function recordings(words: string[]): number {
  const { values, positionals } = readWords(words, recordingsCommand)
  const [action = 'list', ...rest] = positionals
  const folder = recordingsFolder(RECORDINGS)
  switch (action) {
    case 'list':
      expectWords(action, rest, 0, 0)
      return list(folder, values.json)
    case 'pin':
    case 'unpin':
      expectWords(action, rest, 1)
      return each(rest, (id) => folder.mark(existing(folder, id), { pinned: action === 'pin' }))
    case 'rename': {
      expectWords(action, rest, 2, 2)
      const [id = '', name = ''] = rest
      return each([id], () => folder.mark(existing(folder, id), { name: name.trim() }))
    }
    case 'delete':
      expectWords(action, rest, 1)
      return each(rest, (id) => folder.remove(existing(folder, id)))
    case 'export':
      expectWords(action, rest, 1, 2)
      return exportOne(folder, rest[0] ?? '', rest[1])
    case 'import':
      expectWords(action, rest, 1)
      return each(rest, (file) => importOne(folder, file))
    default:
      throw new UsageError(`recordings knows no ${JSON.stringify(action)}.\nUsage: halo ${recordingsCommand.usage}`)
  }
}

function expectWords(action: string, words: string[], least: number, most = Infinity): void {
  if (words.length < least) throw new UsageError(`recordings ${action} takes ${least === 1 ? 'a run' : `${least} words`}.\nUsage: halo ${recordingsCommand.usage}`)
  if (words.length > most) throw new UsageError(`${JSON.stringify(words[most])} is too much.\nUsage: halo ${recordingsCommand.usage}`)
}

function list(folder: RecordingsFolder, json: boolean): number {
  const { summaries, unreadable } = folder.all()
  if (json) give(summaries)
  else if (summaries.length === 0 && unreadable.length === 0) say('There are no recordings in this folder yet. halo run makes one.')
  else if (summaries.length > 0) {
    const lines = summaries.map(({ runId, at, status, pipeline, entries, pinned, name }) =>
      [runId, new Date(at).toISOString(), status, pipeline, `${entries} entries`, ...(name === undefined ? [] : [name]), ...(pinned ? ['pinned'] : [])].join('  '),
    )
    give(lines.join('\n'))
  }
  for (const { why } of unreadable) say(why)
  return DONE
}

/** Each on its own: one that can't be done doesn't keep the others from being. */
function each(words: string[], act: (word: string) => void): number {
  let code = DONE
  for (const word of words) {
    try {
      act(word)
    } catch (thrown) {
      code = FAILED
      say(messageOf(thrown))
    }
  }
  return code
}

function existing(folder: RecordingsFolder, id: string): string {
  if (!existsSync(folder.pathOf(id))) throw new HaloError('VALIDATION', `There is no recording of run ${id} in this folder. halo recordings lists those there are.`)
  return id
}

function exportOne(folder: RecordingsFolder, id: string, to: string | undefined): number {
  return each([id], () => {
    const record = folder.load(existing(folder, id))
    if (record === undefined) return
    const lines = toLines(record)
    if (to === undefined) process.stdout.write(lines)
    else writeNew(to, lines)
    say(UNREDACTED)
  })
}

/** Nothing that is there is written over. */
function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new UsageError(`${path} can't be written: ${whyNot(error)}.`)
  }
}

function importOne(folder: RecordingsFolder, path: string): void {
  const text = textOf(path)
  try {
    const { record, cut } = readLines(text)
    folder.add(record)
    say(`${record.start.runId} from ${path}${cut ? ', whose last line was cut off' : ''}.`)
  } catch (error) {
    throw new HaloError('VALIDATION', `${path}: ${messageOf(error)}`, { cause: error })
  }
}
